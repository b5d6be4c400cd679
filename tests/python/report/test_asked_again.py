"""A report that is built again says what the command was asked."""

from __future__ import annotations

from pathlib import Path

from fakes.command_line import CommandLine


def test_a_stored_comparison_keeps_what_was_compared(hoplab: CommandLine, chain: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = ["-t", "new_reno,vegas", "--between", "topology.hops=2,6", "--metrics", "delay", "--equivalent", "5"]
    assert hoplab("compare", str(chain), *words, "--seeds", "4", "--out", str(out)).code == 0
    page = out / "report.html"
    first = page.read_text(encoding="utf-8")
    page.unlink()
    assert hoplab("report", str(out)).code == 0
    again = next(out.glob("*.html")).read_text(encoding="utf-8")
    summary = [text[text.index("Summary") :][:2_000] for text in (first, again)]
    assert summary[0] == summary[1]
    assert "hops" in summary[0]
    assert "delay" in summary[0]
