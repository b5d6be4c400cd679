"""The page of the benchmark, from made-up timings."""

from __future__ import annotations

import math
import platform
from collections.abc import Sequence
from dataclasses import replace

import pytest

from hoplab.scenario.model import Scenario
from hoplab_validation.bench.cases import scale, scaling, thread_scaling
from hoplab_validation.bench.cases.startup import STARTS, Started
from hoplab_validation.bench.cases.suite import Case, Entry, Goals, Span, chain, mean_hearers, suite
from hoplab_validation.bench.cases.tracing import Cost, Traced, cases
from hoplab_validation.bench.cases.tracing import measure as measure_trace
from hoplab_validation.bench.measure import Repeat, Result
from hoplab_validation.bench.ns3 import LIMIT_S, Ns3Gap, Ns3Turn
from hoplab_validation.bench.page import machine, page
from hoplab_validation.commands.bench import _in_words

NONE = Goals()


def result(
    family: str, name: str, *, ours_us: float, ratio: float, hearers: float, goals: Goals = NONE, ns3_us: float = 0.0
) -> Result:
    frames = 1000.0
    repeats = tuple(
        Repeat(
            ours_s=ours_us * 1e-6 * frames * wobble,
            theirs_s=ours_us * 1e-6 * frames * ratio,
            ours_all_s=0.02,
            theirs_all_s=0.06,
            frames_per_s=frames,
            engine_s=ours_us * 1e-6 * frames,
            ns3=Ns3Turn(ns3_us, 2.0 * ours_us, 0.5) if ns3_us else Ns3Gap.NOT_WANTED,
        )
        for wobble in (0.5, 1.0, 2.0)
    )
    entry = Entry(name, {}, family, Span(1.0, 2.0), Span(1.0, 2.0), len(repeats), goals)
    return Result(entry, hearers, repeats)


def test_ratios_are_minimum_median_and_maximum() -> None:
    timed = result("flows", "chain", ours_us=0.25, ratio=8.0, hearers=4.0, goals=Goals(6.0, 12.0))
    assert timed.ratio() == pytest.approx((4.0, 8.0, 16.0))
    assert timed.ratio_with_start() == pytest.approx((3.0, 3.0, 3.0))
    assert timed.frame_us() == pytest.approx(0.25)
    assert timed.peer_frame_us() == pytest.approx(2.0)


def test_without_ns2_there_are_costs_and_no_ratios() -> None:
    timed = result("flows", "chain", ours_us=0.25, ratio=8.0, hearers=4.0, goals=Goals(6.0, 12.0))
    alone = replace(timed, repeats=tuple(replace(r, theirs_s=None, theirs_all_s=None) for r in timed.repeats))
    assert alone.ratio() is None
    text = page([alone], version="1.0", command="hoplab bench")
    assert "ns-2 is not installed" in text
    assert "| chain | 3 | - | - | 6 | 12 | 0.250 (0.250) | - |" in text


def test_page_reports_goals() -> None:
    results = [
        result("flows", "chain of 8", ours_us=0.25, ratio=8.0, hearers=4.0, goals=Goals(6.0, 12.0)),
        result("flows", "grid of 50", ours_us=0.25, ratio=8.0, hearers=20.0, goals=Goals(12.0, 30.0)),
        result("density", "100 nodes", ours_us=0.4, ratio=30.0, hearers=16.0),
        result("density", "6400 nodes", ours_us=1.2, ratio=300.0, hearers=24.0),
    ]
    text = page(results, version="1.0", command="hoplab bench")
    assert "4.0 / **8.0** / 16.0" in text
    assert "6 (reached)" in text
    assert "12 (missed: 67 % of it)" in text
    assert "30 (missed: 27 % of it)" in text
    assert "## ns-3" not in text
    assert "| 6400 nodes | 24.0 | 3 | 150.0 / **300.0** / 600.0 |" in text
    assert "`hoplab bench`" in text


def test_growth_is_relative_to_the_smallest_network() -> None:
    case = scaling.cases(quick=True)[0]
    grown = scaling.Grown(case, (16.0, 18.0), ((20.0, 30.0), (40.0, 80.0), (30.0, 51.0)))
    assert grown.ratio(1) == pytest.approx((1.5, 1.7, 2.0))
    text = page([], version="1.0", command="hoplab bench growth", grown=[grown])
    assert "| 100 nodes | 16.0 | 3 | 20.0 / **30.0** / 40.0 | 1 | - |" in text
    assert "| 400 nodes | 18.0 | 3 | 30.0 / **51.0** / 80.0 | 1.50 / **1.70** / 2.00 | at most 1.5 (missed) |" in text


