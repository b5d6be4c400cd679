"""A small `hoplab._core`: reads scenarios with tomllib and answers runs with made-up, seed-dependent numbers."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fakes import resolved as defaults

REGISTRY: dict[str, list[dict[str, str]]] = {
    "transports": [
        {
            "name": name,
            "title": title,
            "summary": f"what {name} does",
            "group": "loss and delay",
            "conversation": "datagrams" if name == "udp" else "one_way",
            "page": f"protocols/{name}.md",
        }
        for name, title in (("udp", "UDP"), ("new_reno", "NewReno"), ("sack", "SACK"), ("vegas", "Vegas"))
    ],
    "topologies": [{"name": "chain", "summary": "nodes in a row"}],
    "routing": [{"name": "static", "summary": "shortest paths"}],
    "apps": [{"name": "ftp", "summary": "an endless file"}],
    "propagation": [{"name": "two_ray", "summary": "two-ray ground"}],
}
SPAN = {"type": "string", "x-quantity": "time", "x-units": ["s", "ms"]}
LENGTH = {"type": "string", "x-quantity": "length", "x-units": ["m", "km"]}
RATE = {"type": "string", "x-quantity": "rate", "x-units": ["Mb/s"]}
SCHEMA: dict[str, Any] = {
    "properties": {
        "name": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "duration": {"$ref": "#/$defs/Span"},
        "seed": {"type": "integer"},
        "topology": {"$ref": "#/$defs/Topology"},
        "flow": {"type": "array", "items": {"$ref": "#/$defs/Flow"}},
    },
    "$defs": {
        "Span": SPAN,
        "Topology": {"properties": {"kind": {"type": "string"}, "hops": {"type": "integer"}, "spacing": LENGTH}},
        "Flow": {
            "properties": {
                "transport": {"type": "string"},
                "window": {"type": "integer"},
                "rate": {"anyOf": [RATE, {"type": "null"}]},
                "start": {"$ref": "#/$defs/Span"},
            }
        },
    },
}


class ScenarioError(Exception):
    """As the engine's."""

    def __init__(self, path: str, line: int | None, key: str, message: str) -> None:
        where = path if line is None else f"{path}:{line}"
        super().__init__(f"{where}: {message}")
        self.path, self.line, self.key = path, line, key


class EngineError(Exception):
    """As the engine's."""


class ControllerError(EngineError):
    """As the engine's."""


class LimitError(EngineError):
    """As the engine's."""


class Ack:
    """As the engine's."""


class Loss:
    """As the engine's."""


class Sample:
    """As the engine's."""


class Setup:
    """As the engine's."""


class RateSetup:
    """As the engine's."""


class RateResult:
    """As the engine's."""


@dataclass(frozen=True)
class Job:
    """As the engine's."""

    text: str
    path: str
    overrides: list[tuple[str, str]]
    seed: int
    series_interval_s: float | None = None
    trace: str | None = None
    airtime: bool = False
    capture: str | None = None
    max_events: int | None = None
    max_wall_s: float | None = None


def trajectories(text: str, path: str, overrides: list[tuple[str, str]], seed: int) -> str:
    """Nodes at rest, in a row."""
    del path, overrides, seed
    hops = tomllib.loads(text)["topology"].get("hops", 1)
    return json.dumps([{"start": [200.0 * node, 0.0], "legs": []} for node in range(hops + 1)])


def profile() -> str:
    """As in a wheel."""
    return "dist"


def is_trained() -> bool:
    """An engine that watched no run."""
    return False


def memory_left() -> float:
    """As the engine's."""
    return 2.0**34


def version() -> str:
    return "0.0.0-fake"


def schema() -> str:
    return json.dumps(SCHEMA)


def registry() -> str:
    return json.dumps(REGISTRY)


