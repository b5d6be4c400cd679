"""Controllers written in Python: the same trajectory as the engine's own, and an error for whatever goes wrong."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import pytest
from fakes.command_line import CommandLine

import hoplab
import hoplab as package
from hoplab.base.errors import HoplabWarning, InputError, UsageError
from hoplab.running.answers.families import families_of
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

RENO = '''\
import math
import hoplab


class MyReno(hoplab.Controller):
    """Slow start, congestion avoidance, half the window at a loss."""

    def on_ack(self, ack):
        self.cwnd += 1.0 if self.cwnd < self.ssthresh else 1.0 / self.cwnd

    def on_loss(self, loss):
        half = loss.window / 2.0
        self.ssthresh = max(math.floor(half), 2.0)
        self.cwnd = max(half, 1.0)
'''


class HeldReno(hoplab.Controller):
    """The same, held by this process."""

    def on_ack(self, ack: hoplab.Ack) -> None:
        """Slow start, then congestion avoidance."""
        self.cwnd += 1.0 if self.cwnd < self.ssthresh else 1.0 / self.cwnd

    def on_loss(self, loss: hoplab.Loss) -> None:
        """Half the window."""
        half = loss.window / 2.0
        self.ssthresh = max(math.floor(half), 2.0)
        self.cwnd = max(half, 1.0)


@pytest.fixture
def chain(tmp_path: Path) -> Path:
    """A scenario file, and `mine.py` beside it."""
    (tmp_path / "mine.py").write_text(RENO)
    file = tmp_path / "chain.toml"
    file.write_text(CHAIN)
    return file


def prints(scenario: hoplab.Scenario) -> list[str]:
    return [run.fingerprint for run in hoplab.run(scenario, seeds="1..3", threads=2)]


@pytest.mark.parametrize("base", ["new_reno", "sack", "reno", "tcp_reno"])
def test_reno_in_python_runs_as_the_engines_own(chain: Path, base: str) -> None:
    scenario = hoplab.Scenario.from_toml(chain, {"flow.transport": base, "duration": "20 s"})
    assert prints(scenario.with_({"flow.controller": "mine.py:MyReno"})) == prints(scenario)


def test_a_class_of_this_process_is_a_transport_as_well(chain: Path) -> None:
    scenario = hoplab.Scenario.from_toml(chain)
    compared = hoplab.compare(scenario, ["new_reno", HeldReno, "mine.py:MyReno"], seeds=2)
    held = controllers.register(HeldReno)
    assert compared.transports == ("new_reno", held, "mine.py:MyReno")
    runs = {name: [run.fingerprint for run in compared.runs(name)] for name in compared.transports}
    assert runs[held] == runs["new_reno"] == runs["mine.py:MyReno"]
    assert compared.runs(held)[0].flows[0].transport == held


def test_compare_takes_the_controller_of_a_scenario_away(chain: Path) -> None:
    scenario = hoplab.Scenario.from_toml(chain, {"flow.controller": "mine.py:MyReno"})
    compared = hoplab.compare(scenario, ["vegas"], seeds=1)
    assert compared.runs("vegas")[0].flows[0].transport == "vegas"


def test_a_file_is_found_from_the_current_folder_too(
    chain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "own.py").write_text(RENO)
    monkeypatch.chdir(elsewhere)
    compared = hoplab.compare(hoplab.Scenario.from_toml(chain), ["own.py:MyReno"], seeds=1)
    assert compared.runs("own.py:MyReno")[0].flows[0].transport == "elsewhere/own.py:MyReno"


def test_another_version_of_a_file_is_another_scenario(chain: Path) -> None:
    def canonical() -> str:
        resolved = CoreRunner().resolve(CHAIN, str(chain), [("flow.controller", '"mine.py:MyReno"')])
        return str(resolved["canonical"])

    before = canonical()
    assert canonical() == before
    (chain.parent / "mine.py").write_text(RENO + "\n# another\n")
    assert canonical() != before


def test_a_sweep_has_controllers_as_an_axis(chain: Path, tmp_path: Path) -> None:
    text = CHAIN + '\n[sweep]\nseeds = 2\n\n[sweep.axes]\n"flow.controller" = ["none", "mine.py:MyReno"]\n'
    chain.write_text(text)
    results = hoplab.sweep(chain, out=tmp_path / "out")
    table = results.sql(
        "SELECT transport, count(DISTINCT goodput_bps) AS n FROM flows GROUP BY transport ORDER BY transport"
    )
    assert [(row["transport"], row["n"]) for row in table.rows()] == [("mine.py:MyReno", 2), ("new_reno", 2)]


FAULTS = {
    "raises": ("on_ack", "raise KeyError('rtt')", "KeyError: 'rtt'"),
    "exits": ("on_ack", "import sys; sys.exit(3)", "SystemExit: 3"),
    "nan": ("on_ack", "self.cwnd = float('nan')", "cwnd is nan: expected segments above 0"),
    "infinite": ("on_ack", "self.cwnd = float('inf')", "cwnd is inf: expected segments above 0"),
    "negative": ("on_ack", "self.cwnd = -3.0", "cwnd is -3.0: expected segments above 0"),
    "zero": ("on_ack", "self.cwnd = 0", "cwnd is 0: expected segments above 0"),
    "huge": ("on_ack", "self.cwnd = 10**30", "expected segments above 0, at most 1e9"),
    "beyond floats": ("on_ack", "self.cwnd = 10**400", "expected segments above 0, at most 1e9"),
    "text": ("on_ack", "self.cwnd = '12'", "cwnd is '12' (str): expected segments"),
    "none": ("on_ack", "self.cwnd = None", "cwnd is None (NoneType): expected segments"),
    "boolean": ("on_ack", "self.cwnd = True", "cwnd is True (bool): expected segments"),
    "gone": ("on_ack", "del self.cwnd", "AttributeError"),
    "threshold": ("on_ack", "self.ssthresh = float('nan')", "ssthresh is nan: expected segments from 0"),
    "again": ("on_ack", "hoplab.run(ANOTHER)", "a controller cannot run the engine"),
    "at a loss": ("on_loss", "1 / 0", "ZeroDivisionError: division by zero"),
    "at a timeout": ("on_timeout", "1 / 0", "ZeroDivisionError: division by zero"),
    "deep": ("on_ack", "self.on_ack(ack)", "RecursionError"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_controller_failure_ends_its_run_with_an_error(chain: Path, fault: str) -> None:
    method, body, expected = FAULTS[fault]
    text = f"""\
