"""The parts of the Semi-TCP study: each network over its axes, with its series."""

from __future__ import annotations

from hoplab_studies.semi_tcp import scenarios as ground
from hoplab_studies.semi_tcp import series
from hoplab_studies.semi_tcp.claims import AP, SEMI
from hoplab_studies.shared.study import Axes, Part, Variation

TRANSPORT = "flow.transport"
ALL = tuple(ground.TRANSPORTS)
FEW: Axes = {"mac.ssrl": ground.FEW_RETRIES, TRANSPORT: (SEMI, AP)}
SOME: Axes = {"mac.ssrl": ground.SOME_RETRIES, TRANSPORT: (SEMI, AP)}
SHORT: Axes = {"topology.hops": ground.FEW_HOPS, TRANSPORT: (SEMI, AP)}
NO_REPORTS = series.NO_REPORTS.over({TRANSPORT: ALL})
"""With NewReno, too: the claim about it is judged there as well."""

FIELDS = {"s1": (300.0, ("20 m/s", "20 m/s")), "s2": (4800.0, ("5 m/s", "45 m/s"))}
"""Height of the field in m, and speeds of its nodes."""


def parts(seconds: float) -> tuple[Part, ...]:
    """All parts that figures and claims are about, with every series."""
    return (*_retries(seconds), *_thresholds(seconds), *_paths(seconds), *_flows(seconds), *_released(seconds))


def _retries(seconds: float) -> list[Part]:
    axes: Axes = {"mac.ssrl": ground.RETRIES, TRANSPORT: ALL}
    static = (series.SINGLE_ACKS, series.PROGRAM, NO_REPORTS, series.PROGRAM_NO_REPORTS, series.NO_LOCAL_REPAIR)
    moving = (series.SINGLE_ACKS, series.PROGRAM, series.ROUTELESS_UNCOUNTED, series.NO_LOCAL_REPAIR)
    most = series.moving_most_rows()
    chain = (
        *series.on(FEW, *static, series.CARRIER_SENSE_550, series.hops(10), series.CTSC, *series.FEWER_FRAMES),
        *series.on(SOME, series.EQUATION_3, series.EQUATIONS_3_TO_5, *series.OVER_5_HOPS, most, series.hops(4)),
    )
    parallel = series.on(
        FEW,
        *static,
        *map(series.rows_apart, (250, 400)),
        series.EQUATION_3,
        *series.LIMITS,
        *series.OVER_5_HOPS[:2],
        most,
        *series.FEWER_ACKS,
    )
    one_out = series.on({**FEW, "mac.ssrl": (1, 2, 9)}, series.ONE_OUTSTANDING)
    s1 = (
        *series.on(FEW, *moving, series.LIMIT_1024, series.nodes(30), series.nodes(100)),
        *one_out,
        *_nearer(FIELDS["s1"][0]),
    )
    height_m = FIELDS["s2"][0]
    at_links = series.on({**FEW, "mac.ssrl": (4, 9, 20)}, series.lost_at_links_alone(height_m))
    s2 = (*series.on(FEW, *moving, _low_field()), *_nearer(height_m), *at_links)
    return [
        Part("chain", ground.standing("chain", "chain", 1, seconds), axes, chain),
        Part("parallel", ground.standing("parallel-row", "parallel", 1, seconds), axes, parallel),
        Part("s1", ground.moving("s1", *FIELDS["s1"], seconds), axes, s1),
        Part("s2", ground.moving("s2", *FIELDS["s2"], seconds), axes, s2),
    ]


def _low_field() -> Variation:
    places = {"topology.area": ["1500 m", "480 m"], "topology.extra": ground.places_of_ends(480.0, 1000.0)}
    return Variation("480m", "an area of 1500 m x 480 m in place of 4800 m", places)


def _nearer(height_m: float) -> tuple[Variation, ...]:
    near = series.nearer_ends(height_m)
    return series.on(SOME, near, series.moving_most_rows(near))


