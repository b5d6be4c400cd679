"""Draw the pictures of guides that no block of their page saves: what the page's own scenarios give.

    python scripts/pages/guides.py               # all of them
    python scripts/pages/guides.py sweeps live   # those of named pages

The pictures lie in docs/images/guides; the same engine gives the same files.
"""

import csv
import math
import os
import re
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from svg import save

import hoplab
from hoplab.base.metrics import metric_of
from hoplab.figures.build import comparison_figure, interval_curve
from hoplab.figures.draw import draw
from hoplab.figures.model import Curve
from hoplab.figures.model import Figure as Plot
from hoplab.figures.palette import ink
from hoplab.figures.sweep import sweep_figures
from hoplab.scenario.trajectories import draw_map, movements
from hoplab.stats import mean_interval
from hoplab_validation.peers import tables
from hoplab_validation.validate.checks import ns3
from hoplab_validation.validate.scenarios import chain

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "images" / "guides"
MESH = "scenarios/mesh.toml"
SEEDS = 10
EXPERIMENTS, SEED = 2000, 1
FENCE = re.compile(r"^```toml[^\n]*\n(# (\S+\.toml)\n.*?)^```$", re.MULTILINE | re.DOTALL)


def compared(
    file: str,
    metric: str,
    transports: tuple[str, ...] = ("new_reno",),
    over: Mapping[str, list[object]] | None = None,
    labels: Mapping[str, str] | None = None,
) -> Callable[[Axes], None]:
    """A comparison's metric over its first axis, or a dot per transport."""

    def drawn(ax: Axes) -> None:
        comparison = hoplab.compare(file, transports, over=over, seeds=SEEDS)
        draw(comparison_figure(comparison, metric, labels=labels), ax=ax)

    return drawn


def dots(title: str, metric: str, runs: Mapping[str, hoplab.Runs], ax: Axes, flow: int | None = None) -> None:
    """A dot with its interval for each set of runs."""
    spec = metric_of(metric)
    curves = []
    for slot, (name, each) in enumerate(runs.items()):
        curve = interval_curve(name, [float(slot)], [each.interval(metric, flow)], spec.scale, slot=slot)
        curves.append(replace(curve, style="dots"))
    draw(Plot("dots", title, "", spec.axis, tuple(curves), x_names=tuple(runs)), ax=ax)


def map_of(file: str) -> Callable[[Axes], None]:
    """Places, movements and ranges of a scenario."""
    return lambda ax: draw_map(hoplab.Scenario.from_toml(file), ax)


def beside(peer: str, theirs: Mapping[int, list[float]], ours: Mapping[int, hoplab.Scenario], ax: Axes) -> None:
    """Goodput over a chain here and in a peer, by hops."""
    hops = sorted(theirs)
    found = [hoplab.run(ours[h], seeds=SEEDS).interval("goodput_bps") for h in hops]
    curves = (
        interval_curve(peer, [float(h) for h in hops], [mean_interval(theirs[h]) for h in hops], 1.0, slot=1),
        interval_curve("hoplab", [float(h) for h in hops], found, 1e-3, slot=0),
    )
    draw(Plot("beside", "NewReno over a chain", "hops", "goodput (kb/s)", curves, integer_x=True), ax=ax)


def beside_ns2(ax: Axes) -> None:
    """The stored runs of ns-2.35, and runs of the same scenarios."""
    theirs: dict[int, list[float]] = {}
    for row in tables.read("ns2_chain_tcp"):
        if (row["routing"], row["transport"]) == ("static", "new_reno"):
            theirs.setdefault(int(row["hops"]), []).append(float(row["goodput_kbps"]))
    beside("ns-2.35", theirs, {hops: chain(hops, "new_reno") for hops in theirs}, ax)


def beside_ns3(ax: Axes) -> None:
    """The stored runs of ns-3.37, and runs of the same scenarios."""
    theirs: dict[int, list[float]] = {}
    for row in tables.read(ns3.CHAIN_TABLE):
        if row["transport"] == "new_reno":
            theirs.setdefault(int(row["hops"]), []).append(float(row["goodput_kbps"]))
    beside("ns-3.37", theirs, {hops: ns3.chain(hops, "new_reno") for hops in theirs}, ax)


