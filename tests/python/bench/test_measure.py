"""The timing of a row: what is done where noise is greater than what is to be measured."""

from pathlib import Path
from typing import Any

import pytest

from hoplab.bench import measure as timing
from hoplab.bench.suite import Entry, Span, chain


def row(repeats: int) -> Entry:
    return Entry("a chain", chain(1, "static"), "flows", Span(1.0, 3.0), Span(1.0, 2.0), repeats)


def timed(monkeypatch: pytest.MonkeyPatch, peer_s: list[float], repeats: int) -> timing.Result:
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


def test_a_turn_that_noise_has_drowned_is_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    result = timed(monkeypatch, [5.0, 4.0, 1.0, 3.0, 1.0, 2.0], repeats=2)
    assert [repeat.theirs_s for repeat in result.repeats] == [2.0, 1.0]
    ratio = result.ratio()
    assert ratio is not None
    assert ratio.low == pytest.approx(10.0)


def test_after_three_such_turns_the_last_one_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    result = timed(monkeypatch, [5.0, 4.0, 5.0, 4.5, 5.0, 4.75], repeats=1)
    assert [repeat.theirs_s for repeat in result.repeats] == [-0.25]
