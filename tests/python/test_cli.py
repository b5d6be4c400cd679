"""What commands print, with a stand-in for the engine."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import typer
from fakes.command_line import CommandLine

pytestmark = pytest.mark.usefixtures("fake_engine")


def test_run_prints_a_table(hoplab: CommandLine, chain: Path) -> None:
    answer = hoplab("run", "chain.toml", "--seeds", "2")
    assert answer.code == 0
    assert answer.err == ""
    title, _, table = answer.out.partition("\n\n")
    assert title == "fake: 2 seeds (1..2); mean \N{PLUS-MINUS SIGN} 95 % interval, n = 2"
    table, _, rest = table.partition("\n\n")
    *headings, row = table.split("\n")
    words = "flow from to transport Goodput (kb/s) Retransmissions (segments) Timeouts Mean delay (ms) Mean window"
    assert sorted(" ".join(headings).split()) == sorted([*words.split(), "(segments)"])
    plus = row.replace("\N{PLUS-MINUS SIGN}", "+-")
    assert " ".join(plus.split()) == "0 0 4 new_reno 251.5 +- 6.4 4.0 +- 0.0 1.0 +- 0.0 50.0 +- 0.0 6.50 +- 0.00"
    assert len(row) <= 91
    assert rest == (
        "frames per run   rts 10, cts 9, data 8, ack 8\n"
        "drops per run    mac_retry 3\n"
        "engine           2000 events, 0.02 s of CPU for 20 s simulated\n"
    )


def test_one_seed_is_reported_without_interval(hoplab: CommandLine, chain: Path) -> None:
    answer = hoplab("run", "chain.toml")
    assert "n = 1, no interval; add --seeds 10" in answer.out
    assert "\N{PLUS-MINUS SIGN}" not in answer.out
    assert "fingerprint      0000000000000001" in answer.out


def test_json_is_one_object_per_seed_and_line(hoplab: CommandLine, chain: Path) -> None:
    answer = hoplab("run", "chain.toml", "--json", "--seeds", "3..5")
    runs = [json.loads(line) for line in answer.out.splitlines()]
    assert [run["seed"] for run in runs] == [3, 4, 5]
    assert runs[0]["flows"][0]["goodput_bps"] == 253000.0


def test_set_reaches_the_engine_as_typed(hoplab: CommandLine, chain: Path) -> None:
    answer = hoplab("run", "chain.toml", "--json", "--set", "topology.hops=2", "--set", "flow.transport=vegas")
    (flow,) = json.loads(answer.out)["flows"]
    assert (flow["dst"], flow["transport"]) == (2, "vegas")


def test_out_gets_results_and_a_report(hoplab: CommandLine, chain: Path, tmp_path: Path) -> None:
    answer = hoplab("run", "chain.toml", "--seeds", "2", "--out", "deep/results")
    assert answer.code == 0
    assert answer.err == "report and tables: deep/results\n"
    names = sorted(path.name for path in (tmp_path / "deep/results").iterdir())
    assert names == [
        "checksums.json",
        "drops.csv",
        "drops.parquet",
        "flows.csv",
        "flows.parquet",
        "provenance.json",
        "report.html",
        "runs.jsonl",
        "scenario.toml",
        "series.csv",
        "series.parquet",
    ]


def test_compare_pairs_transports_by_seed(hoplab: CommandLine, chain: Path) -> None:
    answer = hoplab("compare", "chain.toml", "-t", "new_reno,vegas", "--over", "topology.hops=1..2", "--seeds", "3")
    assert answer.code == 0
    lines = answer.out.splitlines()
    assert lines[0] == "vegas leads at hops = 1 and 2: goodput 1.0 to 2.0 % above new_reno."
    assert lines[1].startswith("In the mean over hops, vegas leads: goodput 1.")
    assert lines[2].startswith("2 paired t tests at settings and 1 of means, ")
    assert lines[4] == (
        "fake: mean \N{PLUS-MINUS SIGN} 95 % interval of 3 seeds, all transports on the same seeds; "
        "differences are paired by seed"
    )
    assert lines[9].split("  ")[0] == "topology.hops"
    assert len(lines) == 14
    assert lines[11].endswith("10.0 \N{PLUS-MINUS SIGN} 0.0")  # the stand-in gives vegas 10 kb/s more on every seed


def test_compare_json_names_the_point(hoplab: CommandLine, chain: Path) -> None:
    answer = hoplab("compare", "chain.toml", "-t", "sack", "--over", "topology.hops=2,3", "--seeds", "1", "--json")
    points = [json.loads(line)["point"] for line in answer.out.splitlines()]
    assert points == [{"transport": "sack", "topology.hops": 2}, {"transport": "sack", "topology.hops": 3}]


def test_warnings_go_to_stderr_unless_quiet(hoplab: CommandLine, chain: Path) -> None:
    args = ["run", "chain.toml", "--set", "flow.window=1"]
    assert hoplab(*args).err == "warning: flow 0 has a window of one segment\n"
    assert hoplab(*args, "-q").err == ""
    assert hoplab("-q", *args).err == ""


def test_identical_runs_of_seeds_give_a_warning(hoplab: CommandLine, chain: Path) -> None:
    answer = hoplab("run", "chain.toml", "--set", "name=still", "--seeds", "3")
    assert answer.err.startswith("warning: seeds 1, 2, 3 yield identical runs")


def test_list_shows_every_family(hoplab: CommandLine) -> None:
    answer = hoplab("list")
    assert answer.out.startswith(
        "transports (flow.transport)\n  udp       what udp does\n  new_reno  what new_reno does\n"
    )
    assert [line for line in answer.out.splitlines() if line and not line.startswith(" ")] == [
        "transports (flow.transport)",
        "topologies (topology.kind)",
        "routing (routing.protocol)",
        "applications (flow.app)",
        "propagation (radio.propagation)",
    ]
    assert "sack" in json.loads(hoplab("list", "--json").out)["transports"][2]["name"]
    assert hoplab("list", "transport").code == 3


def test_show_gives_facts_and_link_budget(hoplab: CommandLine, chain: Path) -> None:
    out = hoplab("show", "chain.toml").out
    assert out.startswith(
        "fake: 5 nodes (chain), connected, mean degree 1.6\nreception range 250 m, carrier sense 550 m, two_ray\n"
    )
    row = out.splitlines()[-1].split()
    # two-ray ground: 0.28183815 * 1.5^4 / 200^4 W is 8.9e-10 W; the threshold of 3.652e-10 W lies 3.9 dB below
    assert row == ["200", "4", "-60.5", "+3.9", "+17.6"]


def test_show_resolved_is_a_scenario_file_again(hoplab: CommandLine, chain: Path, tmp_path: Path) -> None:
    import tomllib

    out = hoplab("show", "chain.toml", "--resolved").out
    assert tomllib.loads(out)["topology"]["hops"] == 4
    assert out.startswith("# fake: 5 nodes")


def test_show_schema_is_json(hoplab: CommandLine) -> None:
    assert "properties" in json.loads(hoplab("show", "--schema").out)
    assert hoplab("show", "x.toml", "--schema").code == 2


def test_doctor_lists_what_is_there_and_how_to_get_the_rest(hoplab: CommandLine) -> None:
    answer = hoplab("doctor")
    assert answer.code == 0
    assert "0.0.0-fake" in answer.out
    checks = {check["name"]: check for check in map(json.loads, hoplab("doctor", "--json").out.splitlines())}
    assert checks["numpy"]["state"] == "ok"
    assert all(check["remedy"] for check in checks.values() if check["state"] != "ok")


def test_every_extra_that_doctor_offers_is_there_and_is_used() -> None:
    from hoplab.base.errors import EVIDENCE
    from hoplab.cli.commands.setup.doctor import OPTIONAL_PACKAGES

    root = Path(__file__).parents[2]
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = set(project["optional-dependencies"])
    assert set(OPTIONAL_PACKAGES.values()) == extras - {"dev", "docs"}
    folders = (root / "python", root / "docs", root / "tests")
    texts = "".join(
        path.read_text(encoding="utf-8")
        for folder in folders
        for kind in ("py", "md")
        for path in folder.rglob(f"*.{kind}")
    )
    for package in OPTIONAL_PACKAGES.keys() - {EVIDENCE}:  # test_evidence.py has its commands
        assert re.search(rf"^\s*(import|from) {package}\b", texts, re.MULTILINE), package


def test_doctor_without_engine_fails(hoplab: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "hoplab._core", None)
    answer = hoplab("doctor")
    assert answer.code == 70
    assert "missing" in answer.out


def test_help_and_version(hoplab: CommandLine) -> None:
    assert hoplab("--help").code == 0
    assert "Commands:" in hoplab("-h").out
    assert hoplab("--version").out.startswith("hoplab ")
    assert "compare" in hoplab().out


def test_tables_wider_than_the_terminal_continue_below(monkeypatch: pytest.MonkeyPatch) -> None:
    from hoplab.cli.console import text_table

    header = ["transport", *(f"measure {k} of this run (kb/s)" for k in range(9))]
    rows = [["sack", *["1234.5 \N{PLUS-MINUS SIGN} 6.7"] * 9], ["vegas", *["-"] * 9]]
    whole = text_table(header, rows)
    assert [line.split()[0] for line in whole.splitlines()[-2:]] == ["sack", "vegas"]
    assert max(map(len, whole.splitlines())) > 80
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "60")
    folded = text_table(header, rows)
    assert max(map(len, folded.splitlines())) <= 60
    parts = [part.splitlines() for part in folded.split("\n\n")]
    assert [[line.split()[0] for line in part[-2:]] for part in parts] == [["sack", "vegas"]] * 3
    assert folded.split().count("measure") == 9


def test_table_of_many_measures_fits_a_page_without_terminal() -> None:
    from hoplab.cli.console import PAGE, text_table

    header = ["hops", "transport", *(f"measure {k} of this run (kb/s)" for k in range(9)), "n"]
    two = [["4", name, *["12345.6 \N{PLUS-MINUS SIGN} 6789.0"] * 9, "3"] for name in ("sack", "vegas")]
    turned = text_table(header, two, left=2, most=PAGE).splitlines()
    assert [line.split()[0] for line in turned] == ["hops", "transport", *["measure"] * 9, "n"]
    assert turned[1].split() == ["transport", "sack", "vegas"]
    assert max(map(len, turned)) <= PAGE
    cut = text_table(header, two * 4, left=2, most=PAGE)
    assert max(map(len, cut.splitlines())) <= PAGE
    assert all(part.splitlines()[-1].startswith("4     vegas") for part in cut.split("\n\n"))
    assert text_table(header[:4], [row[:4] for row in two], most=PAGE) == text_table(
        header[:4], [row[:4] for row in two]
    ), "a table that fits stays as it is"


def test_every_help_line_fits_80_columns(hoplab: CommandLine) -> None:
    from hoplab.cli.table import every_command

    answer = hoplab("--help")
    lines = answer.out.split("Commands:\n")[1].split("\n\n")[0].splitlines()
    assert {line.split()[0] for line in lines} == {*every_command()}
    for line in lines:
        assert len(line) <= 80, line
        assert line.endswith("."), line
        assert not line.endswith("..."), line


def test_a_command_loads_its_own_module_alone() -> None:
    from hoplab.cli import asked_for
    from hoplab.cli.table import COMMANDS

    assert asked_for(["-q", "run", "list"]) is COMMANDS["run"]
    assert asked_for(["list", "transports"]) is COMMANDS["list"]
    assert asked_for(["listing"]) is asked_for(["--help"]) is asked_for([]) is None


def test_the_list_of_commands_has_their_own_words() -> None:
    from hoplab.cli import build_app
    from hoplab.cli.table import every_command

    program: Any = typer.main.get_command(build_app())
    assert {name: command.get_short_help_str(200) for name, command in program.commands.items()} == {
        command.name: command.summary for command in every_command().values()
    }
