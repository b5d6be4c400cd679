"""One scenario, run by another simulator and by hoplab, side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from hoplab.running.execution import Order, run_orders
from hoplab.running.runs import Runs
from hoplab.scenario.model import Scenario
from hoplab.scenario.trajectories import Trajectory, movements
from hoplab.stats import Interval, mean_interval
from hoplab_validation.peers import paths
from hoplab_validation.peers.ns2 import tcl as ns2_tcl
from hoplab_validation.peers.ns2.run import NS2
from hoplab_validation.peers.ns3 import text as ns3_text
from hoplab_validation.peers.ns3.run import NS3
from hoplab_validation.peers.resolved import Resolved, parse
from hoplab_validation.peers.runs import Peer, PeerRun
from hoplab_validation.peers.stats import joint_half_width, tolerance
from hoplab_validation.peers.verdict import Row

STATIC_SHARE = 0.03
"""Goodput may differ by 3 %, or by the sum of the half-widths where that is more."""

AODV_SHARE = 0.05
"""Under AODV 5 %, up to `AODV_SHORT_HOPS`."""

AODV_SHORT_HOPS = 6
"""Beyond, where a run's goodput is nearly a matter of luck, the intervals need only overlap."""

LIMIT_S = 600.0
"""A run of ns-2 that takes longer has hung, as its DSDV does now and then."""

RETRANSMITTED_SHARE, RETRANSMITTED_FLOOR_PCT = 0.15, 0.5
TIMEOUTS_SHARE, TIMEOUTS_FLOOR = 0.25, 1.5
CWND_SHARE, CWND_FLOOR = 0.10, 0.2
DEFAULTS = '[topology]\nkind = "chain"\nhops = 1\n\n[[flow]]\n'


@dataclass(frozen=True)
class Comparison:
    """Both sides of one scenario and what follows from them; `peer` is the other simulator."""

    peer: str
    theirs: tuple[PeerRun, ...]
    ours: Runs
    rows: tuple[Row, ...]


def tcl_of(scenario: Scenario, seed: int | None = None, *, count_drops: bool = False, trace: str | None = None) -> str:
    """The ns-2 script of a scenario; where places differ from run to run, that of the run with a seed.

    Raises
    ------
    UnsupportedError
        If ns-2 has no counterpart for a key.
    """
    defaults = Scenario.from_text(DEFAULTS).with_({"routing.protocol": _protocol(scenario)})
    resolved = parse(scenario.resolve().data)
    trajectories = _trajectories(scenario, resolved, seed)
    return ns2_tcl.script(
        resolved,
        parse(defaults.resolve().data),
        trajectories=trajectories,
        count_drops=count_drops,
        trace=trace,
    )


def _protocol(scenario: Scenario) -> str:
    return str(scenario.resolve().data["routing"]["protocol"])


def against_ns2(  # noqa: PLR0913 (all but two by keyword)
    scenario: Scenario,
    seeds: Sequence[int],
    *,
    part: str = "ns2",
    label: str = "",
    on_done: Callable[[], None] | None = None,
    threads: int | None = None,
) -> Comparison:
    """Run a scenario on both sides with the same number of seeds.

    Parameters
    ----------
    label : str
        Put before each row's name.
    on_done : callable, optional
        Called after each run of ns-2.

    Raises
    ------
    UnsupportedError, Ns2MissingError, Ns2FailedError
    """
    resolved, theirs, ours = _both(scenario, seeds, NS2, tcl_of, on_done=on_done, threads=threads)
    return Comparison("ns-2.35", theirs, ours, tuple(judge(resolved, theirs, ours, part=part, label=label)))


def text_of(
    scenario: Scenario,
    seed: int | None = None,
    *,
    mark_s: float | None = None,
    stock: bool = False,
    samples_s: Sequence[float] = (),
) -> str:
    """The description of a scenario for ns-3; where places differ from run to run, that of the run with a seed.

    Raises
    ------
    UnsupportedError
        If ns-3 has no counterpart for a key.
    """
    resolved = parse(scenario.resolve().data)
    ns3_text.refuse(resolved)
    return ns3_text.description(
        resolved,
        trajectories=_trajectories(scenario, resolved, seed),
        mark_s=mark_s,
        stock=stock,
        samples_s=samples_s,
    )


def _trajectories(scenario: Scenario, resolved: Resolved, seed: int | None) -> tuple[Trajectory, ...] | None:
    """Trajectories of a run; None if all nodes are at the positions of the scenario."""
    return movements(scenario, seed=seed) if resolved.drawn or resolved.moves else None


