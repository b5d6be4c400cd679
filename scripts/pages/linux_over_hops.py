"""Write the page on the kernel's TCP over hops in virtual time, beside hoplab's models of the same controllers.

    python scripts/pages/linux_over_hops.py --keep runs.jsonl        # run what is missing, write the page
    python scripts/pages/linux_over_hops.py --keep runs.jsonl --seeds 3 --hops 1,4 --controllers reno,cubic

It needs the kernel of `hoplab real --build`. The file of runs has one line per run; an interrupted study is continued.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from hoplab.running.execution import Order, run_orders
from hoplab.running.live.session import Command, LiveRun
from hoplab.running.real.kernel import find
from hoplab.running.real.session import Where, run_real
from hoplab.scenario.model import Scenario
from hoplab.stats import mean_interval

ROOT = Path(__file__).parents[2]
PAGE = Path("docs/judge/linux-over-hops.md")
ENDS = ROOT / "scripts" / "measure" / "ends.py"
KERNELS = ("reno", "cubic", "bbr", "vegas", "westwood", "bic", "veno", "htcp", "illinois", "cdg", "nv", "lp", "dctcp")
MODELS = {
    "reno": ("tcp_reno", "new_reno"),
    "cubic": ("tcp_cubic", "cubic"),
    "bbr": ("tcp_bbr",),
    "vegas": ("vegas",),
    "westwood": ("westwood_plus",),
    "bic": ("bic",),
    "veno": ("veno",),
}
"""Models of a controller of the kernel; `tcp_*` are connections, the others one-way agents."""

HOPS = (1, 2, 4, 8, 16)
SEEDS = 10
WARMUP_S, END_S = 10.0, 60.0
SEGMENT = 1448
AGENT = {
    "profile": "ns2_linux",
    "delayed_ack": True,
    "delayed_ack_timeout": "40 ms",
    "timestamps": True,
    "timestamp_bytes": 12,
}
AGENT_WINDOW = 1000
"""Of one-way agents, in segments: no bound, as the kernel's buffers of 6 MB."""


def counted(hops: int) -> str:
    """A number of hops in words."""
    return "1 hop" if hops == 1 else f"{hops} hops"


def chain(hops: int, **more: Any) -> Scenario:
    """A chain of links of 200 m at 2 Mb/s."""
    return Scenario.from_dict(
        name=counted(hops),
        duration=f"{END_S + 1:g} s",
        topology={"kind": "chain", "hops": hops, "spacing": "200 m"},
        link={"arp": False},
        **more,
    )


def model(hops: int, transport: str) -> Scenario:
    """A simulated flow over the chain."""
    flow: dict[str, Any] = {"transport": transport, "segment": SEGMENT}
    if transport.startswith("tcp_"):
        return chain(hops, flow=[flow], warmup=f"{WARMUP_S:g} s")
    return chain(hops, flow=[{**flow, "window": AGENT_WINDOW}], tcp=AGENT, warmup=f"{WARMUP_S:g} s")


def measured(live: LiveRun) -> dict[str, Any]:
    """What the programs of a run print."""
    taken, sent = (json.loads(text) for text in live.outputs)
    return {
        "goodput_bps": taken["goodput_bps"],
        "rtt_s": sent["rtt_s"],
        "retransmissions": sent["retransmissions"],
        "fingerprint": live.pace["fingerprint"],
    }


def real_rows(hops: int, congestion: str, seeds: Sequence[int], threads: int | None) -> Iterator[dict[str, Any]]:
    """Runs of the kernel's controller."""
    take = Command("last", f"exec {sys.executable} -S {ENDS} take {END_S:g} {WARMUP_S:g}")
    send = Command("first", f"exec {sys.executable} -S {ENDS} send {{last}} {congestion} {END_S:g} {WARMUP_S:g}")
    with tempfile.TemporaryDirectory(prefix="hoplab-hops-") as folder:
        began = time.monotonic()
        lives = run_real(chain(hops, live={"mtu": 1500}), [take, send], seeds, Where(find(), Path(folder), threads))
        wall_s = (time.monotonic() - began) / len(seeds)
        for seed, live in zip(seeds, lives, strict=True):
            yield {"hops": hops, "kernel": congestion, "seed": seed, "wall_s": wall_s, **measured(live)}


def model_rows(hops: int, transport: str, seeds: tuple[int, ...], threads: int | None) -> Iterator[dict[str, Any]]:
    """Runs of a model."""
    (runs,) = run_orders([Order(model(hops, transport), seeds)], threads=threads, progress=False)
    for run in runs:
        (flow,) = run.flows
        yield {
            "hops": hops,
            "model": transport,
            "seed": run.seed,
            "goodput_bps": flow.goodput_bps,
            "retransmissions": flow.retransmissions,
        }


def cell(values: Sequence[float], digits: int = 0) -> str:
    """Mean and 95 % interval."""
    if not values:
        return "-"
    interval = mean_interval(values)
    half = "" if interval.half_width is None else f" ± {interval.half_width:.{digits}f}"
    return f"{interval.mean:.{digits}f}{half}"


