"""Figures of one run for certain protocols: Semi-TCP, Muzha, Split TCP, and rate-based transports."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hoplab.figures.model import Curve, Figure
from hoplab.figures.traced import BINS, Look, Traced, nodes_figure

MOST_FLOWS = 3
"""Limit of flows whose paths are drawn."""


DRAI = Look(
    "drai-over-time",
    "Levels of Muzha's routers (DRAI)",
    "level: 1 slow down much, 5 speed up much",
    "nodes with the lowest levels",
    highest=False,
)
STORES = Look(
    "stores-over-time",
    "Proxy buffers",
    "segments",
    "proxies with the largest buffers",
    note="Nodes that have buffered segments they acknowledged locally. ",
)
OFFERED = Look(
    "offered-rate-over-time",
    "Rates that RCP's routers offer",
    "kb/s",
    "nodes that offer least",
    scale=1e-3,
    highest=False,
)


@dataclass(frozen=True)
class Header:
    """How a feedback header is drawn along a flow's path.

    Attributes
    ----------
    reason : str
        Its name in the trace.
    """

    reason: str
    figure_id: str
    title: str
    y_label: str
    scale: float = 1.0


MRAI = Header("mrai", "mrai", "Levels along the path (MRAI)", "level in the headers that left")
XCP = Header("xcp", "feedback", "XCP's feedback along the path", "allowed change of rate (kb/s)", 1e-3)
RCP = Header("rcp", "rate", "RCP's rate along the path", "rate in the headers that left (kb/s)", 1e-3)


def figures(run: Traced) -> Iterator[Figure | None]:
    """Figures of each protocol in the run; None for the others."""
    yield congested(run)
    yield steps(run)
    yield reaction_figure(run)
    yield nodes_figure(run, "drai", DRAI)
    yield from along_paths(run, MRAI)
    yield nodes_figure(run, "store_segments", STORES)
    yield from estimates(run)
    yield nodes_figure(run, "router_rate_bps", OFFERED)
    yield from along_paths(run, XCP)
    yield from along_paths(run, RCP)


def congested(run: Traced) -> Figure | None:
    """Congested nodes, and nodes with a parked packet, as a mean over each bin."""
    if "congested" not in run.metrics:
        return None
    kinds = (("congested", "congested", "uncongested"), ("with a parked packet", "parked", "unparked"))
    curves = tuple(
        Curve(name, *_counted(run, begin, end), style="step", slot=slot)
        for slot, (name, begin, end) in enumerate(kinds)
    )
    return Figure(
        id="congested-nodes",
        title="Congested nodes",
        x_label="time (s)",
        y_label=f"nodes, mean over {run.end_s / BINS:.3g} s",
        curves=curves,
        caption=f"A node is congested while its queue length exceeds its threshold. {run.note}",
    )


def _counted(run: Traced, begin: str, end: str) -> tuple[list[float], list[float]]:
    """Nodes between two handshake steps, as an exact mean over each bin."""
    query = """
        WITH turns AS (
            SELECT node, t_ns, reason, lead(t_ns) OVER turn AS until
            FROM events WHERE seed = $seed AND event = 'handshake' AND reason IN ($begin, $end)
            WINDOW turn AS (PARTITION BY node ORDER BY t_ns)
        )
        SELECT t_ns / 1e9, coalesce(until / 1e9, $last) FROM turns WHERE reason = $begin
    """
    width = run.end_s / BINS
    means = [0.0] * BINS
    for since, until in run.rows(query, begin=begin, end=end, last=run.end_s):
        for i in range(min(int(since / width), BINS - 1), min(int(until / width), BINS - 1) + 1):
            means[i] += max(0.0, min(until, (i + 1) * width) - max(since, i * width)) / width
    return [*(i * width for i in range(BINS)), run.end_s], [*means, means[-1]]


STEPS = (
    ("RTSC", ("rtsc",)),
    ("CTSC", ("ctsc",)),
    ("refusals", ("reused", "silent")),
    ("parked", ("parked",)),
    ("resolved deadlocks", ("resolved",)),
    ("urgent RTS", ("urgent_rts",)),
)


def steps(run: Traced) -> Figure | None:
    """Handshake steps per bin."""
    width = run.end_s / BINS
    query = """
        SELECT least(floor(t_ns / 1e9 / $width), $last), reason, count(*) FROM events
        WHERE seed = $seed AND event = 'handshake' GROUP BY ALL
    """
    counts: dict[str, list[float]] = {}
    for at, reason, count in run.rows(query, width=width, last=BINS - 1):
        counts.setdefault(str(reason), [0.0] * BINS)[int(at)] += count
    curves = []
    for slot, (name, reasons) in enumerate(STEPS):
        members = [counts[reason] for reason in reasons if reason in counts]
        if members:
            values = [sum(column) / width for column in zip(*members, strict=True)]
            times = [width * i for i in range(BINS)]
            curves.append(Curve(name, [*times, run.end_s], [*values, values[-1]], style="step", slot=slot))
    if not curves:
        return None
    return Figure(
        id="handshake-steps",
        title="Handshake steps",
        x_label="time (s)",
        y_label=f"per second, in bins of {width:.3g} s",
        curves=tuple(curves),
        caption=f"Sum over all nodes. {run.note}",
    )


@dataclass(frozen=True)
class Reactions:
    """Delays from a node's congestion to the first reaction of a neighbor.

    Attributes
    ----------
    delays_s : list of float
        In s, ascending.
    episodes : int
        Congestion episodes of all nodes.
    """

    delays_s: list[float]
    episodes: int

    def quantile(self, share: float) -> float:
        """Quantile of the delays, in s."""
        return self.delays_s[min(int(share * len(self.delays_s)), len(self.delays_s) - 1)]


def reactions(run: Traced) -> Reactions | None:
    """Congestion episodes, and the first neighbor's reaction in each; None if no node was congested."""
    query = """
        WITH turns AS (
            SELECT node, t_ns, reason, lead(t_ns, 1, 9223372036854775807) OVER turn AS until
            FROM events WHERE seed = $seed AND event = 'handshake' AND reason IN ('congested', 'uncongested')
            WINDOW turn AS (PARTITION BY node ORDER BY t_ns)
        ),
        episodes AS (SELECT node, t_ns, until FROM turns WHERE reason = 'congested'),
        reacted AS (
            SELECT peer, t_ns FROM events
            WHERE seed = $seed AND event = 'handshake' AND reason IN ('parked', 'refused') AND peer IS NOT NULL
        )
        SELECT (min(reacted.t_ns) - episodes.t_ns) / 1e9 FROM episodes LEFT JOIN reacted
        ON reacted.peer = episodes.node AND reacted.t_ns >= episodes.t_ns AND reacted.t_ns < episodes.until
        GROUP BY episodes.node, episodes.t_ns
    """
    rows = run.rows(query)
    if not rows:
        return None
    return Reactions(sorted(delay for (delay,) in rows if delay is not None), len(rows))


