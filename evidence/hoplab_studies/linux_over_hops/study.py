"""The study of the kernel's TCP over hops: its controllers in virtual time beside our models of them."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from hoplab.figures import Figure
from hoplab.figures.build import interval_curve
from hoplab.report.model import ReportTable
from hoplab.running.runs import Run
from hoplab.stats import Interval, mean_interval
from hoplab_studies.linux_over_hops import scenarios as ground
from hoplab_studies.linux_over_hops.kernel_runs import CONNECTIONS
from hoplab_studies.shared.measures import at_least, at_most, in_range, ratio
from hoplab_studies.shared.study import DEFAULT, Check, Grid, Grids, Margin, Shown, Study
from hoplab_studies.shared.verdict import Condition, shown

ALIKE = (0.9, 1.1)
"""Goodput of a model counts as that of the kernel within this range (LH1 to LH4)."""

INVERSE = (0.8, 1.1)
"""Goodput times hops, as a share of goodput over one hop (LH5)."""

INVERSE_HOPS = (2, 4)
SHORT = (1, 2)
"""Hops over which the queue of 50 packets makes most of the round-trip time (LH6, LH7)."""

OF_VEGAS, OF_BBR = 0.3, 0.5
"""Round-trip time of a controller without a standing queue, at most this share of Reno's."""

AS_MUCH = 0.95

WINDOW = "the receiver's acknowledgments: the kernel delays them as it sees fit"


def study(*, quick: bool = False) -> Study:
    """The whole study; if `quick`, four controllers over up to four hops."""
    over = partial(Margin, {}, ALIKE[1], ("goodput_bps",))
    pairs = {"LH1": "reno", "LH2": "cubic", "LH3": "bbr"}
    return Study(
        paper="linux-over-hops",
        parts=ground.parts(quick=quick),
        figures=(
            Shown("goodput", "Goodput beside our connections", "kernel", also=("connections",), draw=_goodput),
            Shown("agents", "Goodput of the kernel and of our agents", "kernel", also=("agents",), draw=_agents),
            Shown("inverse", "Goodput times hops of the kernel", "kernel", draw=_inverse_figure),
            Shown("rtt", "Round-trip time of the kernel", "kernel", draw=_rtt_figure),
        ),
        checks=(
            *(
                Check(claim, "kernel", WINDOW, _alike({name: ground.CONNECTIONS[name]}), beside=("connections",),
                      margins=(over(part="connections"),))
                for claim, name in pairs.items()
            ),
            Check("LH4", "kernel", WINDOW, _alike(ground.AGENTS), beside=("agents",), margins=(over(part="agents"),)),
            Check("LH5", "kernel", "the distance of nodes", _inverse),
            Check("LH6", "kernel", "the queue limit (50 packets)", _vegas),
            Check("LH7", "kernel", "the queue limit (50 packets)", _bbr),
            Check("LH8", "kernel", "the kernel's version", _repeated, beside=("again",)),
        ),
        assumptions=ground.ASSUMPTIONS,
        tables=tables,
        full_seeds=ground.SEEDS,
    )  # fmt: skip


def measured(run: Run, name: str) -> float:
    """`goodput_bps`, `retransmissions` or `delay_mean_s` of a flow or of the kernel, which has `rtt_s` too."""
    value = getattr(run.flows[0], name, None) if run.flows else json.loads(run.json)[CONNECTIONS][0][name]
    return math.nan if value is None else float(value)


def of_kernel(grid: Grid, name: str, hops: int, metric: str = "goodput_bps") -> list[float]:
    """A measure of the kernel's controller, by seed."""
    return [measured(run, metric) for run in grid.at(name=name, hops=hops)]


def of_model(grid: Grid, transport: str, hops: int, metric: str = "goodput_bps") -> list[float]:
    """The same of a model."""
    return [measured(run, metric) for run in grid.at(transport=transport, hops=hops)]


