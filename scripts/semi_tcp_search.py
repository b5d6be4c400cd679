"""Search for what Table 1 of Cai 2013 leaves out: hops of its parallel rows, data rate, sum or mean of the two flows.

    .venv/bin/python scripts/semi_tcp_search.py [--seeds 5] [--duration 201]

Each setting of hops and rate runs all twelve cells of T_c and k, by preset and by whether MAC failures are reported to
AODV. The error of a setting is the root mean square of ln(ours / printed). The result of record stands in
docs/protocols/semi_tcp.md; nothing of hoplab was chosen by it but the reading of SEMI-T1-8.
"""

from __future__ import annotations

import argparse
import itertools
import math

from hoplab.papers import semi_tcp as ground
from hoplab.running import Order, run_orders
from hoplab.scenario import Scenario


def main() -> None:
    """Print one line per setting, the best first."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--duration", type=float, default=201.0)
    parser.add_argument("--threads", type=int, default=None)
    args = parser.parse_args()
    printed = {
        (int(row["k"]), int(row["t_c"])): float(row["throughput"])
        for row in ground.numbers("semi_tcp_table1")
        if row["topology"] == "parallel"
    }
    settings = list(itertools.product(ground.HOPS, ("1 Mb/s", "2 Mb/s"), ("paper", "cai2013"), (True, False)))
    found = []
    for hops, rate, preset, reports in settings:
        text = ground.static("search", "parallel", 2, args.duration, hops=hops)
        base = Scenario.from_text(text, path="search.toml").with_(
            {"mac.data_rate": rate, "semi_tcp.preset": preset, "routing.link_failure_feedback": reports}
        )
        orders = [
            Order(base.with_({"semi_tcp.k": k, "semi_tcp.t_c": t_c}), tuple(range(1, args.seeds + 1)))
            for k, t_c in printed
        ]
        cells = run_orders(orders, threads=args.threads, progress=False)
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


if __name__ == "__main__":
    main()