def reaction_figure(run: Traced) -> Figure | None:
    """Distribution of the delay from a node's congestion to the first neighbor's reaction."""
    found = reactions(run)
    if found is None or not found.delays_s:
        return None
    n = len(found.delays_s)
    thin = max(1, n // 400)
    points = [(delay * 1e3, (i + 1) / n) for i, delay in enumerate(found.delays_s) if (i + 1) % thin == 0 or i == n - 1]
    middle, most = found.quantile(0.5) * 1e3, found.quantile(0.95) * 1e3
    return Figure(
        id="reaction-time",
        title="Reaction time to congestion",
        x_label="time since the node became congested (ms)",
        y_label="share of the reactions",
        curves=(Curve("reactions", [0.0, *(x for x, _ in points)], [0.0, *(y for _, y in points)], style="step"),),
        caption="Delay until the first neighbor parks a packet for the congested node, or is refused by it. Median "
        f"{middle:.3g} ms, 95 % within {most:.3g} ms; {n} of {found.episodes} episodes had a reaction. "
        f"{run.note}",
    )


def along_paths(run: Traced, header: Header) -> Iterator[Figure]:
    """Mean of a feedback header as segments left each node of a flow's path, with its spread over segments."""
    query = """
        SELECT node, avg(value), quantile_cont(value, 0.1), quantile_cont(value, 0.9) FROM events
        WHERE seed = $seed AND event = 'stamped' AND reason = $header AND flow = $flow AND isfinite(value)
              AND packet = 'segment'
        GROUP BY node
    """
    flows = run.rows(
        "SELECT DISTINCT flow FROM events WHERE seed = $seed AND event = 'stamped' AND reason = $header ORDER BY 1",
        header=header.reason,
    )
    for (flow,) in flows[:MOST_FLOWS]:
        number = flow
        levels = {
            node: tuple(value * header.scale for value in values)
            for node, *values in run.rows(query, header=header.reason, flow=number)
        }
        path = [node for node in run.path(number) if node in levels]
        if not path:
            continue
        at = [float(i) for i in range(len(path))]
        y, low, high = ([levels[node][i] for node in path] for i in range(3))
        yield Figure(
            id=f"{header.figure_id}-along-flow-{number}",
            title=f"{header.title}, flow {number}",
            x_label="node, from the source on",
            y_label=header.y_label,
            curves=(Curve("mean, and 80 % of the segments", at, y, low, high, style="marks"),),
            caption=f"In segments forwarded by each node. {run.note}",
            integer_x=True,
            y_from_zero=min(low) >= 0.0,
            x_names=tuple(map(str, path)),
        )


def estimates(run: Traced) -> Iterator[Figure | None]:
    """Capacity and available bandwidth, as estimated and in truth."""
    for observer, name in (("winf", "rt-Winf"), ("idle_gap", "IdleGap")):
        if f"{observer}_capacity_bps" not in run.metrics:
            continue
        look = Look(
            f"{observer.replace('_', '-')}-capacity",
            f"Capacity by {name}",
            "kb/s",
            "nodes with the least capacity",
            scale=1e-3,
            highest=False,
        )
        yield nodes_figure(run, f"{observer}_capacity_bps", look)
        yield available(run, observer, name)


def available(run: Traced, observer: str, name: str) -> Figure | None:
    """Available bandwidth at the busiest nodes, beside capacity times the engine's own idle share."""
    guessed = run.series(f"{observer}_available_bps", of="node", scale=1e-3)
    capacity = run.series(f"{observer}_capacity_bps", of="node", scale=1e-3)
    idle = run.series("idle_share", of="node")
    known = [node for node in guessed if node in idle and node in capacity]
    busiest = sorted(known, key=lambda node: sum(idle[node][1]) / len(idle[node][1]))[:2]
    curves = []
    for i, node in enumerate(sorted(busiest)):
        # Estimators look at the last second: so does the truth.
        truth_at, share = _mean_over_last_second(*idle[node])
        rate = dict(zip(*capacity[node], strict=True))
        truth = [rate.get(t, float("nan")) * s for t, s in zip(truth_at, share, strict=True)]
        curves.append(Curve(f"node {node}, estimated", *guessed[node], style="step", slot=2 * i))
        curves.append(Curve(f"node {node}, true", truth_at, truth, style="step", slot=2 * i + 1))
    if not curves:
        return None
    return Figure(
        id=f"{observer.replace('_', '-')}-available",
        title=f"Available bandwidth by {name}, and in truth",
        x_label="time (s)",
        y_label="kb/s",
        curves=tuple(curves),
        caption="True: the estimated capacity times the share of the last second in which the engine knows the node to "
        f"have been idle. The {len(busiest)} busiest nodes. {run.note}",
    )


def _mean_over_last_second(times: list[float], shares: list[float]) -> tuple[list[float], list[float]]:
    """Each sample is a mean since the one before; means over a second, at the same times."""
    means, first = [], 0
    for i, now in enumerate(times):
        while times[first] <= now - 1.0 - 1e-9:
            first += 1
        means.append(sum(shares[first : i + 1]) / (i + 1 - first))
    return times, means