def resolve(text: str, path: str, overrides: list[tuple[str, str]], *, as_options: bool = True) -> str:
    tables = _load(text, path, overrides)
    hops = tables["topology"]["hops"]
    flows = [
        defaults.flow(i, hops, transport=told.get("transport", "new_reno"), window=told.get("window", 20))
        for i, told in enumerate(tables.get("flow", []))
    ]
    scenario = {
        **defaults.chain(hops),
        "name": tables.get("name", "fake"),
        "seed": tables.get("seed", 1),
        "flows": flows,
    }
    facts = {
        "nodes": hops + 1,
        "rx_range_m": 250.0,
        "cs_range_m": 550.0,
        "mean_degree": 2 * hops / (hops + 1),
        "partitions": 1,
        "flows": [{"id": flow["id"], "hops": hops, "is_counted": True} for flow in flows],
        "link_budget": [{"distance_m": 200.0, "pairs": hops, "received_w": 8.918e-10}],
    }
    warnings = ["flow 0 has a window of one segment"] if any(f["window"] == 1 for f in flows) else []
    return json.dumps(
        {
            "scenario": scenario,
            "toml": f"[topology]\nhops = {hops}\n",
            "flow_tables": [],
            "warnings": warnings,
            "facts": facts,
        }
    )


def join_tables(parts: list[str], path: str) -> None:
    """There is nothing to join: the fake engine traces nothing."""
    raise AssertionError(f"joined into {path}, but no fake run leaves a table: {parts}")


def run_many(
    jobs: list[Job],
    threads: int,
    on_result: Callable[[int, str, dict[str, Any]], None],
    on_failure: Callable[[int, Exception], None] | None = None,
) -> None:
    for index in reversed(range(len(jobs))):  # results come in any order
        job = jobs[index]
        on_result(index, json.dumps(_answer(job)), _series(job))


def _answer(job: Job) -> dict[str, Any]:
    resolved = json.loads(resolve(job.text, job.path, job.overrides))["scenario"]
    hops = len(resolved["topology"]["positions"]) - 1
    flows = []
    for flow in resolved["flows"]:
        udp = flow["transport"] == "udp"
        lift = 10e3 if flow["transport"] == "vegas" else 0.0
        goodput = 1e6 / hops + lift + 1e3 * (job.seed % 5)
        flows.append(
            {
                "id": flow["id"],
                "src": 0,
                "dst": hops,
                "transport": flow["transport"],
                "goodput_bps": goodput,
                "unique_bps": goodput,
                "throughput_bps": goodput * 1.01,
                "segments_sent": 1000,
                "retransmissions": 4,
                "timeouts": 1,
                "fast_retransmits": 2,
                "unreduced_fast_retransmits": 0,
                "acks_sent": 0 if udp else 990,
                "dropped": 3,
                "delay_mean_s": 0.05,
                "cwnd_mean": None if udp else 6.5,
                **({} if udp else {"window_mean": 6.5}),
                "start_s": 0.0,
            }
        )
    return {
        "seed": job.seed,
        "flows": flows,
        "drops": {"mac_retry": 3, "queue": 0},
        "frames": {"rts": 10, "cts": 9, "data": 8, "ack": 8, "broadcast": 0},
        "events": 1000,
        "cpu_s": 0.01,
        "sim_s": 10.0,
        "fingerprint": "same" if resolved["name"] == "still" else f"{job.seed:016x}",
        "fingerprints": {},
        "warnings": [],
        "scenario": resolved["name"],
        "version": version(),
    }


def _series(job: Job) -> dict[str, Any]:
    count = 0 if job.series_interval_s is None else int(10.0 / job.series_interval_s)
    t_s = np.arange(count) * (job.series_interval_s or 1.0)
    return {"t_s": t_s, "flow": np.zeros(count, dtype=np.int32), "cwnd": 5.0 + np.sin(t_s + job.seed)}


def _load(text: str, path: str, overrides: list[tuple[str, str]]) -> dict[str, Any]:
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ScenarioError(path, 1, "", f"not TOML: {error}") from None
    for key, value in overrides:
        _set(tables, key, value)
    hops = tables.get("topology", {}).get("hops", 4)
    tables.setdefault("topology", {})["hops"] = hops
    if not isinstance(hops, int) or hops < 1:
        line = next((i for i, row in enumerate(text.splitlines(), 1) if row.startswith("hops")), None)
        raise ScenarioError(path, line, "topology.hops", f"topology.hops is {hops}: expected a count of at least 1")
    return tables


def _set(tables: dict[str, Any], key: str, value: str) -> None:
    *path, last = key.split(".")
    try:
        parsed: Any = tomllib.loads(f"v = {value}")["v"]
    except tomllib.TOMLDecodeError:
        parsed = value
    if path == ["flow"]:
        for flow in tables.get("flow", []):
            flow[last] = parsed
        return
    table: Any = tables
    for part in path:
        table = table.setdefault(part, {}) if isinstance(table, dict) else table[int(part)]
    table[last] = parsed
