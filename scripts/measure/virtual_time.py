"""Compare programs in virtual time with closed forms and with simulation: round trips, datagrams, speed, and repeats.

    python scripts/measure/virtual_time.py --seeds 10

Prints one row per comparison. It needs the kernel of `hoplab real --build`.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hoplab.running.execution import run
from hoplab.running.live.session import Command, LiveRun
from hoplab.running.real import ends
from hoplab.running.real.kernel import find
from hoplab.running.real.session import Where, run_real
from hoplab.scenario.model import Scenario
from hoplab.stats import Interval, mean_interval

EXCHANGE_S = 1390e-6 + 300e-6
"""DIFS, RTS, CTS and data of 84 bytes at 2 Mb/s with long preambles, and the mean backoff (IEEE 802.11-1999, 9.2)."""

ACK_S, LINK_S = 314e-6, 25e-6
ASKED, EVERY_S = 300, 0.06
SECONDS, RATE_BPS, LENGTH = 60, 600_000, 1000


def network(topology: dict[str, Any], **more: Any) -> Scenario:
    """A scenario of this topology with links of 200 m at 2 Mb/s."""
    return Scenario.from_dict(
        name="virtual time",
        duration=f"{SECONDS} s",
        topology={"spacing": "200 m", **topology},
        link={"arp": False},
        **more,
    )


def lives(topology: dict[str, Any], seeds: Sequence[int], *commands: tuple[str, str]) -> list[tuple[LiveRun, Any]]:
    """Runs of programs in virtual time, and what their repetition counts."""
    programs = [Command(node, f"exec {sys.executable} -S {ends.__file__} {words}") for node, words in commands]
    with tempfile.TemporaryDirectory(prefix="hoplab-virtual-") as folder:
        found = run_real(
            network(topology, live={"mtu": 1500}), programs, seeds, Where(find(), Path(folder)), show=False
        )
        return [(one, run(one.replay, progress=False)[0].live or {}) for one in found]


def shown(interval: Interval, digits: int) -> str:
    """Mean and 95 % interval."""
    return f"{interval.mean:.{digits}f} ± {interval.half_width or 0.0:.{digits}f}"


def round_trips(seeds: Sequence[int]) -> None:
    """Echoes over 1 to 4 hops beside the sum of their exchanges."""
    for hops in (1, 2, 3, 4):
        chain = {"kind": "chain", "hops": hops}
        runs = lives(chain, seeds, ("last", "echo"), ("first", f"ask {{last}} {ASKED} {EVERY_S}"))
        means = [1e3 * sum(times) / len(times) for one, _ in runs if (times := json.loads(one.outputs[1])["times_s"])]
        exact_ms = 1e3 * (2 * LINK_S + 2 * hops * EXCHANGE_S + (2 * hops - 1) * ACK_S)
        late_us = max(1e6 * (one.pace["lateness"]["max_s"] or 0.0) for one, _ in runs)
        print(
            f"echo, {hops} hops: {shown(mean_interval(means), 3)} ms, exchanges {exact_ms:.3f} ms, "
            f"lateness at most {late_us:.0f} us",
            flush=True,
        )


def datagrams(seeds: Sequence[int]) -> None:
    """An overload of datagrams beside simulation."""
    for name, topology, last in (
        ("4 hops", {"kind": "chain", "hops": 4}, 4),
        ("8 hops", {"kind": "chain", "hops": 8}, 8),
        ("grid of 25", {"kind": "grid", "columns": 5}, 24),
    ):
        began = time.monotonic()
        runs = lives(topology, seeds, ("last", "sink"), ("first", f"flood {{last}} {RATE_BPS} {LENGTH} {SECONDS}"))
        wall_s = (time.monotonic() - began) / len(runs)
        carried = [counts["conversations"][0]["delivered"] * 8e-3 * LENGTH / SECONDS for _, counts in runs]
        flow = {
            "from": 0,
            "to": last,
            "transport": "udp",
            "app": "cbr",
            "rate": f"{RATE_BPS} b/s",
            "segment": LENGTH,
        }
        simulated = run(network(topology, flow=[flow]), seeds=list(seeds), progress=False)
        both = mean_interval(carried), mean_interval([1e-3 * one.flows[0].goodput_bps for one in simulated])
        print(
            f"datagrams, {name}: {shown(both[0], 1)} kb/s, simulation {shown(both[1], 1)}, "
            f"ratio {both[0].mean / both[1].mean:.4f}, {SECONDS / wall_s:.0f} times real time",
            flush=True,
        )


def repeats(seeds: Sequence[int]) -> None:
    """Two runs of each seed must have equal outputs and packets."""
    chain = {"kind": "chain", "hops": 4}
    commands = (("last", "take 55 5"), ("first", "send {last} bbr 55 5"))
    began = time.monotonic()
    first = lives(chain, seeds, *commands)
    wall_s = (time.monotonic() - began) / len(seeds)
    second = lives(chain, seeds, *commands)
    equal = sum(
        (one.outputs, one.pace, one.programs) == (other.outputs, other.pace, other.programs)
        for (one, _), (other, _) in zip(first, second, strict=True)
    )
    different = len({one.pace["fingerprint"] for one, _ in first})
    print(
        f"repeats, bbr over 4 hops: {equal} of {len(first)} equal, {different} fingerprints of {len(first)} seeds, "
        f"{SECONDS / wall_s:.0f} times real time"
    )


def main() -> None:
    """Print all comparisons."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seeds", type=int, default=10)
    seeds = range(1, parser.parse_args().seeds + 1)
    repeats(seeds)
    round_trips(seeds)
    datagrams(seeds)


if __name__ == "__main__":
    main()
