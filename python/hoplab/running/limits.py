"""How much a run may take before it is ended: events, and real time.

A limit ends a run that meets it and touches no other: results of runs that finish do not depend on it, so that it is no
part of a scenario, nor of a stored run's id.
"""

from __future__ import annotations

from dataclasses import dataclass

from hoplab.base.errors import UsageError
from hoplab.base.numbers import integer_of, number_of

MOST_EVENTS = 2**64 - 1
"""The engine counts no further."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of each run; none unless set.

    Attributes
    ----------
    max_events : int or None
        Most events.
    max_wall_s : float or None
        Most real time, s, from reading the scenario on. Looked at some fifty times a second.

    Raises
    ------
    UsageError
        If a limit is none: not above 0, no number, or more than the engine counts.
    """

    max_events: int | None = None
    max_wall_s: float | None = None

    def __post_init__(self) -> None:
        events, wall_s = self.max_events, self.max_wall_s
        count, seconds = integer_of(events), number_of(wall_s)
        if events is not None and not (count is not None and 1 <= count <= MOST_EVENTS):
            raise UsageError(f"max_events = {events!r}: expected an integer from 1 to 2^64 - 1")
        if wall_s is not None and not (seconds is not None and seconds > 0.0):
            raise UsageError(f"max_wall_s = {wall_s!r}: must be greater than 0 s")
        object.__setattr__(self, "max_events", count)
        object.__setattr__(self, "max_wall_s", seconds)


NONE = Limits()
"""No limit at all."""
