"""Figures 2, 4, 5 and 6 of the rt-Winf paper: estimators on two nodes, on a chain, and with files on that chain."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

from hoplab.figures import Curve, Figure
from hoplab.figures.build import interval_curve
from hoplab.report.model import ReportTable
from hoplab.running.runs import Run
from hoplab.stats import mean_interval
from hoplab_studies.shared.measures import at_least, at_most, in_range, less_than, ratio
from hoplab_studies.shared.numbers import interval, mean
from hoplab_studies.shared.study import DEFAULT, Check, Grid, Grids, Margin, Part, Shown, Variation
from hoplab_studies.shared.verdict import Condition, shown
from hoplab_studies.winf import scenarios as ground
from hoplab_studies.winf.measures import at_most_share, estimates, progress, spread
from hoplab_studies.winf.scenarios import FLOWS, PROBING_S, never

PAIR, CHAIN, FILES = "pair", "chain", "files"
EVER = "1 s"
"""Start of a measurement that takes place."""

SETTLED_S = 15
"""From here on AdHoc Probe has 10 s of pairs, and the claims look, s."""

PROBE_SIZES = (480, 980, 1480)
"""Payloads of probes: 500, 1000 and 1500 bytes with their header."""

CLOSE, TOP = 0.75, 1.01
"""Below the first of eq. 14 a capacity is not close to it, above the second not below it."""

CLOSE_BY = (0.85, 1.15)
ALIKE = (0.9, 1.1)

HEADER = 20
"""Bytes that routing adds to datagrams: IP's, as in ns-2."""

RTS = ("0 B", "3000 B")
"""Thresholds with and without RTS and CTS."""

EXCHANGE = Variation("exchange", "eqs. 1, 4 and 12 with nothing but data and ACK", {"winf.overhead": "exchange"})
LONG = Variation("long", "packets of 1500 bytes in the call in place of 532", {"flow.0.segment": 1480})
AS_PRINTED = Variation("literal", "the equations as printed", {"winf.mode": "literal"})

SENDER = 0
"""Node whose links are looked at."""


def eq14(packet: int, *, rts: bool = True) -> float:
    """Capacity of a clean link in bit/s for packets of so many bytes: 802.11b at 11 and 1 Mb/s, long preamble."""
    plcp, sifs, difs, slot, cw_min, overhead = 192e-6, 10e-6, 50e-6, 20e-6, 31, 34
    control = {size: plcp + size * 8 / 1e6 for size in (14, 20)}
    handshake = control[20] + control[14] + 2 * sifs if rts else 0.0
    data = plcp + (packet + overhead) * 8 / 11e6
    return packet * 8 / (difs + cw_min / 2 * slot + handshake + data + sifs + control[14])


def parts(*, quick: bool) -> list[Part]:
    """Two nodes, the chain, and the chain with files."""
    short, long = (30.0, 65.0) if quick else (60.0, ground.DURATION_S)
    others = () if quick else (EXCHANGE, AS_PRINTED, ground.NORMALISED, ground.EXCHANGE_NORMALISED)
    of_calls = (*others, LONG) if others else ()
    late = never(short)
    ever = (EVER, late)
    return [
        Part(PAIR, ground.pair(duration_s=short), {"flow.1.start": ever}, of_calls),
        Part(CHAIN, ground.chain(duration_s=short), {"flow.1.start": ever, "flow.2.start": ever}, of_calls),
        Part(FILES, ground.files(duration_s=long), {"mac.rts_threshold": RTS, "flow.0.segment": PROBE_SIZES}, others),
    ]  # fmt: skip


def figures() -> list[Shown]:
    """Capacities and available bandwidth over time, and against the number of files."""
    return [
        Shown("fig2", "Capacity of a link with a call's rate", PAIR, draw=partial(_over_time, PAIR)),
        Shown("fig4", "Capacity over a chain of three hops", CHAIN, draw=partial(_over_time, CHAIN)),
        Shown("fig5", "Available bandwidth over a chain of three hops", CHAIN, draw=_available),
        Shown("fig6", "Capacity against files at once", FILES, draw=_against_files, also=(CHAIN,)),
    ]


