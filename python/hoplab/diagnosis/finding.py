"""What the diagnosis of a flow says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hoplab.scenario.tomltext import literal
from hoplab.scenario.units import with_units


@dataclass(frozen=True)
class Found:
    """A reason as its row recognizes it.

    Attributes
    ----------
    cause : str
        Why the flow carries nothing: the end of a sentence.
    fix : mapping
        Keys that, set together, make the flow carry: for `Scenario.with_`. Empty if no keys are known to.
    advice : str
        What to do besides the keys of `fix`, or in their place.
    warning : str
        The engine's warning that says the same; it is not printed twice.
    """

    cause: str
    fix: Mapping[str, object] = field(default_factory=dict)
    advice: str = ""
    warning: str = ""


@dataclass(frozen=True)
class Finding:
    """Why one flow carries nothing, or what is unusual about its route.

    Attributes
    ----------
    flow : int
        Number of the flow.
    ends : str
        Its source and destination in words.
    reason : str
        Name of the reason: a row of the table.
    cause, fix, advice, warning
        As in `Found`.
    goodput_bps : float or None
        The largest goodput over the seeds that it is about; None before a run.
    seeds : tuple of int
        Seeds that it is about; empty before a run, and where it is about all.
    of : int
        Seeds that were run.
    is_note : bool
        Whether it is about flows that carry, too.
    others : int
        More flows of a run that carry nothing, whose reasons were not sought.
    """

    flow: int
    ends: str
    reason: str
    cause: str
    fix: Mapping[str, object]
    advice: str
    warning: str
    goodput_bps: float | None = None
    seeds: tuple[int, ...] = ()
    of: int = 1
    is_note: bool = False
    others: int = 0

    @property
    def remedy(self) -> str:
        """What to do, in words: the keys to set, and advice."""
        keys = " and ".join(f"{key} = {literal(with_units(value, key), key)}" for key, value in self.fix.items())
        return "; ".join(part for part in (f"set {keys}" if keys else "", self.advice) if part)

    @property
    def text(self) -> str:
        """The sentence, with its remedy."""
        if self.is_note:
            return f"flow {self.flow} ({self.ends}) {self.cause}; {self.remedy}"
        flows = "flow delivers" if self.others == 1 else "flows deliver"
        more = f"; {self.others} more {flows} nothing or almost nothing" if self.others else ""
        return f"flow {self.flow} ({self.ends}) {self._extent}: {self.cause}; {self.remedy}{more}"

    @property
    def _extent(self) -> str:
        if self.goodput_bps is None:
            return "may deliver almost nothing"
        rate = "nothing" if self.goodput_bps == 0.0 else f"almost nothing ({self.goodput_bps / 1e3:.3g} kb/s)"
        if not self.seeds:
            return f"delivers {rate}"
        listed = ", ".join(map(str, self.seeds[:MOST_LISTED])) + (", ..." if len(self.seeds) > MOST_LISTED else "")
        return f"delivers {rate} with {len(self.seeds)} of {self.of} seeds ({listed})"

    def to_dict(self) -> dict[str, Any]:
        """As plain values for JSON."""
        return {
            "flow": self.flow,
            "reason": self.reason,
            "cause": self.cause,
            "remedy": self.remedy,
            "fix": dict(self.fix),
            "text": self.text,
        }


MOST_LISTED = 5
"""Seeds that a sentence lists."""
