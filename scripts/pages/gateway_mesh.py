"""Write the page on transports from a server into a mesh: downloads and web users, drop-tail and FQ-CoDel.

    python scripts/pages/gateway_mesh.py                             # run, then write docs/judge/gateway-mesh.md
    python scripts/pages/gateway_mesh.py --transports tcp_cubic,vegas --seeds 5 --out mesh.md

A transport that cannot cross the wire is named with the reason; it runs without the wire.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hoplab.base.engine import core
from hoplab.running.execution import Order, run_orders
from hoplab.running.runs import Runs
from hoplab.scenario.model import Scenario
from hoplab.stats import jain, mean_interval

ROOT = Path(__file__).parents[2]
PAGE = Path("docs/judge/gateway-mesh.md")
NAMES = {
    "tcp_reno": "NewReno",
    "tcp_cubic": "CUBIC",
    "tcp_bbr": "BBRv1",
    "tcp_bbr3": "BBRv3",
    "vegas": "Vegas",
    "semi_tcp": "Semi-TCP",
}
QUEUES = {"drop_tail": "drop-tail", "fq_codel": "FQ-CoDel"}
REFUSED = {
    "semi_tcp": "it needs parts at each node between the ends, and a wire has none. In its rows, and those of NewReno "
    "beside them, downloads and pages begin at the gateway, without the 20 ms",
}
"""Reasons in place of the first line of the message."""

SEEDS = 20
DURATION_S, WARMUP_S, LAST_PAGE_S = 120.0, 20.0, 100.0
RELAYS, SPACING_M = 3, 200.0
CLIENTS_Y_M = (-120.0, -60.0, 0.0, 60.0, 120.0)
"""Clients are in reach of the last relay alone: 200 to 233 m from it, 400 m and more from the one before."""

BULK, WEB = (0, 2, 4), (1, 3)
"""Clients with a download without end, and clients whose users open pages."""

PAGE_KB, OBJECTS, OBJECT_KB, READING_S = 20, 6, 10, 5.0
"""Size of a page, its objects with their size, and the mean time to read it."""

SERVER, GATEWAY = "server", 0
"""Where downloads and pages begin: at the gateway, without wire and server, if a transport cannot cross a wire."""

WEB_INSTEAD = "tcp_reno"
"""Transport of pages where that of the downloads cannot carry requests and responses."""


@dataclass(frozen=True)
class Point:
    """One transport under one queue discipline."""

    transport: str
    web: str
    queue: str
    source: str | int


def scenario(point: Point) -> Scenario:
    """The mesh of a point."""
    first = RELAYS + 1
    flows: list[dict[str, Any]] = [
        {"from": point.source, "to": first + client, "transport": point.transport, "start_spread": "2 s"}
        for client in BULK
    ]
    users = {
        "kind": "web",
        "from": point.source,
        "to": [first + client for client in WEB],
        "transport": point.web,
        "page": f"{PAGE_KB} kB",
        "objects": OBJECTS,
        "object": f"{OBJECT_KB} kB",
        "reading": f"{READING_S:g} s",
        "start": f"{WARMUP_S:g} s",
        "stop": f"{LAST_PAGE_S:g} s",
    }
    chain = [[SPACING_M * node, 0.0] for node in range(first)]
    clients = [[SPACING_M * first, y] for y in CLIENTS_Y_M]
    behind = {
        "node": [{"kind": "host", "name": SERVER}],
        "wire": [{"between": [SERVER, GATEWAY], "rate": "100 Mb/s", "delay": "20 ms"}],
    }
    return Scenario.from_dict(
        name=f"gateway mesh, {point.transport}, {point.queue}",
        duration=f"{DURATION_S:g} s",
        warmup=f"{WARMUP_S:g} s",
        topology={"kind": "positions", "positions": chain + clients},
        mac={"data_rate": "11 Mb/s", "basic_rate": "1 Mb/s"},
        routing={"protocol": "static"},
        queue={"kind": point.queue},
        flow=flows,
        workload=[users],
        **(behind if point.source == SERVER else {}),
    )


def points(transport: str) -> tuple[list[tuple[Point, Scenario]], str]:
    """The valid points of a transport with their scenarios, and the reason why none has the server, if none has."""
    reason = ""
    for web, source in ((transport, SERVER), (WEB_INSTEAD, SERVER), (WEB_INSTEAD, GATEWAY)):
        beside = (transport,) if source == SERVER else (WEB_INSTEAD, transport)
        wanted = [Point(one, web, queue, source) for one in beside for queue in QUEUES]
        try:
            return [(point, scenario(point)) for point in wanted], "" if source == SERVER else reason
        except core().ScenarioError as error:
            reason = REFUSED.get(transport, str(error).splitlines()[0].split(": ", 2)[-1])
    return [], reason


def row(point: Point, runs: Runs) -> list[str]:
    """Cells of a point: means over seeds with 95 % intervals."""

    def cell(values: Sequence[float], digits: int) -> str:
        interval = mean_interval(values)
        return f"{interval.mean:.{digits}f} ± {interval.half_width or 0.0:.{digits}f}"

    def measured(name: str, scale: float, digits: int) -> str:
        return cell([scale * value for one in runs if (value := one.value(name)) is not None], digits)

    bulk = [one.lasting for one in runs]
    pages = [one.workloads[0]["sessions"]["times"]["page"] for one in runs]
    name = NAMES.get(point.transport, point.transport)
    notes = [] if point.source == SERVER else ["from the gateway"]
    notes += [] if point.web == point.transport else [f"pages: {NAMES.get(point.web, point.web)}"]
    delays = [[flow.delay_mean_s for flow in flows if flow.delay_mean_s is not None] for flows in bulk]
    return [
        f"{name} ({'; '.join(notes)})" if notes else name,
        QUEUES[point.queue],
        cell([sum(flow.goodput_bps for flow in flows) / 1e3 for flows in bulk], 0),
        cell([jain(flow.goodput_bps for flow in flows) for flows in bulk], 3),
        cell([1e3 * sum(known) / len(known) for known in delays if known], 0),
        measured("page_mean_s", 1.0, 2),
        measured("page_p50_s", 1.0, 2),
        measured("page_p95_s", 1.0, 2),
        cell([float(one["count"]) for one in pages], 1),
        cell([float(one["unfinished"]) for one in pages], 1),
    ]


HEADER = (
    "transport",
    "queue",
    "bulk goodput (kb/s)",
    "Jain's index",
    "bulk delay (ms)",
    "page load, mean (s)",
    "median (s)",
    "p95 (s)",
    "pages",
    "unfinished",
)


TITLE = """# From a server into a mesh

