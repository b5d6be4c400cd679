"""A finished sweep in a directory that cannot be written: its results are printed, and nothing fails."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import pytest
from fakes.command_line import CommandLine

from hoplab.store import files


def contents(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("code", [errno.EROFS, errno.EACCES])
def test_finished_sweep_reports_from_a_read_only_directory(
    hoplab: CommandLine, chain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    line = ["sweep", chain.name, "--set", "duration=1 s", "--over", "topology.hops=2,3", "--out", "s"]
    first = hoplab(*line)
    before = contents(tmp_path / "s")

    def refuse(*_: Any, **__: Any) -> Any:
        raise OSError(code, "refused", "s")

    # Tests run as root, to which no directory is read only.
    for place in ("tempfile.mkdtemp", "pathlib.Path.write_text", "pathlib.Path.write_bytes"):
        monkeypatch.setattr(place, refuse)
    monkeypatch.setattr(files, "replace", refuse)
    answer = hoplab(*line)
    assert answer.code == 0
    assert answer.out == first.out
    assert "0 runs executed, 2 reused" in answer.err
    assert "warning: s cannot be written: its report is that of an earlier command" in answer.err
    assert contents(tmp_path / "s") == before
    answer = hoplab(*line, "--seeds", "2")
    assert answer.code == 74
