"""What the animation is drawn from: packing, thinning, the part of a run that is shown, and the trace behind it."""

from __future__ import annotations

import base64
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fakes.command_line import CommandLine
from hypothesis import given
from hypothesis import strategies as st
from traced.scenarios import scenario

from hoplab.base.errors import UsageError
from hoplab.report.animation import panel
from hoplab.report.animation.columns import Packer, Rounded, Single, Whole
from hoplab.report.animation.panel import viewer_panel
from hoplab.report.animation.scene import FATES, HEADERS, KINDS, NEWS, Scene
from hoplab.report.animation.span import Span, parse_span
from hoplab.report.animation.state import changes
from hoplab.running.execution import run
from hoplab.running.runs import Runs
from hoplab.scenario.model import Scenario
from hoplab.scenario.trajectories import movements
from hoplab.store.trace import Trace, open_trace

Numbers = np.ndarray[Any, Any]


def unpacked(packed: dict[str, Any]) -> dict[str, dict[str, Numbers]]:
    """What `viewer/src/columns.ts` reads, read again."""
    content = zlib.decompress(base64.b64decode(packed["deflated"]))
    tables: dict[str, dict[str, Numbers]] = {}
    at = 0
    for table in packed["tables"]:
        rows = table["rows"]
        columns = tables.setdefault(table["name"], {})
        for column in table["columns"]:
            width = column["bytes"]
            planes = np.frombuffer(content, np.uint8, rows * width, at).reshape(width, rows)
            raw = np.ascontiguousarray(planes.T).reshape(-1)
            at += rows * width
            columns[column["name"]] = _read(column, raw, width)
    assert at == len(content)
    return tables


def _read(column: dict[str, Any], raw: Numbers, width: int) -> Numbers:
    if column["kind"] == "single":
        return np.asarray(raw.view("<f4"))
    numbers = raw.view(f"<u{width}").astype(np.int64)
    if column["kind"] == "rounded":
        return np.where(numbers == 65535, np.nan, column["offset"] + numbers * column["step"])
    return np.asarray((np.cumsum(numbers) if column["kind"] == "ascending" else numbers) + column["offset"])


@given(st.lists(st.integers(-(2**31), 2**31 - 1), max_size=50))
def test_whole_numbers_survive_packing(values: list[int]) -> None:
    packer = Packer()
    packer.add("a", {"n": Whole(np.array(values, dtype=np.int64)), "t": Whole(np.sort(values), ascending=True)})
    found = unpacked(packer.packed())["a"]
    assert found["n"].tolist() == values
    assert found["t"].tolist() == sorted(values)


@given(st.lists(st.floats(-1e9, 1e9) | st.just(float("nan")), max_size=50))
def test_real_numbers_survive_packing_to_their_precision(values: list[float]) -> None:
    packer = Packer()
    given_values = np.array(values, dtype=np.float64)
    packer.add("a", {"r": Rounded(given_values), "s": Single(given_values)})
    found = unpacked(packer.packed())["a"]
    known = given_values[np.isfinite(given_values)]
    span = known.max() - known.min() if len(known) else 0.0
    np.testing.assert_allclose(found["r"], given_values, atol=span / 65534 + 1e-6)
    np.testing.assert_array_equal(found["s"], given_values.astype(np.float32))


def test_states_keep_their_changes_only() -> None:
    times = np.array([1, 5, 5, 7, 20, 30, 31])
    keys = np.array([0, 0, 1, 0, 0, 0, 0])
    values = np.array([4.0, 2.0, 9.0, 3.0, 3.0, 8.0, 7.0])
    kept = changes(times, keys, values, begin=6, grain=10)
    # What held before is at the beginning; 20 changes nothing; of 30 and 31, in one grain, the last stays.
    assert kept.times.tolist() == [6, 6, 7, 31]
    assert [(int(keys[row]), float(values[row])) for row in kept.rows] == [(0, 2.0), (1, 9.0), (0, 3.0), (0, 7.0)]


def test_states_at_the_beginning_are_known() -> None:
    kept = changes(np.array([2]), np.array([3]), np.array([1.0]), begin=10, grain=1)
    assert (kept.times.tolist(), kept.rows.tolist()) == ([10], [0])
    none = changes(np.array([], dtype=np.int64), np.array([], dtype=np.int64), np.array([]), begin=0, grain=1)
    assert none.times.tolist() == []