Written by `python scripts/pages/gateway_mesh.py`; nothing is copied by hand.
"""

SETUP = """\
A server is 20 ms (100 Mb/s) behind a gateway. Five clients are four hops away from the gateway: a chain of 200 m,
the clients around its last relay, 11 Mb/s, static routes. Three clients download without end. The users of two clients
open pages from {start:g} to {stop:g} s: {page} kB and {objects} objects of {object} kB over six connections, then
{reading:g} s to read on average. The queue discipline is that of all radios.

Means over {seeds} seeds with 95 % intervals (Student). Goodput and Jain's index are those of the three downloads; the
delay is that of their segments from sender to receiver, retransmissions included. Page load times are those of pages
that ended; a slow page leaves room for fewer of them.
"""

AFTERWORD = """Vegas here is a [one-way agent](../protocols/tcp.md): it counts segments, has no handshake and no finite
transfers. The pages beside it use NewReno. NewReno, CUBIC and both versions of BBR are
[real connections](../protocols/stream.md)."""


def page(rows: list[list[str]], missing: dict[str, str], seeds: int) -> str:
    """The page."""
    lines = [
        TITLE,
        SETUP.format(
            start=WARMUP_S,
            stop=LAST_PAGE_S,
            page=PAGE_KB,
            objects=OBJECTS,
            object=OBJECT_KB,
            reading=READING_S,
            seeds=seeds,
        ),
        "| " + " | ".join(HEADER) + " |",
        "|" + " --- |" * len(HEADER),
        *("| " + " | ".join(cells) + " |" for cells in rows),
    ]
    if missing:
        lines += ["", "Not over the wire:", ""]
        lines += [f"- {NAMES.get(name, name)} (`{name}`): {reason}." for name, reason in missing.items()]
    lines += ["", AFTERWORD]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Run what is valid, write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--transports", default=",".join(NAMES), help="names, with commas")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--out", type=Path, default=ROOT / PAGE)
    asked = parser.parse_args()
    chosen: list[tuple[Point, Scenario]] = []
    missing: dict[str, str] = {}
    for transport in asked.transports.split(","):
        valid, reason = points(transport)
        chosen += valid
        if reason:
            missing[transport] = reason
    seeds = tuple(range(1, asked.seeds + 1))
    results = run_orders([Order(one, seeds) for _, one in chosen], threads=asked.threads, label="gateway mesh")
    rows = [row(point, runs) for (point, _), runs in zip(chosen, results, strict=True)]
    asked.out.write_text(page(rows, missing, asked.seeds), encoding="utf-8")
    print(asked.out)


if __name__ == "__main__":
    main()