def checks() -> list[Check]:
    """One per claim."""
    size = "packets that rt-Winf sees: those of the call, 532 bytes, where AdHoc Probe sends 1500"
    return [
        Check("W-F2a", PAIR, size, partial(_near_maximum, PAIR)),
        Check("W-F2b", PAIR, size, _below_and_steadier),
        Check("W-F4a", CHAIN, size, partial(_steadier, CHAIN, 0.5)),
        Check("W-F4b", CHAIN, size, partial(_below_maximum, CHAIN)),
        Check("W-F5a", CHAIN, "UDP over all three hops, rt-Winf at the first", _between),
        Check("W-F5b", CHAIN, "a light load", _near_the_rate),
        Check("W-F5c", CHAIN, "IdleGap averages over the whole run", _moves_more),
        Check("W-F6a", FILES, "IdleGap's rate, 11 Mb/s", _idle_gap_at_maximum),
        Check(
            "W-F6b",
            FILES,
            "what of an exchange counts",
            _probes_agree,
            margins=(Margin({"rts_threshold": RTS[1]}, ALIKE[1], ("capacity_bps",)),),
        ),
        Check(
            "W-F6c",
            FILES,
            "files in place of a call: 1500 bytes in place of 532",
            _as_the_chain,
            beside=(CHAIN,),
            on_series=((LONG.name, LONG.assumption, _as_the_chain),),
            margins=(Margin({}, CLOSE_BY[1], ("capacity_bps",), part=FILES),),
        ),
    ]


def _runs(part: str, grid: Grid, *, pairs: bool = False, udp: bool = False) -> Sequence[Run]:
    """The runs of a part in which AdHoc Probe, or the saturating flow, sends or does not."""

    def start(flow: str, wanted: bool) -> str:  # noqa: FBT001 (of two)
        first, late = grid.axes[flow]
        return str(first if wanted else late)

    settings = {"flow.1.start": start("flow.1.start", pairs)}
    if part == CHAIN:
        settings["flow.2.start"] = start("flow.2.start", udp)
    return next(
        runs.runs for setting, runs in grid.points.items() if all(dict(setting)[k] == v for k, v in settings.items())
    )


def _settled(values: Sequence[float]) -> Sequence[float]:
    return values[SETTLED_S:-1]


def _capacity(run: Run) -> Sequence[float]:
    return _settled(estimates(run, SENDER, "winf"))


def _of_pairs(run: Run) -> Sequence[float]:
    return _settled(estimates(run, run.flows[1].dst, "adhoc_probe"))


def _packet(grid: Grid) -> int:
    """Bytes of the call's packets, with the header that routing adds."""
    scenario = next(iter(grid.points.values())).scenario
    return int(scenario.resolve().data["flows"][0]["segment"]) + HEADER


def _near_maximum(part: str, grid: Grid) -> list[Condition]:
    """W-F2a: between 0.75 and 1 times eq. 14 for the packets that are sent."""
    limit = eq14(_packet(grid))
    shares = [mean(_capacity(run)) / limit for run in _runs(part, grid)]
    what = f"capacity over eq. 14 of {_packet(grid)} bytes"
    room = mean_interval([s - CLOSE for s in shares])
    close = Condition(what, mean_interval(shares), f">= {CLOSE:g}", (room,), band=(CLOSE, TOP))
    return [close, *_below_maximum(part, grid)]


def _below_maximum(part: str, grid: Grid) -> list[Condition]:
    """W-F4b: no more than eq. 14, by a percent for what propagation adds between the stamps."""
    limit = eq14(_packet(grid))
    shares = [mean(_capacity(run)) / limit for run in _runs(part, grid)]
    room = mean_interval([TOP - share for share in shares])
    what, band = f"capacity over eq. 14 of {_packet(grid)} bytes", (-math.inf, TOP)
    return [Condition(what, mean_interval(shares), f"<= {TOP:g}", (room,), band=band)]


def _below_and_steadier(grid: Grid) -> list[Condition]:
    """W-F2b: each as a share of eq. 14 for the packets that it sees, since capacity grows with their size."""
    capacities = [mean(_capacity(run)) / eq14(_packet(grid)) for run in _runs(PAIR, grid)]
    pairs = [mean(_of_pairs(run)) / eq14(PROBE_SIZES[-1] + HEADER) for run in _runs(PAIR, grid, pairs=True)]
    below = at_most("AdHoc Probe over rt-Winf, each over eq. 14 of its packets", pairs, capacities, 1.0)
    return [below, *_steadier(PAIR, 1.0, grid)]


def _steadier(part: str, factor: float, grid: Grid) -> list[Condition]:
    """W-F2b, W-F4a: variation over time of rt-Winf against that of AdHoc Probe."""
    ours = [spread(_capacity(run)) for run in _runs(part, grid)]
    theirs = [spread(_of_pairs(run)) for run in _runs(part, grid, pairs=True)]
    return [at_most("variation of rt-Winf over that of AdHoc Probe", ours, theirs, factor)]


def _between(grid: Grid) -> list[Condition]:
    """W-F5a: UDP below rt-Winf's available bandwidth below the maximum, sample by sample."""
    limit = eq14(1500) * TOP
    udp = [progress(run)[2] for run in _runs(CHAIN, grid, udp=True)]
    said = [estimates(run, SENDER, "winf", "available_bps") for run in _runs(CHAIN, grid)]
    above, below = [], []
    for carried, available in zip(udp, said, strict=True):
        samples = list(zip(_settled(carried), _settled(available), strict=True))
        above.append(sum(u <= a for u, a in samples) / len(samples))
        below.append(sum(a <= limit for _, a in samples) / len(samples))
    return [
        at_most_share("samples with UDP goodput at most the estimate of rt-Winf", above, 0.8),
        at_most_share("samples with rt-Winf at most eq. 14 of 1500 bytes", below, 0.8),
    ]


