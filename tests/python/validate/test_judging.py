"""The judges' own arithmetic, without the engine."""

from __future__ import annotations

import json

import pytest

from hoplab.base.errors import UsageError
from hoplab_validation.peers.compare import goodput_tolerance, percent
from hoplab_validation.peers.stats import stored
from hoplab_validation.peers.verdict import Row
from hoplab_validation.validate import report
from hoplab_validation.validate.checks import datagrams, exchange
from hoplab_validation.validate.parts import PARTS, plans
from hoplab_validation.validate.plan import NORMAL, QUICK, Outcome


def test_fishers_test_on_the_tea_tasting_table() -> None:
    assert datagrams.fisher(3, 4, 1, 4) == pytest.approx(0.485714, abs=1e-6)


@pytest.mark.parametrize(("theirs", "ours"), [(4, 7), (26, 20), (0, 3), (37, 40)])
def test_the_widest_plausible_count_is_the_last_that_is_not_rare(theirs: int, ours: int) -> None:
    runs = 40
    widest = datagrams.widest_plausible(theirs, ours, runs, runs)
    side = 1 if ours >= theirs else -1
    assert datagrams.fisher(theirs, runs, theirs + side * widest, runs) >= datagrams.RARE
    beyond = theirs + side * (widest + 1)
    if 0 <= beyond <= runs:
        assert datagrams.fisher(theirs, runs, beyond, runs) < datagrams.RARE


def test_fixed_delay_is_the_sum_of_the_legs_seen_in_a_trace() -> None:
    shot = next(shot for shot in exchange.SHOTS if shot.ip_bytes == 40)
    legs = 352.667 + 10.0 + 304.667 + 10.0 + 488.667
    assert shot.fixed_us == pytest.approx(25.0 + 50.0 + legs + 25.0, abs=2e-3)


@pytest.mark.parametrize(
    ("protocol", "far", "expected"), [("static", False, 6.0), ("aodv", False, 10.0), ("aodv", True, 3.0)]
)
def test_goodput_tolerance(protocol: str, far: bool, expected: float) -> None:
    theirs, ours = stored(200.0, 1.0, 10), stored(201.0, 2.0, 10)
    assert goodput_tolerance(ours, theirs, protocol, far=far) == pytest.approx(expected)


def test_nothing_of_nothing_is_nothing() -> None:
    assert percent(0, 0) == 0.0
    assert percent(1, 8) == 12.5


def outcomes() -> list[Outcome]:
    good = Row("cell", "5 stations", "kb/s", "model", stored(1586.9, None, 1), stored(1590.0, 2.0, 10), 31.7)
    bad = Row("cell", "9 stations", "kb/s", "model", stored(1500.0, None, 1), stored(1590.0, 2.0, 10), 30.0, note="why")
    return [Outcome("cell", "a cell", (good, bad)), Outcome("live", "a peer", (), "not installed")]


def test_reports_hold_every_row_and_the_verdict() -> None:
    data = json.loads(report.as_json(outcomes(), NORMAL, "1.0"))
    assert data["passed"] is False
    assert [row["verdict"] for row in data["parts"][0]["rows"]] == ["agrees", "differs"]
    assert data["parts"][1]["skipped"] == "not installed"
    page = report.as_markdown(outcomes(), NORMAL, "1.0")
    assert "| cell | 2 | 1 | 1 | 0 |" in page
    assert "9 stations: why" in page
    assert "not installed" in page


def test_without_failures_it_passes() -> None:
    good = [Outcome("cell", "a cell", outcomes()[0].rows[:1])]
    assert report.passed(good)
    assert not report.passed(outcomes())


def test_several_parts_by_what_they_begin_with(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    for part in PARTS:
        monkeypatch.setitem(PARTS, part, lambda depth, part=part: asked.append(part))
    plans(["chain", "bianchi-std"], QUICK)
    assert asked == ["bianchi-std", "chain-static", "chain-aodv"]


def test_an_unknown_part_is_named_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match="bianchi") as caught:
        plans(["bianci"], QUICK)
    assert "bianci" in str(caught.value)
    assert set(PARTS) >= {"radio", "exchange", "bianchi", "cell", "chain-static", "chain-aodv", "udp", "live"}
