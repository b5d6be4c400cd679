"""A panic of the engine reaches Python as `EngineError`, and the engine goes on.

No input is known that makes the engine panic, and nothing is built into it for tests: but a controller can make PyO3
do it. Where Python code raises PyO3's own PanicException, PyO3 takes the panic up again, inside the run that called the
controller, so that it unwinds through all of the engine.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import hoplab
from hoplab.scenario import controllers
from hoplab.sweeping.runner import CoreRunner, Task

CHAIN = """\
duration = "5 s"

[topology]
kind = "chain"
hops = 3

[[flow]]
transport = "new_reno"
"""
WORDS = "a broken invariant"


class Broken(hoplab.Controller):
    """Raises in the middle of a run."""

    raised: type[BaseException] = ValueError

    def on_ack(self, ack: hoplab.Ack) -> None:
        """Grow, then break."""
        self.cwnd += 1.0
        if ack.acked > 20:
            raise self.raised(WORDS)


@pytest.fixture
def chain(tmp_path: Path) -> Path:
    path = tmp_path / "chain.toml"
    path.write_text(CHAIN)
    return path


@pytest.fixture
def breaking(chain: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> hoplab.Scenario:
    """A scenario whose run panics: its controller raises the PanicException of this engine, not another module's."""
    scenario = hoplab.Scenario.of(chain).with_({"flow.controller": controllers.register(Broken)})
    # PyO3 makes its exception with the first error that it takes over.
    with pytest.raises(hoplab.ControllerError, match=f"ValueError: {WORDS}"):
        hoplab.run(scenario)
    for kind in BaseException.__subclasses__():
        if kind.__name__ == "PanicException":
            monkeypatch.setattr(Broken, "raised", kind)
            with pytest.raises(hoplab.EngineError) as caught:
                hoplab.run(scenario)
            if not isinstance(caught.value, hoplab.ControllerError):
                return scenario
    pytest.fail("no PanicException is this engine's")


def test_a_panic_is_an_engine_error_and_harms_nothing(chain: Path, breaking: hoplab.Scenario) -> None:
    plain = hoplab.run(chain)[0].fingerprint
    with pytest.raises(hoplab.EngineError) as caught:
        hoplab.run(breaking, seeds=[3])
    assert type(caught.value) is hoplab.EngineError
    assert str(caught.value) == f"{chain}, seed 3: the engine panicked: {WORDS}"
    assert hoplab.run(chain)[0].fingerprint == plain


def test_a_panic_in_one_run_leaves_the_others_alone(breaking: hoplab.Scenario) -> None:
    path = breaking.path
    good = [Task(str(seed), CHAIN, path, (), seed, None) for seed in (1, 2, 3, 4)]
    bad = Task("bad", CHAIN, path, breaking.overrides, 9, None)
    found: dict[int, str] = {}
    failed: dict[int, Exception] = {}
    tasks = [good[0], bad, *good[1:]]
    CoreRunner().run(tasks, 2, lambda i, text, _: found.update({i: text}), lambda i, error: failed.update({i: error}))
    assert sorted(found) == [0, 2, 3, 4]
    assert [str(error) for error in failed.values()] == [f"{path}, seed 9: the engine panicked: {WORDS}"]
