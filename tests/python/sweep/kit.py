"""A small sweep on the fake engine, and how tests run it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hoplab.store import Results, open_results
from hoplab.sweeping import Outcome, Plan, execute_plan, make_plan, parse_sweep, split_source
from hoplab.sweeping.backend import LocalBackend
from hoplab.sweeping.runner import Runner
from sweep.fake_engine import FakeRunner

needs_ray = pytest.mark.usefixtures("ray_installed")
"""Tests that start a Ray of their own."""

SCENARIO = """\
name = "chain"
duration = "10 s"

[topology]
kind = "chain"
hops = 1

[[flow]]
transport = "new_reno"

[sweep]
seeds = 4

[sweep.axes]
"topology.hops" = [1, 2, 4]
"flow.transport" = ["new_reno", "vegas"]
"""


def plan_of(text: str, path: str = "chain.toml", runner: Runner | None = None) -> Plan:
    """The checked plan of a scenario text."""
    source = split_source(text, path)
    return make_plan(source, parse_sweep(source), runner or FakeRunner())


def sweep_in(root: Path, text: str = SCENARIO, **options: Any) -> Outcome:
    """Run a text's sweep in a directory, two runs at a time."""
    plan = plan_of(text)
    return execute_plan(plan, root, LocalBackend(plan.runner, 2), **options)


def merged(root: Path) -> dict[str, bytes]:
    """Bytes of every merged table."""
    return {path.name: path.read_bytes() for path in sorted((root / "tables").glob("*.parquet"))}


def opened(root: Path) -> Results:
    """The results, as a user opens them."""
    return open_results(root)
