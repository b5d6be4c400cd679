"""`hoplab sweep`, `query` and `export` on the real engine."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from fakes.command_line import CommandLine

SWEEP = """\
name = "short"
duration = "2 s"

[topology]
kind = "chain"
hops = 2

[[flow]]
transport = "new_reno"

[sweep]
seeds = 3

[sweep.axes]
"topology.hops" = "1..2"
"flow.transport" = ["new_reno", "vegas"]
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "short.toml"
    path.write_text(SWEEP)
    return Path("short.toml")


def test_a_sweep_prints_a_table_with_n_and_intervals_and_resumes(hoplab: CommandLine, file: Path) -> None:
    first = hoplab("sweep", file)
    assert first.code == 0
    assert "12 runs executed, 0 reused: results/short" in first.err
    lines = first.out.splitlines()
    assert lines[0] == "short: mean \N{PLUS-MINUS SIGN} 95 % interval of n seeds; differences are paired by seed"
    heads = next(i for i, line in enumerate(lines) if line.startswith("hops"))
    assert lines[heads].split()[:2] == ["hops", "transport"]
    assert [line.split()[:2] for line in lines[heads + 1 :]] == [
        ["1", "new_reno"], ["1", "vegas"], ["2", "new_reno"], ["2", "vegas"],
    ]  # fmt: skip
    again = hoplab("sweep", file)
    assert again.out == first.out
    assert "0 runs executed, 12 reused: results/short" in again.err


def test_one_seed_has_no_interval_but_a_hint(hoplab: CommandLine, file: Path) -> None:
    answer = hoplab("sweep", file, "--seeds", 1)
    assert "n = 1, no interval; add --seeds 10" in answer.out
    assert "\N{PLUS-MINUS SIGN}" not in answer.out


def test_json_has_one_object_per_point(hoplab: CommandLine, file: Path) -> None:
    answer = hoplab("sweep", file, "--json", "-q")
    assert answer.err == ""
    points = [json.loads(line) for line in answer.out.splitlines()]
    assert [point["settings"]["topology.hops"] for point in points] == [1, 1, 2, 2]
    assert all(point["n"] == 3 and len(point["runs"]) == 3 for point in points)
    goodput = points[0]["measures"]["goodput_bps"]
    assert goodput["n"] == 3
    assert goodput["low"] <= goodput["mean"] <= goodput["high"]


def test_a_dry_run_counts_estimates_and_writes_nothing(hoplab: CommandLine, file: Path) -> None:
    answer = hoplab("sweep", file, "--dry-run")
    assert answer.code == 0
    assert "4 points, 12 runs; 0 stored in results/short" in answer.out
    assert "12 runs to make: about" in answer.out
    assert not Path("results").exists()
    hoplab("sweep", file, "--seeds", 2)
    content = json.loads(hoplab("sweep", file, "--dry-run", "--json").out)
    assert (content["runs"], content["done"], content["pending"]) == (12, 8, 4)
    assert 0 < content["wall_s"] < 60
    assert content["basis"] == "stored runs of 4 points"


def test_axes_and_seeds_of_the_command_line(hoplab: CommandLine, file: Path) -> None:
    answer = hoplab(
        "sweep", file, "--over", "topology.hops=3", "--over", "flow.window=2,4", "--seeds", "5..6", "--json",
        "--set", "duration=1 s", "--out", "mine",
    )  # fmt: skip
    points = [json.loads(line) for line in answer.out.splitlines()]
    assert [list(point["settings"].values()) for point in points] == [
        [3, "new_reno", 2], [3, "new_reno", 4], [3, "vegas", 2], [3, "vegas", 4],
    ]  # fmt: skip
    assert list(points[0]["runs"]) == ["5", "6"]
    assert Path("mine/tables/runs.parquet").is_file()


