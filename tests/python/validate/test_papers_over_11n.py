"""The page on the papers' protocols over 802.11n: its sentences follow its numbers, its numbers are the engine's."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
SCRIPTS = ROOT / "scripts" / "pages"
SEEDS = 20
LESS, SAME, MORE = 0.9, 1.0, 1.1


@pytest.fixture(scope="module")
def scripts() -> Iterator[None]:
    sys.path.insert(0, str(SCRIPTS))
    yield
    sys.path.remove(str(SCRIPTS))


@pytest.fixture(scope="module")
def claims(scripts: None) -> ModuleType:
    return importlib.import_module("papers_claims")


@pytest.fixture(scope="module")
def script(scripts: None) -> ModuleType:
    return importlib.import_module("papers_over_11n")


def rates(mean: float) -> tuple[float, ...]:
    """Rates of some seeds around a mean, never all alike."""
    return tuple(mean * (1.0 + 0.001 * (seed % 3 - 1)) for seed in range(SEEDS))


def noisy(mean: float) -> tuple[float, ...]:
    return tuple(mean * (1.5 if seed % 2 else 0.5) for seed in range(SEEDS))


def made(claims: ModuleType, factors: dict[tuple[str, int], float]) -> dict[Any, Any]:
    """A table with Muzha at these times NewReno's rate, by radio and hops."""
    table = {}
    for (radio, hops), factor in factors.items():
        cell = claims.Cell(2000.0, rates(1000.0), rates(1000.0))
        table[claims.Point(radio, hops, "new_reno")] = cell
        table[claims.Point(radio, hops, "muzha")] = replace(cell, goodput=rates(1000.0 * factor))
    return table


ALL = ("single-1", "ampdu-1", "single-2", "ampdu-2")


@pytest.mark.parametrize(
    ("factors", "said"),
    [
        (
            {(radio, hops): MORE for radio in ALL for hops in (4, 6, 8)},
            "**holds**, with every radio. Its goodput is 1.10 to 1.10 times that of NewReno.",
        ),
        (
            {(radio, hops): LESS for radio in ALL for hops in (4, 8)},
            "**does not hold**, the opposite holds with every radio. Its goodput is 0.90 to 0.90 times",
        ),
        (
            {(radio, 8): SAME for radio in ALL},
            "**does not hold**. Its goodput is 1.00 to 1.00 times",
        ),
        (
            {(radio, 8): MORE if radio.startswith("single") else SAME for radio in ALL},
            "**holds in part**, with single frames. Its goodput is 1.00 to 1.10 times",
        ),
        (
            {(radio, hops): MORE if (radio, hops) != (ALL[0], 8) else LESS for radio in ALL[:2] for hops in (4, 6, 8)},
            "**holds in part**, with A-MPDUs and one radio; over some of 4, 6 and 8 hops with single frames",
        ),
    ],
)
def test_a_claim_is_judged_by_its_numbers(factors: dict[tuple[str, int], float], said: str, claims: ModuleType) -> None:
    claim = claims.Claim("It carries more", ("muzha", "new_reno"), (4, 6, 8))
    text = claims.survives(claim, claims.verdicts(made(claims, factors), {"paper": (claim,)}))
    assert text.startswith("*It carries more*: ")
    assert said in text


def test_a_difference_within_noise_is_none(claims: ModuleType) -> None:
    claim = claims.Claim("It carries more", ("muzha", "new_reno"), (4, 6, 8))
    table = made(claims, {("single-1", 8): MORE})
    point = claims.Point("single-1", 8, "muzha")
    table[point] = replace(table[point], goodput=noisy(1100.0))
    assert "does not hold" in claims.survives(claim, claims.verdicts(table, {"paper": (claim,)}))
    assert "not run" in claims.survives(claim, {})


def test_what_is_out_of_order_is_said(claims: ModuleType) -> None:
    table = {
        claims.Point(radio, 8, "semi_tcp"): claims.Cell(2000.0, rates(share * 1000.0), rates(1000.0))
        for radio, share in zip(ALL, (0.95, 0.02, 0.5, 0.02), strict=True)
    }
    text = claims.in_order(table, "semi_tcp", 8)
    assert text.endswith("only a part is in order: 2 % with A-MPDUs; 50 % with single frames and two radios.")
    assert claims.in_order({key: replace(cell, goodput=cell.distinct) for key, cell in table.items()}, "x", 8) == ""


