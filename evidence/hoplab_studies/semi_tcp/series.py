"""The series of the Semi-TCP study: what the paper leaves open, or the published program does otherwise."""

from __future__ import annotations

from hoplab_studies.semi_tcp.scenarios import places_of_ends
from hoplab_studies.shared.study import Axes, Variation

PROGRAM = Variation(
    "cai2013", "the published program (cai2013) in place of the paper's text", {"semi_tcp.preset": "cai2013"}
)
NO_REPORTS = Variation("no-reports", "MAC failures not reported to AODV", {"routing.link_failure_feedback": False})
PROGRAM_NO_REPORTS = PROGRAM.along(
    "cai2013-no-reports", "the published program, and MAC failures not reported to AODV", NO_REPORTS
)
SINGLE_ACKS = Variation(
    "single",
    "segments out of order acknowledged one by one, in place of not at all",
    {"semi_tcp.ooo_ack": "single"},
)
ROUTELESS_UNCOUNTED = Variation(
    "waiting",
    "packets that wait for a route not counted as held",
    {"semi_tcp.n_src_counts": "ifq", "semi_tcp.n_fwd_counts": "ifq_and_service"},
)
LIMIT_1024 = Variation(
    "limit-1024",
    "1024 outstanding segments at most, in place of no limit",
    {"semi_tcp.max_outstanding": 1024},
)
CARRIER_SENSE_550 = Variation("550m", "carrier sense over 550 m in place of 500 m", {"radio.cs_range": "550 m"})
NO_LOCAL_REPAIR = Variation(
    "no-repair", "AODV without local repair of routes at relays", {"routing.aodv.local_repair": False}
)
ONE_OUTSTANDING = Variation("one-out", "one segment outstanding at a time", {"semi_tcp.max_outstanding": 1})

EQUATION_3 = Variation(
    "equation-3",
    "congested with T_c packets, as equation 3 reads, in place of T_c + m",
    {"semi_tcp.congested_at": "tc"},
)
EQUATIONS_3_TO_5 = Variation(
    "equations-3-to-5",
    "congested with T_c packets (equation 3), transit refused with T_c + m (equation 4), in place of both at T_c + m",
    {"semi_tcp.congested_at": "tc_and_m"},
)
CTSC = Variation(
    "ctsc",
    "the three limits of equations 3 to 5, and CTSC in place of CTS from a node that holds T_c packets",
    {**EQUATIONS_3_TO_5.changes, "semi_tcp.ctsc_while_congested": True},
)
LIMITS = (EQUATIONS_3_TO_5, CTSC)


def hops(count: int) -> Variation:
    """Another length of the networks whose nodes stand."""
    return Variation(f"{count}-hops", f"{count} hops in place of 7", {"topology.hops": count})


def over_5_hops(limits: Variation, *, standing: bool = True) -> Variation:
    """The limits of equations 3 to 5 over 5 hops, a length that Figures 7 to 9 and Table 1 leave open."""
    others = [hops(5)] if standing else []
    return limits.along(f"{limits.name}-5-hops", f"{limits.assumption}; 5 hops in place of 7", *others)


OVER_5_HOPS = (hops(5), over_5_hops(EQUATIONS_3_TO_5), over_5_hops(CTSC))

NO_RTS = Variation(
    "data-and-ack",
    "no RTS and CTS: congestion in DATA and ACK frames in place of RTS and CTS",
    {"mac.rts_threshold": 3000, "semi_tcp.signal_in": ["data", "ack"]},
)
FEWER_ACKS = tuple(
    Variation(f"ack-every-{n}", f"one acknowledgment per {n} segments in place of each", {"tcp.ack_every": n})
    for n in (2, 4)
)
FEWER_FRAMES = (*FEWER_ACKS, NO_RTS)

DATAGRAMS_WAIT = Variation(
    "datagrams-wait",
    "datagrams admitted by rule 3 at their source, in place of at once",
    {"semi_tcp.udp_source_admission": True},
)
SOURCE_FILLED = Variation(
    "filled",
    "the source's queue filled up to T_c in place of pulled when empty",
    {"semi_tcp.source_fill": "fill_to_tc"},
)

NEARER_M = 600.0
"""Distance of the ends in S1 and S2 that the search found (docs/protocols/semi_tcp.md)."""


def nearer_ends(height_m: float) -> Variation:
    """Ends of moving networks nearer to each other."""
    return Variation(
        f"{NEARER_M:g}m",
        f"ends of S1 and S2 {NEARER_M:g} m apart in place of 1000 m",
        {"topology.extra": places_of_ends(height_m, NEARER_M)},
    )


def moving_most_rows(*ends: Variation) -> Variation:
    """What was found to move most rows, together; the ends are near only where nodes move (`ends`)."""
    assumption = f"congested with T_c packets, AODV without local repair, ends of S1 and S2 {NEARER_M:g} m apart"
    return EQUATION_3.along("all-three", assumption, NO_LOCAL_REPAIR, *ends)


def lost_at_links_alone(height_m: float) -> Variation:
    """Nearer ends, one outstanding segment and no local repair: only link failures drop segments."""
    return nearer_ends(height_m).along(
        f"{NEARER_M:g}m-one-out",
        f"ends {NEARER_M:g} m apart, one segment outstanding at a time, AODV without local repair",
        NO_LOCAL_REPAIR,
        ONE_OUTSTANDING,
    )


def nodes(count: int) -> Variation:
    """Another number of nodes in the field with four that stand."""
    first = count - 4
    return Variation(
        f"{count}-nodes",
        f"{count} nodes in place of 50",
        {
            "topology.nodes": first,
            "mobility.stationary_nodes": list(range(first, count)),
            **{f"flow.{i}.{end}": first + 2 * i + side for i in (0, 1) for side, end in enumerate(("from", "to"))},
        },
    )


def rows_apart(distance_m: int) -> Variation:
    """Another distance of parallel rows."""
    assumption = f"rows {distance_m} m apart in place of 200 m"
    return Variation(f"{distance_m}m", assumption, {"topology.row_spacing": f"{distance_m} m"})


def datagram_rate(per_second: int) -> Variation:
    """Another rate of the flows of datagrams."""
    return Variation(
        f"{per_second}-packets",
        f"{per_second} packets per second and datagram flow in place of 4",
        {"traffic.rate": f"{per_second * 4.096:g} kb/s"},
    )


QUICK_SERIES = (
    "single",
    "equation-3",
    "equations-3-to-5",
    "equations-3-to-5-5-hops",
    "no-repair",
    f"{NEARER_M:g}m",
    "all-three",
    "one-out",
    f"{NEARER_M:g}m-one-out",
    "cai2013-no-reports",
    "4-hops",
    "5-hops",
)
"""The series that the short form runs as well: those that explain."""


def on(axes: Axes, *variations: Variation) -> tuple[Variation, ...]:
    """Some series on fewer points."""
    return tuple(variation.over(axes) for variation in variations)