def _idle_gap(run: Run) -> Sequence[float]:
    return _settled(estimates(run, SENDER, "idle_gap", "available_bps"))


def _near_the_rate(grid: Grid) -> list[Condition]:
    """W-F5b: IdleGap at least 0.8 of 11 Mb/s, varying by less than a tenth."""
    runs = _runs(CHAIN, grid)
    shares = [mean(_idle_gap(run)) / 11e6 for run in runs]
    spreads = [spread(_idle_gap(run)) for run in runs]
    return [
        at_most_share("IdleGap over the data rate", shares, 0.8),
        less_than("variation of IdleGap", mean_interval(spreads), 0.1),
    ]


def _moves_more(grid: Grid) -> list[Condition]:
    """W-F5c."""
    runs = _runs(CHAIN, grid)
    ours = [spread(_settled(estimates(run, SENDER, "winf", "available_bps"))) for run in runs]
    theirs = [spread(_idle_gap(run)) for run in runs]
    return [at_least("variation of rt-Winf's available bandwidth over that of IdleGap", ours, theirs, 2.0)]


def _files(grid: Grid, threshold: str, size: int = PROBE_SIZES[-1]) -> Sequence[Run]:
    return grid.at(rts_threshold=threshold, segment=size).runs


def _period(values: Sequence[float], n: int) -> Sequence[float]:
    """Samples while `n` files are under way; the first second of each period belongs to none."""
    length = (len(values) - PROBING_S) / FLOWS
    first = PROBING_S + (n - 1) * length
    return values[round(first) + 1 : round(first + length)]


def _with_files(run: Run, n: int, name: str) -> float:
    return mean(_period(estimates(run, SENDER, name), n))


def _idle_gap_at_maximum(grid: Grid) -> list[Condition]:
    """W-F6a: within 15 % of eq. 14 with one to five files."""
    found = []
    for n in range(1, FLOWS + 1):
        shares = [_with_files(run, n, "idle_gap") / eq14(1500) for run in _files(grid, RTS[0])]
        found.append(in_range(f"IdleGap over eq. 14, {n} files", mean_interval(shares), CLOSE_BY))
    return found


def _probes_agree(grid: Grid) -> list[Condition]:
    """W-F6b: what probes without RTS and CTS find, over exchanges with them, of packets of one size: 1500 bytes."""
    with_rts = [_with_files(run, 1, "winf") for run in _files(grid, RTS[0])]
    # The last second before the first file: four probes have been answered.
    probed = [estimates(run, SENDER, "winf")[round(PROBING_S) - 2] for run in _files(grid, RTS[1])]
    what = f"probes over exchanges with RTS and CTS, {PROBE_SIZES[-1] + HEADER} bytes"
    return [in_range(what, ratio(probed, with_rts), ALIKE).denied_by_interval()]


def _as_the_chain(grid: Grid, chain: Grid) -> list[Condition]:
    """W-F6c: one file's capacity within 15 % of that of the call over the same chain, Figure 4's run."""
    files = [_with_files(run, 1, "winf") for run in _files(grid, RTS[0])]
    call = [mean(_capacity(run)) for run in _runs(CHAIN, chain)]
    what = f"capacity with one file over that of the call of Figure 4, {_packet(chain)} bytes"
    return [in_range(what, ratio(files, call), CLOSE_BY).denied_by_interval()]


def _band(name: str, runs: Sequence[Run], of: Callable[[Run], Sequence[float]], slot: int) -> Curve:
    """Mean over seeds of a value over time, with a band."""
    series = [of(run) for run in runs]
    length = min(map(len, series))
    intervals = [interval(values[i] for values in series) for i in range(length)]
    curve = interval_curve(name, [float(i + 1) for i in range(length)], intervals, 1e-6, slot=slot)
    return Curve(curve.name, curve.x, curve.y, curve.low, curve.high, curve.n, "line", slot)


def _flat(name: str, seconds: int, value: float, slot: int) -> Curve:
    x = [1.0, float(seconds)]
    return Curve(name, x, [value * 1e-6] * 2, style="line", slot=slot, exact="closed form")