TEXT = """# The kernel's TCP over hops

Written by `python scripts/pages/linux_over_hops.py`; nothing is copied by hand.

The TCP of Linux {kernel} runs in [virtual time](../use/live.md#virtual-time) over chains of nodes: links of
200 m, 2 Mb/s, RTS/CTS, static routes, a queue of 50 packets. One connection without end, the kernel's own buffers,
counted from {warmup:g} to {end:g} s. `tcp_*` are our [connections](../protocols/stream.md), and the other names our
[one-way agents](../protocols/tcp.md) with segments of {segment} bytes and no bound of the window.
Means with 95 % intervals (Student) over {seeds}.
"""

DIFFERENCE = """## What differs

Over 2 hops `tcp_reno` and `tcp_cubic` repeat far more than the kernel. The queue of 50 packets makes a round trip of
0.7 to 0.9 s, and the retransmission timer expires although acknowledgments are under way: 1.7 ± 0.3 and 4.6 ± 0.7 times
in 50 s (10 seeds), and all that is in flight is retransmitted each time. With `stream.min_rto = "2 s"` none expires:
`tcp_reno` carries 677.9 ± 2.6 kb/s with 5.8 ± 1.5 retransmissions, `tcp_cubic` 666.8 ± 6.0 with 79.5 ± 26.4. The kernel
can take a needless timeout back (F-RTO, RFC 5682), which our connections [cannot](../protocols/stream.md#deviations);
that this is the whole difference was not measured.
"""


def page(rows: list[dict[str, Any]], kernel: str) -> str:
    """The page."""
    hops = sorted({row["hops"] for row in rows})

    def values(kind: str, name: str, over: int, metric: str, scale: float = 1.0) -> list[float]:
        return [scale * row[metric] for row in rows if row.get(kind) == name and row["hops"] == over]

    def table(title: str, metric: str, scale: float, names: list[tuple[str, str]]) -> list[str]:
        lines = ["", f"## {title}", "", "| | " + " | ".join(counted(over) for over in hops) + " |"]
        lines.append("| --- |" + " --- |" * len(hops))
        for kind, name in names:
            shown = f"Linux {name}" if kind == "kernel" else f"`{name}`"
            cells = [cell(values(kind, name, over, metric, scale)) for over in hops]
            lines.append(f"| {shown} | " + " | ".join(cells) + " |")
        return lines

    kernels = [("kernel", name) for name in KERNELS if any(row.get("kernel") == name for row in rows)]
    both = []
    for kind, name in kernels:
        both.append((kind, name))
        both += [("model", one) for one in MODELS.get(name, ()) if any(row.get("model") == one for row in rows)]
    counts = {len(values(kind, name, over, "seed")) for kind, name in both for over in hops} - {0}
    seeds = f"{min(counts)} seeds" if len(counts) == 1 else f"{min(counts)} to {max(counts)} seeds"
    lines = [TEXT.format(kernel=kernel, warmup=WARMUP_S, end=END_S, segment=SEGMENT, seeds=seeds).rstrip()]
    lines += table("Goodput (kb/s)", "goodput_bps", 1e-3, both)
    lines += table("Smoothed round-trip time of the kernel, mean (ms)", "rtt_s", 1e3, kernels)
    lines += table(f"Retransmissions in {END_S - WARMUP_S:g} s", "retransmissions", 1.0, both)
    lines += [
        "",
        "A dash: not run yet. `--seeds 10` with all controllers and hops continues the study in hours of CPU time.",
    ]
    lines += ["", DIFFERENCE.rstrip()] if 2 in hops else []
    lines += ["", "## Speed", "", "| | " + " | ".join(counted(over) for over in hops) + " |"]
    lines.append("| --- |" + " --- |" * len(hops))
    walls = [[row["wall_s"] for row in rows if "kernel" in row and row["hops"] == over] for over in hops]
    lines.append(
        "| virtual s per s of real time and seed, median | "
        + " | ".join(f"{(END_S + 1) / statistics.median(one):.0f}" if one else "-" for one in walls)
        + " |"
    )
    return "\n".join(lines) + "\n"


def main() -> None:
    """Run what is missing, write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--keep", type=Path, required=True, help="file of runs")
    parser.add_argument("--controllers", default=",".join(KERNELS))
    parser.add_argument("--hops", default=",".join(map(str, HOPS)))
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--page-only", action="store_true", help="run nothing")
    parser.add_argument("--kernel", default="6.12", help="its version, as the page names it")
    parser.add_argument("--out", type=Path, default=ROOT / PAGE)
    asked = parser.parse_args()
    rows = [json.loads(line) for line in asked.keep.read_text("utf-8").splitlines()] if asked.keep.is_file() else []
    have = {(row.get("kernel"), row.get("model"), row["hops"], row["seed"]) for row in rows}
    with asked.keep.open("a", encoding="utf-8") as kept:
        for hops in () if asked.page_only else map(int, asked.hops.split(",")):
            for name in asked.controllers.split(","):
                wanted = [(name, None), *((None, one) for one in MODELS.get(name, ()))]
                for kernel, transport in wanted:
                    seeds = [s for s in range(1, asked.seeds + 1) if (kernel, transport, hops, s) not in have]
                    if not seeds:
                        continue
                    found = (
                        real_rows(hops, kernel, seeds, asked.threads)
                        if kernel
                        else model_rows(hops, str(transport), tuple(seeds), asked.threads)
                    )
                    for row in found:
                        rows.append(row)
                        kept.write(json.dumps(row) + "\n")
                    kept.flush()
    asked.out.write_text(page(rows, asked.kernel), encoding="utf-8")
    print(asked.out)


if __name__ == "__main__":
    main()
