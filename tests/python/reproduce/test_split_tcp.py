"""The study of Split TCP: that its parts fit together, and that draws, shares and outages are read rightly."""

from __future__ import annotations

import json
import math
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fakes.command_line import CommandLine
from msgspec.structs import replace as altered

import hoplab
from hoplab.running import isolation
from hoplab.running.runs import Run, Runs
from hoplab.stats import mean_interval
from hoplab.sweeping import CoreRunner, backend_of
from hoplab_studies.shared import running
from hoplab_studies.shared.claims import papers
from hoplab_studies.shared.numbers import goodput
from hoplab_studies.shared.outcome import rows_of
from hoplab_studies.shared.study import DEFAULT, Check, Grid, Part, Settings, Variation
from hoplab_studies.shared.verdict import Condition, Finding, Level
from hoplab_studies.split_tcp import crossing, gains, typical
from hoplab_studies.split_tcp import figures as shown
from hoplab_studies.split_tcp import measures as of
from hoplab_studies.split_tcp import scenarios as ground
from hoplab_studies.split_tcp import study as split_tcp

STUDY = split_tcp.study()
PARTS = {part.name: part for part in STUDY.parts}
SHORT = {"topology.nodes": (50,), "mobility.max_speed": ("5 m/s",), "topology.hops": (1, 2, 3, 6, 14)}


def cut(part: Part) -> Part:
    """A part in a few seconds, under its own assumptions."""
    axes = {key: SHORT.get(key, values) for key, values in part.axes.items()}
    if part.name == "chain":
        axes["duration"] = ("5 s", "20 s", "25 s")
    return replace(brief(part), axes=axes, variations=())


def brief(part: Part) -> Part:
    """A part of four seconds, unless its axes have a duration, or its flows start later."""
    kept = "duration" in part.axes or part.name == "cross"
    return part if kept else replace(part, scenario=part.scenario.with_(duration="4 s"))


def test_every_claim_has_a_check_a_proof_or_nothing_to_test() -> None:
    checks = {check.claim for check in STUDY.checks}
    for claim in papers()["split-tcp"].claims:
        assert (claim.id in checks) == bool(claim.tested), claim.id
        assert sum([bool(claim.tested), bool(claim.proof), claim.grade == "X"]) == 1, claim.id
        if claim.figure:
            (check,) = (c for c in STUDY.checks if c.claim == claim.id)
            assert STUDY.figure(claim.figure).part == check.part
            assert check.also == ()
    assert checks <= {claim.id for claim in papers()["split-tcp"].claims}


def test_proofs_are_tests_that_there_are() -> None:
    root = Path(__file__).parents[3]
    code = "".join(
        (root / "crates/hoplab/tests/it/split_tcp" / name).read_text() for name in ("networks.rs", "scripts.rs")
    )
    for claim in papers()["split-tcp"].claims:
        for name in claim.proof.split("::")[-1].removeprefix("scripts:").replace(",", " ").split():
            assert f"fn {name}()" in code or (root / name).is_file(), name


def test_thirty_draws_or_more() -> None:
    settings = sum(
        len(PARTS[name].axes.get("topology.nodes", (1,))) * len(PARTS[name].axes.get("mobility.max_speed", (1,)))
        for name in split_tcp.EVERYWHERE
    )
    assert settings * 20 >= 30
    assert set(split_tcp.EVERYWHERE) <= set(PARTS)


@pytest.mark.parametrize("part", STUDY.parts, ids=lambda part: part.name)
def test_scenarios_resolve_with_every_assumption(part: Part, tmp_path: Path) -> None:
    for job in running.jobs_of([part], 1, tmp_path):
        flows = [point.scenario["flows"] for point in job.plan.points]
        whole = len(running.scenario_of(part, job.variation).resolve().data["flows"])
        assert {len(one) for one in flows} == {whole if job.alone is None else 1}


def test_isolated_flow_keeps_its_endpoints_and_network() -> None:
    (whole, *alone) = running.jobs_of([PARTS["mobile-4"]], 1, Path("none"))[:5]
    among = whole.plan.points[0].scenario
    assert [job.alone for job in alone] == [0, 1, 2, 3]
    for job in alone:
        own = job.plan.points[0].scenario
        (flow,) = own["flows"]
        assert {**flow, "id": job.alone} == among["flows"][job.alone or 0]
        assert {k: v for k, v in own.items() if k != "flows"} == {k: v for k, v in among.items() if k != "flows"}