def _over_time(part: str, grid: Grid) -> Sequence[Figure]:
    alone, with_pairs = _runs(part, grid), _runs(part, grid, pairs=True)
    seconds = len(estimates(alone[0], SENDER, "winf"))
    curves = (
        _band("rt-Winf", alone, lambda run: estimates(run, SENDER, "winf"), 0),
        _band("AdHoc Probe", with_pairs, lambda run: estimates(run, run.flows[1].dst, "adhoc_probe"), 1),
        _flat("eq. 14, 532 bytes", seconds, eq14(532), 2),
        _flat("eq. 14, 1500 bytes", seconds, eq14(1500), 3),
    )
    caption = f"Means with 95 % bands over {len(alone)} seeds. AdHoc Probe: pairs of the last 10 s, in runs of its own."
    return [Figure(f"capacity-{part}", "Capacity", "time (s)", "capacity (Mb/s)", curves, caption)]


def _available(grid: Grid) -> Sequence[Figure]:
    alone, with_udp = _runs(CHAIN, grid), _runs(CHAIN, grid, udp=True)
    seconds = len(estimates(alone[0], SENDER, "winf"))
    curves = (
        _band("rt-Winf", alone, lambda run: estimates(run, SENDER, "winf", "available_bps"), 0),
        _band("IdleGap", alone, lambda run: estimates(run, SENDER, "idle_gap", "available_bps"), 1),
        _band("saturating UDP", with_udp, lambda run: progress(run)[2], 4),
        _flat("eq. 14, 1500 bytes", seconds, eq14(1500), 3),
    )
    caption = (
        f"Means with 95 % bands over {len(alone)} seeds, at the first node. UDP: over three hops, in runs of its own."
    )
    return [Figure("available-chain", "Available bandwidth", "time (s)", "bandwidth (Mb/s)", curves, caption)]


def _against_files(grid: Grid, _: Grid) -> Sequence[Figure]:
    x = [float(n) for n in range(1, FLOWS + 1)]
    curves = []
    for slot, (label, name, threshold) in enumerate(
        (("rt-Winf, RTS and CTS", "winf", RTS[0]), ("rt-Winf without", "winf", RTS[1]), ("IdleGap", "idle_gap", RTS[0]))
    ):
        points = [
            mean_interval([_with_files(run, n, name) for run in _files(grid, threshold)]) for n in range(1, FLOWS + 1)
        ]
        curves.append(interval_curve(label, x, points, 1e-6, slot=slot))
    for slot, (label, rts) in enumerate((("eq. 14 with RTS and CTS", True), ("eq. 14 without", False)), start=3):
        curves.append(
            Curve(label, x, [eq14(1500, rts=rts) * 1e-6] * FLOWS, style="line", slot=slot, exact="closed form")
        )
    n = len(_files(grid, RTS[0]))
    caption = f"Means with 95 % intervals over {n} seeds, at the first node."
    return [
        Figure(
            "capacity-files",
            "Capacity against files",
            "files",
            "capacity (Mb/s)",
            tuple(curves),
            caption,
            integer_x=True,
        )
    ]


def tables(grids: Grids) -> list[ReportTable]:
    """Means and variation of every estimator."""
    rows = []
    said = {
        DEFAULT: "all overhead",
        EXCHANGE.name: "data and ACK",
        AS_PRINTED.name: "as printed",
        LONG.name: "all, of 1500 bytes",
    }
    for part in (PAIR, CHAIN):
        for series in (DEFAULT, EXCHANGE.name, AS_PRINTED.name, LONG.name):
            if (part, series) not in grids:
                continue
            grid = grids[part, series]
            alone, with_pairs = _runs(part, grid), _runs(part, grid, pairs=True)
            numbers: list[tuple[str, Sequence[Run], Callable[[Run], Sequence[float]]]] = [
                ("rt-Winf, capacity", alone, _capacity),
                ("rt-Winf, available", alone, lambda run: _settled(estimates(run, SENDER, "winf", "available_bps"))),
                ("IdleGap", alone, _idle_gap),
                ("AdHoc Probe", with_pairs, _of_pairs),
            ]
            if part == CHAIN:
                with_udp = _runs(part, grid, udp=True)
                numbers.append(("saturating UDP", with_udp, lambda run: _settled(progress(run)[2])))
            for name, runs, of in numbers:
                means = mean_interval([mean(of(run)) * 1e-6 for run in runs])
                spreads = [value for run in runs if math.isfinite(value := spread(of(run)))]
                what = said[series]
                rows.append((part, what, name, shown(means), shown(mean_interval(spreads)) if spreads else "-"))
    if not rows:
        return []
    limits = ", ".join(f"{eq14(packet) * 1e-6:.2f} Mb/s for {packet} bytes" for packet in (532, 1500))
    note = f"At the first node after {SETTLED_S} s. Eq. 14: {limits}."
    header = ("network", "rt-Winf counts", "estimator", "mean (Mb/s)", "variation over time")
    return [ReportTable("Estimators (Figures 2, 4 and 5)", header, tuple(rows), note, 3)]