def _alike(models: Mapping[str, str]) -> Callable[[Grid, Grid], list[Condition]]:
    """LH1 to LH4: goodput of the kernel over that of models, at each length."""

    def test(kernel: Grid, beside: Grid) -> list[Condition]:
        chosen = [(name, model) for name, model in models.items() if name in kernel.values("name")]
        return [
            in_range(
                f"Linux {name} / {model} at {counted(hops)}",
                ratio(of_kernel(kernel, name, hops), of_model(beside, model, hops)),
                ALIKE,
            ).denied_by_interval()
            for name, model in chosen
            if model in beside.values("transport")
            for hops in kernel.values("hops")
        ]

    return test


def _inverse(kernel: Grid) -> list[Condition]:
    """LH5: goodput times hops, over goodput over one hop."""
    return [
        in_range(
            f"{hops} x goodput of {name} at {hops} hops / 1 hop",
            ratio([hops * x for x in of_kernel(kernel, name, hops)], of_kernel(kernel, name, 1)),
            INVERSE,
        )
        for name in kernel.values("name")
        for hops in INVERSE_HOPS
    ]


def _less_delay(kernel: Grid, name: str, share: float) -> list[Condition]:
    return [
        at_most(
            f"round-trip time of {name} / reno at {counted(hops)}",
            of_kernel(kernel, name, hops, "rtt_s"),
            of_kernel(kernel, "reno", hops, "rtt_s"),
            share,
        )
        for hops in SHORT
    ]


def _vegas(kernel: Grid) -> list[Condition]:
    """LH6: the round-trip time of Vegas beside Reno's."""
    return _less_delay(kernel, "vegas", OF_VEGAS)


def _bbr(kernel: Grid) -> list[Condition]:
    """LH7: the round-trip time of BBR beside Reno's, and its goodput."""
    carried = [
        at_least(
            f"goodput of bbr / reno at {counted(hops)}",
            of_kernel(kernel, "bbr", hops),
            of_kernel(kernel, "reno", hops),
            AS_MUCH,
        )
        for hops in SHORT
    ]
    return [*_less_delay(kernel, "bbr", OF_BBR), *carried]


def _repeated(kernel: Grid, again: Grid) -> list[Condition]:
    """LH8: fingerprints of runs and of their repeats, and of different seeds."""
    found = []
    for name in again.values("name"):
        first, second = (
            [run.fingerprint for run in grid.at(name=name, hops=ground.REPEATED_HOPS)] for grid in (kernel, again)
        )
        equal = [float(a == b) for a, b in zip(first, second, strict=True)]
        own = [float(first.count(a) == 1) for a in first]
        found += [
            in_range(f"share of equal repeats, {name}", mean_interval(equal), (1.0, 1.0)),
            in_range(f"share of seeds with a fingerprint of their own, {name}", mean_interval(own), (1.0, 1.0)),
        ]
    return found


def counted(hops: int) -> str:
    """A number of hops in words."""
    return "1 hop" if hops == 1 else f"{hops} hops"


Curves = Sequence[tuple[str, Callable[[int], Interval]]]


def _figure(name: str, title: str, curves: Curves, kernel: Grid) -> list[Figure]:
    y, scale = AXES[name]
    hops = kernel.values("hops")
    drawn = [
        interval_curve(label, hops, [interval(over) for over in hops], scale, slot=slot)
        for slot, (label, interval) in enumerate(curves)
    ]
    caption = f"Mean and 95 % interval of {drawn[0].n} runs."
    return [Figure(name, title, "hops", y, tuple(drawn), caption, integer_x=True)]


AXES = {
    "goodput": ("goodput (kb/s)", 1e-3),
    "agents": ("goodput of Linux / agent", 1.0),
    "inverse": ("goodput times hops (kb/s)", 1e-3),
    "rtt": ("smoothed round-trip time (ms)", 1e3),
}
"""Label of the vertical axis of each figure, and its scale from SI units."""


def _mean(of: Callable[[Grid, str, int], list[float]], grid: Grid, name: str, hops: int) -> Interval:
    return mean_interval(of(grid, name, hops))


