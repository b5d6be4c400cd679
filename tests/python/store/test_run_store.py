"""The run store by itself: ids, commits, failures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from blake3 import blake3

from hoplab.base.engine import scenario_defaults
from hoplab.store import Header, RunStore, run_id
from hoplab.store.rows import rows_of
from hoplab.store.run_store import canonical

SCENARIO: dict[str, Any] = {"name": "x", "seed": 1, "mac": {"ssrl": 7}, "topology": {"positions": [[0.0, 1.5]]}}
RESULT: dict[str, Any] = {
    "seed": 5,
    "flows": [
        {"id": 0, "src": 0, "dst": 4, "transport": "vegas", "goodput_bps": 3e5, "delay_mean_s": None, "timeouts": 1},
        {"id": 1, "src": 4, "dst": 0, "transport": "udp", "goodput_bps": 1e5, "delay_mean_s": 0.25, "timeouts": 0},
    ],
    "nodes": [{"id": 0, "busy_s": 1, "role": "source"}, {"id": 1, "busy_s": 2.5, "role": None}],
    "drops": {"mac_retry": 3, "queue_full": 2},
    "frames": {"rts": 10},
    "events": 99,
    "cpu_s": 0.5,
    "sim_s": 10.0,
    "fingerprint": "abcd",
    "warnings": [],
}


def header(ident: str = "ab" * 16) -> Header:
    return Header(ident, 5, "1.0", SCENARIO, "seed = 5\n", None)


def test_run_id_depends_only_on_inputs_of_the_result() -> None:
    base = run_id("1.0", SCENARIO, 1, None)
    assert len(base) == 32
    assert run_id("1.0", dict(reversed(SCENARIO.items())), 1, None) == base
    assert run_id("1.0", {**SCENARIO, "seed": 9}, 1, None) == base, "the seed of the run counts, not the first one"
    others = {
        run_id("1.1", SCENARIO, 1, None),
        run_id("1.0", SCENARIO, 2, None),
        run_id("1.0", {**SCENARIO, "mac": {"ssrl": 8}}, 1, None),
        run_id("1.0", SCENARIO, 1, 0.1),
    }
    assert len(others | {base}) == 5


def test_ids_stay_the_same_from_version_to_version() -> None:
    """A changed id would make every stored sweep run again: it changes on purpose, with the store's format."""
    content = b'{"engine":"1.0","scenario":{"a":1.5,"b":[true,null,"\xc2\xb5"]},"seed":7,"series_interval_s":0.25}'
    found = run_id("1.0", {"a": 1.5, "b": [True, None, "\N{MICRO SIGN}"]}, 7, 0.25)
    assert found == blake3(content).hexdigest()[:32] == "5ea78a475db53654eed7a028d1965125"


def test_constants_at_their_defaults_leave_the_id_as_it_is() -> None:
    usual = scenario_defaults()
    limit, tcp = usual["queue"]["limit"], usual["tcp"]
    without = {**SCENARIO, "queue": {}, "tcp": {}}
    assert run_id("1.0", {**without, "queue": {"limit": limit}, "tcp": tcp}, 1, None) == run_id("1.0", without, 1, None)
    assert run_id("1.0", {**without, "queue": {"limit": limit + 1}}, 1, None) != run_id("1.0", without, 1, None)


def test_a_commit_is_whole_and_its_tables_are_typed(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    series = {"t_s": np.array([0.0, 0.1]), "flow": np.array([0, 1], np.int32), "cwnd": np.array([2.0, 3.5])}
    store.commit(header(), json.dumps(RESULT), series)
    assert store.state(header().id) == "done"
    place = store.path_of(header().id)
    assert {path.name for path in place.iterdir()} == {
        "manifest.json", "result.json", "scenario.toml", "flows.parquet", "nodes.parquet", "series.parquet",
    }  # fmt: skip
    assert "cpu_s" not in json.loads((place / "result.json").read_text())
    manifest = json.loads((place / "manifest.json").read_text())
    assert manifest["made"]["cpu_s"] == 0.5
    import duckdb

    def rows(table: str) -> list[tuple[Any, ...]]:
        return duckdb.connect().sql(f"SELECT * EXCLUDE run FROM '{place}/{table}.parquet'").fetchall()

    assert rows("flows") == [(0, 0, 4, "vegas", 3e5, None, 1), (1, 4, 0, "udp", 1e5, 0.25, 0)]
    assert rows("nodes") == [(0, 1.0, "source"), (1, 2.5, None)]
    assert rows("series") == [(0, "flow.0", "cwnd", 2.0), (100_000_000, "flow.1", "cwnd", 3.5)]


def test_a_result_is_rows_of_tables() -> None:
    tables = rows_of(RESULT)
    (run,) = tables["runs"]
    assert (run["goodput_bps"], run["delay_mean_s"], run["drops"], run["events"]) == (4e5, 0.25, 5, 99)
    assert run["jain"] == pytest.approx(0.8)
    assert [tuple(row.values()) for row in tables["counters"]] == [
        ("drops", "mac_retry", 3),
        ("drops", "queue_full", 2),
        ("frames", "rts", 10),
    ]
    assert [row["node"] for row in tables["nodes"]] == [0, 1]


def test_the_same_run_makes_the_same_files(tmp_path: Path) -> None:
    for name, cpu_s in (("a", 0.5), ("b", 0.75)):
        RunStore(tmp_path / name).commit(header(), json.dumps({**RESULT, "cpu_s": cpu_s}), None)
    for path in (tmp_path / "a" / "runs" / header().id).iterdir():
        if path.name != "manifest.json":
            assert path.read_bytes() == (tmp_path / "b" / "runs" / header().id / path.name).read_bytes()


def test_a_second_commit_gives_way(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    store.commit(header(), json.dumps(RESULT), None)
    first = (store.path_of(header().id) / "manifest.json").read_bytes()
    store.commit(header(), json.dumps(RESULT), None)
    assert (store.path_of(header().id) / "manifest.json").read_bytes() == first
    assert not any((tmp_path / "tmp").iterdir())


def test_a_commit_replaces_a_damaged_run(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    store.commit(header(), json.dumps(RESULT), None)
    (store.path_of(header().id) / "flows.parquet").write_bytes(b"PAR1")
    store.commit(header(), json.dumps(RESULT), None)
    assert store.state(header().id) == "done"
    assert (tmp_path / "damaged" / f"{header().id}.1").is_dir()


def test_a_manifest_of_another_run_is_no_manifest(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    store.commit(header(), json.dumps(RESULT), None)
    store.path_of(header().id).rename(store.path_of("cd" * 16))
    assert store.state("cd" * 16) == "damaged"
    assert store.state(header().id) == "missing"


def test_a_result_that_is_no_json_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="Expecting"):
        RunStore(tmp_path).commit(header(), "{", None)
    assert not (tmp_path / "runs").exists()


def test_failures_add_up_and_can_be_forgotten(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    store.record_failure(header(), "first")
    failure = store.record_failure(header(), "second", attempts=2)
    assert (failure.attempts, failure.error, failure.quarantined) == (3, "second", True)
    assert store.failure(header().id) == failure
    assert failure.replay == f"hoplab run {tmp_path}/failed/{header().id}/scenario.toml"
    (tmp_path / "failed" / header().id / "failure.json").write_text("{}")
    assert store.failure(header().id) is None
    store.clear_failure(header().id)
    assert not (tmp_path / "failed" / header().id).exists()


def test_one_spelling_of_json() -> None:
    assert canonical({"b": 1, "a": "\N{MICRO SIGN}"}) == b'{"a":"\xc2\xb5","b":1}'
