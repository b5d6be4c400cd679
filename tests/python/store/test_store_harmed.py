"""What hoplab reads back from disk may be harmed in any way: the answer is a result or a typed error, nothing else.

Directories as the commands leave them are copied, one file is harmed (bytes turned, cut, put in, or a value of a JSON
file replaced by one of another kind), and everything that reads the directory is asked to. Which harm is Hypothesis's
choice; `make reliability` runs more of it (HOPLAB_HARM=600).
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

import hoplab
from hoplab.base.errors import EXIT_BROKEN, EXIT_IO, HoplabError, InputError
from hoplab.cli import dispatch
from hoplab.report.directory import report_of
from hoplab.store import columns, open_results
from hoplab.store.results import ask_run
from hoplab.store.trace import open_trace

CASES = int(os.environ.get("HOPLAB_HARM", "40"))
CHAIN = """\
duration = "2 s"

[topology]
kind = "chain"
hops = 2

[[flow]]
transport = "new_reno"
"""
SWEEP = CHAIN + '\n[sweep]\nseeds = 2\nseries = "500 ms"\n\n[sweep.axes]\n"topology.hops" = [1, 2]\n'
OTHERS: list[Any] = [
    None,
    True,
    0,
    -1,
    2**70,
    1e308,
    0.5,
    "",
    "x",
    "\0",
    "9 s",
    [],
    {},
    [[1]],
    [None],
    {"a": 1},
    {"": []},
]
"""What a JSON value may be replaced by."""

PHASES = (Phase.explicit, Phase.reuse, Phase.generate)
"""Nothing is made smaller: a harm is small, and each try takes as long as reading a directory."""

TYPED = (HoplabError, hoplab.ScenarioError, hoplab.EngineError)


def command(*words: object) -> int:
    """A command line, silent."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as err:
        code = dispatch([str(word) for word in words])
    assert code != EXIT_BROKEN or "internal error" not in err.getvalue(), err.getvalue()
    return code


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A directory of each kind, as the commands leave it."""
    root = tmp_path_factory.mktemp("made")
    (root / "chain.toml").write_text(CHAIN)
    (root / "sweep.toml").write_text(SWEEP)
    found = {kind: root / kind for kind in ("run", "compare", "sweep")}
    chain = root / "chain.toml"
    assert command("run", chain, "--seeds", 2, "--trace", "--out", found["run"], "-q") == 0
    assert command("compare", chain, "-t", "vegas,new_reno", "--seeds", 2, "--out", found["compare"], "-q") == 0
    assert command("sweep", root / "sweep.toml", "--out", found["sweep"], "-q") == 0
    return found


def read_run(folder: Path) -> None:
    """All that reads what `hoplab run` and `hoplab compare` leave."""
    report_of(folder).report.to_html()
    command("report", folder, "--out", folder / "again.html")
    command("query", folder, "SELECT count(*) FROM flows")
    command("explain", folder)


def read_sweep(folder: Path) -> None:
    """All that reads what `hoplab sweep` leaves."""
    results = open_results(folder)
    _ = (results.summary(), results.comparisons(), results.failures, results.missing, repr(results))
    for table in results.tables:
        results.table(table).rows()
    report_of(folder).report.to_html()
    for run in results.catalog.runs:
        report_of(folder / "runs" / run)
    command("export", folder, "--out", folder / "export", "--force")


READERS: dict[str, Callable[[Path], None]] = {"run": read_run, "compare": read_run, "sweep": read_sweep}


def paths_of(value: Any, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where a JSON document has values, itself included."""
    yield before
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from paths_of(item, (*before, key))


def replaced(text: bytes, choose: Callable[[int], int], other: Any) -> bytes:
    """A JSON document, or a line of several, with one value replaced, or left out."""
    lines = text.splitlines() if text.count(b"\n{") else [text]
    index = choose(len(lines))
    document = json.loads(lines[index])
    paths = list(paths_of(document))
    path = paths[choose(len(paths))]
    if not path:
        document = other
    else:
        parent = document
        for key in path[:-1]:
            parent = parent[key]
        if other == "\0":
            del parent[path[-1]]
        else:
            parent[path[-1]] = other
    lines[index] = json.dumps(document).encode()
    return b"\n".join(lines) + b"\n"