def test_every_network_of_growth_is_as_dense_as_the_others() -> None:
    (case,) = scaling.cases()
    assert [size.nodes for size in case.sizes] == [100, 400, 1600, 6400, 10_000]
    small = [replace(size, span=Span(0.2, 0.6)) for size in case.sizes[:2]]
    done: list[int] = []
    grown = scaling.measure(replace(case, sizes=tuple(small), repeats=1), lambda: done.append(1))
    assert len(done) == 1
    assert grown.hearers == pytest.approx((15.8, 17.9), abs=0.1)
    assert set(grown.to_dict()) == {"name", "goal", "nodes", "hearers", "cost_ns", "ratio"}


def test_the_machine_is_described_without_its_name() -> None:
    text = machine()
    assert "cores" in text
    assert platform.node() not in text


def test_hearers_of_a_line() -> None:
    line = [(200.0 * i, 0.0) for i in range(5)]
    assert mean_hearers(line, 550.0) == pytest.approx((2 + 3 + 4 + 3 + 2) / 5)


def test_the_suite_has_what_was_promised() -> None:
    names = [entry.name for entry in suite()]
    for wanted in ("chain of 8 hops", "chain of 16 hops", "grid of 50 nodes, 5 flows", "100 nodes", "6400 nodes"):
        assert any(name.startswith(wanted) for name in names)
    assert all(entry.ours.long_s > entry.ours.short_s for entry in [*suite(), *suite(quick=True)])


def test_the_cost_of_a_trace_is_a_ratio_and_a_price_per_row() -> None:
    case = Traced("trace: a chain", {}, Span(1.0, 2.0), 3)
    cost = Cost(case, ((0.01, 0.018), (0.01, 0.021), (0.01, 0.03)), 100_000.0, 6.5, (50 << 20, 60 << 20))
    assert cost.ratio() == pytest.approx((1.8, 2.1, 3.0))
    assert cost.row_ns() == pytest.approx(110.0)
    starts = [Started(start, (0.3, 0.15)) for start in STARTS]
    text = page([], version="1.0", command="hoplab bench trace start", costs=[cost], starts=starts)
    assert "| a chain | 3 | 1.80 / **2.10** / 3.00 | 2 (missed) | 110 | 6.5 | 50, 60 |" in text
    assert "| hoplab --help | 0.150 | 0.2 (reached) |" in text
    assert "ns-2.35 (Debian" in text
    assert "## Flows" not in text


def test_every_case_of_a_trace_can_be_run() -> None:
    assert len({case.name for case in cases()}) == len(cases())
    for case in cases(quick=True):
        assert Scenario.from_dict(case.tables, duration="20 s").resolve().facts.flows
    done = []
    cost = measure_trace(Traced("trace", chain(2, "static"), Span(0.5, 2.0), 1), lambda: done.append(1))
    assert (len(done), len(cost.times)) == (1, 1)
    assert cost.rows_per_s > 1000.0
    assert 2.0 < cost.row_bytes < 30.0
    assert cost.peak_bytes[0] > 0


def test_ns3_is_compared_on_both_scenarios_where_it_ran() -> None:
    goals = Goals(ns3=200.0)
    timed = result("flows", "chain of 8", ours_us=0.25, ratio=8.0, hearers=4.0, goals=goals, ns3_us=40.0)
    assert timed.ns3_ratio() == pytest.approx((80.0, 160.0, 320.0))
    assert timed.ns3_ratio_same_rules() == pytest.approx((80.0, 80.0, 80.0))
    row = "| chain of 8 | 3 | 40.00 | 80.0 / **160.0** / 320.0 | 80.0 / **80.0** / 80.0 | 200 (missed: 80 % of it) |"
    assert row in page([timed], version="1.0", command="hoplab bench")


def with_ns3(name: str, outcomes: Sequence[Ns3Turn | Ns3Gap]) -> Result:
    timed = result("flows", name, ours_us=0.25, ratio=8.0, hearers=4.0, goals=Goals(ns3=200.0))
    repeats = [replace(one, ns3=outcome) for one, outcome in zip(timed.repeats, outcomes, strict=True)]
    return replace(timed, repeats=tuple(repeats))


TURN = Ns3Turn(40.0, 0.5, 0.5)
NOT_INSTALLED, NOT_WANTED, GIVEN_UP = "ns-3 is not installed", "ns-3 was not wanted", "ns-3 was given up"


