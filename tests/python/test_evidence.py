"""The second distribution: its commands, its version, and the product without it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fakes.command_line import CommandLine

from hoplab.cli.table import COMMANDS, OF_EVIDENCE, every_command
from hoplab.report.record import RECORD, Record

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "evidence" / "pyproject.toml").read_text(encoding="utf-8"))["project"]
REMEDY = "hint: pip install ./evidence in the source directory, or hoplab with the extra: 'hoplab[evidence]'"


@pytest.fixture
def points(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Entry points of all distributions: none but those that a test adds."""
    found: list[Any] = []

    def entry_points(**wanted: str) -> Iterator[Any]:
        return (point for point in found if all(getattr(point, key) == value for key, value in wanted.items()))

    monkeypatch.setattr(metadata, "entry_points", entry_points)
    monkeypatch.setattr("hoplab.report.directory.entry_points", entry_points)
    return found


def test_its_entry_points_are_the_commands_that_the_product_names() -> None:
    found = [
        command.name
        for point in metadata.entry_points(group="hoplab.commands")
        if point.module.startswith(("hoplab_studies", "hoplab_validation"))
        for command in point.load()
    ]
    assert sorted(found) == sorted(OF_EVIDENCE)
    installed = {point.name: point.value for point in metadata.entry_points(group="hoplab.commands")}
    assert installed == PROJECT["entry-points"]["hoplab.commands"]


def test_it_is_of_the_products_version_and_asks_for_it() -> None:
    cargo = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))
    assert PROJECT["version"] == cargo["workspace"]["package"]["version"]
    assert f"hoplab=={PROJECT['version']}" in PROJECT["dependencies"]


@pytest.mark.parametrize("command", OF_EVIDENCE)
def test_without_it_its_commands_say_what_to_install(command: str, hoplab: CommandLine, points: list[Any]) -> None:
    answer = hoplab("-q", command, "--help")
    assert (answer.code, answer.out) == (69, "")
    words = f"hoplab {command} needs the package hoplab-evidence, which is not installed"
    assert answer.err == f"hoplab: {words}\n  {REMEDY}\n"


def test_without_it_help_has_the_products_commands_alone(hoplab: CommandLine, points: list[Any]) -> None:
    answer = hoplab("--help")
    lines = answer.out.split("Commands:\n")[1].split("\n\n")[0].splitlines()
    assert (answer.code, answer.err) == (0, "")
    assert [line.split()[0] for line in lines] == list(COMMANDS)


def test_without_it_an_unknown_command_stays_a_usage_error(hoplab: CommandLine, points: list[Any]) -> None:
    answer = hoplab("reproduced")
    assert answer.code == 2
    assert "No such command 'reproduced'" in answer.err


def test_without_it_a_shell_completes_the_products_commands(
    hoplab: CommandLine, points: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_HOPLAB_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "hoplab reproduce --")
    monkeypatch.setenv("COMP_CWORD", "2")
    with pytest.raises(SystemExit):
        hoplab()
    assert hoplab.capsys.readouterr().err == ""


def test_without_it_the_report_of_a_study_says_what_to_install(
    hoplab: CommandLine, points: list[Any], tmp_path: Path
) -> None:
    study = {"paper": "muzha", "figure": None, "quick": True, "seeds": 3}
    (tmp_path / RECORD).write_text(Record("reproduce", "hoplab reproduce muzha", study=study).to_json())
    answer = hoplab("report", ".")
    assert answer.code == 69
    assert ".: the report of a study needs the package hoplab-evidence, which is not installed" in answer.err
    assert REMEDY in answer.err


def test_a_distribution_that_cannot_be_loaded_is_left_out(hoplab: CommandLine, points: list[Any]) -> None:
    def load() -> None:
        raise ImportError("No module named 'hoplab_studies'")

    points.append(SimpleNamespace(group="hoplab.commands", name="studies", module="hoplab_studies.commands", load=load))
    answer = hoplab("--help")
    assert answer.code == 0
    assert answer.err == "warning: commands of hoplab_studies.commands are left out: No module named 'hoplab_studies'\n"


def test_a_command_of_the_product_cannot_be_replaced(points: list[Any]) -> None:
    other = SimpleNamespace(name="run", module="other", summary="Another.")
    own = SimpleNamespace(name="own", module="other", summary="Own.")
    points.append(SimpleNamespace(group="hoplab.commands", name="other", module="other", load=lambda: [other, own]))
    assert list(every_command()) == [*COMMANDS, "own"]
    assert every_command()["run"] is COMMANDS["run"]


def test_the_product_names_no_module_of_it() -> None:
    for path in (ROOT / "python" / "hoplab").rglob("*.py"):
        assert "hoplab_studies" not in path.read_text(encoding="utf-8"), path
        assert "hoplab_validation" not in path.read_text(encoding="utf-8"), path
