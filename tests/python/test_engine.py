"""The package on the real engine: the contract of `--json`, errors with file and line, determinism, Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import jsonschema
import pytest
from fakes.command_line import CommandLine

import hoplab as package
from hoplab.base.engine import registry, scenario_schema

CHAIN = """\
duration = "5 s"

[topology]
kind = "chain"
hops = 3
spacing = "200 m"

[[flow]]
transport = "new_reno"
"""
FLOW_FIELDS = {
    "id": int, "src": int, "dst": int, "transport": str, "goodput_bps": float, "unique_bps": float,
    "throughput_bps": float, "segments_sent": int, "retransmissions": int, "timeouts": int, "delay_mean_s": float,
    "cwnd_mean": float, "window_mean": float, "start_s": float,
}  # fmt: skip
RUN_FIELDS = {
    "seed": int, "flows": list, "drops": dict, "frames": dict, "events": int, "cpu_s": float, "sim_s": float,
    "fingerprint": str, "fingerprints": dict, "warnings": list, "scenario": str, "version": str,
}  # fmt: skip


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "chain.toml"
    path.write_text(CHAIN)
    return path


def test_json_has_every_field_of_the_contract(hoplab: CommandLine, file: Path) -> None:
    (run,) = [json.loads(line) for line in hoplab("run", "chain.toml", "--json").out.splitlines()]
    assert {key: type(run[key]) for key in RUN_FIELDS} == RUN_FIELDS
    (flow,) = run["flows"]
    assert set(FLOW_FIELDS) <= set(flow)
    assert all(isinstance(flow[key], kind | int if kind is float else kind) for key, kind in FLOW_FIELDS.items())
    assert set(run["frames"]) == {"rts", "cts", "data", "ack", "broadcast"}
    assert set(run["fingerprints"]) == {"phy", "mac", "net", "transport"}


def test_numbers_of_a_run_agree_with_each_other(file: Path) -> None:
    (run,) = package.run(package.Scenario.from_toml(file), series_interval_s=0.1)
    (flow,) = run.flows
    assert 0 < flow.goodput_bps <= flow.unique_bps <= flow.throughput_bps < 2e6
    assert flow.retransmissions <= flow.segments_sent
    assert flow.delay_mean_s is not None
    assert 0 < flow.delay_mean_s < 5
    assert flow.goodput_bps * 5 / 8 <= flow.segments_sent * 1460
    assert run.sim_s == 5.0
    assert len(run.series) >= 45
    assert run.series["cwnd"].min() > 0


def test_datagrams_have_no_window(file: Path) -> None:
    scenario = package.Scenario.from_toml(file).with_(
        {"flow.transport": "udp", "flow.app": "cbr", "flow.rate": 100e3, "flow.segment": 1000}
    )
    (run,) = package.run(scenario)
    assert run.flows[0].cwnd_mean is None
    assert run.flows[0].goodput_bps == pytest.approx(100e3, rel=0.02)


def test_threads_series_and_entry_point_change_nothing(hoplab: CommandLine, file: Path) -> None:
    scenario = package.Scenario.from_toml(file)
    one = package.run(scenario, seeds=4, threads=1)
    many = package.run(scenario, seeds=4, threads=3, series_interval_s=0.05)
    lines = hoplab("run", "chain.toml", "--seeds", "4", "--json").out.splitlines()
    prints = [run.fingerprint for run in one]
    assert prints == [run.fingerprint for run in many] == [json.loads(line)["fingerprint"] for line in lines]
    assert len(set(prints)) == 4
    assert one.flows["goodput_bps"].tolist() == many.flows["goodput_bps"].tolist()


def test_the_resolved_scenario_runs_the_same(hoplab: CommandLine, file: Path, tmp_path: Path) -> None:
    resolved = hoplab("show", "chain.toml", "--resolved").out
    (tmp_path / "again.toml").write_text(resolved)
    first, second = (json.loads(hoplab("run", name, "--json").out) for name in ("chain.toml", "again.toml"))
    assert first["fingerprint"] == second["fingerprint"]
    assert hoplab("show", "again.toml", "--resolved").out == resolved


def test_the_schema_accepts_what_the_engine_accepts(hoplab: CommandLine, file: Path) -> None:
    schema = json.loads(hoplab("show", "--schema").out)
    jsonschema.Draft202012Validator.check_schema(schema)
    resolved = tomllib.loads(hoplab("show", "chain.toml", "--resolved").out)
    jsonschema.validate(resolved, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**resolved, "nonsense": 1}, schema)


def test_every_registered_name_is_one_that_scenarios_take() -> None:
    named = {entry["name"] for entry in registry()["transports"]}
    assert {"udp", "tahoe", "reno", "new_reno", "sack", "vegas"} <= named
    assert all(entry["summary"] for family in registry().values() for entry in family)
    assert "topology" in scenario_schema()["properties"]


WRONG = {
    "unknown key": ("hops = 3", "hopps = 3", 5, "hops"),
    "bare number": ('spacing = "200 m"', "spacing = 200", 6, '"200 m"'),
    "bad unit": ('spacing = "200 m"', 'spacing = "200 parsec"', 6, "parsec"),
    "no hops": ("hops = 3", "hops = 0", 5, "hops"),
    "flow to itself": ("[[flow]]", "[[flow]]\nfrom = 1\nto = 1", 10, "source and destination"),
    "flow to nowhere": ("[[flow]]", "[[flow]]\nfrom = 0\nto = 99", 10, "99"),
    "negative rate": ("[[flow]]", '[[flow]]\napp = "cbr"\nrate = "-1 Mb/s"', 10, "-1 Mb/s"),
    "too many nodes": ("hops = 3", "hops = 1000000000", 5, "1000000000"),
    "unknown transport": ('"new_reno"', '"newreno"', 9, "new_reno"),
    "no TOML": ("[topology]", "[topology", 3, "topology"),
    "negative duration": ('duration = "5 s"', 'duration = "-5 s"', 1, "-5 s"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_a_wrong_scenario_ends_with_file_line_and_code_3(hoplab: CommandLine, file: Path, kind: str) -> None:
    old, new, line, word = WRONG[kind]
    file.write_text(CHAIN.replace(old, new))
    began = time.monotonic()
    answer = hoplab("run", "chain.toml")
    assert answer.code == 3, answer.err
    assert answer.out == ""
    assert answer.err.startswith("chain.toml:"), answer.err
    assert f"chain.toml:{line}: " in answer.err, answer.err
    assert word in answer.err
    assert "Traceback" not in answer.err
    assert time.monotonic() - began < 2


def test_a_wrong_override_names_itself(hoplab: CommandLine, file: Path) -> None:
    answer = hoplab("run", "chain.toml", "--set", "mac.ssrll=9")
    assert answer.code == 3
    assert answer.err.startswith("--set mac.ssrll: ")
    assert "mac.ssrl" in answer.err


def test_a_flow_without_a_path_is_a_warning(hoplab: CommandLine, file: Path) -> None:
    answer = hoplab("run", "chain.toml", "--set", "topology.spacing=300 m")
    assert answer.code == 0
    assert answer.err.startswith("warning: ")
    assert "no path" in hoplab("show", "chain.toml", "--set", "topology.spacing=300 m", "-q").out


@pytest.mark.parametrize("grace_s", [0.5, 1.5])
def test_ctrl_c_ends_at_once_with_130(file: Path, grace_s: float) -> None:
    command = [sys.executable, "-m", "hoplab", "run", str(file), "--set", "duration=100000 s", "--seeds", "4"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        time.sleep(grace_s)  # somewhere between start-up and the middle of a run
        assert process.poll() is None
        began = time.monotonic()
        os.kill(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=10)
        assert time.monotonic() - began < 2
    # Interrupted inside an `exec` (dataclasses use it while modules load), Python ends itself by the signal whatever
    # the program does; a shell sees 130 both ways.
    assert process.returncode in {130, -signal.SIGINT}
    assert out == ""
    assert "Traceback" not in err


def test_one_plain_message_without_a_terminal_home_or_color(file: Path) -> None:
    environment = {key: value for key, value in os.environ.items() if key != "HOME"} | {"NO_COLOR": "1"}
    command = [sys.executable, "-m", "hoplab", "run", "chain.toml", "--seeds", "2"]
    done = subprocess.run(command, cwd=file.parent, env=environment, capture_output=True, text=True, check=True)
    assert "\x1b" not in done.stdout + done.stderr
    assert done.stderr == ""
    assert "new_reno" in done.stdout


def test_the_demo_study_in_small(hoplab: CommandLine, tmp_path: Path) -> None:
    answer = hoplab("demo", "--seeds", "2", "--hops", "2,4", "-q")
    assert answer.code == 0
    assert "NewReno" in answer.out
    page = (tmp_path / "hoplab-demo" / "report.html").read_text()
    assert len(page) < 5_000_000
    assert "cwnd-4" in page
    assert answer.out.rstrip().endswith(f"report: {tmp_path}/hoplab-demo/report.html")
    assert hoplab("demo", "--seeds", "2", "--hops", "2").code == 74
