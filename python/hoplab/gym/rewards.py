"""Rewards of an interval."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hoplab.gym.observation import Observed

Reward = Callable[[Observed], Any]
"""Takes observations of one agent or of many, and returns a number for each."""

FLOOR_BPS = 1e3
"""Rate that a silent interval counts as, bit/s: its logarithm is finite."""


def utility(delay_weight: float = 1.0) -> Reward:
    """Logarithm of the acknowledged rate less that of the delay: log2(rate in Mb/s) - w log2(RTT / minimum RTT).

    The objective of Winstein and Balakrishnan, "TCP ex Machina" (SIGCOMM 2013), section 3.3, with the ratio of
    round-trip times as the delay. An interval without acknowledgments counts as 1 kb/s: choose it longer than an RTT.

    Parameters
    ----------
    delay_weight : float
        w: 0 rewards the rate alone.
    """

    def reward(observed: Observed) -> Any:
        rate = np.log2(np.maximum(observed.acked_bps, FLOOR_BPS) / 1e6)
        has_sample = np.asarray(observed.min_rtt_s) > 0
        ratio = np.divide(observed.rtt_s, observed.min_rtt_s, out=np.ones_like(rate), where=has_sample)
        return rate - delay_weight * np.log2(np.maximum(ratio, 1.0))

    return reward
