"""Rate controls written in Python: they choose each attempt's rate, and an error names class, node and time."""

from __future__ import annotations

from pathlib import Path

import pytest
from fakes.command_line import CommandLine

import hoplab
from hoplab.base.errors import HoplabWarning
from hoplab.scenario import controllers

LINK = """\
profile = "std"
duration = "1 s"

[topology]
kind = "chain"
hops = 1
spacing = "28 m"

[radio]
standard = "11a"
propagation = "shadowing"
shadowing_deviation_db = 0
path_loss_exponent = 3
tx_power = "40 mW"

[mac]
rate_controller = "mine.py:Mine"
rts_threshold = 4692480

[link]
arp = false

[[flow]]
transport = "udp"
app = "cbr"
segment = 1472
rate = "40 Mb/s"
"""

FIXED = """\
import hoplab


class Mine(hoplab.RateController):
    def rate(self, neighbor, attempt, now_s):
        return 4
"""

IDEAL = """\
import hoplab


class Mine(hoplab.RateController):
    def on_start(self, setup):
        super().on_start(setup)
        self.snr_db = {}

    def rate(self, neighbor, attempt, now_s):
        known = self.snr_db.get(neighbor, -300.0)
        return max((k for k, least in enumerate(self.setup.snr_db) if least < known), default=0)

    def on_result(self, result):
        if result.acked:
            self.snr_db[result.neighbor] = result.snr_db

    def on_given_up(self, neighbor, now_s):
        self.snr_db.pop(neighbor, None)
"""


@pytest.fixture
def link(tmp_path: Path) -> Path:
    """A scenario file, and `mine.py` beside it."""
    (tmp_path / "mine.py").write_text(FIXED)
    file = tmp_path / "link.toml"
    file.write_text(LINK)
    return file


def prints(scenario: hoplab.Scenario) -> list[str]:
    return [run.fingerprint for run in hoplab.run(scenario, seeds="1..2", threads=2)]


def engine_s(link: Path, mac: str) -> hoplab.Scenario:
    """The scenario with keys of the engine in place of the class."""
    text = link.read_text().replace('rate_controller = "mine.py:Mine"', mac)
    return hoplab.Scenario.from_text(text, path=str(link))


def test_one_rate_in_python_runs_as_the_engines_own(link: Path) -> None:
    assert prints(hoplab.Scenario.from_toml(link)) == prints(engine_s(link, 'data_rate = "24 Mb/s"'))


@pytest.mark.parametrize("standard", ["11a", "11n"])
def test_ideal_in_python_runs_as_the_engines_own(link: Path, standard: str) -> None:
    (link.parent / "mine.py").write_text(IDEAL)
    changes = {"radio.standard": standard}
    ours = hoplab.Scenario.from_toml(link).with_(changes)
    assert prints(ours) == prints(engine_s(link, 'rate_control = "ideal"').with_(changes))


class Held(hoplab.RateController):
    """The same as `FIXED`, held by this process."""

    def rate(self, neighbor: int, attempt: int, now_s: float) -> int:
        """24 Mb/s."""
        return 4


def test_class_of_this_process_is_registered(link: Path) -> None:
    name = controllers.register(Held)
    scenario = hoplab.Scenario.from_toml(link, {"mac.rate_controller": name})
    assert prints(scenario) == prints(hoplab.Scenario.from_toml(link))


