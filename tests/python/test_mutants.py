"""The list of mutants that no test need notice (`make mutants`) is about the engine as it is."""

from __future__ import annotations

import csv
import runpy
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = runpy.run_path(str(ROOT / "scripts/measure/mutants.py"))


def test_every_excused_mutant_has_its_line_and_a_reason() -> None:
    with SCRIPT["EXCUSED"].open(newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    names = [tuple(row[key] for key in ("file", "function", "change", "line", "nth")) for row in rows]
    assert len(set(names)) == len(names) > 0
    for row in rows:
        path = ROOT / SCRIPT["SOURCES"] / row["file"]
        assert row["line"] in {line.strip() for line in path.read_text().splitlines()}, row
        assert row["kind"] in SCRIPT["KINDS"], row
        assert len(row["reason"]) > 10, row