Harm = tuple[str, str, float, float, Any]
"""A kind of directory, what is done to one of its files, which, where in it (as shares), and with what."""

SHARE = st.floats(0.0, 1.0, exclude_max=True)
HOWS = st.sampled_from(["flip", "cut", "put", "json", "empty", "gone", "folder"])
HARMS = st.tuples(st.sampled_from(sorted(READERS)), HOWS, SHARE, SHARE, st.sampled_from(OTHERS))


def harm(folder: Path, how: str, which: float, where: float, other: Any) -> Path | None:
    """Harm one file; which. None where this harm is not for it."""
    # `provenance.json` and `sweep.json` are what readers begin with, and few among many files.
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    heads = [path for path in files if path.name in {"provenance.json", "sweep.json", "runs.jsonl"}]
    files += heads * (len(files) // max(2 * len(heads), 1))
    path = files[int(which * len(files))]
    text = path.read_bytes()
    at = int(where * (len(text) or 1))
    if how == "json":
        if path.suffix not in {".json", ".jsonl"}:
            return None
        draws = iter([which * 7919 % 1.0, where])
        path.write_bytes(replaced(text, lambda count: int(next(draws, where) * count), other))
    elif how == "flip":
        path.write_bytes(text[:at] + bytes([text[at] ^ (1 << (at % 8))]) + text[at + 1 :] if text else b"x")
    elif how == "cut":
        path.write_bytes(text[:at])
    elif how == "put":
        path.write_bytes(text[:at] + str(other).encode() * 3 + text[at:])
    elif how == "empty":
        path.write_bytes(b"")
    else:
        path.unlink()
        if how == "folder":
            path.mkdir()
    return path


def asked(folder: Path, kind: str) -> None:
    """Everything that reads a directory is asked to; its typed errors are answers."""
    try:
        READERS[kind](folder)
    except TYPED as error:
        if not str(error).strip():
            raise AssertionError("an error without words") from error
    except OSError as error:
        if not error.filename:
            raise


def turn_a_bit(path: Path) -> None:
    """A byte in the first third of a file becomes its neighbor."""
    text = path.read_bytes()
    at = len(text) // 3
    path.write_bytes(text[:at] + bytes([text[at] ^ 1]) + text[at + 1 :])


@pytest.mark.parametrize("table", ["events", "samples", "series", "flows"])
def test_changed_table_is_detected(made: dict[str, Path], tmp_path: Path, table: str) -> None:
    folder = tmp_path / "run"
    shutil.copytree(made["run"], folder)
    read_run(folder)
    turn_a_bit(folder / f"{table}.parquet")
    with pytest.raises(InputError, match=f"{table}.parquet: checksum mismatch"):
        ask_run(folder, "SELECT count(*) FROM flows")


@pytest.mark.parametrize("kind", ["run", "compare"])
def test_changed_number_in_a_run_is_detected(made: dict[str, Path], tmp_path: Path, kind: str) -> None:
    folder = tmp_path / kind
    shutil.copytree(made[kind], folder)
    path = folder / "runs.jsonl"
    path.write_text(re.sub('("events": ?)', r"\g<1>1", path.read_text(encoding="utf-8"), count=1), encoding="utf-8")
    with pytest.raises(InputError, match=r"runs\.jsonl: checksum mismatch"):
        report_of(folder)
    (folder / "checksums.json").unlink()
    report_of(folder)
    path.unlink()
    with pytest.raises(InputError, match="no results found"):
        report_of(folder)


def test_number_beyond_statistics_is_refused_by_place(made: dict[str, Path], tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(made["run"], folder)
    (folder / "checksums.json").unlink()
    path = folder / "runs.jsonl"
    whole = path.read_text(encoding="utf-8")
    for written in ("1e308", "-1e151"):
        path.write_text(re.sub(r'("goodput_bps": ?)[0-9.]+', rf"\g<1>{written}", whole, count=1), encoding="utf-8")
        with pytest.raises(
            InputError, match=r"runs\.jsonl:1: not a run \(flows\[0\]\.goodput_bps is .*at most 1e\+150"
        ):
            report_of(folder)
    path.write_text(whole, encoding="utf-8")
    with columns.connect() as connection:
        kept = str(folder / "series.parquet")
        connection.execute("CREATE TABLE s AS SELECT * REPLACE (1e308 AS cwnd) FROM read_parquet(?)", [kept])
        connection.execute(f"COPY s TO '{kept}' (FORMAT parquet)")
    with pytest.raises(InputError, match=r"series\.parquet: column cwnd has a number"):
        report_of(folder)


def test_missing_windows_are_reported(made: dict[str, Path], tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(made["run"], folder)
    (folder / "series.parquet").unlink()
    with pytest.raises(InputError, match=r"series\.parquet: cannot be read .*, listed in its checksums"):
        report_of(folder)


def test_the_trace_of_a_program_has_checksums(made: dict[str, Path], tmp_path: Path) -> None:
    (tmp_path / "mine.parquet").write_bytes(b"of somebody else")
    hoplab.run(made["run"].parent / "chain.toml", trace=tmp_path)
    assert sorted(json.loads((tmp_path / "checksums.json").read_text())) == ["events.parquet", "samples.parquet"]
    assert open_trace(tmp_path).seeds == [1]
    turn_a_bit(tmp_path / "events.parquet")
    with pytest.raises(InputError, match=r"events\.parquet: checksum mismatch"):
        open_trace(tmp_path)
    hoplab.run(made["run"].parent / "chain.toml", trace=tmp_path)
    assert open_trace(tmp_path).seeds == [1]


@settings(max_examples=CASES, deadline=None, phases=PHASES, suppress_health_check=list(HealthCheck))
@given(HARMS, st.booleans())
@example(("sweep", "json", 0.999, 0.0, []), True)
@example(("compare", "json", 0.999, 0.5, {"a": 1}), False)
@example(("run", "json", 0.740610239982745, 0.14945603616031633, 1e308), False)
def test_damage_is_detected_or_harmless(
    made: dict[str, Path], tmp_path_factory: pytest.TempPathFactory, chosen: Harm, is_sealed: bool
) -> None:
    kind, how, which, where, other = chosen
    folder = tmp_path_factory.mktemp("harmed") / kind
    shutil.copytree(made[kind], folder)
    if not is_sealed:  # as older versions left it: what is read must be looked at by itself
        (folder / "checksums.json").unlink(missing_ok=True)
    try:
        harm(folder, how, which, where, other)
        asked(folder, kind)
    finally:
        shutil.rmtree(folder.parent)


@settings(max_examples=max(CASES // 3, 10), deadline=None, phases=PHASES, suppress_health_check=list(HealthCheck))
@given(HARMS)
def test_damaged_sweep_is_repaired_by_the_same_command(
    made: dict[str, Path], tmp_path_factory: pytest.TempPathFactory, chosen: Harm
) -> None:
    _, how, which, where, other = chosen
    folder = tmp_path_factory.mktemp("harmed") / "sweep"
    shutil.copytree(made["sweep"], folder)
    try:
        path = harm(folder, how, which, where, other)
        code = command("sweep", made["sweep"].parent / "sweep.toml", "--out", folder, "--force", "-q")
        if how == "folder" and code == EXIT_IO:
            return  # a directory in the place of a file is not moved away
        assert code == 0, f"{path} {how}"
        for table in sorted((made["sweep"] / "tables").glob("*.parquet")):
            assert (folder / "tables" / table.name).read_bytes() == table.read_bytes(), f"{path} {how}"
    finally:
        shutil.rmtree(folder.parent)