@pytest.mark.parametrize(
    ("outcomes", "said"),
    [
        ((TURN, TURN, TURN), None),
        ((TURN, TURN, Ns3Gap.NOT_WANTED), None),
        ((Ns3Gap.NOT_INSTALLED, Ns3Gap.NOT_INSTALLED, Ns3Gap.NOT_WANTED), NOT_INSTALLED),
        ((Ns3Gap.NOT_WANTED,) * 3, NOT_WANTED),
        ((TURN, Ns3Gap.GIVEN_UP, Ns3Gap.NOT_WANTED), GIVEN_UP),
        ((Ns3Gap.GIVEN_UP,) * 3, GIVEN_UP),
    ],
)
def test_page_has_the_reason_for_missing_ns3(outcomes: Sequence[Ns3Turn | Ns3Gap], said: str | None) -> None:
    text = page([with_ns3("a chain", outcomes)], version="1.0", command="hoplab bench")
    assert [words for words in (NOT_INSTALLED, NOT_WANTED, GIVEN_UP) if words in text] == ([said] if said else [])
    assert ("## ns-3" in text) == (said in {None, GIVEN_UP})


def test_page_lists_abandoned_runs_and_repeats() -> None:
    results = [
        with_ns3("quick", (TURN, TURN, TURN)),
        with_ns3("slow", (TURN, Ns3Gap.GIVEN_UP, Ns3Gap.NOT_WANTED)),
        with_ns3("hopeless", (Ns3Gap.GIVEN_UP,) * 3),
        with_ns3("large", (Ns3Gap.NOT_WANTED,) * 3),
    ]
    text = page(results, version="1.0", command="hoplab bench")
    (given_up,) = (line for line in text.splitlines() if line.startswith(GIVEN_UP))
    assert f"{LIMIT_S:g} s" in given_up
    assert given_up.endswith(": slow (1 of 2 repeats); hopeless (0 of 3 repeats).")
    (unwanted,) = (line for line in text.splitlines() if line.startswith(NOT_WANTED))
    assert unwanted.endswith(": large.")
    assert "| quick | 3 | 40.00 |" in text
    assert "| slow | 1 of 2 | 40.00 |" in text
    assert "| hopeless | 0 of 3 | - | - | - | 200 |" in text


def test_the_command_tells_how_many_runs_of_ns3_ended() -> None:
    slow = with_ns3("slow", (TURN, Ns3Gap.GIVEN_UP, Ns3Gap.NOT_WANTED))
    assert _in_words(slow).endswith("320 times faster than ns-3; 1 of 2 runs of ns-3 ended within 300 s")
    assert "ns-3" not in _in_words(with_ns3("large", (Ns3Gap.NOT_WANTED,) * 3))


def test_cell_has_the_amount_of_a_miss() -> None:
    timed = result("cell", "cell of 20", ours_us=1.25, ratio=8.0, hearers=20.0, goals=Goals(frame_us=0.8))
    assert "0.8 (missed by 0.45)" in page([timed], version="1.0", command="hoplab bench")


def test_replications_and_large_networks_have_rows() -> None:
    gain = thread_scaling.Gain(thread_scaling.cases()[0], ((4.0, 2.0), (4.0, 2.5), (4.0, 2.2)))
    case = scale.cases()[0]
    large = scale.Done(case, 12.0, 3 << 30, 20.0, 1_000_000, 2e6)
    text = page([], version="1.0", command="hoplab bench", gains=[gain], large=[large])
    assert "| 1.60 / **1.82** / 2.00 | 1.9 (missed) |" in text
    assert "| 20 | 12.0 | 1,000,000 | 2000 | 3072 | 2048 (missed) |" in text


def test_two_threads_and_a_large_network_are_measured() -> None:
    done = []
    gain = thread_scaling.measure(thread_scaling.Replicated("some", chain(2, "static"), 2.0, 1), lambda: done.append(1))
    assert gain.ratio()[0] > 0.0
    tables = scale.mesh(225, 1.0)
    assert len(tables["flow"]) == 2
    ended = scale.measure(Case("mesh", tables), lambda: done.append(1))
    assert len(done) == 2
    assert ended.frames > 100
    assert ended.goodput_bps > 1e4
    assert ended.peak_bytes > 0


def test_flows_of_a_mesh_stay_in_their_row() -> None:
    for nodes in (1024, 10_000):
        side = math.isqrt(nodes)
        for flow in scale.mesh(nodes, 1.0)["flow"]:
            assert flow["to"] - flow["from"] == scale.HOPS
            assert flow["to"] // side == flow["from"] // side
