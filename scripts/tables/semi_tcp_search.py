"""Searches for what Cai 2013 leaves out: the setting of Table 1, and how far apart the ends of S1 and S2 are.

    .venv/bin/python scripts/tables/semi_tcp_search.py table1 [--seeds 5] [--duration 201]
    .venv/bin/python scripts/tables/semi_tcp_search.py ends [--seeds 3] [--duration 101] > FILE

`table1`: each setting of hops and rate runs all twelve cells of T_c and k over parallel rows, by preset and by whether
MAC failures are reported to AODV. The error of a setting is the root mean square of ln(ours / printed). `ends`: each
distance runs a sweep of SSRL in both moving networks; two rows of the ledger choose, three are held back. Its output is
`evidence/hoplab_studies/semi_tcp/data/semi_tcp_search.csv`, which the study's report shows. The results of record stand
in docs/protocols/semi_tcp.md; of hoplab, the reading of SEMI-T1-8 and the series with nearer ends were chosen by them.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import math
import sys

from hoplab.running.execution import Order, run_orders
from hoplab.running.runs import Runs
from hoplab_studies.semi_tcp import measures as of
from hoplab_studies.semi_tcp import parts, published
from hoplab_studies.semi_tcp import scenarios as ground
from hoplab_studies.shared.numbers import Measure
from hoplab_studies.shared.resampling import highest

DISTANCES_M = (400.0, 600.0, 800.0, 1000.0)
RETRIES = (2, 4, 6, 9, 14, 20)
FIELDS = {name.upper(): field for name, field in parts.FIELDS.items()}
PAIR = ("semi_tcp", "tcp_ap")
CHOOSES, HELD_BACK = "chooses", "held back"

Swept = dict[tuple[str, int, str], Runs]
"""Runs by field, SSRL and transport."""


def main() -> None:
    """Run one of the two searches."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("table1", "ends"))
    parser.add_argument("--seeds", type=int, default=None, help="table1: 5, ends: 3")
    parser.add_argument("--duration", type=float, default=None, help="in s; table1: 201, ends: 101")
    parser.add_argument("--threads", type=int, default=None)
    args = parser.parse_args()
    if args.what == "table1":
        search_table1(args.seeds or 5, args.duration or 201.0, args.threads)
    else:
        search_ends(args.seeds or 3, args.duration or 101.0, args.threads)


def search_table1(seeds: int, seconds: float, threads: int | None) -> None:
    """Print one line per setting, the best first."""
    printed = {
        (int(row["k"]), int(row["t_c"])): float(row["throughput"])
        for row in published.numbers("semi_tcp_table1")
        if row["topology"] == "parallel"
    }
    settings = list(itertools.product(ground.HOPS, ("1 Mb/s", "2 Mb/s"), ("paper", "cai2013"), (True, False)))
    found = []
    for hops, rate, preset, reports in settings:
        base = ground.standing("search", "parallel", 2, seconds).with_(
            {
                "topology.hops": hops,
                "mac.data_rate": rate,
                "semi_tcp.preset": preset,
                "routing.link_failure_feedback": reports,
            }
        )
        orders = [
            Order(base.with_({"semi_tcp.k": k, "semi_tcp.t_c": t_c}), tuple(range(1, seeds + 1))) for k, t_c in printed
        ]
        cells = run_orders(orders, threads=threads, progress=False)
        sums = [math.fsum(runs.values("unique_bps")) / len(runs) * 1e-3 for runs in cells]
        for reading, share in (("sum", 1.0), ("mean", 0.5)):
            logs = [math.log(share * ours / theirs) for ours, theirs in zip(sums, printed.values(), strict=True)]
            error = math.sqrt(math.fsum(x * x for x in logs) / len(logs))
            inside = sum(abs(math.exp(x) - 1.0) <= 0.25 for x in logs)
            found.append((error, hops, rate, preset, reports, reading, inside, share * sums[0]))
    print("error  hops  rate    preset   reports  reading  cells within 25 %  kb/s at k = T_c = 1")
    for error, hops, rate, preset, reports, reading, inside, first in sorted(found):
        print(
            f"{error:5.3f}  {hops:4d}  {rate}  {preset:7s}  {reports!s:7s}  {reading:7s}  {inside:17d}  {first:20.1f}"
        )


def search_ends(seeds: int, seconds: float, threads: int | None) -> None:
    """Print a table of CSV: what each distance gives, and which rows choose."""
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(("distance_m", "row", "role", "what", "found", "wanted"))
    for distance in DISTANCES_M:
        swept = _swept(distance, seeds, seconds, threads)
        for row, role, what, value, wanted in _read(swept):
            out.writerow((f"{distance:g}", row, role, what, f"{value:.3g}", wanted))
        sys.stdout.flush()


def _swept(distance: float, seeds: int, seconds: float, threads: int | None) -> Swept:
    points = list(itertools.product(FIELDS, RETRIES, PAIR))
    orders = []
    for field, retries, transport in points:
        height, speeds = FIELDS[field]
        base = ground.moving("search", height, speeds, seconds)
        changes = {
            "topology.extra": ground.places_of_ends(height, distance),
            "mac.ssrl": retries,
            "flow.transport": transport,
        }
        orders.append(Order(base.with_(changes), tuple(range(1, seeds + 1))))
    return dict(zip(points, run_orders(orders, threads=threads, progress=False), strict=True))


def _read(swept: Swept) -> list[tuple[str, str, str, float, str]]:
    semi, ap = PAIR
    usual = ground.USUAL_RETRIES

    def mean(measure: Measure, field: str, transport: str, retries: int = usual) -> float:
        known = [value for run in swept[field, retries, transport] if (value := measure(run)) is not None]
        return math.fsum(known) / len(known) if known else math.nan

    def best(field: str) -> float:
        return highest([float(n) for n in RETRIES])([mean(of.unique, field, semi, n) for n in RETRIES])

    def more(transport: str) -> float:
        return mean(of.dropping, "S2", transport) - mean(of.dropping, "S1", transport)

    slower, level = mean(of.delay, "S1", ap) / mean(of.delay, "S2", ap), 0.5e-3 * mean(of.unique, "S1", semi)
    gains = [mean(of.unique, f, semi, n) / mean(of.unique, f, ap, n) for f in FIELDS for n in RETRIES if n > 2]
    return [
        ("SEMI-F7-9", CHOOSES, "SSRL of Semi-TCP's best, S1", best("S1"), "7 to 11"),
        ("SEMI-F7-9", CHOOSES, "SSRL of Semi-TCP's best, S2", best("S2"), "2 to 6"),
        ("SEMI-F8-2", CHOOSES, "dropping ratio of TCP-AP, S2 less S1", more(ap), "> 0"),
        ("SEMI-F8-2", CHOOSES, "dropping ratio of Semi-TCP, S2 less S1", more(semi), "at most half of TCP-AP's"),
        ("SEMI-F7-7", HELD_BACK, "largest gain of Semi-TCP, SSRL 4 and more", max(gains), "1.8 to 2.6"),
        ("SEMI-F9-3", HELD_BACK, "delay of TCP-AP, S1 over S2", slower, ">= 1.5"),
        ("SEMI-T1-8", HELD_BACK, "S1, mean of two flows, kb/s", level, "95.93 within 25 %"),
    ]  # fmt: skip


if __name__ == "__main__":
    main()
