"""Golden tests: exact message and exit code of every user error before the engine runs.

A fake engine replaces the real one, so that only messages of the Python package are compared.
"""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from fakes.command_line import CommandLine

from hoplab.base.errors import InputError
from hoplab.base.metrics import metric_of
from hoplab.scenario.model import read_file

pytestmark = pytest.mark.usefixtures("fake_engine")


def test_missing_file_suggests_similar_names(hoplab: CommandLine, chain: Path) -> None:
    answer = hoplab("run", "chian.toml")
    assert answer.code == 3
    assert answer.out == ""
    assert answer.err == "hoplab: chian.toml: file not found\n  hint: did you mean chain.toml?\n"


def test_missing_file_lists_scenario_files(hoplab: CommandLine, chain: Path) -> None:
    answer = hoplab("show", "zzz")
    assert answer.code == 3
    assert answer.err == "hoplab: zzz: file not found\n  hint: scenario files in .: chain.toml\n"


def test_missing_directory_is_named(hoplab: CommandLine) -> None:
    answer = hoplab("run", "no/such.toml")
    assert answer.code == 3
    assert answer.err == "hoplab: no/such.toml: file not found\n  hint: directory no not found\n"


def test_directory_is_not_a_scenario(hoplab: CommandLine, chain: Path) -> None:
    answer = hoplab("run", ".")
    assert answer.code == 3
    assert answer.err == (
        "hoplab: .: is a directory, expected a scenario file\n  hint: scenario files in .: chain.toml\n"
    )


def test_binary_file_is_not_a_scenario(hoplab: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_bytes(b"a = \xff\n")
    answer = hoplab("run", "x.toml")
    assert answer.code == 3
    assert answer.err == "hoplab: x.toml: not UTF-8 text (byte 4), expected a scenario file\n"


def test_engine_errors_are_printed_unchanged(hoplab: CommandLine, chain: Path) -> None:
    answer = hoplab("run", "chain.toml", "--set", "topology.hops=0")
    assert answer.code == 3
    assert answer.err == "chain.toml:3: topology.hops is 0: expected a count of at least 1\n"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            ["run", "chain.toml", "--set", "mac.ssrl"],
            "hoplab: --set: invalid value 'mac.ssrl'\n  hint: expected KEY=VALUE, such as --set mac.ssrl=9\n",
        ),
        (
            ["run", "chain.toml", "--seeds", "many"],
            (
                "hoplab: seeds: invalid value 'many'\n"
                '  hint: expected a count ("10"), a range with both ends ("3..7") or a list ("1,4,9")\n'
            ),
        ),
        (
            ["run", "chain.toml", "--seeds", "9..3"],
            "hoplab: seeds '9..3': range is descending\n  hint: write 3..9\n",
        ),
        (
            ["run", "chain.toml", "--seeds", "2,2"],
            "hoplab: seed 2 is duplicate: its run would repeat the first\n",
        ),
        (
            ["compare", "chain.toml", "--transports", "sack", "--over", "topology.hops"],
            (
                "hoplab: --over: invalid value 'topology.hops'\n"
                "  hint: expected KEY=FIRST..LAST or KEY=A,B,C, such as --over topology.hops=1..8\n"
            ),
        ),
        (
            ["compare", "chain.toml", "--transports", "sack", "--over", "topology.hops=8..1"],
            "hoplab: --over topology.hops=8..1: range is descending\n  hint: write topology.hops=1..8\n",
        ),
        (
            ["compare", "chain.toml", "--transports", "sack,sack"],
            "hoplab: transports: duplicate name sack\n",
        ),
        (
            ["compare", "chain.toml", "--transports", ","],
            (
                "hoplab: --transports (-t): no names\n"
                "  hint: such as -t new_reno,vegas; hoplab list transports prints all names\n"
            ),
        ),
        (
            ["compare", "chain.toml"],
            (
                "hoplab: --transports (-t): no names\n"
                "  hint: such as -t new_reno,vegas; hoplab list transports prints all names\n"
            ),
        ),
        (
            ["run", "chain.toml", "--seed", "5"],
            (
                "hoplab: No such option: --seed (Possible options: --seeds, --set)\n"
                "  hint: seed 5 alone is --seeds 5..5; seeds 5 to 9 are --seeds 5..9\n"
            ),
        ),
        (["show"], "hoplab: FILE: missing\n  hint: name a scenario file, or add --schema\n"),
        (["run"], "hoplab: Missing argument 'FILE'.\n  hint: hoplab run --help\n"),
    ],
)
def test_usage_errors(hoplab: CommandLine, chain: Path, args: list[str], message: str) -> None:
    answer = hoplab(*args)
    assert (answer.code, answer.err, answer.out) == (2, message, "")