import hoplab; ANOTHER = hoplab.Scenario.from_text({CHAIN!r})

class Bad(hoplab.Controller):
    def {method}(self, ack):
        {body}
"""
    if method != "on_ack":
        text += "    def on_ack(self, ack):\n        self.cwnd += 1.0\n"
    (chain.parent / "bad.py").write_text(text)
    plain = hoplab.Scenario.from_toml(chain, {"flow.window": 60, "duration": "30 s", "topology.hops": 7})
    before = hoplab.run(plain)[0].fingerprint
    with pytest.raises(hoplab.ControllerError) as raised:
        hoplab.run(plain.with_({"flow.controller": "bad.py:Bad"}), seeds=3, threads=2)
    error = raised.value
    assert expected in str(error)
    assert f"seed {error.seed}: controller bad.py:Bad of flow 0 failed at t = " in str(error)
    assert (error.controller, error.flow) == ("bad.py:Bad", 0)
    assert error.time_s is not None
    assert 0 < error.time_s < 30
    if method != "on_ack" or fault in {"raises", "exits"}:
        assert "bad.py, line 5)" in str(error)
    assert hoplab.run(plain)[0].fingerprint == before


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("x = 1\nclass = 2\n", "bad.py:Bad", "SyntaxError: invalid syntax (.*bad.py, line 2)"),
        ("import no_such_module\n", "bad.py:Bad", "ModuleNotFoundError: No module named 'no_such_module'"),
        (RENO, "bad.py:MyRen", "bad.py has no class MyRen, expected MyReno\n  hint: did you mean MyReno?"),
        ("Bad = 3\n", "bad.py:Bad", "has no subclass of hoplab.Controller named Bad"),
        (RENO + "    def __init__(self, x):\n        pass\n", "bad.py:MyReno", "TypeError: .*missing 1 required"),
        (
            RENO + "    def on_start(self, setup):\n        pass\n",
            "bad.py:MyReno",
            "AttributeError: .*no attribute 'cwnd'",
        ),
    ],
)
def test_unwritable_output_is_refused_before_the_run(chain: Path, text: str, name: str, expected: str) -> None:
    (chain.parent / "bad.py").write_text(text)
    scenario = hoplab.Scenario.from_toml(chain, {"flow.controller": name})
    with pytest.raises(hoplab.ControllerError, match=f"(?s)failed before the run: .*{expected}"):
        hoplab.run(scenario)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"flow.controller": "nowhere.py:MyReno"}, "file not found"),
        ({"flow.controller": "mine.py"}, 'add the class: "mine.py:NAME"'),
        ({"flow.controller": "python:MyReno"}, "is not a registered controller"),
        ({"flow.controller": "mine.py:MyReno", "flow.transport": "vegas"}, 'transport = "vegas"'),
    ],
)
def test_a_wrong_name_is_a_wrong_scenario(chain: Path, changes: dict[str, str], expected: str) -> None:
    with pytest.raises(hoplab.ScenarioError) as raised:
        hoplab.Scenario.from_toml(chain, changes)
    assert expected in str(raised.value)


def test_what_is_no_controller_is_not_held() -> None:
    with pytest.raises(UsageError, match="is not a subclass"):
        controllers.register(int)  # type: ignore[arg-type]
    made = type("Made", (hoplab.Controller,), {})
    with pytest.raises(UsageError, match="Made: source not found"):
        controllers.register(made)
    scenario = hoplab.Scenario.from_text(CHAIN).with_({"flow.controller": "python:Gone@12"})
    with pytest.raises(hoplab.ControllerError, match="is not registered in this process"):
        hoplab.run(scenario)


def test_pacing_and_every_hook(chain: Path) -> None:
    (chain.parent / "all.py").write_text(
        RENO
        + """
    pace_s = 0.05

    def __init__(self):
        self.heard = set()

    def on_start(self, setup):
        super().on_start(setup)
        assert (setup.flow, setup.segment, setup.window, setup.is_rfc) == (0, 1460, 20, False)

    def on_established(self, ack):
        assert ack.acked == 0
        super().on_established(ack)

    def on_duplicate(self, now_s):
        assert now_s > 0

    def on_recovery_ack(self, ack):
        assert ack.newly_acked > 0

    def on_recovery_exit(self, cwnd):
        super().on_recovery_exit(cwnd)
