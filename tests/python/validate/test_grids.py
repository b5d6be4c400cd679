"""Grids against closed forms: every controller fills a wire, every routing protocol delivers on every standard."""

from __future__ import annotations

import pytest

from hoplab.base.engine import registry
from hoplab_validation.validate.checks.grids import delivery, lone
from hoplab_validation.validate.plan import NORMAL, QUICK, carry_out


@pytest.mark.parametrize("part", [lone, delivery])
def test_rows_agree(part: object) -> None:
    (outcome,) = carry_out([part.plan(QUICK)], progress=False)  # type: ignore[attr-defined]
    assert [row.name for row in outcome.rows if not row.agrees] == []


def test_no_part_of_the_engine_is_left_out() -> None:
    assert {name.split(",")[0] for name in delivery.RADIOS} == {row["name"] for row in registry()["standards"]}
    assert set(delivery.PROTOCOLS) == {row["name"] for row in registry()["routing"]}
    assert len(delivery.plan(NORMAL).orders) == len(delivery.PROTOCOLS) * len(delivery.RADIOS) * len(delivery.SHAPES)
    assert len(lone.plan(NORMAL).orders) == len(lone.controllers()) * len(lone.RATES_MBPS) * len(lone.DELAYS_MS)