def test_leaders_and_those_ahead_of_today(claims: ModuleType) -> None:
    today = claims.TODAY
    table = {claims.Point(radio, 8, today): claims.Cell(2000.0, rates(1000.0), rates(1000.0)) for radio in ALL}
    ahead = claims.Point("ampdu-2", 8, "rcp")
    alike = claims.Point("ampdu-1", 8, "xcp")
    behind = claims.Point("single-1", 8, "muzha")
    table |= {
        point: claims.Cell(2000.0, rates(rate), rates(rate))
        for point, rate in ((ahead, 1100.0), (alike, 1000.0), (behind, 900.0))
    }
    assert claims.beside_today(table, 8) == (
        "Of the papers' transports more than TCP CUBIC carry over 8 hops: RCP with A-MPDUs and two radios; "
        "none with one radio."
    )
    assert "none of the papers' transports" in claims.beside_today(
        {key: cell for key, cell in table.items() if key != ahead}, 8
    )
    assert claims.leaders(table, 8) == [
        "- With single frames and one radio: TCP CUBIC, 1.00 Mb/s, 50 % of the possible.",
        "- With A-MPDUs and one radio: TCP CUBIC, 1.00 Mb/s, 50 % of the possible; no difference is shown to XCP.",
        "- With single frames and two radios: TCP CUBIC, 1.00 Mb/s, 50 % of the possible.",
        "- With A-MPDUs and two radios: RCP, 1.10 Mb/s, 55 % of the possible.",
    ]


def test_gains_name_the_least_and_the_most(claims: ModuleType) -> None:
    table = {
        claims.Point(radio, 8, name): claims.Cell(9000.0, rates(rate), rates(rate))
        for name, by_radio in (("new_reno", (1000.0, 2000.0, 4000.0, 8000.0)), ("tcp_ap", (1000.0,) * 4))
        for radio, rate in zip(ALL, by_radio, strict=True)
    }
    found = claims.gains(table, 8, ("new_reno", "tcp_ap", "vegas"))
    assert claims.gain_sentence(found, 8) == (
        "Over 8 hops, beside single frames and one radio: with A-MPDUs and one radio, 1.0 (TCP-AP) to 2.0 times "
        "(NewReno); with single frames and two radios, 1.0 (TCP-AP) to 4.0 times (NewReno); "
        "with A-MPDUs and two radios, 1.0 (TCP-AP) to 8.0 times (NewReno)."
    )


@pytest.mark.parametrize(("last", "word"), [(10.0, "holds"), (500.0, "holds in part"), (1000.0, "does not hold")])
def test_the_fall_of_the_variants_is_judged(last: float, word: str, claims: ModuleType) -> None:
    radio = claims.BASE
    table = {
        claims.Point(radio.id, 4, name, loss): claims.Cell(9000.0, rates(rate), rates(rate))
        for name in ("bic", "vegas")
        for loss, rate in ((1, 1000.0), (25, last))
    }
    found = claims.fall(table, radio, 4, ("bic", "vegas"), (1, 25))
    text = claims.fall_sentence({radio: found}, (1, 25))
    assert f"**{word}**; from 1 to 25 % of frames corrupted it falls by {100.0 - last / 10.0:.0f} %" in text


def test_page_is_what_its_stored_rates_say(script: ModuleType, claims: ModuleType) -> None:
    page = ROOT / script.PAGE
    table = claims.read(page.with_suffix(".csv"))
    text = page.read_text(encoding="utf-8")
    assert script.page(table, page.stem) == text
    today = claims.Point("ampdu-2", claims.farthest(table), claims.TODAY)
    slower = {**table, today: replace(table[today], goodput=tuple(rate / 2.0 for rate in table[today].goodput))}
    assert script.page(slower, page.stem) != text
    assert re.search(r"\b(nan|inf)\b", text) is None


def test_stored_rates_are_complete_and_below_their_bounds(script: ModuleType, claims: ModuleType) -> None:
    table = claims.read((ROOT / script.PAGE).with_suffix(".csv"))
    assert {*table} == {point for _, point in script.points(script.HOPS)}
    assert {len(cell.goodput) for cell in table.values()} == {script.SEEDS}
    above = {point: cell for point, cell in table.items() if max(cell.distinct) > cell.limit}
    assert above == {}


@pytest.mark.parametrize(
    ("radio", "transport"), [("ampdu-1", "tcp_cubic"), ("single-1", "semi_tcp"), ("single-2", "xcp_winf")]
)
def test_stored_rates_are_those_of_the_engine(
    radio: str, transport: str, script: ModuleType, claims: ModuleType
) -> None:
    table = claims.read((ROOT / script.PAGE).with_suffix(".csv"))
    point = claims.Point(radio, 2, transport)
    found = script.measured([(next(one for one in claims.RADIOS if one.id == radio), point)], 2, 1, "page")[point]
    assert [round(rate) for rate in found.goodput] == [*table[point].goodput[:2]]
    assert [round(rate) for rate in found.distinct] == [*table[point].distinct[:2]]
    assert found.limit == pytest.approx(table[point].limit, abs=0.1)