def _goodput(kernel: Grid, connections: Grid) -> Sequence[Figure]:
    curves: list[tuple[str, Callable[[int], Interval]]] = []
    for name, model in ground.CONNECTIONS.items():
        curves += [
            (f"Linux {name}", partial(_mean, of_kernel, kernel, name)),
            (model, partial(_mean, of_model, connections, model)),
        ]
    return _figure("goodput", "Goodput of the kernel and of our connections", curves, kernel)


def _agents(kernel: Grid, agents: Grid) -> Sequence[Figure]:
    def beside(name: str, hops: int) -> Interval:
        return ratio(of_kernel(kernel, name, hops), of_model(agents, ground.AGENTS[name], hops))

    known = [name for name in kernel.values("name") if ground.AGENTS.get(name) in agents.values("transport")]
    curves = [(f"{name} / {ground.AGENTS[name]}", partial(beside, name)) for name in known]
    return _figure("agents", "Goodput of the kernel over that of our one-way agents", curves, kernel)


def _inverse_figure(kernel: Grid) -> Sequence[Figure]:
    def times(name: str, hops: int) -> Interval:
        return mean_interval(of_kernel(kernel, name, hops)).scaled(hops)

    curves = [(f"Linux {name}", partial(times, name)) for name in kernel.values("name")]
    return _figure("inverse", "Goodput times hops of the kernel", curves, kernel)


def _rtt_figure(kernel: Grid) -> Sequence[Figure]:
    def round_trip(name: str, hops: int) -> Interval:
        return mean_interval(of_kernel(kernel, name, hops, "rtt_s"))

    curves = [(f"Linux {name}", partial(round_trip, name)) for name in kernel.values("name")]
    return _figure("rtt", "Round-trip time of the kernel", curves, kernel)


def tables(grids: Grids) -> list[ReportTable]:
    """Goodput, round-trip time, delay and retransmissions by controller and hops."""
    if ("kernel", DEFAULT) not in grids:
        return []
    kernel = _joined([grid for (part, _), grid in grids.items() if part == "kernel"])
    beside = {name: grids[name, DEFAULT] for name in ("connections", "agents") if (name, DEFAULT) in grids}
    seconds = f"{ground.END_S - ground.WARMUP_S:g} s"
    return [
        _table("Goodput, kb/s", 1e-3, "goodput_bps", kernel, beside),
        _table("Smoothed round-trip time of the kernel, ms", 1e3, "rtt_s", kernel, {}),
        _table("Mean delay of data, ms", 1e3, "delay_mean_s", kernel, beside),
        _table(f"Retransmissions in {seconds}", 1.0, "retransmissions", kernel, beside),
    ]


def _joined(grids: Sequence[Grid]) -> Grid:
    """One grid of all series of the kernel: each adds controllers."""
    names = tuple(dict.fromkeys(name for grid in grids for name in grid.values("name")))
    points = {setting: runs for grid in grids for setting, runs in grid.points.items()}
    return Grid({**grids[0].axes, "name": names}, points)


def _table(title: str, scale: float, metric: str, kernel: Grid, beside: Mapping[str, Grid]) -> ReportTable:
    hops = kernel.values("hops")

    def row(label: str, values: Callable[[int], Sequence[float]]) -> tuple[str, ...]:
        return (label, *(shown(mean_interval([scale * value for value in values(over)])) for over in hops))

    rows = []
    for name in kernel.values("name"):
        rows.append(row(f"Linux {name}", partial(of_kernel, kernel, name, metric=metric)))
        for part, models in (("connections", ground.CONNECTIONS), ("agents", ground.AGENTS)):
            model = models.get(name)
            if model is not None and part in beside and model in beside[part].values("transport"):
                rows.append(row(model, partial(of_model, beside[part], model, metric=metric)))
    note = "95 % intervals."
    if metric == "delay_mean_s":
        note += " That of the kernel is of all its packets, from the start on."
    return ReportTable(title, ("", *map(counted, hops)), tuple(rows), note)
