"""Write the league page with its picture, from `hoplab league`.

python scripts/pages/league.py                    # run what is not stored, then write docs/judge/league.md
python scripts/pages/league.py --seeds 5 --results results/league
"""

import argparse
import subprocess
import sys
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure
from svg import save

from hoplab_studies.league import MEASURES, League, Row, league_of, matches, networks
from hoplab_studies.league.networks import transports

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "judge" / "league.md"
PICTURE = ROOT / "docs" / "images" / "pages" / "league.svg"
SHOWN = ("goodput", "delay", "fairness")
"""Measures of the picture."""

TEXT = """\
# League

All transports over the same {count} networks, {seeds} seeds each: `hoplab league --seeds {seeds}` makes the runs, and
`python scripts/pages/league.py` this page. A rank is that of one network and seed, 1 is best; ties share the mean of
their ranks. Shown are means over networks with 95 % intervals over seeds. A transport that some networks do not take
has ranks among those that do.

![Ranks by goodput, delay and fairness, with intervals](../images/pages/league.svg)

{ranks}

*Goodput* counts payload in order, of all flows together; Semi-TCP delivers more distinct payload, out of order.
*Delay* is that of segments from the sender's transport to the receiver's application, mean over flows. *Fairness* is
Jain's index of goodputs, in networks with several flows. *Completion time* is the mean of transfers that end, which
only real connections have. *Of possible* is the share of what the network can carry ([bounds](../use/bounds.md)), mean
over {bounded}.

Real connections (TCP Reno to LEDBAT) acknowledge every second segment, one-way transports each, as ns-2's agents do.
Fewer acknowledgments leave more of the channel to data: this is most of their lead in goodput, not their congestion
control. Ranks across the two families are not ranks of congestion control. What isolates it: a connection beside TCP
Reno, or an agent beside NewReno. The bound counts each transport's own acknowledgments. DCTCP is TCP Reno here, since
no queue marks.

## Goodput by network

kb/s, all flows together:

{goodput}

## Delay by network

ms, mean over flows:

{delay}

## Networks

{networks}

They are files of hoplab-evidence: `evidence/hoplab_studies/league/networks`.

## Not taken

{refused}

## Your own

```sh
hoplab new scenarios
hoplab league --with scenarios/my_reno.py:Gentle --transports new_reno,vegas --networks chain-4,cross --seeds 3
```

`--with FILE.py` adds all controllers of a file. A [trained policy](../extend/learning.md) joins as a class of such a
file: `Mine = hoplab.gym.controller(policy)`. Stored runs are reused, so that a new controller costs its own runs alone;
`--backend ray` runs on a cluster.
"""


def main() -> None:
    """Run the command, then write page and picture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--results", type=Path, default=Path("results/league"))
    asked = parser.parse_args()
    command = ["league", "--seeds", str(asked.seeds), "--out", str(asked.results)]
    subprocess.run([sys.executable, "-m", "hoplab", *command], check=True)
    planned, refused = matches(networks(), transports(), asked.seeds, asked.results)
    found = league_of(planned, refused, asked.seeds)
    draw(found, PICTURE)
    PAGE.write_text(page(found), encoding="utf-8")


def page(found: League) -> str:
    """The page."""
    bounded = [f"`{network.name}`" for network in networks() if network.has_bound]
    return TEXT.format(
        count=len(found.networks),
        seeds=found.seeds,
        ranks=_table(
            ["transport", "networks", *(f"rank by {measure.title}" for measure in MEASURES), "of possible (%)"],
            [
                [
                    row.title,
                    str(row.networks),
                    *(_rank(row, measure.name) for measure in MEASURES),
                    "" if row.share is None else f"{row.share * 100:.0f}",
                ]
                for row in found.rows
            ],
        ),
        bounded=", ".join(bounded),
        goodput=_values(found, "goodput"),
        delay=_values(found, "delay"),
        networks=_table(["network", "what it is"], [[f"`{name}`", title] for name, title in found.networks.items()]),
        refused=_table(
            ["transport", "network", "reason"],
            [[f"`{name}`", f"`{network}`", f"`{reason}`"] for (network, name), reason in found.refused.items()],
        ),
    )


def _rank(row: Row, measure: str) -> str:
    rank = row.ranks[measure]
    return "" if rank is None else f"{rank.mean:.1f} ± {rank.half_width:.1f}"


def _values(found: League, name: str) -> str:
    measure = next(measure for measure in MEASURES if measure.name == name)

    def cell(network: str, transport: str) -> str:
        interval = found.interval(name, network, transport)
        if interval is None:
            return ""
        half = "" if interval.half_width is None else f" ± {interval.half_width * measure.scale:.0f}"
        return f"{interval.mean * measure.scale:.0f}{half}"

    return _table(
        ["transport", *(f"`{network}`" for network in found.networks)],
        [[row.title, *(cell(network, row.transport) for network in found.networks)] for row in found.rows],
    )


def _table(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def draw(found: League, path: Path) -> None:
    """Dots with intervals: a row per transport, a panel per measure."""
    mpl.rcParams["svg.hashsalt"] = "hoplab"  # the same runs give the same file
    mpl.rcParams["font.size"] = 8
    figure = Figure(figsize=(8.4, 0.24 * len(found.rows) + 0.8), layout="constrained")
    panels = figure.subplots(1, len(SHOWN), sharey=True)
    rows = found.rows[::-1]
    for panel, name in zip(panels, SHOWN, strict=True):
        kept = [(place, rank) for place, row in enumerate(rows) if (rank := row.ranks[name]) is not None]
        panel.errorbar(
            [rank.mean for _, rank in kept],
            [place for place, _ in kept],
            xerr=[rank.half_width for _, rank in kept],
            fmt="o",
            markersize=4,
            color="#1f5fa8",
            ecolor="#7f8c9b",
        )
        panel.set_title(f"by {name}", fontsize=9)
        panel.set_xlabel("mean rank (1 is best)")
        panel.grid(axis="both", color="#e3e6ea", linewidth=0.6)
        panel.set_axisbelow(True)
    panels[0].set_yticks(range(len(rows)), [_label(row, found) for row in rows])
    path.parent.mkdir(parents=True, exist_ok=True)
    save(figure, path)


def _label(row: Row, found: League) -> str:
    return row.title if row.networks == len(found.networks) else f"{row.title} ({row.networks} networks)"


if __name__ == "__main__":
    main()