def _thresholds(seconds: float) -> list[Part]:
    axes: Axes = {"semi_tcp.k": ground.RELEASES, "semi_tcp.t_c": ground.THRESHOLDS}
    parallel = ground.standing("table1-parallel", "parallel", 2, seconds)
    mobile = ground.moving("table1-mobile", *FIELDS["s1"], seconds)
    lengths = (*map(series.hops, (4, 10)), *series.OVER_5_HOPS[:2], *series.LIMITS)
    moving = (*series.LIMITS, series.over_5_hops(series.EQUATIONS_3_TO_5, standing=False))
    acks, filled = series.SINGLE_ACKS, series.SOURCE_FILLED
    return [
        Part("t-parallel", parallel, axes, (acks, series.PROGRAM, series.NO_REPORTS, filled, *lengths)),
        Part("t-mobile", mobile, axes, (acks, series.PROGRAM, series.LIMIT_1024, filled, *moving)),
    ]


def _paths(seconds: float) -> list[Part]:
    axes: Axes = {"topology.kind": ground.KINDS, "topology.hops": ground.HOPS, TRANSPORT: ALL}
    others = series.on(
        SHORT,
        series.SINGLE_ACKS,
        series.PROGRAM,
        NO_REPORTS,
        series.PROGRAM_NO_REPORTS,
        series.CARRIER_SENSE_550,
        series.EQUATION_3,
        series.EQUATIONS_3_TO_5,
        series.NO_LOCAL_REPAIR,
        *series.FEWER_FRAMES,
    )
    return [Part("paths", ground.standing("paths", "parallel", 2, seconds), axes, others)]


def _flows(seconds: float) -> list[Part]:
    ends: Axes = {"traffic.connections": (1, 15, 25), "traffic.transport": (SEMI, AP)}
    fewer: Axes = {"traffic.connections": (1, 9, 15), TRANSPORT: (SEMI, AP)}
    waiting, limit, no_repair = series.ROUTELESS_UNCOUNTED, series.LIMIT_1024, series.NO_LOCAL_REPAIR
    short_queues = Variation("queue-5", "queues of 5 packets in place of 50", {"queue.limit": 5})
    no_refusals = Variation("no-refusals", "no refusals, m = 1000", {"semi_tcp.m": 1000})
    others = (series.DATAGRAMS_WAIT, *map(series.datagram_rate, (2, 20)), short_queues, no_refusals)
    return [
        Part(
            "connections",
            ground.connections(seconds),
            {"traffic.connections": ground.CONNECTIONS, "traffic.transport": ALL},
            series.on(ends, series.SINGLE_ACKS, series.PROGRAM, waiting, limit, no_repair),
        ),
        Part(
            "datagrams",
            ground.datagrams(seconds),
            {"traffic.connections": ground.DATAGRAM_FLOWS, TRANSPORT: ALL},
            series.on(fewer, series.SINGLE_ACKS, series.PROGRAM, no_repair, *others),
        ),
    ]


def _released(seconds: float) -> list[Part]:
    def over(*transports: str) -> Axes:
        return {"topology.hops": ground.RELEASED_HOPS, TRANSPORT: transports}

    later = Variation(
        "tc-plus-m",
        "congested with T_c + 1 packets, as the program of 2013, in place of T_c",
        {"semi_tcp.congested_at": "tc_plus_m"},
    )
    static = Variation("static", "static routes in place of AODV", {"routing.protocol": "static"})
    slow = Variation("1mbps", "data at 1 Mb/s in place of 2 Mb/s", {"mac.data_rate": "1 Mb/s"})
    plain = ground.released("released", reports=False)
    single = plain.with_(series.SINGLE_ACKS.changes)
    failing = ground.released("failures", reports=True)
    return [
        Part("released", plain, over(*ALL), (later,)),
        Part("released-single", single, over(SEMI), (later,)),
        # Silent out of order it would rise with the hops; the released one falls as that with single acknowledgments.
        Part("released-delayed", single.with_({"tcp.delayed_ack": True}), over(SEMI, AP)),
        Part("released-paced", single.with_({"semi_tcp.paced": True}), over(SEMI)),
        Part("released-silent", plain.with_({"tcp.ooo_ack": "none"}), over(AP)),
        Part("failures", failing, over(*ALL)),
        Part("failures-single", failing.with_(series.SINGLE_ACKS.changes), over(SEMI)),
        Part(
            "long",
            ground.standing("long", "chain", 1, seconds),
            {"topology.hops": ground.LONG_HOPS, TRANSPORT: ("tcp_ap", "new_reno")},
            (series.NO_REPORTS, static, slow),
        ),
    ]
