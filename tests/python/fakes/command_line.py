"""The command line as a function, for tests."""

from __future__ import annotations

from dataclasses import dataclass

import pytest


@dataclass(frozen=True)
class Answer:
    """What a command line did."""

    code: int
    out: str
    err: str


class CommandLine:
    """Run `hoplab` in this process, in a directory of its own."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.capsys = capsys

    def __call__(self, *args: object) -> Answer:
        from hoplab.cli import dispatch

        code = dispatch([str(arg) for arg in args])
        out, err = self.capsys.readouterr()
        return Answer(code, out, err)
