"""When a mean of ours agrees with a mean of theirs."""

from __future__ import annotations

from hoplab.stats import Interval


def stored(mean: float, half_width: float | None, runs: int) -> Interval:
    """A mean from a reference table, with its 95 % half-width."""
    if half_width is None:
        return Interval(mean, None, None, None, runs, "none")
    return Interval(mean, half_width, mean - half_width, mean + half_width, runs)


def joint_half_width(ours: Interval, theirs: Interval) -> float:
    """Sum of the two half-widths; one that is not known counts as zero."""
    return (ours.half_width or 0.0) + (theirs.half_width or 0.0)


def tolerance(ours: Interval, theirs: Interval, share: float, *, floor: float = 0.0) -> float:
    """Tolerance of two means: the maximum of a share, the joint interval and a floor.

    Parameters
    ----------
    share : float
        Relative to the reference's mean, e.g. 0.03.
    floor : float
        Absolute, in the unit of the means; for quantities that may be zero.
    """
    return max(share * abs(theirs.mean), joint_half_width(ours, theirs), floor)


def text(value: Interval, digits: int = 1) -> str:
    """`289.5 ± 0.7`; without an interval where there is none."""
    if value.half_width is None:
        return f"{value.mean:.{digits}f}"
    return f"{value.mean:.{digits}f} ± {value.half_width:.{digits}f}"