def test_an_unknown_command_and_option_are_usage_errors(hoplab: CommandLine) -> None:
    for args in (["rum"], ["run", "--sedes", "3"]):
        answer = hoplab(*args)
        assert answer.code == 2
        assert answer.err.startswith("hoplab: No such ")
        assert "Traceback" not in answer.err


def test_an_unknown_transport_names_the_nearest(hoplab: CommandLine, chain: Path) -> None:
    answer = hoplab("compare", "chain.toml", "--transports", "new_reno,vegass")
    assert answer.code == 3
    assert answer.err == (
        "hoplab: unknown transport 'vegass'\n  hint: did you mean vegas? hoplab list transports prints all names\n"
    )
    answer = hoplab("compare", "chain.toml", "--transports", "xyz")
    assert answer.err == (
        "hoplab: unknown transport 'xyz', expected udp, new_reno, sack, vegas\n"
        "  hint: hoplab list transports prints all names\n"
    )


def test_controller_file_without_class_names_its_classes(hoplab: CommandLine, chain: Path) -> None:
    text = "import hoplab\nclass A(hoplab.Controller): pass\nclass B(A): pass\nclass Other: pass\n"
    (chain.parent / "mine.py").write_text(text)
    (chain.parent / "none.py").write_text("x = 1\n")
    (chain.parent / "broken.py").write_text("raise ValueError('oh')\n")

    def said(name: str) -> str:
        answer = hoplab("compare", "chain.toml", "-t", f"{name}.py")
        assert answer.code == 3
        return answer.err

    assert said("mine") == "hoplab: mine.py: no class name\n  hint: add it: mine.py:A or mine.py:B\n"
    assert said("none") == "hoplab: none.py: no class name, and no subclass of hoplab.Controller in the file\n"
    assert said("broken") == "hoplab: broken.py: ValueError: oh (broken.py, line 1)\n"
    assert said("no") == (
        "hoplab: no.py: file not found\n  hint: expected a Python file and a class, such as mine.py:MyReno\n"
    )


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("topology:\n  kind: chain\n", "x:1: YAML"),
        ("# a comment\n\n---\ntopology: {}\n", "x:3: YAML"),
        ('{"topology": {"kind": "chain"}}', "x:1: JSON"),
        ('\n  {\n"flow": []}', "x:2: JSON"),
    ],
)
def test_other_syntax_than_toml_is_named(text: str, found: str, hoplab: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "x").write_text(text)
    answer = hoplab("run", "x")
    assert (answer.code, answer.err.splitlines()[0]) == (3, f"hoplab: {found}, expected TOML")
    assert "[topology]" in answer.err


@pytest.mark.parametrize("text", ['"a: b" = 1\n', "a.b = 1\n", "[x]\ny = 'z: 1'\n", "", "# {\n", "a = [\n{},\n]"])
def test_toml_is_not_taken_for_another_syntax(text: str, tmp_path: Path) -> None:
    (tmp_path / "x").write_text(text)
    assert read_file(tmp_path / "x") == text


def test_export_of_a_scenario_says_what_it_takes(hoplab: CommandLine, chain: Path) -> None:
    answer = hoplab("export", "chain.toml")
    assert answer.code == 3
    assert answer.err == (
        "hoplab: chain.toml: is a file, expected a directory of results\n  hint: from a scenario: "
        "hoplab export chain.toml --setdest OUT or --links OUT; tables: run hoplab sweep first\n"
    )
    answer = hoplab("query", "SELECT 1", "chain.toml")
    assert answer.err.splitlines()[0] == "hoplab: chain.toml: is a file, expected a directory of results"