def swept(ax: Axes) -> None:
    """The goodput of the page's sweep."""
    results = hoplab.sweep("hops.toml", seeds=SEEDS, out="hops")
    draw(sweep_figures(results, {"goodput_bps": results.intervals()}, [metric_of("goodput_bps")])[0], ax=ax)


def over_time(ax: Axes) -> None:
    """Goodput of two flows that cross, second by second, in one run."""
    keys = {"duration": "60 s", "goodput_interval": "1 s"}
    run = hoplab.run(hoplab.Scenario.from_toml("scenarios/cross.toml", keys))[0]
    curves = []
    for slot, (flow, series) in enumerate(zip(run.flows, run.goodput_series_bps, strict=True)):
        times = [float(second) for second in range(len(series))]
        name = f"flow {slot}: {flow.src} to {flow.dst}"
        curves.append(Curve(name, times, [value / 1e3 for value in series], style="step", slot=slot))
    draw(Plot("time", "Goodput per second", "time (s)", "goodput (kb/s)", tuple(curves)), ax=ax)


def bounds(ax: Axes) -> None:
    """Goodput of NewReno over hops below what the chain can carry."""
    hops = list(range(1, 9))
    chains = [hoplab.Scenario.from_toml("chain.toml", {"topology.hops": h}) for h in hops]
    limit = [hoplab.bound(each).sum.high / 1e3 for each in chains]
    runs = [hoplab.run(each, seeds=SEEDS).interval("goodput_bps") for each in chains]
    x = [float(h) for h in hops]
    curves = (
        Curve("bound (dcf)", x, limit, style="points", slot=1, exact="computed"),
        interval_curve("NewReno", x, runs, 1e-3, slot=0),
    )
    draw(Plot("bounds", "What a chain can carry", "hops", "goodput (kb/s)", curves, integer_x=True), ax=ax)


def radios(ax: Axes) -> None:
    """Goodput of one hop against its length, by radio."""
    kinds: dict[str, dict[str, object]] = {
        "802.11a, 6 Mb/s": {"radio.standard": "11a", "mac.data_rate": "6 Mb/s"},
        "802.11a, 24 Mb/s": {"radio.standard": "11a", "mac.data_rate": "24 Mb/s"},
        "802.11a, 54 Mb/s": {"radio.standard": "11a", "mac.data_rate": "54 Mb/s"},
        "802.11n, MCS 7": {"radio.standard": "11n", "mac.mcs": 7},
    }
    log_distance = {
        "radio.propagation": "shadowing",
        "radio.shadowing_deviation_db": 0,
        "radio.path_loss_exponent": 3,
        "radio.tx_power": "40 mW",
        "mac.rts_threshold": 65535,
    }
    base = hoplab.Scenario.from_dict(
        profile="std",
        duration="3 s",
        topology={"kind": "chain", "hops": 1},
        flow=[{"transport": "udp", "app": "cbr", "rate": "80 Mb/s"}],
    )
    lengths = list(range(5, 61, 5))
    curves = []
    for slot, (name, keys) in enumerate(kinds.items()):
        links = [base.with_({**log_distance, **keys, "topology.spacing": f"{m} m"}) for m in lengths]
        found = [hoplab.run(link, seeds=5).interval("goodput_bps") for link in links]
        curves.append(interval_curve(name, [float(m) for m in lengths], found, 1e-6, slot=slot))
    draw(Plot("radios", "Datagrams over one hop", "length of the hop (m)", "goodput (Mb/s)", tuple(curves)), ax=ax)


def priorities(ax: Axes) -> None:
    """Delay of the call by the categories of call and bulk."""
    file = "scenarios/voice-priority.toml"
    kinds: dict[str, dict[str, object]] = {
        "best effort;\nbest effort": {"flow.0.priority": "best_effort"},
        "voice;\nbest effort": {},
        "video;\nbest effort": {"flow.0.priority": "video"},
        "best effort;\nbackground": {
            "flow.0.priority": "best_effort",
            "flow.1.priority": "background",
            "flow.2.priority": "background",
        },
    }
    runs = {name: hoplab.run(hoplab.Scenario.from_toml(file, keys), seeds=SEEDS) for name, keys in kinds.items()}
    dots("Delay of the call, by priority of call; bulk", "delay_mean_s", runs, ax, flow=0)


