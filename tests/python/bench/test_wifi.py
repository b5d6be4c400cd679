"""Networks of 802.11a and 802.11n beside ns-3 in the benchmark, with a program in its place."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hoplab_validation.bench.cases import wifi
from hoplab_validation.bench.cases.suite import Span
from hoplab_validation.bench.page import page

PROGRAM = """\
#!/bin/sh
echo "$@" >> {log}
echo HOPLAB mark t=0.1 cpu=0.5 frames=1000 events=20000
echo HOPLAB mark t=0.5 cpu=2.5 frames=41000 events=90000
echo HOPLAB flow=0 bytes=50000
echo HOPLAB flow=1 bytes=100000
echo HOPLAB end
"""


@pytest.fixture
def compared(tmp_path: Path) -> wifi.Compared:
    program = tmp_path / "ns3"
    program.write_text(PROGRAM.format(log=tmp_path / "log"), encoding="utf-8")
    program.chmod(0o755)
    case = replace(wifi.cases()[2], ours=Span(0.5, 1.5), theirs=Span(0.1, 0.5), repeats=2)
    return wifi.measure(case, program, lambda: None)


def test_each_side_is_charged_for_its_own_frames(compared: wifi.Compared, tmp_path: Path) -> None:
    assert [turn.theirs_us for turn in compared.turns] == pytest.approx([1e6 * 2.0 / 40_000] * 2)
    assert [turn.theirs_bps for turn in compared.turns] == pytest.approx([8.0 * 150_000 / 0.4] * 2)
    assert all(turn.ours_bps == pytest.approx(59.7e6, rel=0.05) for turn in compared.turns)
    words = (tmp_path / "log").read_text().splitlines()[1].split()
    assert words[0] == "2"
    assert {"standard=11n", "mode=HtMcs7", "mark=0.1", "end=0.5", "warm=0.1"} <= set(words)


def test_page_shows_the_spread_of_ratios_of_turns(compared: wifi.Compared) -> None:
    made = (wifi.Turn(2.0, 90.0, 6e7, 6e7), wifi.Turn(1.0, 51.0, 6e7, 6e7), wifi.Turn(1.0, 60.0, 6e7, 6e7))
    text = page([], version="1", command="bench", compared=[replace(compared, turns=made)])
    assert "## ns-3: 802.11a and 802.11n" in text
    assert "| 45.0, **51.0**, 60.0 | 50x: reached | 60.00 | 60.00 |" in text
    assert page([], version="1", command="bench").count("802.11n") == 0


def test_scenarios_of_all_cases_resolve() -> None:
    for case in wifi.cases(quick=True):
        assert case.scenario(1.0).resolve().data["flows"]
