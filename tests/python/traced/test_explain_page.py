"""The diagnosis as a section of a report has the facts of the terminal."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from fakes.command_line import CommandLine
from msgspec.structs import replace as altered
from report.browser import WIDTHS, check_page, launched, opened

from hoplab.base.airtime import AIRTIME
from hoplab.explain import Explanation, explain
from hoplab.explain.airtime_bands import BANDS, total_s
from hoplab.explain.interference import Collision
from hoplab.explain.page import BARS_FIRST, Chapter, chapter, percent
from hoplab.explain.topology_map import Mark, topology_map
from hoplab.report.results import runs_report
from hoplab.running.execution import run
from hoplab.running.runs import Runs
from hoplab.store.trace import open_trace
from traced.scenarios import scenario

if TYPE_CHECKING:
    from playwright.sync_api import Browser

EVIL = "<script>alert(1)</script>\"'&</title></style>"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launched() as found:
        yield found


@pytest.fixture(scope="module")
def traced(tmp_path_factory: pytest.TempPathFactory) -> tuple[Runs, Path]:
    folder = tmp_path_factory.mktemp("explained")
    return run(scenario("semi_tcp", routing="aodv"), trace=folder, progress=False), folder


@pytest.fixture(scope="module")
def found(traced: tuple[Runs, Path]) -> Explanation:
    runs, folder = traced
    return explain(runs[0], open_trace(folder), runs.scenario)


@pytest.fixture(scope="module")
def page(traced: tuple[Runs, Path]) -> Path:
    runs, folder = traced
    path = folder / "page.html"
    runs_report(runs, command="hoplab run x", trace=open_trace(folder)).write(path)
    return path


def test_bands_cover_every_category_once() -> None:
    assert sorted(use for band in BANDS for use in band.uses) == sorted(AIRTIME)


def test_bars_sum_to_the_duration_of_the_run(found: Explanation) -> None:
    made = chapter(found)
    assert len(made.bars) == 6
    assert made.off_by_s < 1e-6
    for bar, node in zip(made.bars, found.airtime, strict=True):
        assert sum(piece.seconds for piece in bar.pieces) == pytest.approx(total_s(node), abs=1e-9)
        assert sum(piece.share for piece in bar.pieces) == pytest.approx(1.0, abs=1e-12)
        assert {piece.band.key for piece in bar.pieces} <= {band.key for band in made.legend}


def test_page_has_the_sentences_of_the_terminal(found: Explanation, page: Path) -> None:
    import html

    text = html.unescape(page.read_text(encoding="utf-8"))
    for sentence in found.sentences():
        assert sentence in text
    for account in found.accounts:
        assert account.created == account.delivered + account.lost + account.in_transit
    made = chapter(found)
    told = sum(lost.count for lost in [*made.losses, *made.losses_more])
    assert told == sum(account.lost for account in found.accounts) > 0


def test_retransmissions_are_timed(found: Explanation) -> None:
    (flow,) = found.retransmissions
    assert flow.dropped == sum(account.lost for account in found.accounts if account.kind == "segment")
    assert list(flow.delays_s) == sorted(flow.delays_s)
    assert 0 < len(flow.delays_s) <= flow.dropped
    assert 0.0 <= flow.quantile(0.5) <= flow.quantile(0.95) < 6.0
    assert any(
        f"retransmitted {len(flow.delays_s)} of {flow.dropped} dropped" in sentence for sentence in found.of_reactions()
    )


def test_names_are_escaped(traced: tuple[Runs, Path], found: Explanation) -> None:
    runs, folder = traced
    flow = altered(runs[0].flows[0], transport=EVIL)
    evil = Runs(runs.scenario.with_(name=EVIL), (altered(runs[0], flows=(flow,)),))
    text = runs_report(evil, command=EVIL, trace=open_trace(folder)).to_html()
    assert "alert(1)</script>" not in text
    assert text.count("</style>") == 1
    section = text[text.index('<section id="why">') :]
    assert "Flow 0 (&lt;script&gt;alert(1)&lt;/script&gt;" in section


def test_report_without_trace_has_no_diagnosis() -> None:
    runs = run(scenario("new_reno", duration="1 s"), progress=False)
    text = runs_report(runs, command="hoplab run x").to_html()
    assert 'id="why"' not in text
    assert "use-collision" not in text


def test_bars_of_many_nodes_are_collapsed(found: Explanation) -> None:
    nodes = [{**found.airtime[i % 6], "node": i} for i in range(100)]
    many = replace(found, run=altered(found.run, airtime=tuple(nodes)), places=[(10.0 * i, i) for i in range(100)])
    made = chapter(many)
    assert (len(made.bars), len(made.bars_more)) == (BARS_FIRST, 100 - BARS_FIRST)
    assert [bar.node for bar in made.bars[:6]] == found.paths[0]
    assert [spot.node for spot in made.map.spots if spot.is_named] == found.paths[0]


def test_pairs_on_the_map_have_a_table_row(found: Explanation) -> None:
    collisions = [Collision(0, 1, i, hidden=i % 2 == 0, frames=20 - i) for i in range(2, 6)]
    made: Chapter = chapter(replace(found, collisions=collisions))
    assert [pair.label for pair in made.hidden] == ["H1", "H2"]
    assert [pair.frames for pair in made.hidden] == [18, 16]
    assert [pair.frames for pair in made.sensed] == [17, 15]
    assert {arc.label for arc in made.map.arcs if arc.kind == "hidden"} == {"H1", "H2"}


def test_map_is_to_scale_and_within_its_frame() -> None:
    mark = Mark("hidden", "H1", "", (0, 2), ((0, 1),))
    drawn = topology_map([(0.0, 0.0), (300.0, 0.0), (300.0, 400.0)], [[0, 1, 2]], [mark], ends=[0, 2], narrow=[1])
    a, b, c = drawn.spots
    assert (c.y - b.y) / (b.x - a.x) == pytest.approx(4 / 3)
    assert [spot.role for spot in drawn.spots] == ["end", "narrow", "end"]
    assert all(drawn.left < spot.x < drawn.right and 0.0 < spot.y < drawn.bottom for spot in drawn.spots)
    alone = topology_map([(5.0, 5.0)], [], [])
    assert (alone.spots[0].x, alone.spots[0].y) == ((alone.left + alone.right) / 2, alone.bottom / 2)


@pytest.mark.parametrize("places", [[(0.0, 0.0), (900.0, 0.0)], [(0.0, 0.0), (0.0, 900.0)], [(0.0, 0.0), (9.0, 400.0)]])
@pytest.mark.parametrize("kind", ["hidden", "exposed"])
def test_arcs_and_their_labels_are_inside_of_the_map(places: list[tuple[float, float]], kind: str) -> None:
    marks = [Mark(kind, f"{kind[0].upper()}{turn}", "", (0, 1), ((0, 1),)) for turn in range(1, 7)]
    drawn = topology_map(places, [], marks, ranges_m=[("reception range", 250.0)])
    for arc in drawn.arcs:
        assert drawn.left + 15.0 <= arc.x <= drawn.right - 15.0
        assert drawn.top + 15.0 <= arc.y <= drawn.bottom - 15.0
    assert all(ruler.y >= max(arc.y for arc in drawn.arcs) for ruler in drawn.rulers)


def test_labels_of_arcs_do_not_cover_each_other() -> None:
    places = [(0.0, 0.0), (100.0, 0.0), (200.0, 0.0), (300.0, 0.0), (0.0, 30.0), (300.0, 30.0)]
    marks = [Mark("hidden", f"H{i}", "", pair, (pair,)) for i, pair in enumerate([(0, 3), (4, 5), (1, 2), (0, 5)])]
    arcs = topology_map(places, [], marks).arcs
    for i, one in enumerate(arcs):
        assert all(abs(one.x - other.x) > 28.0 or abs(one.y - other.y) > 20.0 for other in arcs[:i])


def test_positive_shares_are_never_shown_as_zero() -> None:
    assert [percent(share) for share in (0.5, 0.0996, 0.05, 0.00001)] == ["50 %", "10 %", "5.0 %", "under 0.1 %"]


@pytest.mark.parametrize("width", WIDTHS)
def test_a_browser_draws_bars_to_scale(browser: Browser, found: Explanation, page: Path, width: int) -> None:
    made = chapter(found)
    with opened(browser, page, width) as visit:
        drawn = visit.page.evaluate(
            "() => [...document.querySelectorAll('.bars summary .bar-track')]"
            ".map(t => [...t.children].map(e => e.getBoundingClientRect().width / t.clientWidth))"
        )
        for bar, widths in zip(made.bars, drawn, strict=True):
            # A piece has a white edge of one pixel, however short it is.
            assert widths == pytest.approx([piece.share for piece in bar.pieces], abs=0.06 if width < 600 else 0.025)
        check_page(visit, page)


def test_bars_open_with_the_keyboard(browser: Browser, found: Explanation, page: Path) -> None:
    with opened(browser, page, 1280) as visit:
        first = visit.page.locator(".bars summary").first
        first.focus()
        assert first.get_attribute("aria-label") == chapter(found).bars[0].spoken
        visit.page.keyboard.press("Enter")
        assert visit.page.locator("details.bar").first.get_attribute("open") is not None
        assert visit.page.locator("details.bar").first.locator("tbody tr").last.inner_text().startswith("total")
        visit.page.keyboard.press("Tab")
        visit.page.keyboard.press("Tab")
        assert visit.page.evaluate("document.activeElement.getAttribute('aria-label')") == chapter(found).bars[1].spoken


def test_the_command_writes_the_page(hoplab: CommandLine, chain: Path, tmp_path: Path) -> None:
    done = hoplab("explain", chain, "--set", "duration=2 s", "--out", "why.html")
    assert done.code == 0, done.err
    text = (tmp_path / "why.html").read_text(encoding="utf-8")
    assert re.search(r'<section id="why">.*2\.000000 s', text, re.DOTALL)
    assert "file exists" in hoplab("explain", chain, "--out", "why.html").err


def test_map_of_moving_nodes_has_no_lines(tmp_path: Path) -> None:
    from hoplab.scenario.model import Scenario

    moving = Scenario.from_file(
        Path(__file__).parents[3] / "scenarios" / "mobile.toml", (("duration", '"12 s"'), ("node", "[]"))
    )
    runs = run(moving, trace=tmp_path, progress=False)
    found = explain(runs[0], open_trace(tmp_path), moving)
    made = chapter(found)
    assert made.is_moving
    assert found.exposed == []
    assert (made.map.lines, made.map.arcs) == ([], [])
    assert len(made.map.spots) == 25
    assert all(pair.label == "" for pair in made.hidden)
    assert any(", mostly " in sentence for sentence in found.sentences())
