"""The study of the kernel's TCP: its parts, what it refuses, and what it makes of the kernel's measurements."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fakes.command_line import CommandLine
from fakes.kernels import fake_kernel, needs_kernel
from fakes.null_runs import NullStudy

import hoplab
from hoplab.running.real import kernel
from hoplab.sweeping import CoreRunner, backend_of
from hoplab_studies.linux_over_hops import kernel_runs
from hoplab_studies.linux_over_hops import scenarios as ground
from hoplab_studies.linux_over_hops import study as linux_over_hops
from hoplab_studies.linux_over_hops.kernel_runs import KernelRunner
from hoplab_studies.shared import running
from hoplab_studies.shared.claims import papers
from hoplab_studies.shared.running import scenario_of
from hoplab_studies.shared.study import Grid, Part
from hoplab_studies.shared.verdict import Finding, Level


@pytest.mark.parametrize("quick", [False, True])
def test_every_claim_has_a_check_and_its_parts(quick: bool) -> None:
    study, paper = linux_over_hops.study(quick=quick), papers()["linux-over-hops"]
    assert [check.claim for check in study.checks] == [claim.id for claim in paper.claims]
    parts = {part.name for part in study.parts}
    assert {part for check in study.checks for part in (check.part, *check.beside)} <= parts
    assert {claim.figure for claim in paper.claims} - {""} == {shown.name for shown in study.figures}


@pytest.mark.parametrize("part", linux_over_hops.study().parts, ids=lambda part: part.name)
def test_kernel_parts_alone_have_no_flow(part: Part) -> None:
    for series in part.series:
        data = scenario_of(part, series).resolve().data
        assert bool(data["flows"]) == (part.runner is None)
        assert ("live" in data) == (part.runner is not None)


def test_kernel_is_built_with_every_controller() -> None:
    built = {line.removeprefix("CONFIG_TCP_CONG_").removesuffix("=y").lower() for line in kernel.config().splitlines()}
    names = {*ground.CONTROLLERS, *ground.BY_LOSS, *ground.BY_DELAY}
    assert len(names) == 17
    # Reno is always there, and HighSpeed has another name.
    assert {*names - {"reno", "highspeed"}, "hstcp"} <= built


def test_missing_kernel_is_named_before_any_run(
    tmp_path: Path, hoplab: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv(kernel.KERNEL_VARIABLE, raising=False)
    out = tmp_path / "out"
    answer = hoplab("reproduce", "linux-over-hops", "--quick", "--out", out)
    assert answer.code == 69
    assert "hint: hoplab real --build builds it once" in answer.err
    assert not out.exists()


def test_other_kernels_have_other_versions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runner = KernelRunner(warmup_s=1.0, end_s=2.0)
    monkeypatch.delenv(kernel.KERNEL_VARIABLE, raising=False)
    versions = {runner.version}
    for text in ("one", "another"):
        monkeypatch.setenv(kernel.KERNEL_VARIABLE, str(fake_kernel(tmp_path, text)))
        versions.add(runner.version)
    assert len(versions) == 3


def test_kernel_without_measurements_fails_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(kernel.KERNEL_VARIABLE, str(fake_kernel(tmp_path)))
    (part,) = (part for part in ground.parts(quick=True) if part.name == "again")
    (job,) = running.jobs_of([part], 1, tmp_path / "runs")
    outcome = running.execute(job, backend_of(None, CoreRunner(), 1), threads=1)
    assert len(outcome.failures) == len(ground.REPEATED)
    assert "measured nothing" in outcome.failures[0].error


def null(factor: float) -> dict[str, Grid]:
    """Grids of equal runs of all parts, the kernel's goodput times a factor."""
    study = linux_over_hops.study()
    world = NullStudy(study, 0.001, np.random.default_rng(5))
    grids = world.grids([part.name for part in study.parts])
    for runs in grids["kernel"].points.values():
        for run in runs:
            found: dict[str, Any] = json.loads(run.json)
            found[kernel_runs.CONNECTIONS][0]["goodput_bps"] *= factor
            run.__dict__["text"] = json.dumps(found)
    return grids


# Means of equal runs are up to 3 % apart, with intervals of 2 %.
@pytest.mark.parametrize(("factor", "level"), [(1.02, Level.HOLDS), (1.2, Level.DIFFERS)])
def test_models_are_alike_within_a_tenth_alone(factor: float, level: Level) -> None:
    grids = null(factor)
    study = linux_over_hops.study()
    for check in study.checks:
        if check.claim in {"LH1", "LH2", "LH3", "LH4"}:
            conditions = check.test(grids["kernel"], *(grids[name] for name in check.beside))
            assert len(conditions) == len(ground.HOPS) * (4 if check.claim == "LH4" else 1)
            assert Finding(tuple(conditions)).level() == level


def test_kernel_runs_are_measured_and_repeat(tmp_path: Path) -> None:
    needs_kernel()
    runner = KernelRunner(warmup_s=1.0, end_s=4.0)
    part = Part(
        "again", ground.of_kernel().with_(duration="5 s"), {"name": ("vegas",), "topology.hops": (2,)}, runner=runner
    )
    found = []
    for name in ("a", "b"):
        (job,) = running.jobs_of([part], 2, tmp_path / name)
        outcome = running.execute(job, backend_of(None, CoreRunner(), 1), threads=2)
        assert not outcome.failures
        (runs,) = running.grid_of(job).points.values()
        found.append([(run.fingerprint, json.loads(run.json)[kernel_runs.CONNECTIONS]) for run in runs])
    assert found[0] == found[1]
    (first, (measured,)), (second, _) = found[0]
    assert first != second
    simulated = hoplab.run(ground.of_model("vegas").with_({"topology.hops": 2}), seeds=2).interval()
    assert simulated is not None
    assert measured["controller"] == "vegas"
    assert measured["goodput_bps"] == pytest.approx(simulated.mean, rel=0.15)
    assert 0.0 < measured["rtt_s"] < 0.5


def test_unknown_controller_fails_with_the_program_output(tmp_path: Path) -> None:
    needs_kernel()
    scenario = ground.of_kernel().with_(name="rneo", duration="3 s")
    (job,) = running.jobs_of([Part("one", scenario, {}, runner=KernelRunner(warmup_s=1.0, end_s=2.0))], 1, tmp_path)
    outcome = running.execute(job, backend_of(None, CoreRunner(), 1), threads=1)
    assert "the programs of rneo measured nothing" in outcome.failures[0].error