def channels(ax: Axes) -> None:
    """Goodput by the channel of the third hop, and with one radio."""
    two = hoplab.Scenario.from_toml("scenarios/gateway-two-radios.toml")
    meshes = {"one radio": two.with_({f"node.{node}.radios": [{"channel": 36}] for node in range(7)})}
    for channel in (36, 44, 48, 52):
        ends = {"node.2.radios": [{"channel": 40}, {"channel": channel}], "node.3.radios": [{"channel": channel}]}
        meshes[f"channel {channel}"] = two.with_(ends)
    dots("Sum of goodput", "goodput_bps", {name: hoplab.run(each, seeds=SEEDS) for name, each in meshes.items()}, ax)


def routings(ax: Axes) -> None:
    """What arrives, by routing protocol."""
    runs = {
        name: hoplab.run(hoplab.Scenario.from_toml("scenarios/routings.toml", {"routing.protocol": name}), seeds=20)
        for name in ("aodv", "dsdv", "olsr")
    }
    dots("Three flows of 20 kb/s among 30 moving nodes", "goodput_bps", runs, ax)


def gray_zone(ax: Axes) -> None:
    """Goodput of a chain with a gray zone, and with the remedy, by routing protocol."""
    remedy = {"radio.rx_range": "35.4 m", "flow.0.start": "20 s", "duration": "50 s", "warmup": "20 s"}
    kinds = {"as it is": {}, "with\nrx_range": remedy}
    runs = {
        f"{protocol}\n{kind}": hoplab.run(
            hoplab.Scenario.from_toml("gray.toml", {"routing.protocol": protocol, **keys}), seeds=SEEDS
        )
        for protocol in ("olsr", "aodv", "dsr")
        for kind, keys in kinds.items()
    }
    dots("Goodput over five hops", "goodput_bps", runs, ax)


def relays_off(ax: Axes) -> None:
    """Goodput of the measured mesh, and with one of its relays off."""
    found = hoplab.whatif("scenarios/mesh.toml", only=["nodes"], seeds=20)
    runs = {"as given": found.baseline, **{each.change.title: each.runs for each in found.variants}}
    dots("Sum of goodput", "goodput_bps", runs, ax)


def _links(file: str = MESH) -> dict[tuple[str, str], float]:
    """Delivery ratios of a measured mesh, by sender and receiver."""
    with Path(file).with_suffix(".links.csv").open(encoding="utf-8") as rows:
        listed = [row for row in csv.DictReader(rows) if row["delivery"]]
    return {(row["from"], row["to"]): float(row["delivery"]) for row in listed}


def _names(file: str = MESH) -> list[str]:
    return list(hoplab.Scenario.from_toml(file).resolve().data["topology"]["names"])


def mesh_matrix(ax: Axes) -> None:
    """Delivery ratio of each direction, as a matrix."""
    names, links = _names(), _links()
    shares = np.full((len(names), len(names)), math.nan)
    for (sender, receiver), share in links.items():
        shares[names.index(sender), names.index(receiver)] = share
    image = ax.imshow(shares, cmap="viridis", vmin=0.0, vmax=1.0)
    ax.set_xticks(range(len(names)), names, rotation=45, ha="right")
    ax.set_yticks(range(len(names)), names)
    ax.set(xlabel="to", ylabel="from")
    figure = ax.get_figure(root=True)
    assert figure is not None
    figure.colorbar(image, ax=ax, label="delivery ratio")