def test_until_reaches_its_precision_or_exits_4(hoplab: CommandLine, file: Path) -> None:
    enough = hoplab("sweep", file, "--precision", "20%", "--seeds", 3)
    assert enough.code == 0
    short = hoplab("sweep", file, "--precision", "0.001%", "--seeds", 3, "--max-seeds", 4)
    assert short.code == 4
    assert "precision not reached with 4 seeds" in short.err


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (["--over", "topology.hops=0,1"], 2, "axis 'topology.hops': invalid value 0"),
        (["--over", "mac.ssrll=1,2"], 2, "did you mean mac.ssrl?"),
        (["--set", "topology.hops=2"], 2, "--set topology.hops: is an axis of this sweep"),
        (["--set", "mac.ssrll=2"], 3, "mac.ssrll: unknown key"),
        (["--precision", "5"], 2, "for 5 percent write '5%'"),
        (["--seeds", "many"], 2, "seeds: invalid value 'many'"),
        (["--backend", "slurm"], 2, "expected local, ray or ray://HOST:PORT"),
    ],
)
def test_wrong_options(options: list[str], code: int, words: str, hoplab: CommandLine, file: Path) -> None:
    answer = hoplab("sweep", file, *options)
    assert answer.code == code
    assert words in answer.err
    assert answer.out == ""
    assert not Path("results").exists()


def test_a_wrong_axis_in_the_file_cites_its_line(hoplab: CommandLine, file: Path) -> None:
    file.write_text(SWEEP.replace('"1..2"', "[1, 0]"))
    answer = hoplab("sweep", file)
    assert answer.code == 3
    assert "short.toml:15: axis 'topology.hops': invalid value 0, expected integer" in answer.err


def test_another_sweep_is_not_replaced_without_force(hoplab: CommandLine, file: Path) -> None:
    hoplab("sweep", file, "--seeds", 1, "--out", "mine")
    Path("other.toml").write_text(SWEEP.replace("short", "other"))
    refused = hoplab("sweep", "other.toml", "--out", "mine")
    assert refused.code == 74
    assert "holds the sweep of another file, short.toml" in refused.err
    assert hoplab("sweep", "other.toml", "--seeds", 1, "--out", "mine", "--force").code == 0


def test_queries_find_the_only_results_and_print_three_ways(hoplab: CommandLine, file: Path) -> None:
    hoplab("sweep", file)
    sql = "SELECT hops, count(*) AS n, NULL AS nothing FROM runs GROUP BY hops ORDER BY hops"
    assert hoplab("query", sql).out == "hops  n  nothing\n   1  6        -\n   2  6        -\n"
    assert hoplab("query", sql, "--csv").out == "hops,n,nothing\n1,6,\n2,6,\n"
    assert [json.loads(line) for line in hoplab("query", sql, "results/short", "--json").out.splitlines()] == [
        {"hops": 1, "n": 6, "nothing": None},
        {"hops": 2, "n": 6, "nothing": None},
    ]
    wrong = hoplab("query", "SELECT * FROM run")
    assert wrong.code == 2
    assert "tables are counters, flows, nodes, points, runs" in wrong.err


def test_query_without_results_names_a_directory(hoplab: CommandLine, tmp_path: Path) -> None:
    assert hoplab("query", "SELECT 1").code == 3
    assert "directory not found" in hoplab("query", "SELECT 1", "nowhere").err


def test_export_writes_csv_and_never_over_files(hoplab: CommandLine, file: Path) -> None:
    hoplab("sweep", file)
    answer = hoplab("export", "results/short", "--tables", "runs,points")
    assert answer.out.splitlines() == ["results/short/export/runs.csv", "results/short/export/points.csv"]
    rows = list(csv.DictReader(io.StringIO(Path("results/short/export/runs.csv").read_text())))
    assert len(rows) == 12
    assert {row["transport"] for row in rows} == {"new_reno", "vegas"}
    assert all(float(row["goodput_bps"]) > 0 for row in rows)
    refused = hoplab("export", "results/short", "--tables", "runs")
    assert refused.code == 74
    assert "file exists" in refused.err
    assert hoplab("export", "results/short", "--tables", "runs", "--force").code == 0
    assert hoplab("export", "--format", "parquet", "--out", "files").code == 0
    assert Path("files/flows.parquet").is_file()
    assert hoplab("export", "--format", "xlsx").code == 2


def test_a_stored_run_repeats_from_its_own_file(hoplab: CommandLine, file: Path) -> None:
    hoplab("sweep", file)
    stored = json.loads(next(Path("results/short/runs").glob("*/result.json")).read_text())
    manifest = next(Path("results/short/runs").glob("*/result.json")).parent
    again = json.loads(hoplab("run", manifest / "scenario.toml", "--json").out)
    assert again["seed"] == stored["seed"]
    assert again["fingerprint"] == stored["fingerprint"]
