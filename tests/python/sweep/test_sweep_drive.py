"""Running a plan: resume, damage, failures, full disks, precision."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest

from hoplab.base.errors import EXIT_IO, OutputError, exit_code_of
from hoplab.store import RunStore, columns
from hoplab.store.catalog import PLAN
from hoplab.sweeping import execute_plan
from hoplab.sweeping.backend import LocalBackend
from hoplab.sweeping.executor import Silent
from sweep.fake_engine import FakeRunner
from sweep.kit import SCENARIO, merged, opened, plan_of, sweep_in

BOTH = ["topology.hops = 1, flow.transport = new_reno", "topology.hops = 1, flow.transport = vegas"]
FAILING = SCENARIO.replace("[[flow]]", "[fake]\nfail = [3]\n\n[[flow]]", 1)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The merged tables of a sweep that nothing disturbed."""
    root = tmp_path_factory.mktemp("undisturbed") / "out"
    sweep_in(root)
    return merged(root)


def test_a_finished_sweep_runs_nothing_again(tmp_path: Path, undisturbed: dict[str, bytes]) -> None:
    first = sweep_in(tmp_path / "out")
    assert (first.executed, first.reused, first.partial) == (24, 0, False)
    again = sweep_in(tmp_path / "out")
    assert (again.executed, again.reused) == (0, 24)
    assert merged(tmp_path / "out") == undisturbed


def test_threads_do_not_change_the_tables(tmp_path: Path, undisturbed: dict[str, bytes]) -> None:
    plan = plan_of(SCENARIO)
    execute_plan(plan, tmp_path / "out", LocalBackend(plan.runner, 7))
    assert merged(tmp_path / "out") == undisturbed


def test_a_larger_sweep_keeps_what_it_shares_with_the_smaller(tmp_path: Path) -> None:
    root = tmp_path / "out"
    sweep_in(root, SCENARIO.replace("[1, 2, 4]", "[2]").replace("seeds = 4", "seeds = 2"))
    outcome = sweep_in(root)
    assert (outcome.executed, outcome.reused) == (20, 4)


