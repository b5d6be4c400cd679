"""Sources that offer nothing in the measured time."""

from __future__ import annotations

from hoplab.diagnosis.case import Case
from hoplab.diagnosis.finding import Found

PACKETS = 100
"""Packets that a remedy lets a source send."""
BEHIND = 5.0
"""Distinct payload over payload in order from which on a gap holds a flow back."""


def unmeasured(case: Case) -> Found | None:
    """The flow ends before the warm-up does, or begins after the run."""
    (start, stop), (begin, end) = case.life, case.measured
    duration, warmup = float(case.data["duration_s"]), float(case.data["warmup_s"])
    if end > begin:
        return None
    if start >= duration:
        later = f"{start + max(1.0, 0.5 * duration):.4g} s"
        return Found(f"it starts at {start:g} s, and the run ends at {duration:g} s", {"duration": later})
    return Found(
        f"it stops at {stop:g} s, before warmup ends at {warmup:g} s, so nothing of it is measured",
        {"warmup": f"{0.5 * start:g} s"},
        warning=f"flow.{case.number}.stop: the flow stops before the end of warmup and is not measured",
    )


def slow(case: Case) -> Found | None:
    """No packet of a source with a constant rate falls into the measured time."""
    rate = case.flow.get("rate_bps")
    begin, end = case.measured
    if not rate or case.flow["app"] not in {"cbr", "poisson"}:
        return None
    interval_s = 8.0 * float(case.flow["segment"]) / float(rate)
    # The first packet leaves at the start; the warm-up hides it.
    if interval_s <= end - begin or begin <= case.life[0]:
        return None
    enough = PACKETS * 8.0 * float(case.flow["segment"]) / (end - begin)
    return Found(
        f"its rate of {float(rate):g} b/s is a packet every {interval_s:.3g} s, and {end - begin:g} s are measured",
        {f"flow.{case.number}.rate": f"{max(1.0, enough / 1e3):.3g} kb/s"},
    )


def gap(case: Case) -> Found | None:
    """Segments arrive, and an early one is missing to the end: nothing is in order."""
    report = case.report
    if report is None or not report.has_acks or report.unique_bps <= BEHIND * report.goodput_bps:
        return None
    return Found(
        f"{report.unique_bps / 1e3:.3g} kb/s of distinct payload arrive behind a gap that is not filled",
        advice="count arrivals with --metrics distinct, or lengthen duration until the segment is retransmitted",
    )