"""
    )
    scenario = hoplab.Scenario.from_toml(chain, {"duration": "20 s"})
    paced = hoplab.run(scenario.with_({"flow.controller": "all.py:MyReno"}))[0]
    # 20 segments a second, and no more than that.
    assert paced.flows[0].segments_sent <= 20 * 20 + 1
    assert paced.flows[0].goodput_bps == pytest.approx(20 * 1460 * 8, rel=0.1)


KEEPS = """
    def on_loss(self, loss):
        before = self.ssthresh
        half = loss.window / 2.0
        self.ssthresh = max(math.floor(half), 2.0)
        self.cwnd = max(half, 1.0)
        if loss.is_timeout and loss.is_retransmission:
            self.ssthresh = before
"""
"""RFC 5681 section 3.1: a further timeout of a segment leaves the threshold."""


@pytest.mark.parametrize(
    "changes",
    [
        {"topology.hops": 8},
        {"routing.protocol": "aodv", "topology.hops": 5},
        {"flow.bytes": "100 kB"},
        {"tcp.ack_every": 4, "stream.slow_start": "standard"},
        {"radio.errors.model": "uniform_packet", "radio.errors.frame_error_rate": 0.1, "mac.ssrl": 2, "mac.slrl": 2},
    ],
    ids=["long", "aodv", "transfer", "thin", "lossy"],
)
def test_reno_in_python_runs_as_a_complete_connection(chain: Path, changes: dict[str, object]) -> None:
    (chain.parent / "keeps.py").write_text(RENO + KEEPS)
    scenario = hoplab.Scenario.from_toml(chain, {"flow.transport": "tcp_reno", "duration": "20 s", **changes})
    assert prints(scenario.with_({"flow.controller": "keeps.py:MyReno"})) == prints(scenario)


WORKLOAD = """duration = "20 s"