def test_connection_one_has_its_proxy_at_node_3() -> None:
    scenario = ground.outage()
    paths = scenario.resolve().facts.flows
    assert [path.hops for path in paths] == [5, 5, 5]
    (made,) = hoplab.run(scenario.with_({"flow.transport": "split_tcp", "duration": "60 s"}), seeds=1).runs
    assert 3 in {proxy["node"] for proxy in made.proxies}
    (alone,) = hoplab.run(
        isolation.isolated(scenario, 0).with_({"routing.protocol": "aodv", "duration": "59 s", "warmup": "51 s"}),
        seeds=1,
    ).runs
    assert alone.flows[0].goodput_bps == 0.0


def test_a_shorter_run_is_the_beginning_of_a_longer_one() -> None:
    scenario = ground.mobile(3).with_({"flow.transport": "split_tcp"})
    brief, long = (hoplab.run(scenario.with_({"duration": t}), seeds=1, series_interval_s=0.5) for t in ("5 s", "9 s"))
    mine, theirs = brief[0].series, long[0].series
    same = theirs["t_s"] < 4.9
    assert list(theirs["cwnd"][same]) == list(mine["cwnd"][mine["t_s"] < 4.9])


def made(part: Part, seeds: int, folder: Path) -> Grid:
    jobs = running.jobs_of([part], seeds, folder)
    for job in jobs:
        running.execute(job, backend_of(None, CoreRunner(), 2))
    return running.grids_of(jobs)[part.name, DEFAULT]


def test_unfairness_of_a_part_is_that_of_the_laboratory(tmp_path: Path) -> None:
    part = replace(cut(PARTS["mobile-3"]), axes={"flow.transport": ("reno", "split_tcp")})
    grid = made(part, 2, tmp_path)
    for transport in ("reno", "split_tcp"):
        scenario = running.scenario_of(part, Variation("", "", {"flow.transport": transport}))
        wanted = isolation.unfairness_of(scenario, out=tmp_path / "lab", seeds=2)
        assert of.unfairness(grid, transport=transport) == wanted
    by_seed = of.draws(grid)
    assert [[draw.seed for draw in one] for one in by_seed] == [[1], [2]]
    draw = by_seed[0][0]
    assert draw.gain == goodput(draw.split) / goodput(draw.plain) - 1.0
    assert [flow.transport for flow in (*draw.plain.flows, *draw.split.flows)] == ["reno"] * 3 + ["split_tcp"] * 3


def test_quantile_is_over_draws_and_its_interval_over_seeds() -> None:
    by_seed = [[float(i), float(i + 100)] for i in range(20)]
    found = of.quantile(by_seed, 0.9)
    assert found.mean == 115.0
    assert found.n == 20
    assert found.low is not None
    assert found.high is not None
    assert 100.0 <= found.low <= found.mean <= found.high <= 119.0
    assert of.quantile([[3.0, 5.0]], 0.5).half_width is None


def fake_run(**fields: Any) -> Run:
    (run,) = hoplab.run(ground.chain().with_({"duration": "1 s"}), seeds=1).runs
    return altered(run, **fields)


def test_sendings_of_acknowledgments_by_hand() -> None:
    # Proxies at nodes 3 and 6 of 8 hops: legs of 3, 3 and 2.
    run = fake_run(
        proxies=({"node": 6, "lacks": 10}, {"node": 3, "lacks": 20}),
        split=({"e2e_acks": 2, "lacks_sent": 30},),
    )
    assert of.local_hops(run, 8) == (16.0, 20 * 3 + 10 * 3 + 30 * 2)


def test_rates_between_two_times() -> None:
    def runs(end_s: float, goodputs: list[float]) -> Runs:
        base = fake_run(sim_s=end_s)
        made = [altered(base, flows=(altered(base.flows[0], goodput_bps=g, start_s=0.0),)) for g in goodputs]
        return Runs(ground.chain(), tuple(made))

    axes = {"duration": ("10 s", "20 s")}
    grid = Grid(
        axes, {(("duration", "10 s"),): runs(10.0, [100.0, 50.0]), (("duration", "20 s"),): runs(20.0, [100.0, 100.0])}
    )
    assert of.rate_between(grid, "10 s", "20 s") == [100.0, 150.0]


def crossing_run(first: list[float], second: list[float], start_s: float) -> Run:
    """A run of two connections by what arrived in each second, in segments."""
    base = fake_run()
    flows = tuple(altered(base.flows[0], id=i, start_s=s) for i, s in enumerate((1.0, start_s)))
    series = tuple(tuple(of.SEGMENT_BITS * count for count in one) for one in (first, second))
    return altered(base, flows=flows, goodput_series_bps=series)


