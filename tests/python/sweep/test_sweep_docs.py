"""Guides that sweep: every block marked `sweep` runs, in the order of its page."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from fakes.command_line import CommandLine

from hoplab.sweeping import CoreRunner, make_plan, parse_sweep, split_source

ROOT = Path(__file__).parents[3]
FENCE = re.compile(r"^```(\w+) sweep\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SCENARIO = '[topology]\nkind = "chain"\nhops = 2\n\n[[flow]]\n\n'


PAGES = sorted(page for page in (ROOT / "docs").rglob("*.md") if FENCE.search(page.read_text(encoding="utf-8")))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_blocks_of_a_guide_run(page: Path, hoplab: CommandLine, tmp_path: Path) -> None:
    assert hoplab("new", "scenarios").code == 0
    names: dict[str, Any] = {"__name__": "docs"}
    blocks = FENCE.findall(page.read_text(encoding="utf-8"))
    assert blocks
    for language, text in blocks:
        if language == "python":
            exec(compile(text, page.name, "exec"), names)
        elif language == "toml":
            source = split_source(text if "[[flow]]" in text else SCENARIO + text, page.name)
            make_plan(source, parse_sweep(source), CoreRunner())
            file = re.match(r"# (\S+\.toml)\n", text)
            if file:
                (tmp_path / file[1]).write_text(text)
        else:
            for line in text.splitlines():
                answer = hoplab(*shlex.split(line)[1:])
                assert answer.code == 0, f"{line}\n{answer.err}"
                assert "plan that this one replaces" not in answer.err, line
