"""Time span of a run that the animation shows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from hoplab.base.errors import UsageError

UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}
_TIME = re.compile(r"\s*(\d+(?:\.\d*)?(?:e[+-]?\d+)?)\s*([a-z]+)\s*", re.IGNORECASE)
_EXAMPLE = 'such as --window "20 s..35 s"'


@dataclass(frozen=True)
class Span:
    """A time span of a run, in nanoseconds."""

    begin_ns: int
    end_ns: int

    @property
    def length_ns(self) -> int:
        """Length in ns."""
        return self.end_ns - self.begin_ns

    def shortened(self, share: float) -> Span:
        """Its first part."""
        return Span(self.begin_ns, self.begin_ns + max(int(self.length_ns * share), 1))

    def parts(self, count: int) -> list[Span]:
        """It in so many parts of equal length, or in one."""
        many = max(count, 1)
        edges = [self.begin_ns + self.length_ns * i // many for i in range(many + 1)]
        return [Span(begin, end) for begin, end in pairwise(edges)]

    def within(self, end_ns: int) -> Span:
        """The intersection with a run that ends at `end_ns`.

        Raises
        ------
        UsageError
            If it is empty.
        """
        if self.begin_ns >= end_ns:
            raise UsageError(
                f"--window: start {self.begin_ns / 1e9:g} s is after the end of the run, {end_ns / 1e9:g} s",
                hint=f"a time before {end_ns / 1e9:g} s, {_EXAMPLE}",
            )
        return Span(self.begin_ns, min(self.end_ns, end_ns))


def parse_span(text: str) -> Span:
    """Read `20 s..35 s`.

    Raises
    ------
    UsageError
        If the text is not a span.
    """
    ends = text.split("..")
    if len(ends) != 2:
        raise UsageError(f"--window {text!r}: expected two times with '..' between them", hint=_EXAMPLE)
    begin, end = (_nanoseconds(part, text) for part in ends)
    if end <= begin:
        raise UsageError(f"--window {text!r}: end must be after start", hint=_EXAMPLE)
    return Span(begin, end)


def _nanoseconds(part: str, text: str) -> int:
    found = _TIME.fullmatch(part)
    if found is None or found[2] not in UNITS:
        units = ", ".join(UNITS)
        raise UsageError(
            f"--window {text!r}: {part.strip()!r} is not a time, expected a number and a unit ({units})", hint=_EXAMPLE
        )
    return round(float(found[1]) * UNITS[found[2]] * 1e9)
