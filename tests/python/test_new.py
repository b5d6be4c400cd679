"""`hoplab new`, shell completion and the man page."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from fakes.command_line import CommandLine
from fakes.tools import INSTALL, needs

from hoplab.base.engine import scenario_schema
from hoplab.cli.commands.setup.new import TEMPLATES, examples
from hoplab.scenario.model import Scenario

MAN_PAGE = Path(__file__).parents[2] / "packaging/hoplab.data/data/share/man/man1/hoplab.1"


@pytest.mark.parametrize("kind", TEMPLATES)
def test_template_runs_without_warning(hoplab: CommandLine, kind: str) -> None:
    assert hoplab("new", kind, "mine.toml").code == 0
    answer = hoplab("run", "mine.toml", "--set", "duration=22 s", "--seeds", "2")
    assert (answer.code, "warning" in answer.err) == (0, False)
    assert '"mine"' in Path("mine.toml").read_text()


@pytest.mark.parametrize("kind", TEMPLATES)
def test_commands_at_the_end_of_a_template_are_accepted(hoplab: CommandLine, kind: str) -> None:
    hoplab("new", kind)
    text = Path(f"{kind}.toml").read_text()
    commands = [line.removeprefix("#   hoplab ") for line in text.splitlines() if line.startswith("#   hoplab ")]
    assert commands
    for command in commands:
        shorter = command.replace("--seeds 10", "--seeds 2").split()
        answer = hoplab(*shorter, "--set", "duration=22 s")
        assert answer.code == 0, (command, answer.err)


def test_hidden_template_shows_hidden_terminals(hoplab: CommandLine) -> None:
    hoplab("new", "hidden")
    answer = hoplab("explain", "hidden.toml")
    assert "with a hidden terminal" in answer.out


def test_every_template_is_in_the_list() -> None:
    folder = Path(sys.modules[Scenario.__module__].__file__ or "").parent / "templates"
    assert sorted(path.stem for path in folder.glob("*.toml")) == sorted(TEMPLATES)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["new", "chian"], 2, "did you mean chain?"),
        (["new", "street"], 2, "expected one of chain, mesh, hidden, gateway, scenarios"),
        (["new", "scenario"], 2, "did you mean scenarios?"),
        (["new", "chain", "mine.txt"], 2, "ends in .toml"),
        (["new", "chain", 'a".toml'], 2, "letters, digits"),
        (["new", "chain", "none/mine.toml"], 74, "No such file or directory"),
        (["completion", "tcsh"], 2, "expected one of bash, zsh, fish"),
    ],
)
def test_wrong_arguments(hoplab: CommandLine, arguments: list[str], code: int, words: str) -> None:
    answer = hoplab(*arguments)
    assert answer.code == code
    assert words in answer.err


def test_existing_file_is_kept_without_force(hoplab: CommandLine) -> None:
    Path("chain.toml").write_text("mine")
    answer = hoplab("new", "chain")
    assert (answer.code, Path("chain.toml").read_text()) == (74, "mine")
    assert hoplab("new", "chain", "--force").code == 0
    assert Path("chain.toml").read_text() != "mine"


def test_scenarios_of_the_documentation_are_written(hoplab: CommandLine) -> None:
    assert hoplab("new", "scenarios").code == 0
    assert {path.name for path in Path("scenarios").iterdir()} == {file.name for file in examples()}
    assert {"chain.toml", "mesh.links.csv", "my_reno.py"} <= {file.name for file in examples()}
    assert hoplab("show", "scenarios/mesh.toml").code == 0


def test_changed_scenarios_are_kept_without_force(hoplab: CommandLine) -> None:
    hoplab("new", "scenarios", "mine")
    assert "wrote 0 files" in hoplab("new", "scenarios", "mine").err
    chain = Path("mine/chain.toml")
    shipped = chain.read_text()
    chain.write_text("mine")
    Path("mine/udp.toml").unlink()
    refused = hoplab("new", "scenarios", "mine")
    assert (refused.code, chain.read_text()) == (74, "mine")
    assert "mine/chain.toml: file exists" in refused.err
    assert "wrote 2 files" in hoplab("new", "scenarios", "mine", "--force").err
    assert chain.read_text() == shipped


def completed(line: str) -> list[str]:
    """What bash is offered at the end of a line."""
    words = {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split(" ")) - 1), "_HOPLAB_COMPLETE": "complete_bash"}
    done = subprocess.run(
        [sys.executable, "-m", "hoplab"], env=os.environ | words, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def test_completion_offers_commands_options_keys_and_names() -> None:
    assert completed("hoplab com") == ["compare", "completion"]
    assert completed("hoplab new g") == ["gateway"]
    assert "--seeds" in completed("hoplab run chain.toml --see")
    assert completed("hoplab run chain.toml --set mac.rts") == ["mac.rts_threshold="]
    assert completed("hoplab compare chain.toml --transports new_reno,west") == [
        "new_reno,westwood",
        "new_reno,westwood_plus",
    ]


def test_completed_keys_reach_tables_in_tables() -> None:
    assert completed("hoplab sweep chain.toml --over tcp.congestion.vegas.al") == ["tcp.congestion.vegas.alpha="]
    tables = {name for name, node in scenario_schema()["properties"].items() if node.get("type") != "string"}
    offered = {key.partition(".")[0].rstrip("=") for key in completed("hoplab run chain.toml --set ")}
    assert {"mac", "radio", "flow", "topology"} <= offered & tables


def test_bash_completes_with_the_printed_script(hoplab: CommandLine, tmp_path: Path) -> None:
    bash = needs("bash", "packages of every system have it")
    (tmp_path / "completion.sh").write_text(hoplab("completion", "bash").out)
    program = tmp_path / "hoplab"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m hoplab "$@"\n')
    program.chmod(0o755)
    script = (
        'PATH="$PWD:$PATH"; source completion.sh; COMP_WORDS=(hoplab rep); COMP_CWORD=1; '
        '_hoplab_completion hoplab rep hoplab; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run([bash, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["report", "reproduce"]


def test_man_page_formats_without_warning() -> None:
    done = subprocess.run(
        [needs("groff", INSTALL), "-man", "-Tutf8", "-ww", "-z", str(MAN_PAGE)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