def test_standstill_is_counted_until_the_first_ends() -> None:
    # The first has all of its 2000 packets in the fourth second; of the third alone both are compared.
    run = crossing_run([600, 600, 700, 100, 0], [0, 0, 105, 900, 900], 2.0)
    assert crossing.received(run) == (700 * of.SEGMENT_BITS, 105 * of.SEGMENT_BITS)
    assert crossing.stands_still(run)
    assert not crossing.stands_still(crossing_run([600, 600, 700, 100, 0], [0, 0, 106, 0, 0], 2.0))
    # A first connection that never ends counts to the end of the run; one that receives nothing is none to wait for.
    assert crossing.stands_still(crossing_run([0, 0, 9, 9, 9], [0, 0, 4, 0, 0], 2.0))
    assert not crossing.stands_still(crossing_run([9, 0, 0, 0, 0], [0, 0, 0, 0, 0], 1.0))


def cross_of(plain: list[int], split: list[int]) -> Grid:
    """A grid of one length and start; of each seed whether the second stands still."""

    def runs(still: list[int]) -> Runs:
        made = [crossing_run([0, 100, 100], [0, 0 if one else 100, 0 if one else 100], 1.0) for one in still]
        return Runs(ground.crossing(1.0), tuple(made))

    where = (("topology.hops", 6), ("flow.1.start", "3 s"))
    sides = {"reno": plain, "split_tcp": split}
    points: dict[Settings, Runs] = {(*where, ("flow.transport", name)): runs(one) for name, one in sides.items()}
    return Grid({"topology.hops": (6,), "flow.1.start": ("3 s",), "flow.transport": tuple(sides)}, points)


@pytest.mark.parametrize(
    ("plain", "split", "holds"),
    [
        ([1, 1, 1, 1, 1, 0], [0, 0, 0, 0, 0, 0], True),
        ([1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1, 1], False),
        ([0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], False),
        ([1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 1], False),
    ],
)
def test_fewer_standstills_are_neither_none_nor_as_many(plain: list[int], split: list[int], holds: bool) -> None:
    assert all(one.level() == Level.HOLDS for one in crossing.relieved(cross_of(plain, split))) is holds


def test_one_flow_crosses_the_other_in_the_middle() -> None:
    scenario = ground.crossing(1.0)
    for hops in crossing.HOPS:
        flows = scenario.with_({"topology.hops": hops}).resolve().data["flows"]
        assert [(flow["from"], flow["to"]) for flow in flows] == [(0, hops), (hops + 1, 2 * hops)]


BASE: dict[str, Run] = {}
"""A run to alter, made once."""


def draws_of(gains_: list[list[float]], hops: tuple[float | None, ...]) -> list[list[of.Draw]]:
    """One draw per seed, by what its connections gain over 100 kb/s."""
    base = BASE.get("run") or BASE.setdefault("run", fake_run())

    def run(seed: int, goodputs: list[float]) -> Run:
        flows = tuple(altered(base.flows[0], id=i, goodput_bps=g) for i, g in enumerate(goodputs))
        return altered(base, seed=seed, flows=flows)

    return [
        [of.Draw(seed, run(seed, [1e5] * len(one)), run(seed, [1e5 * (1 + g) for g in one]), None, None, hops)]
        for seed, one in enumerate(gains_, 1)
    ]