[topology]
kind = "chain"
hops = 2

[[workload]]
kind = "web"
from = 0
to = 2
count = 2
transport = "tcp_reno"
"""


def test_users_of_a_workload_have_controllers(chain: Path) -> None:
    (chain.parent / "keeps.py").write_text(RENO + KEEPS)
    web = hoplab.Scenario.from_text(WORKLOAD, path=str(chain))
    own = web.with_({"workload.0.controller": "keeps.py:MyReno"})
    assert prints(own) == prints(web)
    assert {flow.transport for flow in hoplab.run(own)[0].flows} == {"keeps.py:MyReno"}
    compared = hoplab.compare(own, ["tcp_reno", HeldReno.over("tcp_reno")], seeds=1)
    first, second = (compared.runs(name)[0] for name in compared.transports)
    assert first.fingerprint == prints(web)[0]
    assert {flow.transport for flow in second.flows} == {controllers.register(HeldReno)}
    with pytest.raises(InputError, match=r"requires a complete connection as the base(?s:.*)mine.py:MyReno\+tcp_reno"):
        hoplab.compare(web, ["mine.py:MyReno"], seeds=1)


def test_a_comparison_names_the_base_of_a_controller(chain: Path, tmp_path: Path, hoplab: CommandLine) -> None:
    out = tmp_path / "out"
    names = "new_reno,tcp_reno,mine.py:MyReno,mine.py:MyReno+tcp_reno,mine.py:MyReno+sack"
    answer = hoplab("compare", chain, "-t", names, "--seeds", "2", "--json", "--out", out)
    assert answer.code == 0, answer.err
    prints: dict[str, list[str]] = {}
    for line in answer.out.splitlines():
        run = json.loads(line)
        prints.setdefault(run["point"]["transport"], []).append(run["fingerprint"])
    assert prints["mine.py:MyReno"] == prints["new_reno"]
    assert prints["mine.py:MyReno+tcp_reno"] == prints["tcp_reno"] != prints["new_reno"]
    stored = package.open_comparison(out)
    assert [*stored.names.values()][2:] == ["MyReno", "MyReno+tcp_reno", "MyReno+sack"]
    assert families_of(["mine.py:MyReno", "mine.py:MyReno+tcp_reno"]) == (
        ["mine.py:MyReno"],
        ["mine.py:MyReno+tcp_reno"],
    )
    for wrong in ("mine.py:MyReno+tcp_renno", "mine.py:MyReno+vegas", "mine.py:MyReno+quinn_cubic"):
        answer = hoplab("compare", chain, "-t", wrong)
        assert answer.code != 0
        assert "unknown base" in answer.err
        assert "tcp_reno" in answer.err


@pytest.mark.parametrize("base", ["new_reno", "tcp_reno"])
def test_a_pause_of_the_object_is_a_pause(chain: Path, base: str) -> None:
    text = RENO + "    def on_start(self, setup):\n        super().on_start(setup)\n        self.pace_s = 0.05\n"
    (chain.parent / "object.py").write_text(text)
    (chain.parent / "class.py").write_text(RENO + "    pace_s = 0.05\n")
    (chain.parent / "late.py").write_text(text.replace("on_start", "on_established").replace("setup", "ack"))
    scenario = hoplab.Scenario.from_toml(chain, {"duration": "20 s", "flow.transport": base})
    [of_object, of_class] = [
        prints(scenario.with_({"flow.controller": f"{name}.py:MyReno"})) for name in ("object", "class")
    ]
    assert of_object == of_class
    sent = hoplab.run(scenario.with_({"flow.controller": "object.py:MyReno"}))[0].flows[0].segments_sent
    assert 395 <= sent <= 401
    with pytest.raises(
        hoplab.ControllerError, match=r"pace_s is set for the first time after on_start: set it on the cl"
    ):
        hoplab.run(scenario.with_({"flow.controller": "late.py:MyReno"}))


MODEL = """import hoplab


