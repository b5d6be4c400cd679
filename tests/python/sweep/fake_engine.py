"""An engine without physics: results are a function of (scenario, seed), and it fails where a test asks it to.

It speaks the protocol `hoplab.sweeping.runner.Runner`. Scenario keys of its own, below `[fake]`: `sleep_s` (real time
of a run), `spread` (of the goodput, as a share of its mean), `fail` (seeds whose run breaks), `spoil` (seeds that end
the whole batch), `exit` (seeds that end the process), `kill_once` (a seed that kills its process the first time;
`marks` is the directory that remembers it).
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import signal
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hoplab.scenario.tomltext import document

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hoplab.sweeping.runner import Series, Task

KNOWN = {"name", "duration", "warmup", "seed", "topology", "mac", "flow", "fake"}


class FakeScenarioError(Exception):
    """As `hoplab._core.ScenarioError`."""

    def __init__(self, key: str, expected: str) -> None:
        super().__init__(f"scenario.toml:1: {key}: expected {expected}")
        self.key = key
        self.expected = expected
        self.hint = None


class FakeEngineError(Exception):
    """As `hoplab._core.EngineError`."""


class FakeRunner:
    """Makes runs out of digests."""

    version = "0.0-fake"

    def __init__(self) -> None:
        self.made: list[int] = []

    def resolve(self, text: str, path: str, overrides: Sequence[tuple[str, str]]) -> dict[str, Any]:
        document_ = apply(tomllib.loads(text), overrides)
        for key in document_:
            if key not in KNOWN:
                raise FakeScenarioError(key, "a known key")
        hops = document_.get("topology", {}).get("hops", 1)
        if not isinstance(hops, int) or hops < 1:
            raise FakeScenarioError("topology.hops", "an integer of at least 1")
        scenario = {
            "name": document_.get("name", ""),
            "seed": document_.get("seed", 1),
            "duration_s": seconds(document_.get("duration", "100 s")),
            "topology": document_.get("topology", {}),
            "mac": document_.get("mac", {}),
            "fake": document_.get("fake", {}),
            "flows": [
                {"id": i, "transport": flow.get("transport", "new_reno"), "start_s": seconds(flow.get("start", "0 s"))}
                for i, flow in enumerate(document_.get("flow", []))
            ],
        }
        return {"scenario": scenario, "toml": document(document_), "warnings": [], "facts": {"nodes": hops + 1}}

    def run(
        self,
        tasks: Sequence[Task],
        threads: int,
        on_result: Callable[[int, str, Series], None],
        on_failure: Callable[[int, Exception], None] | None = None,
    ) -> None:
        with ThreadPoolExecutor(threads) as pool:
            futures = {pool.submit(self._one, task): index for index, task in enumerate(tasks)}
            try:
                for future in as_completed(futures):
                    try:
                        text, series = future.result()
                    except FakeEngineError as error:
                        if on_failure is None:
                            raise
                        on_failure(futures[future], error)
                        continue
                    self.made.append(tasks[futures[future]].seed)
                    on_result(futures[future], text, series)
            finally:
                pool.shutdown(cancel_futures=True)

    def _one(self, task: Task) -> tuple[str, Series]:
        started = time.perf_counter()
        scenario = self.resolve(task.text, task.path, task.overrides)["scenario"]
        fake = scenario["fake"]
        time.sleep(fake.get("sleep_s", 0.0))
        if task.seed in fake.get("fail", []):
            raise FakeEngineError(f"t=1.0 s, node 3: invariant broken by seed {task.seed}")
        if task.seed in fake.get("spoil", []):
            raise MemoryError(f"no memory for seed {task.seed}")
        if task.seed in fake.get("exit", []):
            os._exit(9)
        if fake.get("kill_once") == task.seed:
            mark = Path(fake["marks"]) / task.id
            if not mark.exists():
                mark.touch()
                os.kill(os.getpid(), signal.SIGKILL)
        key = json.dumps({k: v for k, v in scenario.items() if k not in {"fake", "seed"}}, sort_keys=True)
        digest = hashlib.blake2b(f"{key}|{task.seed}".encode()).hexdigest()
        draw = random.Random(digest)
        flows = []
        for flow in scenario["flows"]:
            mean = 1e6 / scenario["topology"].get("hops", 1) * (1.1 if flow["transport"] == "vegas" else 1.0)
            goodput = mean * draw.gauss(1.0, fake.get("spread", 0.05))
            flows.append(
                {
                    "id": flow["id"],
                    "src": 0,
                    "dst": scenario["topology"].get("hops", 1),
                    "transport": flow["transport"],
                    "goodput_bps": goodput,
                    "unique_bps": goodput,
                    "throughput_bps": goodput * 1.01,
                    "segments_sent": int(goodput / 1000),
                    "retransmissions": draw.randrange(9),
                    "timeouts": draw.randrange(3),
                    "delay_mean_s": None if draw.random() < 0.3 else 0.01,
                    "cwnd_mean": 7.5,
                    "window_mean": 7.5,
                    "start_s": flow["start_s"],
                }
            )
        result = {
            "seed": task.seed, "flows": flows, "drops": {"mac_retry": draw.randrange(5)},
            "frames": {"rts": 7, "data": draw.randrange(100, 200)}, "events": draw.randrange(10**6),
            "cpu_s": time.perf_counter() - started, "sim_s": scenario["duration_s"], "fingerprint": digest[:16],
            "fingerprints": {"mac": digest[16:32]}, "warnings": [], "scenario": scenario["name"],
            "version": self.version,
        }  # fmt: skip
        series: Series = {"t_s": np.empty(0), "flow": np.empty(0, np.int32), "cwnd": np.empty(0)}
        if task.series_interval_s is not None:
            times = np.arange(0.0, 1.0, task.series_interval_s)
            series = {"t_s": times, "flow": np.zeros(len(times), np.int32), "cwnd": 1.0 + times}
        return json.dumps(result), series


def apply(table: dict[str, Any], overrides: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """A document with dotted keys set; `flow.transport` sets every flow's."""
    for key, text in overrides:
        try:
            value = tomllib.loads(f"value = {text}")["value"]
        except tomllib.TOMLDecodeError:
            value = text
        *way, last = key.split(".")
        targets: list[Any] = [table]
        for part in way:
            targets = [_child(target, part) for target in targets]
            targets = [item for target in targets for item in (target if isinstance(target, list) else [target])]
        for target in targets:
            target[last] = value
    return table


def _child(target: dict[str, Any], part: str) -> Any:
    return target.setdefault(part, {})


def seconds(text: str) -> float:
    """A time with the unit s."""
    return float(text.removesuffix("s"))
