"""Scenarios whose traces ns-2.35 has written beside ours, and what is stored of its traces.

`data/CASE` holds the Tcl scripts that ns-2.35 (Debian package ns2, 2.35+dfsg-5) had, its traces of a seed in the old
and in the new form, and the numbers that `awk/old.awk` finds in those of seeds 1 to 20. `scripts/tables/trace_ns2.py`
makes them.
"""

from __future__ import annotations

import csv
import gzip
import shutil
import subprocess
from pathlib import Path

from hoplab.running.execution import run
from hoplab.scenario.model import Scenario
from hoplab.store import ns2_trace
from hoplab.store.ns2_trace import Form
from hoplab.store.trace import open_trace

HERE = Path(__file__).parent
DATA = HERE / "data"
SEEDS = range(1, 21)


def _line(hops: int) -> str:
    places = ", ".join(f"[{10 + 200 * i}, 10]" for i in range(hops + 1))
    return f'[topology]\nkind = "positions"\npositions = [{places}]\n'


def _cbr(rate: str, *, start: str = "1 s", ends: tuple[int, int], size: int = 512, app: str = "cbr") -> str:
    return (
        f'[[flow]]\ntransport = "udp"\napp = "{app}"\nsegment = {size}\nrate = "{rate}"\nstart = "{start}"\n'
        f"from = {ends[0]}\nto = {ends[1]}\n"
    )


AODV = '[routing]\nprotocol = "aodv"\n'
GRID = ", ".join(f"[{10 + 200 * (i % 6)}, {10 + 200 * (i // 6)}]" for i in range(36))

CASES = {
    # Without a backoff to draw, only the jitter of the discovery is random.
    "udp_aodv": f"{_line(3)}{AODV}[mac]\ncw_min = 1\n{_cbr('8192 b/s', ends=(0, 3))}",
    "udp_dsdv": f'{_line(2)}[routing]\nprotocol = "dsdv"\n{_cbr("8192 b/s", start="45 s", ends=(0, 2))}',
    "tcp_aodv": f'{_line(4)}{AODV}[[flow]]\ntransport = "new_reno"\nstart = "1 s"\nfrom = 0\nto = 4\n',
    "two_ways": (
        f"{_line(3)}{AODV}{_cbr('20 kb/s', ends=(0, 3))}{_cbr('20 kb/s', start='1.7 s', ends=(3, 0), size=200)}"
        '[[flow]]\ntransport = "new_reno"\nstart = "2 s"\nfrom = 3\nto = 1\n'
    ),
    "hidden": (
        f'{_line(2)}{AODV}[radio]\ncs_range = "251 m"\n[mac]\nrts_threshold = 3000\n'
        f"{_cbr('400 kb/s', ends=(0, 1))}{_cbr('400 kb/s', start='1.5 s', ends=(2, 1))}"
    ),
    "mobile": (
        '[topology]\nkind = "positions"\npositions = [[10, 10], [210, 10], [410, 10], [210, 150]]\n'
        f'[mobility]\nkind = "setdest"\nfile = "moves.tcl"\n{AODV}{_cbr("40 kb/s", ends=(0, 2))}'
    ),
    "grid": f'[topology]\nkind = "positions"\npositions = [{GRID}]\n{AODV}{_cbr("40 kb/s", ends=(0, 35))}',
    "flood": f"{_line(2)}[queue]\nlimit = 10\n{AODV}{_cbr('3 Mb/s', ends=(0, 2), size=1000)}",
    "noise": (
        f'{_line(2)}{AODV}[radio.errors]\nmodel = "uniform_packet"\nframe_error_rate = 0.1\n'
        f"{_cbr('100 kb/s', ends=(0, 2))}"
    ),
    "bursts": f"{_line(2)}{AODV}{_cbr('64 kb/s', ends=(0, 2), app='on_off')}",
}
DURATIONS = {"udp_aodv": 5.9, "udp_dsdv": 60.9, "tcp_aodv": 3.0, "mobile": 20.0, "grid": 4.0, "flood": 2.0}
"""In seconds; others take 4."""
DATA_OF = {"tcp_aodv": "tcp", "bursts": "exp"}
"""Type of the data that scripts count; in other cases it is `cbr`."""


KEPT = {"noise": 2}
"""The seed of the stored trace, where that of 1 finds no route."""


def scenario(case: str) -> Scenario:
    """The scenario of a case."""
    return Scenario.from_text(
        f'name = "{case}"\nduration = "{DURATIONS.get(case, 4.0)} s"\n{CASES[case]}', path=str(DATA / case / "x.toml")
    )


def ours(case: str, folder: Path, seeds: int, form: Form) -> list[list[str]]:
    """The lines of our traces of the first seeds."""
    what = scenario(case)
    run(what, seeds=seeds, trace=folder, progress=False)
    trace = open_trace(folder)
    return [list(ns2_trace.lines(trace, what, seed=seed, form=form)) for seed in trace.seeds]


def real(case: str, form: Form) -> list[str]:
    """The lines of ns-2's stored trace."""
    with gzip.open(DATA / case / f"{form}.tr.gz", "rt") as file:
        return file.read().splitlines()


def numbers(lines: list[str], form: Form, kind: str) -> dict[str, float]:
    """What the script for a form finds."""
    tool = shutil.which("awk")
    assert tool, "every Unix has awk"
    done = subprocess.run(
        [tool, "-v", f"kind={kind}", "-f", str(HERE / "awk" / f"{form}.awk")],
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        text=True,
        check=True,
    )
    return {name: float(value) for name, value in (line.split() for line in done.stdout.splitlines())}


def stored_numbers(case: str) -> list[dict[str, float]]:
    """What the script for the old form has found in ns-2's traces, seed by seed."""
    with (DATA / case / "numbers.csv").open(encoding="utf-8", newline="") as file:
        return [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]