@pytest.mark.parametrize(
    ("text", "begin", "end"), [("20 s..35 s", 20e9, 35e9), ("500ms .. 2min", 0.5e9, 120e9), ("0 s..1.5e3 us", 0, 1.5e6)]
)
def test_spans_are_read(text: str, begin: float, end: float) -> None:
    assert parse_span(text) == Span(round(begin), round(end))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("20 s", "expected two times with '..' between them"),
        ("20..30 s", "'20' is not a time, expected a number and a unit (us, ms, s, min, h)"),
        ("20 s..30 parsec", "'30 parsec' is not a time"),
        ("5 s..5 s", "end must be after start"),
        ("-1 s..5 s", "'-1 s' is not a time"),
    ],
)
def test_invalid_spans_are_refused(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=r"such as --window") as caught:
        parse_span(text)
    assert says in caught.value.message


@pytest.fixture(scope="module", params=["semi_tcp", "muzha", "split_tcp", "xcp_winf", "new_reno"])
def traced(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Runs, Trace]:
    """A run of each protocol that the animation shows something of, with two seeds."""
    folder = tmp_path_factory.mktemp(request.param)
    routing = "aodv" if request.param in {"new_reno", "semi_tcp"} else "static"
    runs = run(scenario(request.param, routing=routing), seeds=2, trace=folder, progress=False)
    return runs, open_trace(folder)


def scene_of(runs: Runs, trace: Trace, span: Span | None = None) -> Scene:
    ends = tuple((flow.src, flow.dst) for flow in runs[0].flows)
    whole = Span(0, round(runs[0].sim_s * 1e9))
    return Scene(trace, 1, span or whole, movements(runs.scenario, seed=1), ends)


def test_frames_are_those_of_the_run(traced: tuple[Runs, Trace]) -> None:
    runs, trace = traced
    frames = unpacked(scene_of(runs, trace).pack())["frames"]
    alone = frames["to"] >= 0
    for name, kind in (("rts", "rts"), ("cts", "cts"), ("ack", "mac_ack")):
        assert int((frames["kind"] == KINDS.index(kind)).sum()) == runs[0].frames[name]
    assert int((~alone).sum()) == runs[0].frames["broadcast"]
    data = frames["kind"] >= KINDS.index("segment")
    assert int((data & alone).sum()) == runs[0].frames["data"]
    assert frames["kind"].min() >= 0
    marked = (frames["marks"] & 1) > 0
    if runs.scenario.name == "semi_tcp":
        assert marked.any()
    else:
        assert not marked.any()


def test_the_fate_of_frames_is_that_of_the_run(traced: tuple[Runs, Trace]) -> None:
    runs, trace = traced
    frames = unpacked(scene_of(runs, trace).pack())["frames"]
    for fate in FATES[2:]:
        told = int((frames["fate"] == FATES.index(fate)).sum())
        # A frame that ends after the run has no fate; a frame may be read and then refused.
        assert told == runs[0].lost.get(fate, 0), fate
    acks = frames["kind"] == KINDS.index("mac_ack")
    arrived = int((frames["fate"][acks] == FATES.index("arrived")).sum())
    ((received,),) = trace.rows(
        "SELECT count(*) FROM events e WHERE seed = 1 AND event = 'frame_received' AND frame = 'ack' AND NOT EXISTS "
        "(SELECT 1 FROM events l WHERE l.seed = 1 AND l.event = 'frame_lost' AND l.t_ns = e.t_ns AND l.node = e.node)"
    )
    assert arrived == received