def against_ns3(
    scenario: Scenario,
    seeds: Sequence[int],
    *,
    stock: bool = False,
    on_done: Callable[[], None] | None = None,
    threads: int | None = None,
) -> Comparison:
    """Run a scenario in ns-3 and here with the same number of seeds; as `against_ns2`.

    Parameters
    ----------
    stock : bool
        Leave ns-3's rules of retries and backoff as they are.

    Raises
    ------
    UnsupportedError, Ns3MissingError, Ns3FailedError
    """
    script = partial(text_of, stock=stock)
    resolved, theirs, ours = _both(scenario, seeds, NS3, script, on_done=on_done, threads=threads)
    rows = judge(resolved, theirs, ours, part="ns3", source="ns-3 live")
    return Comparison("ns-3.37", theirs, ours, tuple(rows))


def _both(  # noqa: PLR0913 (all but four by keyword)
    scenario: Scenario,
    seeds: Sequence[int],
    peer: Peer[Any, Any],
    text_of: Callable[[Scenario, int | None], str],
    *,
    on_done: Callable[[], None] | None,
    threads: int | None,
) -> tuple[Resolved, tuple[PeerRun, ...], Runs]:
    """The scenario, and its runs in a peer and here; the script of the peer is written once unless places are drawn."""
    resolved = parse(scenario.resolve().data)
    text = partial(text_of, scenario) if resolved.drawn else text_of(scenario, None)
    theirs = tuple(peer.run_seeds(text, resolved, seeds, limit_s=LIMIT_S, on_done=on_done))
    (ours,) = run_orders([Order(scenario, tuple(seeds))], threads=threads, progress=False)
    return resolved, theirs, ours


def judge(  # noqa: PLR0913 (all but three by keyword)
    resolved: Resolved,
    theirs: Sequence[PeerRun],
    ours: Runs,
    *,
    part: str,
    label: str = "",
    source: str = "ns-2 live",
) -> list[Row]:
    """Rows for each flow: goodput, which decides, then retransmitted share, timeouts and window."""
    rows: list[Row] = []
    links = paths.neighbors(resolved)
    for index, flow in enumerate(resolved.flows):
        their_flows = [run.flows[index] for run in theirs]
        our_flows = [run.flows[index] for run in ours]
        prefix = (
            f"{label}flow {flow.id} ({flow.transport}) " if len(resolved.flows) > 1 else f"{label}{flow.transport} "
        )

        def row(  # noqa: PLR0913
            name: str, unit: str, them: Interval, us: Interval, limit: float, *, decides: bool = False
        ) -> None:
            rows.append(Row(part, prefix + name, unit, source, them, us, limit, decides))  # noqa: B023

        them = mean_interval(f.goodput_bps / 1e3 for f in their_flows)
        us = mean_interval(f.goodput_bps / 1e3 for f in our_flows)
        hops = paths.path(links, flow.src, flow.dst)
        far = hops is not None and len(hops) - 1 > AODV_SHORT_HOPS
        row(
            "goodput",
            "kb/s",
            them,
            us,
            goodput_tolerance(us, them, str(resolved.routing["protocol"]), far=far),
            decides=True,
        )
        if flow.transport == "udp":
            continue
        them = mean_interval(percent(f.retransmissions or 0, f.sent or 0) for f in their_flows)
        us = mean_interval(percent(f.retransmissions, f.segments_sent) for f in our_flows)
        row("retransmitted", "%", them, us, tolerance(us, them, RETRANSMITTED_SHARE, floor=RETRANSMITTED_FLOOR_PCT))
        them = mean_interval(float(f.timeouts or 0) for f in their_flows)
        us = mean_interval(float(f.timeouts) for f in our_flows)
        row("timeouts", "", them, us, tolerance(us, them, TIMEOUTS_SHARE, floor=TIMEOUTS_FLOOR))
        them = mean_interval(f.cwnd or 0.0 for f in their_flows)
        us = mean_interval(f.cwnd_mean or 0.0 for f in our_flows)
        row("mean cwnd", "segments", them, us, tolerance(us, them, CWND_SHARE, floor=CWND_FLOOR))
    return rows


def goodput_tolerance(ours: Interval, theirs: Interval, protocol: str, *, far: bool) -> float:
    """How far two goodputs may be apart, by routing protocol; `far` is a path of more than six hops."""
    if protocol == "aodv":
        return joint_half_width(ours, theirs) if far else tolerance(ours, theirs, AODV_SHARE)
    return tolerance(ours, theirs, STATIC_SHARE)


def percent(part: int, whole: int) -> float:
    """A share in percent; 0 of 0 is 0."""
    return 100.0 * part / whole if whole else 0.0
