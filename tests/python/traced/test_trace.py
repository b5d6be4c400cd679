"""Stored traces: against the results of the same run, in SQL, and as figures."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from fakes.command_line import CommandLine

from hoplab.base.errors import InputError, OutputError, UsageError
from hoplab.figures.overview import traced_figures
from hoplab.figures.protocols import reactions
from hoplab.figures.traced import BINS, Traced, binned
from hoplab.running.execution import run
from hoplab.running.runs import Runs
from hoplab.store.trace import Trace, has_trace, open_trace
from traced.scenarios import scenario


def traced(folder: Path, transport: str, *, seeds: int = 1, **kind: object) -> tuple[Runs, Trace]:
    """A run and its trace."""
    runs = run(scenario(transport, **kind), seeds=seeds, trace=folder, progress=False)  # type: ignore[arg-type]
    return runs, open_trace(folder)


def count(trace: Trace, where: str, seed: int = 1) -> int:
    ((found,),) = trace.rows(f"SELECT count(*) FROM events WHERE seed = {seed} AND {where}")
    return int(found)


@pytest.mark.parametrize("transport", ["new_reno", "udp", "split_tcp"])
@pytest.mark.parametrize("routing", ["static", "aodv"])
def test_events_tell_the_same_as_the_results(tmp_path: Path, transport: str, routing: str) -> None:
    runs, trace = traced(tmp_path, transport, routing=routing, seeds=2)
    for one in runs:
        for kind in ("rts", "cts", "data", "ack"):
            sent = f"event = 'frame_sent' AND frame = '{kind}' AND peer IS NOT NULL"
            assert count(trace, sent, one.seed) == one.frames[kind]
        assert count(trace, "event = 'frame_sent' AND peer IS NULL", one.seed) == one.frames["broadcast"]
        for reason in ("queue_full", "mac_retry", "link_failure", "no_route"):
            assert count(trace, f"event = 'dropped' AND reason = '{reason}'", one.seed) == one.drops.get(reason, 0)
        for cause, frames in one.lost.items():
            assert count(trace, f"event = 'frame_lost' AND reason = '{cause}'", one.seed) == frames
        flow = one.flows[0]
        again = "event = 'segment_sent' AND is_retransmission AND node = 0"
        if transport != "split_tcp":
            assert count(trace, "event = 'segment_sent'", one.seed) == flow.segments_sent
            assert count(trace, again, one.seed) == flow.retransmissions
        assert count(trace, "event = 'timeout'", one.seed) == flow.timeouts
        # What no result says: every packet is made before anything else happens to it.
        orphans = """
            SELECT count(*) FROM events e WHERE uid IS NOT NULL AND NOT EXISTS (
                SELECT 1 FROM events o WHERE o.seed = e.seed AND o.uid = e.uid AND o.event = 'originated'
                AND o.t_ns <= e.t_ns)
        """
        assert trace.rows(orphans) == [(0,)]


def test_a_trace_changes_nothing_and_is_the_same_again(tmp_path: Path) -> None:
    plain = run(scenario("new_reno"), progress=False)
    first, trace = traced(tmp_path / "a", "new_reno")
    second, again = traced(tmp_path / "b", "new_reno")
    assert plain[0].fingerprint == first[0].fingerprint == second[0].fingerprint
    query = "SELECT * FROM events ORDER BY ALL"
    assert trace.rows(query) == again.rows(query)
    assert not (tmp_path / "a" / ".trace").exists()


def test_a_queue_is_as_long_as_its_events_say(tmp_path: Path) -> None:
    _, trace = traced(tmp_path, "udp")
    changes = trace.rows("""
        SELECT node, event, value, lag(value) OVER (PARTITION BY node ORDER BY t_ns, rowid) FROM
        (SELECT *, row_number() OVER () AS rowid FROM events) WHERE event IN ('enqueued', 'dequeued')
    """)
    steps = {event: set() for event in ("enqueued", "dequeued")}  # type: dict[str, set[float]]
    for _, event, length, before in changes:
        steps[event].add(length - (0 if before is None else before))
    assert steps["dequeued"] == {-1}
    assert 1 in steps["enqueued"]


def test_names_of_events_and_reasons_are_in_the_files(tmp_path: Path, hoplab: CommandLine) -> None:
    _, trace = traced(tmp_path / "found", "split_tcp")
    for event in ("enqueued", "dequeued", "proxy_accepted"):
        assert count(trace, f"event = '{event}'") > 0, event
    query = "SELECT event FROM events WHERE event = 'dequeued' AND NOT is_retransmission LIMIT 1"
    assert hoplab("query", query, tmp_path / "found", "--csv").out == "event\ndequeued\n"


def test_every_moment_of_a_node_is_accounted_for(tmp_path: Path) -> None:
    runs, _ = traced(tmp_path, "new_reno")
    for node in runs[0].airtime:
        assert sum(seconds for use, seconds in node.items() if use != "node") == pytest.approx(6.0, abs=1e-6)
    accounted = run(scenario("new_reno"), airtime=True, progress=False)
    assert accounted[0].airtime == runs[0].airtime
    assert run(scenario("new_reno"), progress=False)[0].airtime == ()


@pytest.mark.parametrize(
    ("transport", "expected"),
    [
        ("new_reno", set()),
        ("semi_tcp", {"congested-nodes", "handshake-steps", "reaction-time"}),
        ("muzha", {"drai-over-time", "mrai-along-flow-0"}),
        ("split_tcp", {"stores-over-time"}),
        ("xcp_winf", {"winf-capacity", "winf-available", "feedback-along-flow-0"}),
        ("rcp", {"offered-rate-over-time", "rate-along-flow-0"}),
    ],
)
def test_a_run_has_the_figures_of_its_protocols_and_no_others(
    tmp_path: Path, transport: str, expected: set[str]
) -> None:
    _, trace = traced(tmp_path, transport)
    figures = {figure.id: figure for figure in traced_figures(trace)}
    assert set(figures) - {"goodput-over-time", "queue-over-time", "idle-over-time", "srtt-over-time"} == expected
    assert all("seed 1" in figure.caption for figure in figures.values())


def test_estimates_are_drawn_beside_the_truth(tmp_path: Path) -> None:
    _, trace = traced(tmp_path, "xcp_winf", duration="20 s")
    figure = next(figure for figure in traced_figures(trace) if figure.id == "winf-available")
    guessed, true = figure.curves[:2]
    pairs = [(g, t) for x, g, t in zip(guessed.x[1:], guessed.y[1:], true.y, strict=True) if x > 2.0]
    capacity = max(max(pair) for pair in pairs)
    assert sum(abs(g - t) for g, t in pairs) / len(pairs) < 0.05 * max(capacity, 1000.0)


def test_reactions_are_from_congestion_to_the_next_hold(tmp_path: Path) -> None:
    _, trace = traced(tmp_path, "semi_tcp")
    found = reactions(Traced(trace, 1))
    assert found is not None
    assert 0 < len(found.delays_s) <= found.episodes == count(trace, "reason = 'congested'")
    assert found.delays_s == sorted(found.delays_s)
    assert 0.0 <= found.quantile(0.0) <= found.quantile(0.5) <= found.quantile(1.0) == found.delays_s[-1]


def test_means_over_bins_are_of_the_samples_in_them() -> None:
    times, means = binned([0.0, 0.4, 1.0, 59.9, 60.0], [1.0, 3.0, 5.0, 7.0, 9.0], 60.0)
    assert BINS == 60
    assert (times, means) == ([0.0, 1.0, 59.0, 60.0], [2.0, 5.0, 8.0, 8.0])


def test_the_commands(hoplab: CommandLine, chain: Path, tmp_path: Path) -> None:
    done = hoplab("run", chain, "--set", "duration=6 s", "--seeds", 2, "--out", "found", "--trace")
    assert done.code == 0, done.err
    assert has_trace(tmp_path / "found")
    asked = hoplab("query", "SELECT seed, count(*) AS n FROM events GROUP BY seed ORDER BY seed", "found", "--csv")
    assert asked.out.splitlines()[0] == "seed,n"
    assert [line.split(",")[0] for line in asked.out.splitlines()[1:]] == ["1", "2"]
    flows = hoplab("query", "SELECT count(*) FROM flows", "found", "--csv")
    assert flows.out.splitlines()[1] == "2"
    page = (tmp_path / "found" / "report.html").read_text()
    assert "queue-over-time" in page
    assert "Airtime by node" in page
    (tmp_path / "found" / "report.html").unlink()
    assert hoplab("report", "found").code == 0
    assert "queue-over-time" in (tmp_path / "found" / "report.html").read_text()


def test_bad_arguments_are_refused(hoplab: CommandLine, chain: Path, tmp_path: Path) -> None:
    assert "add --out DIR" in hoplab("run", chain, "--trace").err
    with pytest.raises(InputError, match="no trace found"):
        open_trace(tmp_path)
    (tmp_path / "empty").mkdir()
    assert "no tables found" in hoplab("query", "SELECT 1", "empty").err
    hoplab("run", chain, "--set", "duration=1 s", "--out", "found", "--trace")
    (tmp_path / "found" / "events.parquet").write_bytes(b"nothing")
    with pytest.raises(InputError, match=r"checksum mismatch"):
        open_trace(tmp_path / "found")
    assert hoplab("query", "SELECT count(*) FROM flows", "found").code == 3
    (tmp_path / "found" / "events.parquet").unlink()
    answer = hoplab("query", "SELECT count(*) FROM nothing", "found")
    assert (answer.code, "tables are" in answer.err) == (2, True)


@pytest.mark.parametrize("table", ["events", "samples"])
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_full_disk_is_reported_and_leaves_no_partial_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table: str
) -> None:
    from hoplab.store.trace import TraceFolder

    prefix = TraceFolder.prefix

    def full(folder: TraceFolder, index: int) -> str:
        place = Path(f"{prefix(folder, index)}{table}.parquet")
        if not place.is_symlink():
            place.symlink_to("/dev/full")
        return prefix(folder, index)

    monkeypatch.setattr(TraceFolder, "prefix", full)
    with pytest.raises(OutputError, match="trace cannot be written: No space left"):
        run(scenario("new_reno"), trace=tmp_path, progress=False)
    assert list(tmp_path.iterdir()) == []


def test_every_reader_sees_the_same(tmp_path: Path) -> None:
    polars = pytest.importorskip("polars")
    runs, trace = traced(tmp_path, "rcp_winf", routing="aodv", seeds=2)
    for table, columns in (("events", 19), ("samples", 6)):
        frame = polars.read_parquet(tmp_path / f"{table}.parquet")
        rows = trace.rows(f"SELECT * FROM {table}")
        assert frame.width == columns
        assert frame.rows() == rows
    assert trace.seeds == list(runs.seeds)
    kinds = dict(trace.rows("SELECT column_name, column_type FROM (DESCRIBE events)"))
    assert kinds["seed"] == "UBIGINT"
    assert (kinds["node"], kinds["uid"], kinds["event"], kinds["is_retransmission"]) == (
        "INTEGER",
        "BIGINT",
        "VARCHAR",
        "BOOLEAN",
    )


def test_a_long_trace_needs_no_more_memory_than_a_short_one(tmp_path: Path) -> None:
    def peak_bytes(duration: str) -> int:
        script = (
            "from hoplab_validation.bench.worker import peak_bytes\nfrom hoplab.running.execution import run\n"
            "from traced.scenarios import scenario\n"
            f"run(scenario('new_reno', hops=8, duration='{duration}'), trace={str(tmp_path)!r}, progress=False)\n"
            "print(peak_bytes())\n"
        )
        here = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
        done = subprocess.run([sys.executable, "-c", script], env=here, capture_output=True, check=True, timeout=120)
        return int(done.stdout)

    short, long = peak_bytes("5 s"), peak_bytes("600 s")  # 20 thousand rows, and 2 million
    assert short > 0
    assert long < short + (32 << 20)


def test_one_capture_cannot_hold_two_runs(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="one capture file name for 2 seeds"):
        run(scenario("new_reno"), seeds=2, pcapng=tmp_path / "one.pcapng", progress=False)
    shutil.rmtree(tmp_path)
