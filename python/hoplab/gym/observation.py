"""What an agent observes of its flow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np


class Observed(NamedTuple):
    """Observations by field: numbers of one agent, or arrays over agents. Counts are of the last interval.

    Attributes
    ----------
    acked_bps : float
        Payload acknowledged for the first time, bit/s.
    rtt_s : float
        Mean round-trip time, s, of the last interval with a sample; 0 before the first.
    min_rtt_s : float
        Minimum round-trip time so far, s; 0 before the first sample.
    losses, timeouts : float
        Losses detected by duplicate acknowledgments, and by the retransmission timer.
    cwnd : float
        Congestion window, segments: as the agent set it, or 1 after a timeout.
    in_flight : float
        Segments in flight after the last acknowledgment.
    silence_s : float
        Time since the last acknowledgment of new data, s.
    """

    acked_bps: Any
    rtt_s: Any
    min_rtt_s: Any
    losses: Any
    timeouts: Any
    cwnd: Any
    in_flight: Any
    silence_s: Any

    @classmethod
    def of(cls, rows: np.ndarray[Any, Any]) -> Observed:
        """Fields of an array whose last axis has them in order."""
        return cls(*(rows[..., index] for index in range(len(FIELDS))))


FIELDS = Observed._fields
"""Fields of an observation, in order."""
