"""Write the page on the papers' protocols over 802.11n: hops, aggregation, one radio or two per relay.

    python scripts/pages/papers_over_11n.py                          # some 15 minutes of CPU
    python scripts/pages/papers_over_11n.py --transports muzha,xcp   # run these alone, keep the rates of others
    python scripts/pages/papers_over_11n.py --stored                 # page and picture from the stored rates
    python scripts/pages/papers_over_11n.py --hops 1,4 --seeds 2 --out page.md

The rates by seed are stored beside the page (`.csv`), and so is its picture (`.svg`).
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

from matplotlib.figure import Figure
from papers_claims import (
    OURS,
    PAPERS,
    RADIOS,
    TODAY,
    Cell,
    Point,
    Radio,
    Table,
    beside_today,
    fall,
    fall_sentence,
    farthest,
    gain_sentence,
    gains,
    hops_text,
    leaders,
    paragraphs,
    read,
    verdicts,
    write,
)
from svg import save

from hoplab.base.transports import transport_title
from hoplab.bounding import limits
from hoplab.bounding.inputs import networks
from hoplab.figures.build import interval_curve
from hoplab.figures.draw import draw
from hoplab.figures.model import Figure as Plot
from hoplab.running.execution import Order, run_orders
from hoplab.scenario.controllers import overrides_of
from hoplab.scenario.model import Scenario
from hoplab.stats import mean_interval

ROOT = Path(__file__).parents[2]
PAGE = Path("docs/judge/papers-over-11n.md")
TRANSPORTS = (
    "new_reno",
    "sack",
    "vegas",
    TODAY,
    "tcp_bbr",
    "tcp_ap",
    "semi_tcp",
    "semi_tcp_sack",
    "hop_release",
    "muzha",
    "split_tcp",
    "xcp",
    "xcp_b",
    "xcp_winf",
    "rcp",
    "rcp_winf",
)
"""Rows of the page. A new one: its name here, then `--transports NAME`."""
DRAWN = (TODAY, "tcp_bbr", "tcp_ap", "semi_tcp", "hop_release", "muzha", "split_tcp", "xcp_winf", "rcp_winf")
VARIANTS = ("new_reno", "bic", "cubic", "compound", "vegas", "veno", "westwood")
LOSSES, LOSS_HOPS = (1, 10, 25), 4
"""Shares of corrupted frames, percent, from the least to the highest of our study of the variants; the chain."""
HOPS = (1, 2, 4, 8)
SEEDS = 20
DURATION_S, WARMUP_S = 5, 1
WINDOW, QUEUE = 64, 100
CHANNELS = (36, 40, 44, 48)
"""Channels of the hops of a chain with two radios per relay, in turn."""
SPACING_M = 25
CHAIN = {
    "profile": "std",
    "duration": f"{DURATION_S} s",
    "warmup": f"{WARMUP_S} s",
    "radio": {
        "standard": "11n",
        "propagation": "shadowing",
        "shadowing_deviation_db": 0.0,
        "path_loss_exponent": 3.0,
        "tx_power": "40 mW",
    },
    "mac": {"mcs": 3, "rts_threshold": 0},
    "queue": {"limit": QUEUE},
    "routing": {"protocol": "static"},
    "flow": [{"from": "first", "to": "last", "window": WINDOW}],
}


def scenario(radio: Radio, point: Point) -> Scenario:
    """A chain with one flow from end to end."""
    topology = {"kind": "chain", "hops": point.hops, "spacing": f"{SPACING_M} m"}
    made = Scenario.from_dict(**CHAIN, topology=topology)
    if not radio.joins:
        made = made.with_({"mac.ampdu": "0 B"})
    if point.loss:
        made = made.with_({"radio.errors": {"model": "uniform_packet", "frame_error_rate": point.loss / 100.0}})
    if radio.radios > 1:
        channels = [CHANNELS[hop % len(CHANNELS)] for hop in range(point.hops)]
        own = [[*channels[node : node + 1], *channels[max(node - 1, 0) : node]] for node in range(point.hops + 1)]
        nodes = [{"id": node, "radios": [{"channel": c} for c in channels]} for node, channels in enumerate(own)]
        made = made.with_({"node": nodes})
    return made.with_(overrides_of(point.transport, made))


def limit(radio: Radio, point: Point) -> float:
    """The bound on what arrives, kb/s.

    With two radios it is that of one hop: each hop has its channel to itself, since the next one on it is out of
    carrier-sense range, and all packets and acknowledgments cross each hop.
    """
    if radio.radios > 1:
        radio, point = next(one for one in RADIOS if one.joins == radio.joins), point._replace(hops=1)
    given = scenario(radio, point)
    if given.resolve().facts.cs_range_m >= SPACING_M * (len(CHANNELS) - 1):
        raise SystemExit("hops of one channel sense each other: their bound is not that of one hop")
    return 1e3 / limits(given, seed=1).share([1e6])


def longest() -> int:
    """Most full packets of an A-MPDU."""
    radio = next(one for one in RADIOS if one.joins)
    joined = networks(scenario(radio, Point(radio.id, 1, "new_reno")), 1)[0].stations[0].aggregate
    assert joined is not None
    return joined.bytes // max(joined.packet_bytes.values())


def points(hops: Sequence[int]) -> list[tuple[Radio, Point]]:
    """All that is run, in the order of the stored table."""
    chains = [(radio, Point(radio.id, n, name)) for radio in RADIOS for n in hops for name in TRANSPORTS]
    lossy = [
        (radio, Point(radio.id, LOSS_HOPS, name, loss))
        for radio in RADIOS
        if radio.radios == 1 and LOSS_HOPS in hops
        for loss in LOSSES
        for name in VARIANTS
    ]
    return [*chains, *lossy]


def measured(wanted: Sequence[tuple[Radio, Point]], seeds: int, threads: int | None, label: str) -> dict[Point, Cell]:
    """Runs of some points."""
    orders = [Order(scenario(radio, point), tuple(range(1, seeds + 1))) for radio, point in wanted]
    found = {}
    for (radio, point), runs in zip(wanted, run_orders(orders, threads=threads, label=label), strict=True):
        flows = [run.flows[0] for run in runs]
        rates = (tuple(getattr(flow, name) / 1e3 for flow in flows) for name in ("goodput_bps", "unique_bps"))
        found[point] = Cell(limit(radio, point), *rates)
    return found


def picture(table: Table) -> Figure:
    """Share of the possible over hops, a panel per radio."""
    figure = Figure(figsize=(8.4, 7.6), layout="constrained")
    hops = sorted({point.hops for point in table if not point.loss})
    panels = figure.subplots(2, 2, sharex=True, sharey=True).flat
    for ax, radio in zip(panels, RADIOS, strict=True):
        curves = []
        for slot, name in enumerate(DRAWN):
            cells = [table.get(Point(radio.id, n, name)) for n in hops]
            shares = [None if c is None else mean_interval(c.distinct).scaled(100.0 / c.limit) for c in cells]
            curves.append(interval_curve(transport_title(name), [float(n) for n in hops], shares, 1.0, slot=slot))
        draw(Plot(radio.id, radio.title, "hops", "share of the possible (%)", tuple(curves), integer_x=True), ax=ax)
        if legend := ax.get_legend():
            handles, names = ax.get_legend_handles_labels()
            legend.remove()
    figure.legend(handles, names, loc="outside lower center", ncols=4, frameon=False)
    return figure


HEAD = """# The papers' protocols over 802.11n