def test_results_count_mpdus_of_an_aggregate(link: Path) -> None:
    (link.parent / "mine.py").write_text(
        "import hoplab\n\n\nclass Mine(hoplab.RateController):\n"
        "    def rate(self, neighbor, attempt, now_s):\n        return 2\n\n"
        "    def on_result(self, result):\n"
        "        if result.acked + result.lost > 1:\n"
        "            raise ValueError(f'{result.acked}, {result.lost} at {self.setup.mcs[result.rate]}')\n"
    )
    scenario = hoplab.Scenario.from_toml(link, {"radio.standard": "11n"})
    with pytest.raises(hoplab.ControllerError, match=r"ValueError: [2-8], 0 at 2 .*mine\.py, line 10"):
        hoplab.run(scenario, seeds=1)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return 8", "rate returned 8: expected an index from 0 to 7"),
        ("return -1", "rate returned -1: expected an index from 0 to 7"),
        ("return None", "rate returned None: expected an index from 0 to 7"),
        ("return 1 // (now_s < 0.5)", "ZeroDivisionError"),
    ],
)
def test_error_names_class_node_and_time(link: Path, body: str, expected: str) -> None:
    (link.parent / "mine.py").write_text(FIXED.replace("return 4", body))
    with pytest.raises(hoplab.ControllerError) as caught:
        hoplab.run(hoplab.Scenario.from_toml(link), seeds=1)
    error = caught.value
    assert (error.controller, error.flow, error.node, error.seed) == ("mine.py:Mine", None, 0, 1)
    assert error.time_s is not None
    assert (error.time_s >= 0.5) is ("ZeroDivision" in expected)
    assert expected in str(error)
    assert "controller mine.py:Mine of node 0 failed at t =" in str(error)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("mine.py:Mine", "mine.py", "has no class name"),
        ("mine.py:Mine", "other.py:Mine", "other.py"),
        ("mine.py:Mine", "mine.py:Other", "has no class Other, expected Mine"),
        ("rts_threshold", 'data_rate = "24 Mb/s"\nrts_threshold', "remove data_rate, or rate_controller"),
        ("rts_threshold", 'rate_control = "arf"\nrts_threshold', "one of both keys"),
        ('standard = "11a"', 'standard = "11b"', "rate_controller"),
        (
            "[[flow]]",
            '[[node]]\nid = 0\nmac = { rate_controller = "mine.py:Mine" }\n\n[[flow]]',
            "rate_controller in [mac]",
        ),
    ],
)
def test_wrong_scenario_names_the_key_and_a_remedy(
    link: Path, hoplab: CommandLine, old: str, new: str, expected: str
) -> None:
    link.write_text(LINK.replace(old, new, 1))
    answer = hoplab("run", str(link), "--quiet")
    assert answer.code != 0
    assert expected in answer.err
    assert "Traceback" not in answer.err


def test_method_that_nothing_calls_is_warned_of() -> None:
    with pytest.warns(HoplabWarning, match="did you mean on_result"):
        type("Wrong", (hoplab.RateController,), {"on_results": lambda self: None})


def test_congestion_controller_is_no_rate_control(link: Path) -> None:
    (link.parent / "mine.py").write_text("import hoplab\n\n\nclass Mine(hoplab.Controller):\n    pass\n")
    with pytest.raises(hoplab.EngineError, match=r"has no subclass of hoplab\.RateController named Mine"):
        hoplab.run(hoplab.Scenario.from_toml(link), seeds=1)


def test_transfers_alone_have_the_rate_control_in_python(tmp_path: Path) -> None:
    transfers = (
        '[[workload]]\nkind = "poisson"\nfrom = 0\nto = 1\ntransport = "tcp_cubic"\nsize = "20 kB"\nrate = "2 /s"\n'
    )
    (tmp_path / "mine.py").write_text(FIXED, encoding="utf-8")
    (tmp_path / "link.toml").write_text(
        LINK.split("[[flow]]", maxsplit=1)[0].replace("1 s", "5 s") + transfers, encoding="utf-8"
    )
    custom = hoplab.run(tmp_path / "link.toml", progress=False)[0].completion
    # A rate of the engine that is the same has the same slowdown.
    fixed = hoplab.Scenario.from_toml(tmp_path / "link.toml").text.replace(
        'rate_controller = "mine.py:Mine"', 'data_rate = "24 Mb/s"'
    )
    same = hoplab.run(hoplab.Scenario.from_text(fixed), progress=False)[0].completion
    assert custom is not None
    assert same is not None
    assert custom["slowdown_mean"] >= 1.0
    assert custom["slowdown_mean"] == pytest.approx(same["slowdown_mean"], rel=0.02)


def test_bound_with_a_rate_control_in_python_has_the_fastest_rate(tmp_path: Path) -> None:
    pytest.importorskip("scipy")
    (tmp_path / "mine.py").write_text(FIXED, encoding="utf-8")
    (tmp_path / "link.toml").write_text(LINK, encoding="utf-8")
    found = hoplab.bound(hoplab.Scenario.from_toml(tmp_path / "link.toml"), schedule=False)
    ideal = LINK.replace('rate_controller = "mine.py:Mine"', 'rate_control = "ideal"')
    assert found.sum.high == hoplab.bound(hoplab.Scenario.from_text(ideal), schedule=False).sum.high
