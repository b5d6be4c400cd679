"""Windows of the seven variants with few and with many errors, and how often they fall back to slow start.

The paper reasons about windows and slow start and shows neither. Windows are drawn of one placement: the mean of
several would level out what is to be seen.
"""

from __future__ import annotations

from collections.abc import Sequence

from hoplab.figures import Figure
from hoplab.figures.model import Curve
from hoplab.running.runs import Run
from hoplab_studies.shared.study import Grid, Part
from hoplab_studies.variants import scenarios as ground

WINDOWS = "windows"
FEW, MANY = 0.01, 0.10
"""Frame error rates; with 0.25 next to nothing is sent."""

INTERVAL_S = 0.2


def part() -> Part:
    """The error sweep with sampled windows, for a sixth of its time."""
    axes = {"radio.errors.frame_error_rate": (FEW, MANY), "traffic.transport": tuple(ground.VARIANTS)}
    return Part(WINDOWS, ground.network("errors", ground.QUICK_S), axes, series_interval_s=INTERVAL_S)


def busiest(run: Run) -> int:
    """The connection that delivers most, the first of equal ones."""
    return max(run.flows, key=lambda flow: flow.goodput_bps).id


def drawn(grid: Grid) -> Sequence[Figure]:
    """A figure per variant: the window of one connection of the first placement, with few and with many errors."""
    flow = busiest(grid.at(frame_error_rate=FEW, transport="reno")[0])
    found = []
    for name, label in ground.VARIANTS.items():
        curves = []
        for slot, rate in enumerate((FEW, MANY)):
            run = grid.at(frame_error_rate=rate, transport=name)[0]
            series = run.series
            own = series["flow"] == flow
            timeouts = run.flows[flow].timeouts
            text = f"{rate:.0%} of frames lost, {timeouts} {'timeout' if timeouts == 1 else 'timeouts'}"
            times, windows = (list(map(float, series[key][own])) for key in ("t_s", "cwnd"))
            curves.append(Curve(text, times, windows, style="step", slot=slot))
        caption = (
            f"One placement, seed {run.seed}: connection {flow + 1}, the one to which NewReno delivers most with few "
            "errors. Each timeout is a fall to slow start."
        )
        identity = f"window-{name.replace('_', '-')}"
        axis = "congestion window (segments)"
        found.append(Figure(identity, f"Window of {label}", "time (s)", axis, tuple(curves), caption))
    return found
