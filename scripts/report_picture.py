"""Draw the picture of README.md from the runs of `make demo`; run that first.

The picture is made of what was measured, not drawn again: hoplab-demo/runs.jsonl holds every run.
"""

import json
import sys
from collections import defaultdict
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

from hoplab.figures import Curve, Figure
from hoplab.figures.build import interval_curve
from hoplab.figures.draw import draw
from hoplab.papers.muzha import TRANSPORTS
from hoplab.stats import mean_interval

ROOT = Path(__file__).parents[1]
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
    curves: list[Curve] = []
    for slot, (name, label) in enumerate(TRANSPORTS.items()):
        intervals = [mean_interval(goodput[name, h]) for h in hops]
        curves.append(interval_curve(label, [float(h) for h in hops], intervals, 1e-3, slot=slot))
    n = min(len(values) for values in goodput.values())
    figure = Figure(
        "demo-goodput",
        f"Goodput against hops: mean and 95 % interval, n = {n}",
        "hops",
        "goodput (kb/s)",
        tuple(curves),
        integer_x=True,
    )
    mpl.rcParams["svg.hashsalt"] = "hoplab"  # the same runs give the same file
    ax = draw(figure)
    ax.set_yscale("log")
    ax.set_ylim(bottom=100)
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    assert ax.figure is not None
    ax.figure.savefig(PICTURE, metadata={"Date": None})
    print(PICTURE.relative_to(ROOT))


if __name__ == "__main__":
    main()
