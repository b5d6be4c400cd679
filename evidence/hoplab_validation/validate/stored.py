"""Parts that hold scenarios against runs of a peer, which a table has one by one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from hoplab.running.execution import Order
from hoplab.running.runs import Run, Runs
from hoplab.scenario.model import Scenario
from hoplab_validation.peers import tables
from hoplab_validation.peers.verdict import Row
from hoplab_validation.validate.plan import Depth, Plan

Key = TypeVar("Key")

Judge = Callable[[Runs, Sequence[tables.Row]], list[Row]]
"""Rows of one scenario, from its runs here and from those of the table."""


def plan_stored(  # noqa: PLR0913 (all but two by keyword)
    part: str,
    title: str,
    *,
    table: str,
    key_of: Callable[[tables.Row], Key],
    scenarios: Mapping[Key, Scenario],
    seeds_of: Callable[[Sequence[tables.Row]], tuple[int, ...]],
    judge_one: Judge,
) -> Plan:
    """Each scenario against its rows of a table.

    Parameters
    ----------
    key_of : callable
        Which of the scenarios a row of the table belongs to; others are passed over.
    seeds_of : callable
        Seeds to run, from the rows of a scenario.
    judge_one : callable
        Called for each scenario.
    """
    rows: dict[Key, list[tables.Row]] = {key: [] for key in scenarios}
    for row in tables.read(table):
        if key_of(row) in rows:
            rows[key_of(row)].append(row)
    orders = tuple(Order(scenario, seeds_of(rows[key])) for key, scenario in scenarios.items())

    def judge(runs: Sequence[Runs]) -> list[Row]:
        return [row for key, ours in zip(rows, runs, strict=True) for row in judge_one(ours, rows[key])]

    return Plan(part, title, orders, judge)


def plan_by_seed(  # noqa: PLR0913 (all but three by keyword)
    part: str, title: str, depth: Depth, *, table: str, texts: Mapping[str, str], judge_one: Judge
) -> Plan:
    """Each scenario with seeds of the table's column `seed`, all or a number of them, on both sides.

    Parameters
    ----------
    texts : mapping
        Scenario files by their names in the table's column `scenario`.
    """
    most = None if depth.thorough else depth.seeds

    def judge_pairs(ours: Runs, theirs: Sequence[tables.Row]) -> list[Row]:
        return judge_one(ours, [row for row in theirs if int(row["seed"]) in ours.seeds])

    return plan_stored(
        part,
        title,
        table=table,
        key_of=lambda row: row["scenario"],
        scenarios={name: Scenario.from_text(text) for name, text in texts.items()},
        seeds_of=lambda rows: tuple(int(row["seed"]) for row in rows)[:most],
        judge_one=judge_pairs,
    )


def goodput_kbps(run: Run) -> float:
    """Goodput of all flows together, in kb/s."""
    return sum(flow.goodput_bps for flow in run.flows) / 1e3
