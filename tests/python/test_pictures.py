"""Pictures in the repository: compact, with text as text."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PICTURES = sorted((ROOT / "docs" / "images").rglob("*.svg"))

pytest.importorskip("matplotlib")


def test_pictures_are_compact_already(tmp_path: Path) -> None:
    copies = [tmp_path / f"{i}.svg" for i in range(len(PICTURES))]
    for place, copy in zip(PICTURES, copies, strict=True):
        copy.write_bytes(place.read_bytes())
    script = ROOT / "scripts" / "pages" / "svg.py"
    subprocess.run([sys.executable, script, *copies], check=True, capture_output=True, timeout=60)
    for place, copy in zip(PICTURES, copies, strict=True):
        assert copy.read_bytes() == place.read_bytes(), f"python scripts/pages/svg.py {place.relative_to(ROOT)}"


def test_letters_of_a_new_picture_become_text(tmp_path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(3, 2))
    figure.add_subplot().set_title("goodput & delay")
    figure.savefig(tmp_path / "new.svg")
    before = (tmp_path / "new.svg").read_text(encoding="utf-8")
    script = ROOT / "scripts" / "pages" / "svg.py"
    subprocess.run([sys.executable, script, tmp_path / "new.svg"], check=True, capture_output=True, timeout=60)
    after = (tmp_path / "new.svg").read_text(encoding="utf-8")
    assert ">goodput &amp; delay</text>" in after
    assert "DejaVuSans-" not in after
    assert len(after.splitlines()) * 10 < len(before.splitlines())