class Model(hoplab.Controller):
    owns_window = True

    def on_start(self, setup):
        super().on_start(setup)
        assert setup.is_connection
        assert (setup.segment, setup.initial_window, setup.window) == (1448, 10, 6_000_000 // 1448)
        self.pace_s, self.rate, self.heard = 0.0, 0.0, 0

    def on_ack(self, ack):
        raise AssertionError("samples come instead")

    def on_recovery_ack(self, ack):
        raise AssertionError("samples come instead")

    def on_sample(self, sample):
        assert sample.newly_delivered > 0
        assert sample.rtt_s is None or sample.rtt_s > 0
        self.heard += 1
        if sample.rate_bps and not sample.is_app_limited:
            self.rate = max(self.rate, sample.rate_bps)
        if self.rate and sample.srtt_s:
            self.cwnd = max(2.0, 1.2 * self.rate * sample.srtt_s / 8 / self.setup.segment)
            self.pace_s = 8 * self.setup.segment / self.rate

    def on_loss(self, loss):
        self.rate *= 0.8
"""


def test_a_model_of_the_path_sets_window_and_pace(chain: Path) -> None:
    (chain.parent / "model.py").write_text(MODEL)
    changes = {"flow.transport": "tcp_reno", "flow.controller": "model.py:Model", "duration": "20 s"}
    scenario = hoplab.Scenario.from_toml(chain, changes)
    runs = hoplab.run(scenario, seeds=3)
    reno = hoplab.run(scenario.with_({"flow.controller": "none"}), seeds=3)
    for ours, theirs in zip(runs, reno, strict=True):
        assert ours.flows[0].goodput_bps > 0.7 * theirs.flows[0].goodput_bps
        assert (ours.flows[0].delay_mean_s or 0.0) < (theirs.flows[0].delay_mean_s or 0.0)
    (chain.parent / "model.py").write_text("import hoplab\nclass Model(hoplab.Controller):\n    owns_window = True\n")
    with pytest.raises(hoplab.ScenarioError, match=r"owns_window without on_ack needs transport = .tcp_reno"):
        hoplab.run(scenario.with_({"flow.transport": "new_reno"}))


EVERY_EVENT = """
    def on_slow_start_exit(self):
        super().on_slow_start_exit()

    def on_sample(self, sample):
        self.ssthresh += sample.has_echo + (sample.newly_lost > sample.in_flight + 100)

    def on_established(self, ack):
        super().on_established(ack)
        self.cwnd += ack.is_cwnd_limited

    def on_recovery_ack(self, ack):
        super().on_recovery_ack(ack)

    def on_recovery_exit(self, cwnd):
        super().on_recovery_exit(cwnd)

    def on_syn_lost(self):
        super().on_syn_lost()

    def on_timeout(self, loss):
        super().on_timeout(loss)
        self.ssthresh += loss.is_retransmission
"""


@pytest.mark.parametrize("base", ["new_reno", "tcp_reno"])
def test_every_event_is_called(chain: Path, hoplab: CommandLine, base: str) -> None:
    (chain.parent / "every.py").write_text(RENO + EVERY_EVENT)
    lossy = ("--set", "radio.errors.model=uniform_packet", "--set", "radio.errors.frame_error_rate=0.15")
    controller = ("--set", f"flow.transport={base}", "--set", "flow.controller=every.py:MyReno")
    answer = hoplab("run", chain, *lossy, "--set", "duration=20 s", *controller, "--json")
    assert (answer.code, answer.err) == (0, "")
    assert json.loads(answer.out)["flows"][0]["timeouts"] > 0


@pytest.mark.parametrize(
    ("method", "advice"),
    [("on_losss", "did you mean on_loss?"), ("on_recovered", "did you mean on_recovery_"), ("on_xyz", "events are ")],
)
def test_a_method_that_no_event_calls_is_named(method: str, advice: str, chain: Path, hoplab: CommandLine) -> None:
    with pytest.warns(HoplabWarning, match=rf"Typo\.{method}: no event calls this method; {re.escape(advice)}"):
        type("Typo", (package.Controller,), {method: lambda _, __: None})
    (chain.parent / "typo.py").write_text(RENO.replace("on_loss", method))
    answer = hoplab("run", chain, "--set", "flow.controller=typo.py:MyReno")
    assert answer.code == 0
    assert answer.err.startswith(f"warning: MyReno.{method}: no event calls this method; {advice}")


def test_only_the_class_in_use_is_warned_of_once(chain: Path, hoplab: CommandLine) -> None:
    text = "".join(
        f"class {name}({base}):\n    def on_{name.lower()}k(self, ack): pass\n"
        for name, base in (("A", "hoplab.Controller"), ("B", "hoplab.Controller"), ("C", "A"))
    )
    (chain.parent / "several.py").write_text(f"import hoplab\n{text}")
    warned = hoplab("compare", chain, "-t", "several.py:C,new_reno", "--seeds", "2").err.splitlines()
    assert [line.split(":")[1] for line in warned if "no event" in line] == [" C.on_ck", " A.on_ak"]


def test_workers_are_sent_the_classes_that_are_held() -> None:
    rebuilt, arguments = CoreRunner().__reduce__()
    name = controllers.register(HeldReno)
    held = dict(arguments[0]) | {name: HeldReno}
    runner = rebuilt(held)
    found: list[str] = []
    task = Task("id", CHAIN, "chain.toml", (("flow.controller", f'"{name}"'),), 1, None)
    runner.run([task], 1, lambda _, text, __: found.append(text))
    assert name in found[0]


DRAWN = """\
duration = "10 s"

[topology]
kind = "grid"
columns = 3

[traffic]
kind = "tcp"
pairs = "ring"
connections = 3
start_window = "1 s"
transport = "new_reno"
"""


def test_drawn_flows_have_controllers_too(chain: Path) -> None:
    drawn = hoplab.Scenario.from_text(DRAWN, path=str(chain))
    assert prints(drawn.with_({"traffic.controller": "mine.py:MyReno"})) == prints(drawn)
    compared = hoplab.compare(drawn, ["new_reno", HeldReno, "vegas"], seeds=2)
    held = compared.transports[1]
    runs = {name: [run.fingerprint for run in compared.runs(name)] for name in compared.transports}
    assert runs[held] == runs["new_reno"] != runs["vegas"]
    assert {flow.transport for flow in compared.runs(held)[0].flows} == {held}
    taken = hoplab.compare(drawn.with_({"traffic.controller": "mine.py:MyReno"}), ["vegas"], seeds=2)
    assert [run.fingerprint for run in taken.runs("vegas")] == runs["vegas"]


def test_a_file_of_flows_has_controllers_for_its_connections(chain: Path) -> None:
    written = Path(__file__).parents[2] / "crates" / "hoplab" / "tests" / "traffic" / "cbr.tcl"
    (chain.parent / "flows.tcl").write_text(written.read_text().replace("56.333", "3.0"))
    text = DRAWN.partition("[traffic]")[0] + '[traffic]\nfile = "flows.tcl"\ntransport = "new_reno"\n'
    drawn = hoplab.Scenario.from_text(text, path=str(chain))
    assert prints(drawn.with_({"traffic.controller": "mine.py:MyReno"})) == prints(drawn)
    flows = hoplab.run(drawn.with_({"traffic.controller": "mine.py:MyReno"}))[0].flows
    assert [flow.transport for flow in flows] == ["udp", "mine.py:MyReno"]


def test_datagrams_beside_listed_flows_stay_datagrams(chain: Path) -> None:
    traffic = '\n[traffic]\nkind = "cbr"\nrate = "8 kb/s"\nconnections = 2\nstart_window = "1 s"\n'
    mixed = hoplab.Scenario.from_text(CHAIN + traffic, path=str(chain))
    compared = hoplab.compare(mixed, ["vegas", HeldReno], seeds=1)
    for name in compared.transports:
        first, *rest = compared.runs(name)[0].flows
        assert first.transport == name
        assert {flow.transport for flow in rest} == {"udp"}


def test_changed_controller_file_changes_the_run_id(chain: Path) -> None:
    def canonical(name: str = "mine.py:MyReno") -> str:
        return str(CoreRunner().resolve(DRAWN, str(chain), [("traffic.controller", f'"{name}"')])["canonical"])

    before = canonical()
    assert canonical("none") == CoreRunner().resolve(DRAWN, str(chain), [])["canonical"] != before
    (chain.parent / "mine.py").write_text(RENO + "\n# another\n")
    assert canonical() != before


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"traffic.controller": "nowhere.py:MyReno"}, "file not found"),
        ({"traffic.controller": "mine.py:MyReno", "traffic.transport": "vegas"}, 'transport = "vegas"'),
        ({"traffic.controller": "mine.py:MyReno", "traffic.kind": "cbr", "traffic.rate": 8000}, "traffic.controller"),
    ],
)
def test_a_wrong_name_for_drawn_flows_is_a_wrong_scenario(
    chain: Path, changes: dict[str, object], expected: str
) -> None:
    drawn = hoplab.Scenario.from_text(DRAWN.replace('transport = "new_reno"\n', ""), path=str(chain))
    with pytest.raises(hoplab.ScenarioError) as raised:
        drawn.with_(changes)
    assert expected in str(raised.value)


NOTEBOOK = """
import hoplab

CHAIN = hoplab.Scenario.from_text({chain!r})


class Calm(hoplab.Controller):
    step = 1.0

    def on_ack(self, ack):
        self.cwnd += self.step


class Hasty(Calm):
    step = 2.0
"""


def test_classes_of_notebook_cells_have_distinct_names() -> None:
    """As IPython defines them: in a `__main__` without a file, each cell a file that only `linecache` knows."""
    import linecache
    import sys
    from types import ModuleType

    def names(text: str, cell: str) -> list[str]:
        main = ModuleType("__main__")
        linecache.cache[cell] = (len(text), None, text.splitlines(keepends=True), cell)
        before, sys.modules["__main__"] = sys.modules["__main__"], main
        try:
            exec(compile(text, cell, "exec"), main.__dict__)
            return [controllers.register(main.__dict__[name]) for name in ("Calm", "Hasty")]
        finally:
            sys.modules["__main__"] = before

    text = NOTEBOOK.format(chain=CHAIN)
    first = names(text, "<cell 1>")
    assert len(set(first)) == 2
    assert names(text, "<cell 2>") == first
    for changed in (text.replace("step = 2.0", "step = 3.0"), text.replace("+= self.step", "+= 2 * self.step")):
        again = names(changed, "<cell 3>")
        assert again[1] != first[1]