def circle(file: str, size: float, gateways: tuple[str, ...] = ()) -> Callable[[Axes], None]:
    """A mesh on a circle: a line per link, the darker the better its worse direction; gateways are squares."""

    def drawn(ax: Axes) -> None:
        names, links = _names(file), _links(file)
        angles = {name: 2.0 * math.pi * i / len(names) for i, name in enumerate(names)}
        places = {name: (1.7 * math.cos(a), math.sin(a)) for name, a in angles.items()}
        for (one, other), share in links.items():
            if one < other and (other, one) in links:
                worse = min(share, links[other, one])
                ends = zip(places[one], places[other], strict=True)
                ax.plot(*ends, color=ink(0).color, alpha=worse**2, linewidth=size)
        for name, (x, y) in places.items():
            ax.plot(x, y, "s" if name in gateways else "o", color=ink(1).color, markersize=8 if name in gateways else 6)
            ax.annotate(name, (x * 1.1, y * 1.12), ha="center", va="center", fontsize=9)
        ax.set(title=f"{Path(file).name}: the darker, the better the worse direction delivers", aspect="equal")
        ax.margins(0.12)
        ax.set_axis_off()

    return drawn


def coverage(ax: Axes) -> None:
    """Shares of 95 % intervals that cover the mean, by the number of values and their distribution."""
    rng = np.random.default_rng(SEED)
    counts = [3, 5, 7, 10, 15, 20, 30]
    kinds: dict[str, tuple[Callable[[int], Any], float]] = {
        "normal": (lambda n: rng.normal(0.0, 1.0, n), 0.0),
        "lognormal": (lambda n: rng.lognormal(0.0, 1.0, n), math.exp(0.5)),
        "one in ten collapses": (lambda n: rng.normal(1.0, 0.01, n) * (rng.random(n) > 0.1), 0.9),
    }
    curves = []
    for slot, (name, (values, mean)) in enumerate(kinds.items()):
        y = []
        for n in counts:
            found = [mean_interval(values(n).tolist()) for _ in range(EXPERIMENTS)]
            y.append(100.0 * sum(each.low <= mean <= each.high for each in found) / EXPERIMENTS)  # type: ignore[operator]
        curves.append(Curve(name, [float(n) for n in counts], y, slot=slot, exact=f"{EXPERIMENTS} experiments"))
    ax.axhline(95.0, color="0.5", linestyle="--", linewidth=0.9)
    draw(
        Plot(
            "coverage", "Coverage of Student's interval", "seeds", "covers the mean (%)", tuple(curves), integer_x=True
        ),
        ax=ax,
    )


def hosts(ax: Axes) -> None:
    """What a packet of a real program passes: kernel and device of a namespace, then simulated nodes."""
    real, simulated = ink(0).color, ink(1).color
    for x, name in ((0.0, "node 0"), (4.0, "node 1"), (8.0, "node 2")):
        stack = [("routing, queue", simulated), ("MAC", simulated), ("radio", simulated)]
        stack = [("program", real), ("kernel's TCP", real), ("TUN device", real), *stack]
        for level, (text, color) in enumerate(stack if x != 4.0 else [("", "none")] * 3 + stack[3:]):
            if text:
                box = {"boxstyle": "round,pad=0.4", "facecolor": "white", "edgecolor": color, "linewidth": 1.5}
                ax.text(x, -level, text, ha="center", va="center", fontsize=9, bbox=box)
        ax.text(x, 0.9, name, ha="center", va="center", fontsize=10, weight="bold")
    for x in (0.0, 4.0):
        ax.annotate("", (x + 2.8, -5.0), (x + 1.2, -5.0), arrowprops={"arrowstyle": "<|-|>", "color": "0.3"})
    ax.axhline(-2.5, color="0.6", linestyle="--", linewidth=0.9)
    ax.text(4.0, -1.4, "real: a namespace of Linux per node", ha="center", color=real, fontsize=9)
    ax.text(2.0, -4.0, "simulated by\nthe engine", ha="center", va="center", color=simulated, fontsize=9)
    ax.set(xlim=(-2.0, 10.0), ylim=(-5.6, 1.4))
    ax.set_axis_off()


