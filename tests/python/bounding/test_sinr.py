"""Bounds with cumulative interference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hoplab
from bounding.cases import chain, rows, scenario
from hoplab.bounding import bound

STD = 'profile = "std"\n'


@pytest.mark.parametrize("row", rows("sinr_chain"))
def test_chains_with_cumulative_interference(row: dict[str, Any]) -> None:
    given = chain(row["hops"], row["transport"], top=STD)
    for scheduler in ("perfect", "dcf"):
        found = bound(given, scheduler=scheduler)
        assert found.sum.high == pytest.approx(row[f"{scheduler}_bps"], rel=1e-6)
        assert not found.proved


@pytest.mark.parametrize("seed", range(6))
def test_no_run_with_cumulative_interference_exceeds_its_bound(seed: int) -> None:
    rng = np.random.default_rng(seed)
    positions = rng.uniform(0.0, 500.0, (10, 2)).round(3).tolist()
    ends = [(int(a), int(b)) for a, b in rng.choice(10, (3, 2), replace=False)]
    rate, threshold = rng.choice(["1 Mb/s", "2 Mb/s", "5.5 Mb/s", "11 Mb/s"]), rng.choice([0, 3000])
    top = f'{STD}warmup = "5 s"\n[topology]\nkind = "positions"\npositions = {positions}\n'
    top += f'[mac]\ndata_rate = "{rate}"\nrts_threshold = "{threshold} B"\n'
    given = scenario(top, ends, str(rng.choice(["udp", "new_reno", "semi_tcp", "vegas"])))
    assert 0.0 < bound(given, schedule=False).share(hoplab.run(given, seeds=1)[0]) <= 1.003


@pytest.mark.parametrize("control", ["fixed", "ideal", "minstrel", "arf"])
def test_several_rates_have_a_bound_that_runs_stay_below(control: str) -> None:
    top = f'{STD}[radio]\nstandard = "11a"\n[mac]\ndata_rate = "54 Mb/s"\nrate_control = "{control}"\n'
    given = chain(3, "udp", 60, top=top)
    found = bound(given, schedule=False)
    run = hoplab.run(given, seeds=1)[0]
    assert 0.2 < found.share(run) <= 1.003


def test_choice_of_rates_is_at_least_as_good_as_the_fastest() -> None:
    def sum_of(control: str, rate: str) -> float:
        top = f'{STD}[radio]\nstandard = "11a"\n[mac]\ndata_rate = "{rate}"\nrate_control = "{control}"\n'
        return bound(chain(6, "udp", 60, top=top), schedule=False).sum.high

    chosen = sum_of("ideal", "54 Mb/s")
    assert all(chosen >= sum_of("fixed", rate) * (1 - 1e-6) for rate in ("6 Mb/s", "24 Mb/s", "54 Mb/s"))


def test_pairs_that_disturb_each_other_share_the_time() -> None:

    def both(meters: int) -> float:
        places = [[0, 0], [0, 100], [meters, 0], [meters, 100]]
        top = f'{STD}[topology]\nkind = "positions"\npositions = {places}\n'
        return bound(scenario(top, [(0, 1), (2, 3)], "udp"), scheduler="perfect").sum.high

    near, far = both(20), both(3000)
    alone = bound(chain(1, "udp", 100, top=STD), scheduler="perfect").sum.high
    assert alone <= near < 1.2 * alone  # some control frames survive each other
    assert far == pytest.approx(2.0 * alone, rel=1e-9)
