"""Turns of ns-3 in the benchmark, with a program in its place: made, not wanted, not installed, or given up."""

from __future__ import annotations

from pathlib import Path

import pytest

from hoplab_validation.bench import ns3
from hoplab_validation.bench.cases.suite import Entry, Span, chain
from hoplab_validation.bench.measure import Peers, Result, measure
from hoplab_validation.bench.ns3 import Ns3Gap

PROGRAM = """\
#!/bin/sh
test "$2" -gt {ends} && exec sleep 60
echo HOPLAB mark t=0.5 cpu=0.5 frames=1000 events=20000
echo HOPLAB mark t=1 cpu=2.5 frames=41000 events=90000
echo HOPLAB flow=0 bytes=146000 sent=110 retransmissions=4 timeouts=0 cwnd=6.25
echo HOPLAB end
"""


def program(folder: Path, *, ends: int) -> Path:
    """Answers as ours on top of ns-3 does, up to a seed, and hangs with those beyond."""
    path = folder / "ns3"
    path.write_text(PROGRAM.format(ends=ends), encoding="utf-8")
    path.chmod(0o755)
    return path


def measured(peer: Path | None, *, wanted: int) -> Result:
    span = Span(0.5, 1.0)
    entry = Entry(
        "one hop", chain(1, "static"), "flows", span, span, 2, ns3=span if wanted else None, ns3_repeats=wanted
    )
    return measure(entry, Peers(None, peer), lambda: None)


def test_a_turn_is_charged_per_frame_between_the_marks(tmp_path: Path) -> None:
    result = measured(program(tmp_path, ends=2), wanted=2)
    assert (result.ns3_gap, len(result.ns3_turns()), result.ns3_wanted) == (None, 2, 2)
    assert result.ns3_frame_us() == pytest.approx(1e6 * (2.5 - 0.5) / 40_000)
    assert result.to_dict()["ns3_gap"] is None


def test_repeats_beyond_the_wanted_ones_are_no_gap(tmp_path: Path) -> None:
    result = measured(program(tmp_path, ends=2), wanted=1)
    assert result.repeats[1].ns3 is Ns3Gap.NOT_WANTED
    assert (result.ns3_gap, len(result.ns3_turns()), result.ns3_wanted) == (None, 1, 1)


@pytest.mark.parametrize("installed", [True, False])
def test_an_entry_without_durations_for_ns3_does_not_want_it(tmp_path: Path, installed: bool) -> None:
    result = measured(program(tmp_path, ends=2) if installed else None, wanted=0)
    assert (result.ns3_gap, len(result.ns3_turns()), result.ns3_wanted) == (Ns3Gap.NOT_WANTED, 0, 0)


def test_ns3_that_is_not_installed_was_wanted_all_the_same() -> None:
    result = measured(None, wanted=1)
    assert (result.ns3_gap, len(result.ns3_turns()), result.ns3_wanted) == (Ns3Gap.NOT_INSTALLED, 0, 1)


def test_run_above_the_time_limit_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ns3, "LIMIT_S", 2.0)
    result = measured(program(tmp_path, ends=1), wanted=2)
    assert (result.ns3_gap, len(result.ns3_turns()), result.ns3_wanted) == (Ns3Gap.GIVEN_UP, 1, 2)
    plain = result.to_dict()
    assert (plain["ns3_gap"], plain["ns3_turns"], plain["ns3_wanted"]) == ("given up", 1, 2)
    assert [repeat["ns3"] is None for repeat in plain["repeats"]] == [False, True]
