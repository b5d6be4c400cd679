"""How often a station sends the frames of a packet where radio errors corrupt some."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from hoplab.bounding.inputs import Station

Losses = tuple[float, float, float, float]
"""Probabilities that RTS, CTS, DATA and ACK are corrupted."""
NO_LOSSES: Losses = (0.0, 0.0, 0.0, 0.0)


class Retries(NamedTuple):
    """Rules of a station for a packet."""

    uses_rts: bool
    is_short: bool
    ssrl: int
    slrl: int
    cw_min: int
    cw_max: int
    draws_cw: bool

    def mean_slots(self, stage: int) -> float:
        """Mean backoff after so many failures, in slots."""
        window = min(((self.cw_min + 1) << stage) - 1, self.cw_max)
        return (window if self.draws_cw else window - 1) / 2.0


@dataclass(frozen=True, slots=True)
class Attempts:
    """Means per packet handed to the MAC; `delivered`: the probability that the receiver gets it."""

    slots: float = 0.0
    rts_sent: float = 0.0
    cts_sent: float = 0.0
    data_sent: float = 0.0
    ack_sent: float = 0.0
    rts_failures: float = 0.0
    data_failures: float = 0.0
    delivered: float = 0.0

    def plus(self, other: Attempts, chance: float) -> Attempts:
        """These, and others with a probability."""
        return Attempts(*(a + chance * b for a, b in zip(astuple(self), astuple(other), strict=True)))

    @property
    def accesses(self) -> float:
        """How often the station contends for the medium."""
        return self.rts_sent if self.rts_sent > 0.0 else self.data_sent


def attempts(station: Station, length: int, losses: Losses) -> Attempts:
    """Frames that a station sends for a packet of this length above the MAC."""
    frames = station.frames[length]
    rules = Retries(
        frames.rts_s > 0.0,
        frames.is_short,
        station.ssrl,
        station.slrl,
        station.cw_min,
        station.cw_max,
        station.draws_cw,
    )
    return expected(rules, losses)


@lru_cache(maxsize=4096)
def expected(rules: Retries, losses: Losses) -> Attempts:
    """Means of a walk over both retry counters, the contention window, and whether the packet has been delivered.

    IEEE 802.11-1999 section 9.2.5.3: a missing CTS counts against the short limit, and a CTS resets that counter;
    missing ACKs of data that an RTS preceded count against the long limit.
    """
    rts, cts, data, ack = losses
    known: dict[tuple[int, int, int, bool], Attempts] = {}

    def from_(short: int, long: int, stage: int, *, is_delivered: bool) -> Attempts:
        state = (short, long, stage, is_delivered)
        if state not in known:
            known[state] = attempt(*state)
        return known[state]

    def attempt(short: int, long: int, stage: int, is_delivered: bool) -> Attempts:  # noqa: FBT001 (a state)
        granted = 1.0
        sent = Attempts(slots=rules.mean_slots(stage))
        if rules.uses_rts:
            granted = (1.0 - rts) * (1.0 - cts)
            sent = sent.plus(Attempts(rts_sent=1.0, cts_sent=1.0 - rts, rts_failures=1.0 - granted), 1.0)
            if granted < 1.0 and short + 1 < rules.ssrl:
                sent = sent.plus(from_(short + 1, long, stage + 1, is_delivered=is_delivered), 1.0 - granted)
            short = 0
        acked = (1.0 - data) * (1.0 - ack)
        sent = sent.plus(Attempts(data_sent=1.0, ack_sent=1.0 - data, data_failures=1.0 - acked), granted)
        if not is_delivered:
            sent = sent.plus(Attempts(delivered=1.0), granted * (1.0 - data))
        is_long = rules.uses_rts and not rules.is_short
        count, limit = (long, rules.slrl) if is_long else (short, rules.ssrl)
        if count + 1 < limit:
            after = (short, long + 1) if is_long else (short + 1, long)
            lost = granted * data
            if lost > 0.0:
                sent = sent.plus(from_(*after, stage + 1, is_delivered=is_delivered), lost)
            if granted * (1.0 - data) * ack > 0.0:
                sent = sent.plus(from_(*after, stage + 1, is_delivered=True), granted * (1.0 - data) * ack)
        return sent

    return from_(0, 0, 0, is_delivered=False)
