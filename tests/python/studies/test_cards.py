"""Cards of studies: complete, readable, and of one arithmetic with index and README."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from hoplab_studies.pages import stored
from hoplab_studies.pages.cards import Card, Judged, deck_of
from hoplab_studies.pages.curves import HEIGHT, TOP, WIDTH, Curves, Point, Series, ticks
from hoplab_studies.pages.rows import rows_svg
from hoplab_studies.pages.standing import CONTRARY, NOT_LOOKED, STANDINGS, UNDECIDED, standing_of
from hoplab_studies.pages.stored import StoredClaim, StoredCondition
from hoplab_studies.shared.claims import Claim, papers
from hoplab_studies.shared.verdict import EXPLAINED, MEANINGS, NOT_CONTRADICTED, TREND_ONLY, UNEXPLAINED, WORDS

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "docs" / "judge" / "studies"
SVG = "{http://www.w3.org/2000/svg}"
LONGEST_PAGE = 3000
"""Words before folded parts."""

LONGEST_SENTENCE = 25


@cache
def judged(paper: str) -> Judged:
    return Judged(papers()[paper], deck_of(paper), stored.load(FOLDER / "verdicts" / f"{paper}.json"))


def cards() -> list[tuple[str, Card]]:
    return [(paper, card) for paper in papers() for card in deck_of(paper).cards]


def opened(page: Path) -> str:
    """A page without its folded parts."""
    return re.sub(r"<details.*?</details>", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)


@pytest.mark.parametrize("paper", papers())
def test_each_claim_that_runs_decide_has_one_card(paper: str) -> None:
    found = Counter(claim.id for card in deck_of(paper).cards for claim in papers()[paper].claims if card.has(claim))
    assert {claim.id for claim in papers()[paper].claims if claim.kind == "run"} <= set(found)
    assert {key: count for key, count in found.items() if count > 1} == {}
    known = {part for claim in papers()[paper].claims for part in (claim.id, claim.id.split(":")[0])}
    assert {key for card in deck_of(paper).cards for key in (*card.claims, *card.decides)} <= known


@pytest.mark.parametrize("paper", papers())
def test_each_figure_of_the_paper_that_has_claims_has_its_card(paper: str) -> None:
    for claim in papers()[paper].claims:
        for card in deck_of(paper).cards:
            assert not card.has(claim) or not claim.figure or claim.figure in card.figures, claim.id


@pytest.mark.parametrize(("paper", "card"), cards(), ids=lambda one: one if isinstance(one, str) else one.name)
def test_a_card_says_what_the_paper_shows_what_was_found_and_why(paper: str, card: Card) -> None:
    assert card.shows.endswith(".")
    assert card.why.endswith(".")
    assert card.found.endswith(".") or not card.charts
    for sentence in re.split(r"(?<=[.;:]) ", f"{card.shows} {card.found} {card.why}"):
        assert len(sentence.split()) <= LONGEST_SENTENCE, sentence
    runs = [row for _, row in judged(paper).of(card) if row.conditions]
    assert bool(judged(paper).pictures(card)) == bool(runs or card.charts)


@pytest.mark.parametrize("page", sorted(FOLDER.glob("*.md")), ids=lambda page: page.stem)
def test_pages_are_short_without_codes_and_history(page: Path) -> None:
    text = opened(page)
    assert len(text.split()) <= LONGEST_PAGE
    assert not re.search(r"when means decided|\| before \||Rows that moved", page.read_text(encoding="utf-8"))
    if page.stem in papers():
        codes = {part for claim in papers()[page.stem].claims for part in (claim.id, claim.id.split(":")[0])}
        assert [code for code in codes if re.search(rf"(?<![\w-]){re.escape(code)}(?![\w-])", text)] == []


COUNT = re.compile(
    r"(\d+) (" + "|".join(map(re.escape, sorted((*STANDINGS, "cannot be tested"), key=len, reverse=True))) + r")"
)


def counts_in(sentence: str) -> Counter[str]:
    return Counter({word: int(number) for number, word in COUNT.findall(sentence)})


def counts_of_cards(text: str) -> Counter[str]:
    """Added over the verdict lines of cards, without what is tallied apart."""
    total: Counter[str] = Counter()
    for line in re.findall(r"^\*\*Verdict:\*\* (.*)$", text, re.MULTILINE):
        said = line.split("tallied apart: ")[0]
        alone = re.match(r"\*\*([^*]+)\*\*(?:, all (\d+) claims)?", said)
        total += Counter({alone[1]: int(alone[2] or 1)}) if alone else counts_in(said)
    return total


def rows_of_index() -> dict[str, list[int]]:
    rows = re.findall(
        r"^\| (?:\[[^\]]*\]\((\S+)\.md\)|\*\*(all papers)\*\*) \| (.*) \|$", opened(FOLDER / "index.md"), re.MULTILINE
    )
    return {page or total: [int(cell) for cell in cells.split(" | ")] for page, total, cells in rows}


def test_sums_agree_over_all_pages_and_the_readme() -> None:
    index = rows_of_index()
    words = [*STANDINGS, "cannot be tested"]
    sums = {True: Counter[str](), False: Counter[str]()}
    for name, paper in papers().items():
        text = opened(FOLDER / f"{name}.md")
        (sentences,) = re.findall(r"^Of (\d+) claims decided by runs: (.*)$", text, re.MULTILINE)
        of_page = counts_in(sentences[1])
        assert of_page == counts_of_cards(text), name
        decided = of_page.total() - of_page["cannot be tested"]
        assert [int(sentences[0]), *(of_page[word] for word in words)] == index[name]
        assert decided == int(sentences[0])
        sums[paper.own] += of_page
    theirs = sums[False]
    assert index["all papers"] == [theirs.total() - theirs["cannot be tested"], *(theirs[word] for word in words)]
    line = next(line for line in (ROOT / "README.md").read_text().splitlines() if "<!-- studies -->" in line)
    (said,) = re.findall(r"(\d+) of (\d+) claims reproduced, (\d+) trend, (\d+) undecided, (\d+) contrary\.", line)
    reproduced, decided, trend, undecided, contrary = map(int, said)
    assert (reproduced, trend, undecided) == (theirs["reproduced"], theirs[TREND_ONLY], theirs[UNDECIDED])
    assert contrary == theirs[CONTRARY] + theirs[NOT_LOOKED]
    assert decided == reproduced + trend + undecided + contrary == index["all papers"][0]


def test_no_other_page_counts_claims() -> None:
    known = {*FOLDER.glob("*.md"), ROOT / "README.md", ROOT / "docs/judge/reproduce.md"}
    others = [page for page in (ROOT / "docs").rglob("*.md") if page not in known]
    assert len(others) > 50
    assert [page for page in others if re.search(r"\d+ claims? decided by runs", page.read_text("utf-8"))] == []


def a_claim(**other: str) -> Claim:
    return Claim("X1", "Fig. 1", "S", "chain", "a is above b", "at least 1.5", **other)  # type: ignore[arg-type]


def a_row(outcome: str, *, conclusive: bool = True) -> StoredClaim:
    one = StoredCondition("a over b", 1.0, 0.5, 1.5, ">= 2", ((2.0, float("inf")),), "differs")
    return StoredClaim("X1", outcome, "run", conclusive, 20, "at least 2", (), (one,))


def test_what_is_not_reproduced_is_undecided_contrary_or_not_looked_for() -> None:
    denied = a_row(UNEXPLAINED)
    assert standing_of(denied, a_claim(), ["aodv"]) == NOT_LOOKED
    assert standing_of(denied, a_claim(), []) == CONTRARY
    assert standing_of(denied, a_claim(cause="found by other runs"), ["aodv"]) == CONTRARY
    assert standing_of(a_row(EXPLAINED), a_claim(), ["aodv"]) == CONTRARY
    assert standing_of(a_row(UNEXPLAINED, conclusive=False), a_claim(), []) == UNDECIDED
    assert standing_of(a_row(NOT_CONTRADICTED, conclusive=False), a_claim(), []) == UNDECIDED
    assert standing_of(a_row(TREND_ONLY, conclusive=False), a_claim(), []) == TREND_ONLY


def test_rules_on_the_page_are_those_of_the_verdicts() -> None:
    page = (ROOT / "docs/judge/reproduce.md").read_text(encoding="utf-8")
    assert set(MEANINGS) == set(WORDS)
    assert all(f"| {word} | {meaning} |" in page for word, meaning in MEANINGS.items())


def places_of(svg: str) -> list[tuple[float, float]]:
    """Where marks stand, without those of the legend."""
    found = re.findall(r'transform="translate\(([\d.]+) ([\d.]+)\)"', svg)
    return [(float(x), float(y)) for x, y in found if float(y) <= TOP + HEIGHT]


def test_curves_stand_where_their_values_are() -> None:
    points = (Point(1.0, 0.0, None, None), Point(2.0, 50.0, 40.0, 60.0), Point(3.0, 100.0, 90.0, 100.0))
    svg = Curves("goodput (kb/s) & <more>", "hops", (Series("A & B", points),)).svg()
    (x1, y1), (x2, y2), (x3, y3) = places_of(svg)
    assert y1 == TOP + HEIGHT
    assert y2 - y3 == pytest.approx(y1 - y2, abs=0.2)
    assert x3 - x2 == pytest.approx(x2 - x1, abs=0.2)
    low, high = (y1 - (y1 - y3) * share for share in (0.4, 0.6))
    assert f"V{high:.1f}" in svg
    assert f" {low:.1f}V" in svg
    texts = [text.text for text in ET.fromstring(svg).iter(f"{SVG}text")]
    assert {"goodput (kb/s) & <more>", "hops", "A & B", "1", "2", "3", "0", "100"} <= set(texts)


def test_doubling_places_have_equal_distances() -> None:
    points = tuple(Point(x, 1.0, None, None) for x in (1.0, 2.0, 4.0, 8.0))
    x = [x for x, _ in places_of(Curves("t", "hops", (Series("A", points),)).svg())]
    assert x[1] - x[0] == pytest.approx(x[3] - x[2], abs=0.2)


def test_logarithmic_axis_has_equal_factors() -> None:
    points = tuple(Point(x, 10.0**x, None, None) for x in (0.0, 1.0, 3.0))
    (_, a), (_, b), (_, c) = places_of(Curves("t", "x", (Series("A", points),), logarithmic=True).svg())
    assert b - c == pytest.approx(2.0 * (a - b), abs=0.3)


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (0.0, 1530.0), (0.0, 0.07), (-3.0, 8.0)])
def test_ticks_are_few_and_within_the_axis(low: float, high: float) -> None:
    found = ticks(low, high, logarithmic=False)
    assert 3 <= len(found) <= 7
    assert low <= min(found)
    assert max(found) <= high


def test_rows_have_the_tolerance_and_the_papers_value() -> None:
    claim = a_claim(paper={"a over": (1.8,)})  # type: ignore[arg-type]
    svg = rows_svg([(claim, a_row(UNEXPLAINED))])
    root = ET.fromstring(svg)
    assert root.get("width") == str(WIDTH)
    assert [one.get("class") for one in root.iter(f"{SVG}path")].count("paper") == 2  # its mark, and the legend's
    assert any("1 (0.5 to 1.5): a over b" in (title.text or "") for title in root.iter(f"{SVG}title"))


@pytest.mark.parametrize("chart", sorted((FOLDER / "figures").glob("*.svg")), ids=lambda chart: chart.stem)
def test_charts_are_small_and_their_words_are_text(chart: Path) -> None:
    assert chart.stat().st_size < 10_000
    root = ET.fromstring(chart.read_text(encoding="utf-8"))
    assert root.get("width") == str(WIDTH)
    assert root.find(f"{SVG}rect").get("fill") == "#fff"  # type: ignore[union-attr]
    assert len(list(root.iter(f"{SVG}text"))) >= 5
