"""The timing of a row: what is done where noise is greater than what is to be measured, or a peer does not end."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hoplab.base.errors import HoplabError
from hoplab.cli import dispatch
from hoplab_validation.bench import measure as timing
from hoplab_validation.bench.cases.suite import Entry, Span, chain
from hoplab_validation.bench.page import page
from hoplab_validation.commands.bench import _in_words


def row(repeats: int) -> Entry:
    return Entry("a chain", chain(1, "static"), "flows", Span(1.0, 3.0), Span(1.0, 2.0), repeats)


def timed(monkeypatch: pytest.MonkeyPatch, peer_s: Sequence[float | None], repeats: int) -> timing.Result:
    """A row in which hoplab takes a tenth of a second per second, and ns-2 these times, short and long in turn."""

    def ours(entry: Entry, duration_s: float, seed: int, folder: Path) -> tuple[float, dict[str, Any]]:
        return 0.1 * duration_s, {"cpu_s": 0.1 * duration_s, "frames": {"data": int(100 * duration_s)}}

    times = iter(peer_s)
    monkeypatch.setattr(timing, "_ours", ours)
    monkeypatch.setattr(timing, "_theirs", lambda *_: next(times))
    done: list[int] = []
    result = timing.measure(row(repeats), timing.Peers("ns", None), lambda: done.append(1))
    assert len(done) == repeats
    assert next(times, None) is None, "all of them were asked for"
    return result


def test_noisy_turn_is_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    result = timed(monkeypatch, [5.0, 4.0, 1.0, 3.0, 1.0, 2.0], repeats=2)
    assert [repeat.theirs_s for repeat in result.repeats] == [2.0, 1.0]
    ratio = result.ratio()
    assert ratio is not None
    assert ratio.low == pytest.approx(10.0)


def test_after_three_such_turns_the_last_one_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    result = timed(monkeypatch, [5.0, 4.0, 5.0, 4.5, 5.0, 4.75], repeats=1)
    assert [repeat.theirs_s for repeat in result.repeats] == [-0.25]


def test_a_row_in_which_ns2_hangs_holds_the_repeats_that_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    result = timed(monkeypatch, [1.0, None, 1.0, 3.0, None], repeats=3)
    assert [repeat.theirs_s for repeat in result.repeats] == [None, 2.0, None]
    assert [repeat.ns2_given_up for repeat in result.repeats] == [True, False, True]
    assert result.has_peer
    assert result.ratio() == pytest.approx((20.0, 20.0, 20.0))
    assert result.to_dict()["ns2_turns"] == 1
    assert "; 2 of 3 runs of ns-2 were given up after 900 s" in _in_words(result)
    text = page([result], version="1.0", command="hoplab bench")
    assert "ns-2 was given up where a run took more than 900 s by the clock on the wall" in text
    assert "the repeats that ended: a chain (1 of 3)." in text
    assert "not installed" not in text.split("ns-3")[0]


def test_short_runs_are_repeated_and_averaged(monkeypatch: pytest.MonkeyPatch) -> None:
    # Each pass: the short run, the long one, and one as long as ns-2's longer one.
    times = iter([1.0, 2.0, 1.5, 1.0, 4.0, 2.5])

    def ours(entry: Entry, duration_s: float, seed: int, folder: Path) -> tuple[float, dict[str, Any]]:
        cpu_s = next(times)
        return cpu_s, {"cpu_s": cpu_s, "frames": {"data": int(100 * duration_s)}}

    monkeypatch.setattr(timing, "_ours", ours)
    entry = replace(row(1), passes=2)
    result = timing.measure(entry, timing.Peers(None, None), lambda: None)
    assert next(times, None) is None
    repeat = result.repeats[0]
    assert (repeat.ours_s, repeat.engine_s, repeat.ours_all_s) == (1.0, 1.0, 1.0)
    assert repeat.frames_per_s == 100.0
    text = page([result], version="1.0", command="hoplab bench")
    assert "executed 2 times per repeat, and the mean is taken: a chain." in text


def test_a_run_of_ns2_that_does_not_end_in_time_is_given_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ns2 = tmp_path / "ns"
    ns2.write_text("#!/bin/sh\nexec sleep 60\n", encoding="utf-8")
    ns2.chmod(0o755)
    monkeypatch.setattr(timing, "LIMIT_S", 0.2)
    assert timing._theirs(str(ns2), row(1), 1.0, 1, tmp_path) is None


@pytest.mark.parametrize("error", [KeyboardInterrupt(), HoplabError("ns-2 failed")])
def test_rows_that_were_measured_are_not_lost_with_a_later_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, error: BaseException
) -> None:
    measured: list[str] = []

    def measure(entry: Entry, peers: timing.Peers, on_done: Callable[[], None]) -> timing.Result:
        if measured:
            raise error
        measured.append(entry.name)
        one = timing.Repeat(0.1, 1.0, 0.1, 1.0, 1000.0, 0.1)
        return timing.Result(entry, 4.0, (one,))

    monkeypatch.setattr(timing, "measure", measure)
    out = tmp_path / "page.md"
    assert dispatch(["bench", "--quick", "--quiet", "--out", str(out), "chain of"]) != 0
    assert not out.exists()
    kept = (tmp_path / "page.partial.md").read_text("utf-8")
    assert f"| {measured[0]} | 1 | 10.0 / **10.0** / 10.0 |" in kept
    assert "Stopped before its end" in kept


@pytest.mark.parametrize("is_cut", [False, True])
def test_a_part_of_the_entries_does_not_replace_the_page_of_all(
    is_cut: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    measured: list[str] = []

    def measure(entry: Entry, peers: timing.Peers, on_done: Callable[[], None]) -> timing.Result:
        if measured and is_cut:
            raise RuntimeError("no more")
        measured.append(entry.name)
        return timing.Result(entry, 4.0, (timing.Repeat(0.1, 1.0, 0.1, 1.0, 1000.0, 0.1),))

    monkeypatch.setattr(timing, "measure", measure)
    monkeypatch.chdir(tmp_path)
    committed = tmp_path / "BENCHMARKS.md"
    committed.write_text("all of them\n")
    assert (dispatch(["bench", "--quick", "--quiet", "chain of"]) != 0) is is_cut
    assert [path.name for path in tmp_path.iterdir()] == ["BENCHMARKS.md"]
    assert committed.read_text() == "all of them\n"
    printed = capsys.readouterr().out
    assert f"| {measured[0]} | 1 | 10.0 / **10.0** / 10.0 |" in printed
    assert ("Stopped before its end" in printed) is is_cut