@pytest.mark.parametrize(
    ("gains_", "each", "long_ones"),
    [
        ([[0.2, 0.2, 0.2]] * 6, Level.HOLDS, Level.HOLDS),
        ([[-0.1, -0.1, 0.2]] * 6, Level.DIFFERS, Level.HOLDS),
        ([[0.02, 0.02, 0.9]] * 6, Level.TREND, Level.TREND),
    ],
)
def test_gains_of_single_connections(
    gains_: list[list[float]], each: Level, long_ones: Level, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(of, "draws", lambda *_: draws_of(gains_, (1.0, None, 4.0)))
    assert [one.level() for one in gains.each_gains()] == [each]
    assert [one.level() for one in gains.long_ones_gain()] == [long_ones]


DRAWS = 200
"""Simulated studies without a difference."""


def test_without_a_difference_crossings_are_rarely_reproduced(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(1)
    grid = cross_of([0], [0])
    for likely in (0.1, 0.3, 0.6):
        # Six settings per seed, 20 seeds; both protocols stand still as often.
        def frequency(*_: object, likely: float = likely) -> list[float]:
            return [sum(chance.random() < likely for _ in range(6)) / 6 for _ in range(20)]

        monkeypatch.setattr(crossing, "frequency", frequency)
        found = [Finding(tuple(crossing.relieved(grid))).level() == Level.HOLDS for _ in range(DRAWS)]
        assert sum(found) <= 0.05 * DRAWS


def test_without_a_difference_single_gains_are_rarely_reproduced(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(2)

    def simulated(*_: Grid) -> list[list[of.Draw]]:
        found = draws_of([[0.0] * 12] * 20, (4.0,) * 12)
        return [[replace(d, plain=disturbed(d.plain), split=disturbed(d.split)) for d in one] for one in found]

    def disturbed(run: Run) -> Run:
        shift = chance.gauss(0.0, 0.1)
        flows = (altered(f, goodput_bps=f.goodput_bps * math.exp(shift + chance.gauss(0.0, 0.5))) for f in run.flows)
        return altered(run, flows=tuple(flows))

    monkeypatch.setattr(of, "draws", simulated)
    for test in (gains.each_gains, gains.long_ones_gain):
        found = [Finding(tuple(test())).level() == Level.HOLDS for _ in range(DRAWS // 4)]
        assert sum(found) <= 0.05 * len(found)


def test_distances_share_runs_of_plain_tcp(tmp_path: Path) -> None:
    jobs = running.jobs_of([brief(PARTS["mobile-3"])], 2, tmp_path)
    for job in jobs:
        running.execute(job, backend_of(None, CoreRunner(), 2))
        if job.variation.reuse:
            assert {dict(point.settings)["flow.transport"] for point in job.plan.points} == {"split_tcp"}
    grids = running.grids_of(jobs)
    default, farther = grids["mobile-3", DEFAULT], grids["mobile-3", "every-4"]
    assert farther.values("transport") == ("reno", "split_tcp")
    assert farther.at(transport="reno") is default.at(transport="reno")
    assert farther.alone[2].at(transport="reno") is default.alone[2].at(transport="reno")
    assert farther.at(transport="split_tcp").scenario.resolve().data["split_tcp"]["d_p"] == 4
    (note,) = gains.notes(grids, ["mobile-3"])
    assert "every 3, 4, 5 hops" in note
    assert gains.notes({("mobile-3", DEFAULT): default}, ["mobile-3"]) == []


def test_mobile_run_of_figure_3_follows_its_rule() -> None:
    scenario = running.scenario_of(PARTS[typical.TYPICAL], Variation("", "", {}))
    assert [typical.outages(scenario, seed) for seed in (1, 2)] == [[], []]
    (found,) = typical.outages(scenario, 3)
    assert found.hops >= typical.MIN_HOPS
    assert typical.LENGTH_S[0] <= found.end_s - found.begin_s <= typical.LENGTH_S[1]
    # The engine agrees: alone, the connection gets nothing in the outage, and something before.
    alone = isolation.isolated(scenario, found.flow)
    (run,) = hoplab.run(alone, seeds=[3]).runs
    assert typical.between(run, found.begin_s + 1, found.end_s - 1) == 0.0
    assert typical.between(run, found.begin_s - 10, found.begin_s) > 0.0


def test_figure_3_shows_the_chosen_run(tmp_path: Path) -> None:
    grid = made(PARTS[typical.TYPICAL], 3, tmp_path)
    total, cut_off = typical.drawn(grid, shown.LABELS)
    assert [curve.name for curve in total.curves] == ["Reno", "Split TCP"]
    for slot, name in enumerate(("reno", "split_tcp")):
        run = grid.at(transport=name)[2]
        assert total.curves[slot].y[-1] == pytest.approx(of.delivered(run) / of.SEGMENT_BITS, abs=0.01)
    assert "seed 3" in cut_off.caption
    (table,) = typical.tables({(typical.TYPICAL, DEFAULT): grid}, shown.LABELS)
    assert "of 3 seeds 1 fit the rule" in table.note
    assert typical.drawn(made(PARTS[typical.TYPICAL], 1, tmp_path / "one"), shown.LABELS) == []


def outage_of(plain: float, split: float) -> Grid:
    """Connection 1 receives 10 segments by 50 s and so many more in the outage."""

    def runs(end_s: float, segments: float) -> Runs:
        base = fake_run(sim_s=end_s)
        goodput = 8000.0 * segments / (end_s - 1.0)
        made = [altered(base, flows=(altered(base.flows[0], id=0, goodput_bps=goodput, start_s=1.0),))] * 3
        return Runs(ground.outage(), tuple(made))

    points: dict[Settings, Runs] = {}
    for name, more in (("reno", plain), ("split_tcp", split)):
        for time, segments in (("40 s", 5.0), ("50 s", 10.0), ("60 s", 10.0 + more)):
            points[(("duration", time), ("flow.transport", name))] = runs(float(time[:2]), segments)
    return Grid({"duration": ("40 s", "50 s", "60 s"), "flow.transport": ("reno", "split_tcp")}, points)


@pytest.mark.parametrize(
    ("plain", "split", "goes_on", "stands_still"),
    [(0.0, 0.0, False, False), (0.0, 8.0, True, True), (4.0, 5.0, False, False), (0.0, 1.0, True, True)],
)
def test_nothing_is_not_more_than_nothing(plain: float, split: float, goes_on: bool, stands_still: bool) -> None:
    grid = outage_of(plain, split)
    found = {c.claim: c.test(grid) for c in STUDY.checks if c.claim in {"F3-1", "F3-5"}}
    assert all(c.level() == Level.HOLDS for c in found["F3-1"]) is goes_on
    assert all(c.level() == Level.HOLDS for c in found["F3-5"]) is stands_still


def test_check_uses_the_parts_that_have_the_series() -> None:
    seen = []

    def test(*grids: Grid) -> list[Condition]:
        seen.append(len(grids))
        one = mean_interval([1.0, 1.0])
        return [Condition("one", one, "1", (one,))]

    other = Variation("other", "another assumption", {})
    first, second = Part("a", ground.chain(), {}, (other,)), Part("b", ground.chain(), {})
    grid = Grid({}, {})
    study = replace(STUDY, parts=(first, second), checks=(Check("A1", "a", "nothing", test, ("b",)),))
    grids = {("a", DEFAULT): grid, ("b", DEFAULT): grid, ("a", "other"): grid}
    (row,) = (row for row in rows_of(study, papers()["split-tcp"], grids) if row.claim.id == "A1")
    assert seen == [2, 1]
    assert [other.assumption for other in row.others] == ["another assumption"]


def test_the_whole_study_judges_every_row(hoplab: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(split_tcp, "study", lambda **_: replace(STUDY, parts=tuple(map(cut, STUDY.parts))))
    monkeypatch.setattr("hoplab_studies.commands.reproduce.QUICK_SEEDS", 2)
    answer = hoplab("reproduce", "split-tcp", "--quick", "--out", "out")
    assert answer.code == 0, answer.err
    content = json.loads((tmp_path / "out" / "verdicts.json").read_text())
    rows = {row["id"]: row for row in content["verdicts"]}
    assert set(rows) == {claim.id for claim in papers()["split-tcp"].claims}
    judged = {check.claim for check in STUDY.checks}
    assert {key for key, row in rows.items() if row["conditions"]} == judged
    assert {rows[key]["outcome"] for key in ("F45-X", "F67-X")} == {"cannot be tested"}
    assert {rows[key]["outcome"] for key in ("B1", "B2", "U1")} == {"reproduced"}
    # These no seed turns around: 14 hops are slower than one, and acknowledgments are one in a hundred.
    assert rows["O1"]["outcome"] == "reproduced"
    page = (tmp_path / "out" / "report.html").read_text()
    figures = ("outage-total", "outage-first", "early-reno", "early-split-tcp", "chain-reno", "chain-split-tcp")
    for name in figures:
        assert f'<figure id="{name}">' in page
    tables = ("Mobile networks", "Distance of proxies", "Failing proxies", "A link that breaks", "An early start")
    for table in (*tables, "Routes that cross", "Outages in mobile networks"):
        assert table in page


def test_one_figure_runs_its_part_alone(hoplab: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(split_tcp, "study", lambda **_: replace(STUDY, parts=tuple(map(cut, STUDY.parts))))
    monkeypatch.setattr("hoplab_studies.commands.reproduce.QUICK_SEEDS", 2)
    answer = hoplab("reproduce", "split-tcp", "fig7", "--quick", "--out", "out")
    assert answer.code == 0, answer.err
    assert {place.name for place in (tmp_path / "out" / "runs").iterdir()} == {"chain-default"}
    content = json.loads((tmp_path / "out" / "verdicts.json").read_text())
    assert [row["id"] for row in content["verdicts"]] == ["F7"]
