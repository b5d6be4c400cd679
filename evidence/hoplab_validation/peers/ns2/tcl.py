"""Writes a resolved scenario as a script for ns-2.35.

Features that ns-2 does not support are refused by name (`refusals.py`), never approximated silently. Nodes follow the
legs of the engine's trajectories (`nodes.py`, `moves.py`); flows are agents and applications (`traffic.py`). Static
routes are tunnels from hop to hop (see `data/prologue.tcl`): exact in size, with ARP, and without the 20 bytes and the
convergence time of a frozen DSDV.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import resources

from hoplab.scenario.trajectories import Trajectory, stationary
from hoplab_validation.peers import paths
from hoplab_validation.peers.ns2 import moves as ns2_moves
from hoplab_validation.peers.ns2 import nodes as ns2_nodes
from hoplab_validation.peers.ns2 import traffic as ns2_traffic
from hoplab_validation.peers.ns2.refusals import refuse
from hoplab_validation.peers.resolved import Resolved
from hoplab_validation.peers.routing import protocol_of
from hoplab_validation.peers.unsupported import UnsupportedError

NUDGE_EVERY_S = 0.02
"""Spacing of the packets that resolve addresses before a run without ARP."""


def script(
    scenario: Resolved,
    defaults: Resolved | None = None,
    *,
    trajectories: Sequence[Trajectory] | None = None,
    count_drops: bool = False,
    trace: str | None = None,
) -> str:
    """The Tcl script of a scenario; run it as `ns FILE SEED`.

    Parameters
    ----------
    defaults : Resolved, optional
        A scenario in which `[tcp]` and `[routing]` are untouched. Keys that ns-2 has no variable
        for are refused when they differ from it.
    trajectories : sequence of Trajectory, optional
        Trajectories of this run; by default the positions of the scenario.
    count_drops : bool
        Have ns-2 write a line per dropped packet; `ns2_run` counts them.
    trace : {'old', 'new', 'routes'}, optional
        Have ns-2 write a trace of agents, routers and MACs in this form into `trace.SEED.tr`, or what its routers send
        and its sinks receive, which `ns2_run` counts; flows have their numbers.

    Raises
    ------
    UnsupportedError
        Naming the first key that ns-2 has no counterpart for.
    """
    refuse(scenario, defaults)
    chosen = stationary(scenario.positions) if trajectories is None else tuple(trajectories)
    if trajectories is None and scenario.moves:
        raise UnsupportedError(
            "mobility.kind", scenario.mobility.get("kind"), "the script needs the trajectories of one run"
        )
    ground = ns2_moves.ground_of(chosen)
    lead = _lead_in(scenario)
    parts = [
        _header(scenario),
        resources.files("hoplab_validation.peers").joinpath("data/prologue.tcl").read_text(encoding="utf-8"),
        "\n".join(ns2_nodes.settings(scenario)),
        "\n".join(ns2_nodes.nodes(scenario, chosen, ground, count_drops=count_drops, trace=trace)),
        "\n".join(_routes(scenario)),
        "\n".join(lead.lines),
        "\n".join(ns2_moves.statements(chosen, ground, lead.shift_s, scenario.duration_s)),
        "\n".join(ns2_nodes.switching(scenario, lead.shift_s)),
        "\n".join(line for flow in scenario.flows for line in ns2_traffic.statements(scenario, flow, lead.shift_s)),
        "\n".join(_flow_numbers(scenario) if trace is not None else ()),
        "\n".join(_end(scenario, lead.shift_s)),
    ]
    return "\n\n".join(part.strip() for part in parts if part.strip()) + "\n"


def _header(scenario: Resolved) -> str:
    name = " ".join(scenario.name.split())
    return f"# {name}: written by `hoplab crosscheck ns2` for ns-2.35 (Debian package ns2)"


def _routes(scenario: Resolved) -> Iterator[str]:
    if not protocol_of(scenario).is_fixed:
        return
    hops, voids = paths.static_hops(scenario)
    yield "# static routes: where tunnels end; then node, destination, next hop"
    yield f"foreach i {{{' '.join(map(str, sorted({j for _, _, j in hops})))}}} {{"
    yield "  set opener($i) [new Agent/Decapsulator]; $ns attach-agent $nd($i) $opener($i)"
    yield "}"
    yield from (f"static_hop {i} {dst} {j}" for i, dst, j in sorted(hops))
    yield from (f"static_void {src} {dst}" for src, dst in sorted(voids))


def _flow_numbers(scenario: Resolved) -> Iterator[str]:
    yield "# numbers of flows in the trace"
    for flow in scenario.flows:
        yield f"${'udp' if flow.transport == 'udp' else 'tcp'}({flow.id}) set fid_ {flow.id}"


class _LeadIn:
    """Packets before the scenario's time zero, and by how much that zero is shifted."""

    def __init__(self, nudges: list[tuple[int, int]]) -> None:
        self.shift_s = 1.0 + NUDGE_EVERY_S * len(nudges) if nudges else 0.0
        self.lines = [f"nudge {NUDGE_EVERY_S * k:.3f} {i} {j}" for k, (i, j) in enumerate(nudges)]


def _lead_in(scenario: Resolved) -> _LeadIn:
    """Resolve every needed address before, where there is no ARP.

    With unequal powers the strongest node must send first as well: ns-2 takes the range of its
    neighbor list from the first sender.
    """
    nudges: list[tuple[int, int]] = []
    powers = paths.tx_powers(scenario)
    links = paths.neighbors(scenario)
    if len(set(powers)) > 1:
        strongest = powers.index(max(powers))
        nudges.append((strongest, (links[strongest] or [(strongest + 1) % len(powers)])[0]))
    if not scenario.arp:
        if protocol_of(scenario).is_fixed:
            nudges += sorted({(i, j) for i, _, j in paths.static_hops(scenario)[0]})
        else:
            nudges += [(i, j) for i, ends in enumerate(links) for j in ends]
    return _LeadIn(nudges)


def _end(scenario: Resolved, shift_s: float) -> Iterator[str]:
    yield f"$ns at {shift_s + scenario.duration_s!r} {{"
    for flow in scenario.flows:
        yield f"  close_{'udp' if flow.transport == 'udp' else 'tcp'} {flow.id}"
    yield '  puts $results "HOPLAB end"'
    yield "  flush $results"
    yield "  exit 0"
    yield "}"
    yield "$ns run"