def test_queues_are_those_of_the_trace(traced: tuple[Runs, Trace]) -> None:
    runs, trace = traced
    queues = unpacked(scene_of(runs, trace).pack())["queues"]
    assert (np.diff(queues["t"]) >= 0).all()
    for node, t_ns, value in trace.rows(
        "SELECT node, t_ns, value FROM samples WHERE seed = 1 AND metric = 'queue_len' ORDER BY t_ns LIMIT 400"
    ):
        mine = queues["node"] == node
        # Changes within a fifth of a millisecond are one.
        near = mine & (np.abs(queues["t"] - t_ns // 1000) <= 400)
        before = queues["value"][mine & (queues["t"] <= t_ns // 1000)]
        assert near.any() or (before[-1] if len(before) else 0) == value


def test_scene_has_paths_states_and_samples_of_the_protocol(traced: tuple[Runs, Trace]) -> None:
    runs, trace = traced
    packed = scene_of(runs, trace).pack()
    tables, metrics = unpacked(packed), {metric["name"]: metric for metric in packed["metrics"]}
    name = runs.scenario.name
    ahead = tables["hops"]["back"] == 0
    assert set(tables["hops"]["node"][ahead].tolist()) >= {0, 1, 2, 3, 4}
    assert (len(tables["congested"]["t"]) > 0) == (name == "semi_tcp")
    assert (len(tables["parked"]["t"]) > 0) == (name == "semi_tcp")
    assert (len(tables["stores"]["t"]) > 0) == (name == "split_tcp")
    headers = {HEADERS[header] for header in tables["stamps"]["header"].tolist()}
    assert headers == {"muzha": {"mrai"}, "xcp_winf": {"xcp"}}.get(name, set())
    assert ("drai" in metrics) == (name == "muzha")
    assert ("winf_capacity_bps" in metrics) == (name == "xcp_winf")
    assert metrics["goodput_bps"]["entities"] == [0]
    assert len(tables["drops"]["t"]) == sum(runs[0].drops.values())
    assert tables["drops"]["reason"].tolist() == [] or tables["drops"]["reason"].min() >= 0
    assert set(tables["news"]["what"].tolist()) <= set(range(len(NEWS)))


def test_goodput_adds_up(traced: tuple[Runs, Trace]) -> None:
    runs, trace = traced
    packed = scene_of(runs, trace).pack()
    tables = unpacked(packed)
    moments = tables["moments"]["t"] / 1e6
    rate = tables["samples:goodput_bps"]["value"]
    # Means over seconds that do not overlap are what was delivered in all.
    seconds = [np.searchsorted(moments, second + 1e-9, side="right") - 1 for second in range(1, round(moments[-1]) + 1)]
    ((delivered,),) = trace.rows("SELECT max(value) FROM samples WHERE seed = 1 AND metric = 'delivered_bytes'")
    assert sum(rate[at] for at in seconds) / 8 == pytest.approx(delivered, rel=0.05, abs=1500)


def test_a_part_of_a_run_begins_with_what_holds(traced: tuple[Runs, Trace]) -> None:
    runs, trace = traced
    span = Span(3_000_000_000, 4_000_000_000)
    part, whole = (unpacked(scene_of(runs, trace, one).pack()) for one in (span, None))
    for name in ("queues", "congested", "parked", "stores", "hops"):
        keys = [key for key in whole[name] if key not in {"t", "value", "next"}]
        last = next(key for key in whole[name] if key in {"value", "next"})

        def state(table: dict[str, Numbers], at: float, keys: list[str] = keys, last: str = last) -> dict[Any, int]:
            rows = range(int(np.searchsorted(table["t"], at, side="right")))
            return {tuple(int(table[key][row]) for key in keys): int(table[last][row]) for row in rows}

        for at in (3.2e6, 3.7e6):  # apart from changes within the same grain, which begin elsewhere
            mine, all_of_it = state(part[name], at), state(whole[name], at)
            differ = {key for key in all_of_it if mine.get(key) != all_of_it[key]}
            recent = np.abs(whole[name]["t"] - at) <= 400
            moving = {tuple(int(whole[name][key][row]) for key in keys) for row in np.flatnonzero(recent)}
            assert differ <= moving, (name, at)
    assert part["frames"]["t"].min() >= 3e6
    assert part["frames"]["t"].max() < 4e6


def test_long_run_is_cut_with_a_note(traced: tuple[Runs, Trace], monkeypatch: pytest.MonkeyPatch) -> None:
    runs, trace = traced
    whole = viewer_panel(runs, trace)
    assert whole is not None
    assert whole.note == "One run (seed 1), all 6 s of it."
    size = len(whole.data["deflated"])
    monkeypatch.setattr(panel, "MAX_TEXT", size // 2)
    cut = viewer_panel(runs, trace)
    assert cut is not None
    assert len(cut.data["deflated"]) <= size // 2
    assert 0.5 < cut.data["end_s"] < 6.0
    assert "more does not fit in a page" in cut.note
    assert 'hoplab report DIR --window "' in cut.note
    monkeypatch.setattr(panel, "MAX_FRAMES", 100)
    short = viewer_panel(runs, trace)
    assert short is not None
    assert len(unpacked(short.data)["frames"]["t"]) == 100


def test_nodes_are_where_they_move_within_the_part(tmp_path: Path) -> None:
    moving = Scenario.from_text(
        'duration = "20 s"\n[topology]\nkind = "random"\nnodes = 6\narea = ["400 m", "400 m"]\n[mobility]\n'
        'kind = "waypoint"\nmin_speed = "5 m/s"\nmax_speed = "20 m/s"\npause = "1 s"\n[routing]\nprotocol = "aodv"\n'
        "[[flow]]\nfrom = 0\nto = 1\n"
    )
    runs = run(moving, trace=tmp_path, progress=False)
    trajectories = movements(moving, seed=1)
    scene = Scene(open_trace(tmp_path), 1, Span(8_000_000_000, 12_000_000_000), trajectories, ((0, 1),))
    tables = unpacked(scene.pack())
    legs = tables["legs"]
    for node, trajectory in enumerate(trajectories):
        for t_s in (8.0, 9.5, 11.99):
            rows = [row for row in np.flatnonzero(legs["node"] == node) if legs["t0"][row] <= t_s]
            x, y = float(tables["starts"]["x"][node]), float(tables["starts"]["y"][node])
            if rows:
                row = rows[-1]
                length = legs["t1"][row] - legs["t0"][row]
                share = min((t_s - legs["t0"][row]) / length, 1.0) if length > 0 else 1.0
                x = legs["x0"][row] + (legs["x1"][row] - legs["x0"][row]) * share
                y = legs["y0"][row] + (legs["y1"][row] - legs["y0"][row]) * share
            assert (x, y) == pytest.approx(trajectory.position(t_s), abs=0.01)
    assert runs[0].sim_s == 20.0


def test_the_command_shows_another_part(hoplab: CommandLine, chain: Path) -> None:
    assert hoplab("run", str(chain), "-s", "duration=5 s", "--trace", "--out", "found").code == 0
    answer = hoplab("report", "found", "--window", "2 s..3 s", "--out", "part.html")
    assert answer.code == 0, answer.err
    assert "One run (seed 1), 2 s to 3 s of 5 s" in Path("part.html").read_text()
    late = hoplab("report", "found", "--window", "7 s..9 s")
    assert late.code == 2
    assert "--window: start 7 s is after the end of the run, 5 s" in late.err
    wrong = hoplab("report", "found", "--window", "7..9")
    assert wrong.code == 2
    assert "expected a number and a unit (us, ms, s, min, h)" in wrong.err
    assert hoplab("run", str(chain), "-s", "duration=2 s", "--out", "plain").code == 0
    without = hoplab("report", "plain", "--window", "0 s..1 s")
    assert without.code == 2
    assert "--window: not supported for" in without.err


@pytest.mark.slow
def test_a_hundred_nodes_for_300_s_fit_in_a_page(tmp_path: Path) -> None:
    flows = "".join(f'[[flow]]\nfrom = {2 * i}\nto = {2 * i + 1}\ntransport = "new_reno"\n' for i in range(5))
    large = Scenario.from_text(
        'duration = "300 s"\n[topology]\nkind = "random"\nnodes = 100\narea = ["1500 m", "1500 m"]\n[mobility]\n'
        'kind = "waypoint"\nmin_speed = "1 m/s"\nmax_speed = "10 m/s"\npause = "5 s"\n[routing]\nprotocol = "aodv"\n'
        + flows
    )
    from hoplab.report.results import runs_report

    runs = run(large, trace=tmp_path, progress=False)
    report = runs_report(runs, command="", trace=open_trace(tmp_path))
    assert report.viewer is not None
    assert report.viewer.data["end_s"] == 300.0
    assert len(report.to_html().encode()) < 5_000_000