Written by `python scripts/pages/papers_over_11n.py`; nothing is copied by hand. Rates by seed: [table]({table}).

The five papers were written for 802.11 and 802.11b. Here their transports run over 802.11n: chains of {spacing} m per
hop, MCS 3 (26 Mb/s), 5 GHz, RTS before each frame or A-MPDU, static routes, drop-tail queues of {queue} packets.
One flow always has data. Means with 95 % intervals (Student), {seeds} seeds of {duration} s, of which {warmup} s are
warm-up.

- **Window**: {window} segments for agents that count them: their default, 32, does not fill four hops that send A-MPDUs
  at once. An A-MPDU has at most {longest} packets of 1,500 bytes, by the limit of its duration.
- **Acknowledgments**: complete connections (TCP CUBIC, BBR) delay them, one-way agents do not. Two rows that are no
  paper's, [Semi-TCP with SACK](../protocols/semi_tcp.md#sack) and [release by
  overhearing](../protocols/hop_release.md), acknowledge 16 segments at a time.
- **Two radios per relay**: hops take channels {channels} in turn. Hops on one channel are {apart} m apart, beyond
  carrier sense.
- **Share of [the possible](../use/bounds.md)**: the bound of DCF without collisions. It counts acknowledgments of
  one-way agents; of the others it counts none, so that their shares are lower. With two radios it is that of one hop.