@pytest.mark.parametrize("harm", ["truncated", "flipped", "manifest", "missing", "emptied"])
def test_damaged_run_is_moved_and_executed_again(harm: str, tmp_path: Path, undisturbed: dict[str, bytes]) -> None:
    root = tmp_path / "out"
    sweep_in(root)
    victim = opened(root).done[5]
    place = root / "runs" / victim
    flows = place / "flows.parquet"
    data = bytearray(flows.read_bytes())
    if harm == "truncated":
        flows.write_bytes(data[: len(data) // 2])
    elif harm == "flipped":
        data[len(data) // 3] ^= 1
        flows.write_bytes(data)
    elif harm == "manifest":
        text = (place / "manifest.json").read_text()
        (place / "manifest.json").write_text(text.replace('"seed":', '"sead":', 1))
    elif harm == "missing":
        flows.unlink()
    else:
        for file in place.iterdir():
            file.unlink()
    outcome = sweep_in(root)
    assert outcome.damaged == [victim]
    assert (outcome.executed, outcome.reused) == (1, 23)
    assert (root / "damaged" / f"{victim}.1").is_dir()
    assert merged(root) == undisturbed


def test_failed_run_is_stored_and_the_others_are_executed(tmp_path: Path) -> None:
    root = tmp_path / "out"
    outcome = sweep_in(root, FAILING)
    assert outcome.partial
    assert (outcome.executed, len(outcome.failures)) == (18, 6)
    failure = outcome.failures[0]
    assert failure.seed == 3
    assert "invariant broken by seed 3" in failure.error
    scenario = root / "failed" / failure.id / "scenario.toml"
    assert failure.replay == f"hoplab run {scenario}"
    assert "seed = 3\n" in scenario.read_text()
    results = opened(root)
    assert not results.complete
    assert {row["seed"] for row in results.runs.rows()} == {1, 2, 4}
    assert [f.id for f in results.failures] == [f.id for f in outcome.failures]


def test_run_is_quarantined_after_three_failures(tmp_path: Path) -> None:
    root = tmp_path / "out"
    text = FAILING.replace("[1, 2, 4]", "[1]")
    attempts = [sweep_in(root, text).failures[0].attempts for _ in range(4)]
    assert attempts == [1, 2, 3, 3]
    outcome = sweep_in(root, text)
    assert outcome.partial
    assert outcome.failures[0].quarantined
    assert sweep_in(root, text, retry=True).failures[0].attempts == 1


def test_a_mended_run_leaves_no_failure_behind(tmp_path: Path) -> None:
    root = tmp_path / "out"
    plan = plan_of(SCENARIO)
    point, seed, run = next(plan.runs())
    RunStore(root).record_failure(plan.header(plan.task(point, seed)), "was killed")
    outcome = execute_plan(plan, root, LocalBackend(plan.runner, 2), force=True)
    assert not outcome.partial
    assert RunStore(root).failure(run) is None


def test_every_write_may_fail_and_a_resume_completes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, undisturbed: dict[str, bytes]
) -> None:
    """The k-th fsync meets a full disk, for every k until a whole sweep of one run fits below it."""
    text = SCENARIO.replace("[1, 2, 4]", "[1]").replace("seeds = 4", "seeds = 1").replace(', "vegas"', "")
    whole = tmp_path / "whole"
    sweep_in(whole, text)
    real = os.fsync
    calls = 0
    for k in range(1, 200):
        root = tmp_path / f"full{k}"
        calls = 0

        def fsync(descriptor: int, k: int = k) -> None:
            nonlocal calls
            calls += 1
            if calls == k:
                raise OSError(errno.ENOSPC, "No space left on device")
            real(descriptor)

        monkeypatch.setattr(os, "fsync", fsync)
        error = attempt(root, text)
        monkeypatch.setattr(os, "fsync", real)
        if error is None:
            assert calls < k
            break
        assert "no space left" in str(error)
        assert exit_code_of(error) == EXIT_IO
        store = RunStore(root)
        stored = [place.name for place in (root / "runs").iterdir()] if (root / "runs").is_dir() else []
        assert all(store.state(run) == "done" for run in stored)
        assert not any((root / "tmp").iterdir() if (root / "tmp").is_dir() else ())
        resumed = sweep_in(root, text)
        assert resumed.reused == len(stored)
        assert merged(root) == merged(whole)
    else:
        pytest.fail("the sweep never completed")
    assert k > 15


@pytest.mark.parametrize("error", [errno.EIO, errno.EACCES, errno.EROFS])
def test_other_write_errors_are_named(error: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def write(columns_: Any, path: Path) -> None:
        raise OSError(error, os.strerror(error), str(path))

    monkeypatch.setattr(columns, "write_parquet", write)
    with pytest.raises(OutputError, match=os.strerror(error)) as caught:
        sweep_in(tmp_path / "out")
    assert exit_code_of(caught.value) == EXIT_IO


def test_duckdb_on_a_full_device_is_a_full_disk() -> None:
    import numpy as np

    with pytest.raises(OSError, match="No space left") as caught:
        columns.write_parquet({"a": np.random.default_rng(1).random(100_000)}, Path("/dev/full"))
    assert caught.value.errno == errno.ENOSPC


def test_only_stale_temporary_runs_are_removed(tmp_path: Path) -> None:
    root = tmp_path / "out"
    sweep_in(root)
    host = json.loads((root / "runs" / opened(root).done[0] / "manifest.json").read_text())["made"]["host"]
    dead = root / "tmp" / f"{'0' * 32}.999999999.{host}"
    alive = root / "tmp" / f"{'1' * 32}.{os.getppid()}.{host}"
    foreign = root / "tmp" / f"{'2' * 32}.999999999.elsewhere"
    for place in (dead, alive, foreign):
        place.mkdir()
    sweep_in(root)
    assert [place.exists() for place in (dead, alive, foreign)] == [False, True, True]


def test_a_directory_of_something_else_is_not_taken(tmp_path: Path) -> None:
    root = tmp_path / "out"
    root.mkdir()
    (root / "thesis.tex").write_text("mine")
    with pytest.raises(OutputError, match="directory is not empty"):
        sweep_in(root)
    sweep_in(root, force=True)
    assert (root / "thesis.tex").read_text() == "mine"


def test_concurrent_start_of_the_same_sweep_is_accepted(tmp_path: Path) -> None:
    """The moment at which the other one writes its plan beside the place where that goes."""
    root = tmp_path / "out"
    root.mkdir()
    (root / f".{PLAN}.999999999").write_text("{")
    assert sweep_in(root).executed == 24


def test_the_sweep_of_another_file_is_not_replaced(tmp_path: Path) -> None:
    root = tmp_path / "out"
    sweep_in(root)
    other = plan_of(SCENARIO.replace("[1, 2, 4]", "[1]"), "other.toml")
    with pytest.raises(OutputError, match=r"another file, chain\.toml"):
        execute_plan(other, root, LocalBackend(other.runner, 2))
    moved = plan_of(SCENARIO, "moved.toml")
    assert execute_plan(moved, root, LocalBackend(moved.runner, 2)).reused == 24
    assert execute_plan(other, root, LocalBackend(other.runner, 2), force=True).reused == 8


def test_precision_adds_seeds_until_every_interval_is_narrow(tmp_path: Path) -> None:
    text = (
        SCENARIO.replace("seeds = 4", 'seeds = 4\nprecision = "5%"')
        .replace("[1, 2, 4]", "[1]")
        .replace("[[flow]]", "[fake]\nspread = 0.1\n[[flow]]", 1)
    )
    outcome = sweep_in(tmp_path / "out", text)
    assert not outcome.unreached
    assert outcome.most_seeds > 10
    results = opened(tmp_path / "out")
    for point, interval in results.intervals("goodput_bps").items():
        assert interval is not None
        assert interval.relative is not None
        assert interval.relative <= 0.05, point
    seeds = [point.seeds for point in results.catalog.points]
    assert seeds[0] == seeds[1], "schemes that are compared have the same seeds"
    before = merged(tmp_path / "out")
    again = sweep_in(tmp_path / "out", text)
    assert again.executed == 0
    assert merged(tmp_path / "out") == before


def test_precision_stops_at_the_largest_number_of_seeds(tmp_path: Path) -> None:
    text = SCENARIO.replace("seeds = 4", 'precision = "1%"\nmax_seeds = 12').replace(
        "[[flow]]", "[fake]\nspread = 0.3\n[[flow]]", 1
    )
    outcome = sweep_in(tmp_path / "out", text.replace("[1, 2, 4]", "[1]"))
    assert outcome.most_seeds == 12
    assert outcome.partial
    assert outcome.unreached == [
        "topology.hops = 1, flow.transport = new_reno",
        "topology.hops = 1, flow.transport = vegas",
    ]


def test_precision_ends_although_a_seed_always_fails(tmp_path: Path) -> None:
    text = FAILING.replace("seeds = 4", 'seeds = 3\nprecision = "50%"').replace("[1, 2, 4]", "[1]")
    outcome = sweep_in(tmp_path / "out", text)
    assert not outcome.unreached
    assert {failure.seed for failure in outcome.failures} == {3}


def test_replications_that_coincide_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = FakeRunner._one

    def one(self: FakeRunner, task: Any) -> Any:
        text, series = real(self, task)
        return json.dumps({**json.loads(text), "fingerprint": "same"}), series

    monkeypatch.setattr(FakeRunner, "_one", one)
    outcome = sweep_in(tmp_path / "out", SCENARIO.replace("[1, 2, 4]", "[1]"))
    assert outcome.coinciding == [
        "topology.hops = 1, flow.transport = new_reno",
        "topology.hops = 1, flow.transport = vegas",
    ]


def test_an_interrupt_keeps_what_is_finished(tmp_path: Path, undisturbed: dict[str, bytes]) -> None:
    class Impatient:
        seen = 0

        def planned(self, total: int, done: int) -> None:
            assert total == 24

        def finished(self) -> None:
            self.seen += 1
            if self.seen == 5:
                raise KeyboardInterrupt

        def failed(self) -> None:
            raise AssertionError

    with pytest.raises(KeyboardInterrupt):
        sweep_in(tmp_path / "out", observer=Impatient())
    outcome = sweep_in(tmp_path / "out")
    assert outcome.reused >= 5
    assert outcome.reused + outcome.executed == 24
    assert merged(tmp_path / "out") == undisturbed


@pytest.mark.parametrize("event", ["finished", "failed"])
def test_what_the_record_of_a_run_raises_ends_the_sweep(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, event: str
) -> None:
    """It is not taken for an error of the engine, whose batch would be halved and made again."""
    told = []

    def broken(self: Silent) -> None:
        told.append(event)
        raise LookupError(event)

    monkeypatch.setattr(Silent, event, broken)
    with pytest.raises(LookupError, match=event):
        sweep_in(tmp_path / "out", FAILING)
    assert told == [event]


def attempt(root: Path, text: str) -> OutputError | None:
    """Run a sweep; returns what it could not write."""
    try:
        sweep_in(root, text)
    except OutputError as error:
        return error
    return None