def topologies(ax: Axes) -> None:
    """Places and numbers of the kinds that need no list."""
    kinds: dict[str, dict[str, object]] = {
        "chain": {"hops": 4},
        "grid": {"columns": 3},
        "parallel": {"hops": 3},
        "spindle": {"hops": 4},
        "cross": {"hops": 4},
        "random": {"nodes": 12, "area": ["700 m", "500 m"], "connected": True},
    }
    figure = ax.get_figure(root=True)
    assert figure is not None
    ax.set_axis_off()
    for at, (kind, keys) in enumerate(kinds.items()):
        panel = figure.add_subplot(2, 3, at + 1)
        scenario = hoplab.Scenario.from_dict(topology={"kind": kind, **keys}, flow=[{}])
        starts = [trajectory.start for trajectory in movements(scenario)]
        reach = scenario.resolve().facts.rx_range_m
        for i, a in enumerate(starts):
            for b in starts[:i]:
                if math.dist(a, b) <= reach:
                    panel.plot(*zip(a, b, strict=True), color="0.75", linewidth=0.8, zorder=0)
            panel.annotate(str(i), a, xytext=(3, 3), textcoords="offset points", fontsize=7)
        panel.plot(*zip(*starts, strict=True), "o", color=ink(1).color, markersize=4)
        panel.set_title(kind, fontsize=10)
        panel.set_aspect("equal", adjustable="datalim")
        panel.margins(0.2)
        panel.set_axis_off()


QUEUES: dict[str, list[object]] = {"queue.kind": ["drop_tail", "codel", "fq_codel"]}
PICTURES: dict[str, Callable[[Axes], Any]] = {
    "carries-nothing": gray_zone,
    "mesh-today": circle("scenarios/mesh-today.toml", 1.2, ("tower", "office")),
    "whatif": relays_off,
    "web-users": compared("gateway.toml", "fct_mean_s", ("tcp_cubic",), QUEUES),
    "sessions": compared("pages.toml", "page_mean_s", ("tcp_cubic",), QUEUES),
    "sweeps": swept,
    "results": over_time,
    "statistics": coverage,
    "bounds": bounds,
    "moving": map_of("scenarios/mobile.toml"),
    "measured": mesh_matrix,
    "which-radio": radios,
    "priorities": priorities,
    "live": hosts,
    "what-if/index": circle(MESH, 2.0),
    "what-if/retries": compared(MESH, "goodput_bps", over={"mac.ssrl": [2, 4, 7, 15, 30]}),
    "what-if/rts": compared(
        MESH,
        "goodput_bps",
        over={"mac.rts_threshold": ["0 B", "500 B", "3000 B"]},
        labels={"mac.rts_threshold": "RTS threshold (B)"},
    ),
    "what-if/gateway": compared(
        MESH,
        "goodput_bps",
        over={"flow.from": ["school", "library", "clinic", "tower"]},
        labels={"flow.from": "gateway"},
    ),
    "what-if/hop-penalty": compared(
        MESH,
        "goodput_bps",
        over={"routing.metric": ["hops", "etx"]},
        labels={"routing.metric": "metric of routes"},
    ),
    "what-if/transport": compared(MESH, "goodput_bps", ("new_reno", "cubic", "vegas", "westwood", "veno")),
    "what-if/channel": channels,
    "what-if/routing": routings,
    "coming-from-ns-2": beside_ns2,
    "coming-from-ns-3": beside_ns3,
    "coming-from-omnet": map_of("from-inet.toml"),
    "concepts/topologies": topologies,
}
"""What each page of docs/use shows, by the page's name."""


def main() -> None:
    """Draw the pictures of the pages that are named, or all."""
    mpl.rcParams["svg.hashsalt"] = "hoplab"
    if unknown := [name for name in sys.argv[1:] if name not in PICTURES]:
        sys.exit(f"{unknown[0]}: unknown page, expected one of: {', '.join(PICTURES)}")
    for name in sys.argv[1:] or PICTURES:
        page = (ROOT / "docs" / "use" / f"{name}.md").read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            Path("scenarios").symlink_to(ROOT / "scenarios")
            for text, file in FENCE.findall(page):
                Path(file).write_text(text, encoding="utf-8")
            figure = Figure(figsize=(6.4, 3.8), layout="constrained")
            PICTURES[name](figure.add_subplot())
            os.chdir(ROOT)
        target = FOLDER / f"{name.replace('/', '-')}.svg"
        target.parent.mkdir(parents=True, exist_ok=True)
        save(figure, target)
        print(f"{target.relative_to(ROOT)}: {target.stat().st_size} bytes", flush=True)


if __name__ == "__main__":
    main()
