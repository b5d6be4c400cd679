"""Samples that fall into two groups: seen with few false alarms, and told on the console, in results and in reports."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from fakes.command_line import CommandLine
from sweep.kit import opened

import hoplab as package
from hoplab.report.directory import report_of
from hoplab.running.runs import Run, Runs
from hoplab.stats import Split, split_of, split_warning


@pytest.mark.parametrize(
    ("values", "groups"),
    [
        ([100.0, 104.0, 97.0, 101.0, 8.0], (1, 4)),
        ([100.0] * 9 + [0.0], (1, 9)),
        ([0.0] * 6 + [5.0], (6, 1)),
        ([20.0, 22.0, 19.0, 21.0, 99.0, 101.0, 100.0, 102.0], (4, 4)),
        ([1.0] * 19 + [1000.0], (19, 1)),
        ([-5.0, -5.1, -4.9, -5.2, -50.0], (1, 4)),
    ],
)
def test_groups_of_a_split_sample(values: list[float], groups: tuple[int, int]) -> None:
    found = split_of(values)
    assert found is not None
    assert (found.low_n, found.high_n) == groups
    assert split_of(reversed(values)) == found


@pytest.mark.parametrize(
    "values",
    [
        [100.0, 8.0],
        [100.0, 104.0, 97.0, 8.0],
        [1.0, 2.0, 3.0, 4.0, 5.0],
        [100.0, 100.0, 100.0, 100.0, 101.0],
        [5.0] * 10,
        [0.0] * 10,
        [90.0, 95.0, 100.0, 105.0, 110.0, 130.0],
    ],
)
def test_samples_of_one_piece(values: list[float]) -> None:
    assert split_of(values) is None


@pytest.mark.parametrize(("n", "most"), [(5, 0.04), (10, 0.01), (20, 0.005), (50, 0.005)])
def test_normal_samples_give_few_false_alarms(n: int, most: float) -> None:
    draws = random.Random(3)
    alarms = sum(split_of([draws.gauss(100, 20) for _ in range(n)]) is not None for _ in range(2000))
    assert alarms / 2000 <= most


@pytest.mark.parametrize(("n", "least"), [(5, 0.35), (10, 0.58), (20, 0.8)])
def test_one_collapse_in_ten_is_mostly_seen(n: int, least: float) -> None:
    draws = random.Random(3)

    def value() -> float:
        return draws.gauss(5, 2) if draws.random() < 0.1 else draws.gauss(100, 5)

    seen = sum(split_of([value() for _ in range(n)]) is not None for _ in range(1000))
    assert seen / 1000 >= least


def test_the_warning_has_groups_in_the_shown_unit() -> None:
    text = split_warning([1e5, 1.04e5, 0.97e5, 1.01e5, 8e3], "goodput", "kb/s", 1e-3)
    assert text is not None
    assert "1 near 8 kb/s and 4 near 100.5 kb/s" in text
    assert "bootstrap" in text
    assert split_warning([1.0] * 5, "goodput", "kb/s") is None
    assert Split(1.0, 2.0, 3, 4).n == 7


def collapsed(runs: Runs) -> Runs:
    """The same runs, the goodput of the last one gone."""
    text = json.loads(runs[len(runs) - 1].json)
    for flow in text["flows"]:
        flow["goodput_bps"] = 0.0
    return Runs(runs.scenario, (*runs.runs[:-1], Run.from_engine(json.dumps(text), {})))


def test_runs_warn_of_a_split_sample(chain: Path) -> None:
    scenario = package.Scenario.from_toml(chain).with_({"duration": "5 s", "topology.hops": 1})
    runs = package.run(scenario, seeds=6)
    assert runs.split_warnings == ()
    (text,) = collapsed(runs).split_warnings
    assert text.startswith("goodput: the seeds fall into two groups, 1 near 0 kb/s and 5 near")
    assert text in collapsed(runs).warnings


SWEEP = """\
name = "chain"
duration = "10 s"
[topology]
kind = "chain"
hops = 1
[[flow]]
transport = "new_reno"
[sweep]
seeds = 8
[sweep.axes]
"topology.hops" = [1, 2]
"""


@pytest.fixture
def split_sweep(tmp_path: Path, hoplab: CommandLine) -> Path:
    """A stored sweep in which one run of the second point has collapsed."""
    from hoplab.store import files
    from hoplab.store.run_store import canonical

    (tmp_path / "s.toml").write_text(SWEEP.replace("10 s", "2 s"))
    assert hoplab("sweep", "s.toml", "--out", "s").code == 0
    root = tmp_path / "s"
    run = opened(root).catalog.points[1].runs[3]
    place = root / "runs" / run
    result = json.loads((place / "result.json").read_text())
    for flow in result["flows"]:
        flow["goodput_bps"] = 1.0
    (place / "result.json").write_bytes(canonical(result) + b"\n")
    manifest = json.loads((place / "manifest.json").read_text())
    data = (place / "result.json").read_bytes()
    manifest["files"]["result.json"] = {"bytes": len(data), "blake3": files.digest(data)}
    del manifest["checksum"]
    manifest["checksum"] = files.digest(canonical(manifest))
    (place / "manifest.json").write_bytes(canonical(manifest) + b"\n")
    files.remove_tree(root / "tables")
    return root


def test_a_sweep_warns_of_its_split_points(split_sweep: Path, hoplab: CommandLine) -> None:
    answer = hoplab("sweep", "s.toml", "--out", "s")
    assert answer.code == 0, answer.err
    assert (
        "warning: topology.hops = 2: goodput: the seeds fall into two groups, 1 near 0.001 kb/s and 7 near"
        in answer.err
    )
    assert answer.err.count("two groups") == 1
    points = [json.loads(line) for line in hoplab("sweep", "s.toml", "--out", "s", "--json").out.splitlines()]
    assert [len(point["warnings"]) for point in points] == [0, 1]
    assert "two groups" in "".join(report_of(split_sweep).report.warnings)
    assert len(opened(split_sweep).warnings) == 1


def test_a_comparison_names_the_point_of_a_split_sample(chain: Path) -> None:
    from dataclasses import replace

    found = package.compare(
        package.Scenario.from_toml(chain).with_({"duration": "2 s"}),
        ["vegas", "sack"],
        over={"topology.hops": [1, 2]},
        seeds=6,
    )
    assert not any("two groups" in text for text in found.warnings)
    points = tuple(
        replace(point, runs=collapsed(point.runs))
        if (point.transport, point.value("topology.hops")) == ("sack", 2)
        else point
        for point in found.points
    )
    (text,) = [text for text in replace(found, points=points).warnings if "two groups" in text]
    assert text.startswith("sack, topology.hops = 2: goodput: the seeds fall into two groups, 1 near 0 kb/s")


def test_a_warm_up_just_below_the_duration_warns(hoplab: CommandLine, chain: Path) -> None:
    line = ["run", "chain.toml", "--seeds", "2", "--set", "duration=10 s", "--set", "warmup=9.999 s"]
    assert "short measurement: flow 0 has 1 ms" in hoplab(*line).err
    assert "short measurement" not in hoplab("run", "chain.toml", "--set", "duration=10 s", "--set", "warmup=5 s").err
