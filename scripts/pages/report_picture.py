"""Draw the picture of README.md from the runs of `make demo`; run that first.

The picture is made of what was measured, not drawn again: hoplab-demo/runs.jsonl holds every run.
"""

import json
import sys
from collections import defaultdict
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

from matplotlib import pyplot as plt
from svg import save

from hoplab.demo.chains import CLOSER_FROM, TRANSPORTS, ns2_table
from hoplab.figures import Curve, Figure
from hoplab.figures.build import interval_curve
from hoplab.figures.draw import draw
from hoplab.stats import mean_interval

ROOT = Path(__file__).parents[2]
RUNS = ROOT / "hoplab-demo" / "runs.jsonl"
PICTURE = ROOT / "docs" / "images" / "demo-goodput.svg"


def main() -> None:
    """Read the runs, draw, write."""
    if not RUNS.is_file():
        sys.exit(f"{RUNS} is not there: run `make demo` first")
    goodput: dict[tuple[str, int], list[float]] = defaultdict(list)
    for line in RUNS.read_text(encoding="utf-8").splitlines():
        run = json.loads(line)
        at = (run["point"]["transport"], run["point"]["topology.hops"])
        goodput[at].append(sum(flow["goodput_bps"] for flow in run["flows"]))
    hops = sorted({h for _, h in goodput})
    n = min(len(values) for values in goodput.values())
    mpl.rcParams["svg.hashsalt"] = "hoplab"  # the same runs give the same file
    picture, (left, right) = plt.subplots(1, 2, figsize=(10.5, 4.2), layout="constrained")
    whole = Figure("whole", "1 to 16 hops", "hops", "goodput (kb/s)", tuple(ours(goodput, hops)), integer_x=True)
    long = [h for h in hops if h >= CLOSER_FROM]
    curves = tuple(ours(goodput, long) + theirs(long))
    closer = Figure("closer", f"{CLOSER_FROM} hops and more", "hops", "", curves, integer_x=True, y_from_zero=False)
    draw(whole, ax=left)
    draw(closer, ax=right)
    picture.suptitle(f"Goodput of one flow over a chain, 2 Mb/s 802.11: mean and 95 % interval, n = {n}")
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    save(picture, PICTURE)
    print(PICTURE.relative_to(ROOT))


def ours(goodput: dict[tuple[str, int], list[float]], hops: list[int]) -> list[Curve]:
    """What hoplab measured, a curve per transport."""
    found = []
    for slot, (name, label) in enumerate(TRANSPORTS.items()):
        intervals = [mean_interval(goodput[name, h]) for h in hops]
        found.append(interval_curve(label, [float(h) for h in hops], intervals, 1e-3, slot=slot))
    return found


def theirs(hops: list[int]) -> list[Curve]:
    """What ns-2 said, as hollow marks."""
    found = []
    for slot, (name, label) in enumerate(TRANSPORTS.items()):
        at = [h for h in hops if (name, h) in ns2_table()]
        y = [ns2_table()[name, h].goodput_kbps.mean for h in at]
        found.append(Curve(f"{label}, ns-2", [float(h) for h in at], y, style="marks", slot=slot))
    return found


if __name__ == "__main__":
    main()