def test_unknown_measure_lists_the_nearest_first(hoplab: CommandLine, chain: Path) -> None:
    answer = hoplab("compare", "chain.toml", "-t", "vegas", "--metrics", "gooput")
    assert answer.code == 2
    assert answer.err.startswith(
        "hoplab: --metrics: unknown measure 'gooput', expected goodput, goodput_bps, own_goodput_bps,"
    )
    assert answer.err.endswith("more\n  hint: did you mean goodput?\n")
    assert metric_of("goodput") is metric_of("goodput_bps")
    with pytest.raises(InputError, match=r"expected goodput, .* more\n  hint: did you mean goodput\?"):
        metric_of("goodputs")


def test_nonempty_directory_is_not_overwritten(hoplab: CommandLine, chain: Path, tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "mine.txt").write_text("keep")
    answer = hoplab("run", "chain.toml", "--out", "results")
    assert answer.code == 74
    assert answer.err == "hoplab: results: directory is not empty\n  hint: name another directory, or add --force\n"
    assert hoplab("run", "chain.toml", "--out", "results", "--force").code == 0
    assert (tmp_path / "results" / "mine.txt").read_text() == "keep"


def test_a_file_in_the_way_of_results_is_an_io_error(hoplab: CommandLine, chain: Path) -> None:
    answer = hoplab("run", "chain.toml", "--out", "chain.toml")
    assert answer.code == 74
    assert answer.err == "hoplab: chain.toml: not a directory, expected an output directory\n"


def test_a_directory_without_permission_is_an_io_error(hoplab: CommandLine, chain: Path, tmp_path: Path) -> None:
    locked = tmp_path / "locked"
    locked.mkdir()
    locked.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        (locked / "probe").touch()
    except PermissionError:
        answer = hoplab("run", "chain.toml", "--out", "locked/results")
        assert answer.err == "hoplab: locked/results: cannot be written: Permission denied\n"
    else:  # root may write everywhere but not into a process's own table
        (locked / "probe").unlink()
        answer = hoplab("run", "chain.toml", "--out", "/proc/self/results")
        assert answer.err.startswith("hoplab: /proc/self/results: cannot be written: ")
    assert answer.code == 74


def test_an_unwritable_place_is_found_before_anything_runs(
    hoplab: CommandLine, chain: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fakes import core

    monkeypatch.setattr(core, "run_many", lambda *_: pytest.fail("ran although --out cannot be written"))
    assert hoplab("run", "chain.toml", "--out", "chain.toml").code == 74


def test_ctrl_c_ends_with_130(hoplab: CommandLine, chain: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from fakes import core

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(core, "run_many", interrupted)
    answer = hoplab("run", "chain.toml")
    assert answer.code == 130
    assert "Traceback" not in answer.err


def test_a_broken_invariant_ends_with_70_and_its_message(
    hoplab: CommandLine, chain: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fakes import core

    def broken(*_: object) -> None:
        raise core.EngineError("chain.toml, seed 1: t = 3 s, node 2: a packet was lost")

    monkeypatch.setattr(core, "run_many", broken)
    answer = hoplab("run", "chain.toml")
    assert (answer.code, answer.err) == (70, "hoplab: chain.toml, seed 1: t = 3 s, node 2: a packet was lost\n")


def test_a_bug_shows_its_traceback_only_when_asked(
    hoplab: CommandLine, chain: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fakes import core

    def buggy(*_: object) -> None:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr(core, "run_many", buggy)
    answer = hoplab("run", "chain.toml")
    assert answer.code == 70
    assert answer.err == (
        "hoplab: internal error: ZeroDivisionError: oh\n"
        "  this is a bug in hoplab; rerun with --verbose for the traceback\n"
    )
    assert "Traceback" in hoplab("run", "chain.toml", "--verbose").err


def test_missing_engine_names_the_build_command(
    hoplab: CommandLine, chain: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "hoplab._core", None)
    answer = hoplab("run", "chain.toml")
    assert answer.code == 70
    assert answer.err.startswith("hoplab: the engine (hoplab._core) ")
    assert "make build" in answer.err


def test_closed_pipe_is_not_reported(chain: Path) -> None:
    """As `hoplab run --json | head -1`: nobody reads any more while there is more to write."""
    code = (
        "import sys, os; sys.path.insert(0, os.environ['FAKES']);"
        "from fakes import core; sys.modules['hoplab._core'] = core;"
        "from hoplab.cli import dispatch; sys.exit(dispatch(['run', 'chain.toml', '--json', '--seeds', '3000']))"
    )
    environment = {**os.environ, "FAKES": str(Path(__file__).parent)}
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=chain.parent, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0
