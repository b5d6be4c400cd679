"""Limits of runs: a typed error that says when and why, and no influence on any run that finishes."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest
from fakes.command_line import CommandLine

import hoplab
from hoplab.base.errors import EXIT_PARTIAL, UsageError
from hoplab.running.limits import Limits
from hoplab.sweeping.runner import CoreRunner, Task

CHAIN = """\
duration = "20 s"

[topology]
kind = "chain"
hops = 3

[[flow]]
transport = "new_reno"
"""
LONG = CHAIN.replace("20 s", "1000000 s")


@pytest.fixture
def chain(tmp_path: Path) -> Path:
    path = tmp_path / "chain.toml"
    path.write_text(CHAIN)
    return path


@pytest.fixture
def endless(tmp_path: Path) -> Path:
    """Twelve simulated days."""
    path = tmp_path / "endless.toml"
    path.write_text(LONG)
    return path


def test_event_limit_ends_run_with_simulated_time(chain: Path) -> None:
    with pytest.raises(hoplab.LimitError) as caught:
        hoplab.run(chain, seeds=[7], max_events=20_000)
    error = caught.value
    assert isinstance(error, hoplab.EngineError)
    assert (error.limit, error.seed) == ("events", 7)
    assert error.events in {20_000, 20_001}  # an arrival may come along with what caused it
    assert 0.0 < error.time_s < 20.0
    assert str(error) == (
        f"{chain}, seed 7: ended at t = {error.time_s:.6f} s of 20 s, after {error.events} events: "
        "the limit is 20000 events (max_events)"
    )


def test_a_run_ends_when_its_real_time_is_over(endless: Path) -> None:
    with pytest.raises(hoplab.LimitError) as caught:
        hoplab.run(endless, max_wall_s=0.2)
    error = caught.value
    assert error.limit == "wall"
    assert 0.0 < error.time_s < 1e6
    assert "the limit is 0.2 s of real time (max_wall)" in str(error)


def test_a_run_that_is_sampled_often_is_looked_at_as_well(endless: Path) -> None:
    with pytest.raises(hoplab.LimitError):
        hoplab.run(endless, max_wall_s=0.2, series_interval_s=0.1)


def test_limits_that_are_not_met_change_nothing(chain: Path) -> None:
    alone = hoplab.run(chain, seeds=2)
    events = max(run.events for run in alone)
    within = hoplab.run(chain, seeds=2, max_events=events, max_wall_s=3600.0)
    assert [run.fingerprint for run in within] == [run.fingerprint for run in alone]
    assert [run.events for run in within] == [run.events for run in alone]


def test_the_engine_is_unharmed(chain: Path) -> None:
    before = hoplab.run(chain)[0].fingerprint
    with pytest.raises(hoplab.LimitError):
        hoplab.run(chain, max_events=1)
    assert hoplab.run(chain)[0].fingerprint == before


def test_compare_takes_limits_too(chain: Path) -> None:
    with pytest.raises(hoplab.LimitError):
        hoplab.compare(chain, ["new_reno", "vegas"], seeds=2, max_events=1000)


@pytest.mark.parametrize("on", ["local", "pickled"])
def test_a_sweep_keeps_the_runs_that_stay_within(chain: Path, tmp_path: Path, on: str) -> None:
    """Two of the hops need more events than allowed: their runs have failed, the others are those without a limit."""
    over = {"topology.hops": [1, 2, 3]}
    whole = hoplab.sweep(chain, over=over, seeds=2, out=tmp_path / "whole", progress=False)
    most = max(run.events for run in hoplab.run(hoplab.Scenario.of(chain).with_({"topology.hops": 1}), seeds=2))
    if on == "pickled":
        runner = pickle.loads(pickle.dumps(CoreRunner(Limits(max_events=most))))
        task = Task("0" * 32, CHAIN, "chain.toml", (), 1, None)
        with pytest.raises(hoplab.LimitError, match=f"the limit is {most} events"):
            runner.run([task], 1, lambda *_: None)
        return
    part = hoplab.sweep(chain, over=over, seeds=2, out=tmp_path / "part", progress=False, max_events=most)
    assert not part.complete
    assert len(part.failures) == 4
    assert all(f"LimitError: chain.toml, seed {one.seed}: ended at" in short(one.error) for one in part.failures)
    assert list(part.flows["goodput_bps"]) == list(whole.flows["goodput_bps"])[: len(part.flows["goodput_bps"])]
    again = hoplab.sweep(chain, over=over, seeds=2, out=tmp_path / "part", progress=False)
    assert again.complete
    assert list(again.flows["goodput_bps"]) == list(whole.flows["goodput_bps"])


def short(text: str) -> str:
    """A message with the folder taken out of its path."""
    kind, _, rest = text.partition(": ")
    return f"{kind}: {rest.rsplit('/', 1)[-1]}"


def test_the_command_line_ends_with_four(hoplab: CommandLine, chain: Path) -> None:
    done = hoplab("run", "chain.toml", "--max-events", "5000", "--json")
    assert (done.code, done.out) == (EXIT_PARTIAL, "")
    assert done.err.startswith("hoplab: chain.toml, seed 1: ended at t = ")
    assert "the limit is 5000 events (max_events)" in done.err


def test_a_sweep_on_the_command_line_lists_what_met_the_limit(hoplab: CommandLine, endless: Path) -> None:
    words = ("--seeds", "2", "--max-wall", "300 ms", "--out", "out", "--json")
    done = hoplab("sweep", "endless.toml", *words)
    assert done.code == EXIT_PARTIAL
    assert json.loads(done.out)["n"] == 0
    assert done.err.count("the limit is 0.3 s of real time (max_wall)") == 2


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--max-wall", "60", "--max-wall: invalid value '60'"),
        ("--max-wall", "0 s", "max_wall_s = 0.0: must be greater than 0 s"),
        ("--max-events", "0", "--max-events"),
        ("--max-events", "x", "--max-events"),
    ],
)
def test_what_is_no_limit_is_refused(hoplab: CommandLine, chain: Path, option: str, value: str, said: str) -> None:
    done = hoplab("run", "chain.toml", option, value)
    assert done.code == 2
    assert said in done.err


@pytest.mark.parametrize("events", [0, -1, 2**64, 1.5, True, "9"])
def test_what_is_no_count_of_events_is_refused(events: object) -> None:
    with pytest.raises(UsageError, match="max_events = "):
        Limits(max_events=events)  # type: ignore[arg-type]


@pytest.mark.parametrize("wall_s", [0.0, -1.0, float("nan"), float("inf"), True, "9 s"])
def test_what_is_no_time_is_refused(wall_s: object) -> None:
    with pytest.raises(UsageError, match="max_wall_s = "):
        Limits(max_wall_s=wall_s)  # type: ignore[arg-type]