- **Semi-TCP**: its paper counts distinct segments, and so do its share and its claim. Its goodput is what arrives in
  order.

How each scheme sees an A-MPDU is on its page: [Semi-TCP](../protocols/semi_tcp.md),
[rt-Winf](../protocols/winf.md), [Muzha](../protocols/muzha.md), [XCP](../protocols/xcp.md), [RCP](../protocols/rcp.md).

## What survives

A claim holds with a radio if paired t tests by seed show more over all of its hops; p is adjusted by Holm over all
claims, radios and hops. The claims are those that one flow over a chain can show; fairness, movement and load are in
the [studies](studies/index.md)."""


def page(table: Table, name: str) -> str:
    """The page."""
    seeds = {len(cell.goodput) for cell in table.values()}
    if len(seeds) != 1:
        raise SystemExit(f"points have {seeds} seeds: run all of them, or use another --out")
    far, hops = farthest(table), sorted({point.hops for point in table if not point.loss})
    head = HEAD.format(
        table=f"{name}.csv",
        spacing=SPACING_M,
        queue=QUEUE,
        seeds=seeds.pop(),
        duration=DURATION_S,
        warmup=WARMUP_S,
        window=WINDOW,
        channels=", ".join(map(str, CHANNELS)),
        apart=SPACING_M * (len(CHANNELS) - 1),
        longest=longest(),
    )
    parts = [head]
    for paragraph in paragraphs(table):
        parts += ["", paragraph]
    if LOSS_HOPS in hops:
        lossy = [radio for radio in RADIOS if radio.radios == 1]
        falls = {radio: fall(table, radio, LOSS_HOPS, VARIANTS, LOSSES) for radio in lossy}
        parts += ["", f"**[Seven variants](studies/variants.md).** {fall_sentence(falls, LOSSES)}"]
    parts += [
        "",
        "Ratios with 95 % intervals (Fieller); in bold where the test shows a difference.",
        "",
        *_ratios(table),
    ]
    ours = beside_today(table, far, OURS, "the two rows that are no paper's")
    parts += ["", "## Beside today's transports", "", beside_today(table, far), ""]
    parts += [f"{ours} Most over {hops_text([far])}:", ""]
    parts += leaders(table, far)
    found = gains(table, far, TRANSPORTS)
    parts += ["", "What a radio gives depends on the transport.", "", gain_sentence(found, far), ""]
    parts += ["| times the goodput, " + f"{far} hops | " + " | ".join(radio.title for radio in RADIOS[1:]) + " |"]
    parts += ["| --- |" + " ---: |" * (len(RADIOS) - 1)]
    for one, times in found.items():
        cells = (f"{times[radio.id]:.1f}" if radio.id in times else "-" for radio in RADIOS[1:])
        parts.append(f"| {transport_title(one)} | " + " | ".join(cells) + " |")
    parts += ["", f"![Share of the possible over hops, by radio and transport]({name}.svg)"]
    parts += ["", "## Goodput", "", "Mb/s; in parentheses the share of the possible in percent."]
    for radio in RADIOS:
        parts += ["", f"### {radio.title}", "", *_goodput(table, radio, hops)]
    if LOSS_HOPS in hops:
        parts += ["", "## Corrupted frames", "", f"One radio, {LOSS_HOPS} hops, goodput in Mb/s by the share of frames"]
        parts += ["(of an A-MPDU: of MPDUs) that arrive corrupted.", "", *_lossy(table)]
    return "\n".join(parts) + "\n"


def _ratios(table: Table) -> list[str]:
    """Claims by radio: a ratio per number of hops, in bold where its test shows a difference."""
    found = verdicts(table)
    lines = [
        "| ratio by hops | " + " | ".join(radio.title for radio in RADIOS) + " |",
        "| --- |" + " --- |" * len(RADIOS),
    ]
    for claim in (claim for claims in PAPERS.values() for claim in claims):
        cells = []
        for radio in RADIOS:
            parts = []
            for hops in claim.hops:
                each = found.get((claim, radio.id, hops))
                if each is not None and (of := each.ratio) is not None:
                    mean = f"{of.mean:.2f}" if each.word == "none" else f"**{of.mean:.2f}**"
                    ends = "" if of.low is None or of.high is None else f" ({of.low:.2f} to {of.high:.2f})"
                    parts.append(f"{hops}: {mean}{ends}")
            cells.append("<br>".join(parts) or "-")
        one, other = map(transport_title, claim.pair)
        lines.append(f"| {one} over {other} | " + " | ".join(cells) + " |")
    return lines


def _goodput(table: Table, radio: Radio, hops: Sequence[int]) -> list[str]:
    """One radio: transports by hops."""
    lines = ["| transport | " + " | ".join(hops_text([n]) for n in hops) + " |", "| --- |" + " ---: |" * len(hops)]
    for name in TRANSPORTS:
        cells = []
        for n in hops:
            cell = table.get(Point(radio.id, n, name))
            cells.append("-" if cell is None else f"{_mbps(cell)} ({cell.share:.0f})")
        lines.append(f"| {transport_title(name)} | " + " | ".join(cells) + " |")
    return lines


def _lossy(table: Table) -> list[str]:
    columns = [(radio, loss) for radio in RADIOS if radio.radios == 1 for loss in LOSSES]
    lines = ["| transport | " + " | ".join(f"{radio.title.split(',')[0]}, {loss} %" for radio, loss in columns) + " |"]
    lines.append("| --- |" + " ---: |" * len(columns))
    for name in VARIANTS:
        cells = (_mbps(table[Point(radio.id, LOSS_HOPS, name, loss)]) for radio, loss in columns)
        lines.append(f"| {transport_title(name)} | " + " | ".join(cells) + " |")
    return lines


def _mbps(cell: Cell) -> str:
    mean = mean_interval(cell.goodput)
    return f"{mean.mean / 1e3:.2f} ± {(mean.half_width or 0.0) / 1e3:.2f}"


def main() -> None:
    """Run what is asked, store the rates, write page and picture."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--hops", default=",".join(map(str, HOPS)), help="numbers of hops, with commas")
    parser.add_argument("--transports", help="run these alone, with commas")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--stored", action="store_true", help="run nothing")
    parser.add_argument("--resume", action="store_true", help="run what is not stored")
    parser.add_argument("--out", type=Path, default=ROOT / PAGE)
    asked = parser.parse_args()
    everything = points(tuple(int(word) for word in asked.hops.split(",")))
    rates: Path = asked.out.with_suffix(".csv")
    only = asked.transports.split(",") if asked.transports else None
    table = read(rates) if asked.stored or asked.resume or only else {}
    for hop_radio in dict.fromkeys((radio, point.hops, bool(point.loss)) for radio, point in everything):
        wanted = [
            (radio, point)
            for radio, point in everything
            if (radio, point.hops, bool(point.loss)) == hop_radio
            and not asked.stored
            and (only is None or point.transport in only)
            and not (asked.resume and point in table)
        ]
        if wanted:
            table |= measured(wanted, asked.seeds, asked.threads, f"{hop_radio[0].within}, {hop_radio[1]} hops")
            write(rates, table, [point for _, point in everything])
            print(hop_radio[0].within, hop_radio[1], flush=True)
    stored = read(rates)
    mpl.rcParams["svg.hashsalt"] = "hoplab"
    save(picture(stored), asked.out.with_suffix(".svg"))
    asked.out.write_text(page(stored, asked.out.stem), encoding="utf-8")
    print(asked.out)


if __name__ == "__main__":
    main()
