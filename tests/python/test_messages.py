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
            "hoplab: --transports: no names\n  hint: such as --transports new_reno,vegas\n",
        ),
        (
            ["compare", "chain.toml"],
            "hoplab: Missing option '--transports' / '-t'.\n  hint: hoplab compare --help\n",
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
        "hoplab: unknown transport 'vegass', expected udp, new_reno, sack, vegas\n  hint: did you mean vegas?\n"
    )


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
