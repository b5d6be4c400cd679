"""Processes of ours that are timed: each runs one module, and its failure ends the benchmark."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from hoplab.base.errors import HoplabError
from hoplab.scenario.model import Scenario
from hoplab_validation.peers.timed import Timed, run_timed


class WorkerFailedError(HoplabError):
    """A timed run of hoplab ended in an error."""


def run_module(name: str, *words: str, folder: Path | None = None) -> Timed:
    """Run a Python module with its arguments to the end, in a folder.

    Parameters
    ----------
    name : str
        What is measured, for the message of an error.

    Raises
    ------
    WorkerFailedError
    """
    done = run_timed([sys.executable, "-m", *words], folder)
    if done.exit_code != 0:
        raise WorkerFailedError(f"{name}: {done.output.strip()}")
    return done


def run_worker(scenario: Scenario, seed: int, folder: Path) -> tuple[float, dict[str, Any]]:
    """CPU seconds of a process that runs a scenario once, and the run it reports.

    Raises
    ------
    WorkerFailedError
    """
    path = folder / "scenario.toml"
    path.write_text(scenario.text, encoding="utf-8")
    settings = [f"--set={key}={value}" for key, value in scenario.overrides]
    done = run_module(scenario.name, "hoplab_validation.bench.worker", *settings, str(path), str(seed))
    run: dict[str, Any] = json.loads(done.output.splitlines()[-1])
    return done.cpu_s, run


def frames(run: dict[str, Any]) -> int:
    """MAC frames of all kinds that a reported run has sent."""
    return sum(run["frames"].values())
