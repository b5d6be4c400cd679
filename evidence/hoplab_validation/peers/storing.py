"""Completes stored tables with missing runs of a peer; the scripts `*_ns2.py` and `ns3_tables.py` define them.

A table has a row per scenario and seed: the columns that name the scenario, the seed, and what the run gave.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from hoplab.base.errors import InputError
from hoplab.scenario.model import Scenario
from hoplab_validation.peers.compare import LIMIT_S
from hoplab_validation.peers.resolved import parse
from hoplab_validation.peers.runs import Peer, Program, Run

DATA = Path(__file__).parent / "data"
AT_A_TIME = 2
"""Runs at a time; the table is written after them."""

Key = TypeVar("Key", bound=tuple[str, ...])
Told = str | Callable[[int], str]
"""What a peer reads, or that of a seed."""


def fill(  # noqa: PLR0913 (all but two by keyword)
    table: str,
    peer: Peer[Program, Run],
    *,
    columns: Sequence[str],
    scenarios: Mapping[Key, Scenario],
    seeds: Sequence[int],
    text_of: Callable[[Scenario], Told],
    values_of: Callable[[Run], Iterable[str]],
) -> None:
    """Run what is missing in `data/<table>.csv`, and write the table after every few runs, in order.

    Parameters
    ----------
    columns : sequence of str
        All columns of the table.
    scenarios : mapping
        By what names them in the table.
    text_of : callable
        Input of the peer for a scenario.
    values_of : callable
        The last columns of a run.

    Raises
    ------
    InputError
        If the existing table has other columns or scenarios.
    """
    path = DATA / f"{table}.csv"
    done = _read(path, columns)
    strange = [key[:-1] for key in done if key[:-1] not in scenarios]
    if strange:
        raise InputError(f"{path}: unknown scenario {' '.join(strange[0])}", hint="remove its rows")
    for key, scenario in scenarios.items():
        missing = [seed for seed in seeds if (*key, str(seed)) not in done]
        for first in range(0, len(missing), AT_A_TIME):
            some = missing[first : first + AT_A_TIME]
            resolved = parse(scenario.resolve().data)
            for run in peer.run_seeds(text_of(scenario), resolved, some, processes=AT_A_TIME, limit_s=LIMIT_S):
                row = (*key, str(run.seed), *values_of(run))
                done[row[: len(key) + 1]] = row
                sys.stderr.write(f"{' '.join(row)}\n")
            write(path, columns, _ordered(done, scenarios))


def _read(path: Path, columns: Sequence[str]) -> dict[tuple[str, ...], tuple[str, ...]]:
    """Rows of a table by their columns up to the seed."""
    if not path.exists():
        return {}
    with path.open(encoding="utf-8") as file:
        rows = list(csv.reader(file))
    if rows[:1] != [list(columns)]:
        raise InputError(f"{path}: expected the columns {', '.join(columns)}", hint="remove it to start again")
    return {tuple(row[: columns.index("seed") + 1]): tuple(row) for row in rows[1:]}


def _ordered(done: Mapping[tuple[str, ...], tuple[str, ...]], scenarios: Iterable[Key]) -> list[tuple[str, ...]]:
    """Rows by scenario, then by seed."""
    order = list[tuple[str, ...]](scenarios)
    return [done[key] for key in sorted(done, key=lambda key: (order.index(key[:-1]), int(key[-1])))]


def write(path: Path, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a table."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([columns, *rows])
