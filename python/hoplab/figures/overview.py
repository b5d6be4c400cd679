"""Every figure of a traced run: those of all runs, then those of its protocols."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hoplab.figures import protocols
from hoplab.figures.traced import IDLE, QUEUES, Traced, goodput, nodes_figure, srtt

if TYPE_CHECKING:
    from hoplab.figures.model import Figure
    from hoplab.store.trace import Trace


def traced_figures(trace: Trace, rate_bps: float = math.inf) -> list[Figure]:
    """Every figure that applies to the first run of a trace; `rate_bps` is the highest rate of the channel."""
    run = Traced(trace, trace.seeds[0])
    made = [
        goodput(run, rate_bps),
        srtt(run),
        nodes_figure(run, "queue_len", QUEUES),
        nodes_figure(run, "idle_share", IDLE),
    ]
    made += protocols.figures(run)
    return [figure for figure in made if figure is not None]
