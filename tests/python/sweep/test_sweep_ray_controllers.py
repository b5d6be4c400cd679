"""Controllers written in Python on a real Ray: the tables of a local sweep, and errors that say where."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sweep.kit import merged, needs_ray

SCENARIO = """\
duration = "20 s"

[topology]
kind = "chain"
hops = 4

[[flow]]
transport = "new_reno"
window = 40

[sweep]
seeds = 2
"""

CLASSES = """\
import hoplab


class Reno(hoplab.Controller):
    def on_ack(self, ack):
        self.cwnd += 1.0 if self.cwnd < self.ssthresh else 1.0 / self.cwnd

    def on_loss(self, loss):
        self.ssthresh = max(loss.window // 2, 2.0)
        self.cwnd = max(loss.window / 2.0, 1.0)


class Failing(Reno):
    def on_ack(self, ack):
        if ack.now_s > 3.0:
            raise RuntimeError("no more")
        super().on_ack(ack)
"""

PROGRAM = f"""\
import json, sys
{CLASSES}
from hoplab.scenario import controllers
from hoplab.sweeping import sweep

held = controllers.register(Reno)
answer = {{}}
for place, on in (("local", None), ("ray", "ray")):
    axis = ["none", "mine.py:Reno", held]
    good = sweep("chain.toml", over={{"flow.controller": axis}}, out=place, backend=on, threads=2)
    prints = good.sql("SELECT fingerprint FROM runs ORDER BY controller, seed")
    answer[place] = [row["fingerprint"] for row in prints.rows()]
bad = sweep("chain.toml", over={{"flow.controller": ["none", "mine.py:Failing"]}}, out="bad", backend="ray", threads=2)
answer["failures"] = [[failure.seed, failure.error] for failure in bad.failures]
answer["made"] = len(list(bad.sql("SELECT seed FROM runs").rows()))
print(json.dumps(answer))
"""


@pytest.mark.slow
@needs_ray
def test_controllers_on_ray_give_the_tables_of_a_local_sweep(tmp_path: Path) -> None:
    (tmp_path / "chain.toml").write_text(SCENARIO)
    (tmp_path / "mine.py").write_text(CLASSES)
    (tmp_path / "program.py").write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, "program.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    assert answer["ray"] == answer["local"]
    assert len(answer["local"]) == 6
    assert len(set(answer["local"])) == 2, "the controllers are NewReno, written in Python"
    assert merged(tmp_path / "ray") == merged(tmp_path / "local") != {}
    assert answer["made"] == 2
    assert sorted(seed for seed, _ in answer["failures"]) == [1, 2]
    for seed, error in answer["failures"]:
        assert error.startswith("ControllerError: ")
        assert f"seed {seed}: controller mine.py:Failing of flow 0 failed at t = 3.0" in error
        assert "RuntimeError: no more (" in error
