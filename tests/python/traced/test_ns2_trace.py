"""Traces in ns-2's forms: line by line and number by number those of ns-2.35, from scenarios that both have run."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter, defaultdict
from math import sqrt
from pathlib import Path
from statistics import mean, stdev

import pytest
from fakes.command_line import CommandLine
from fakes.peers import needs_ns2

from hoplab.running.execution import run
from hoplab.scenario.model import Scenario
from hoplab.store import ns2_trace
from hoplab.store.ns2_trace import FORMS, Form
from hoplab.store.trace import open_trace
from hoplab_validation.peers.compare import tcl_of
from hoplab_validation.peers.ns2 import run as ns2_run
from traced.ns2 import cases
from traced.scenarios import scenario

RANDOM = sorted(set(cases.CASES) - {"udp_aodv"})
OURS = 8
"""Seeds that we run of each case."""
ROUNDING_S = 1e-8
"""ns-2 counts in floating point, and its delays of propagation are not rounded up to nanoseconds."""
SETTLED_S = 1.4
"""From here on nothing is random in the case `udp_aodv`."""


@pytest.fixture(scope="module")
def traces(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, Form], list[list[str]]]:
    """Our traces, by case and form, seed by seed."""
    found: dict[tuple[str, Form], list[list[str]]] = {}
    for case in cases.CASES:
        for form in FORMS:
            seeds = OURS if form == "old" else 1
            found[case, form] = cases.ours(case, tmp_path_factory.mktemp(f"{case}-{form}"), seeds, form)
    return found


def clock(line: str) -> float:
    """The time of a line."""
    words = line.split(" ")
    return float(words[2] if words[1] == "-t" else words[1])


def timeless(line: str) -> str:
    """A line without its time."""
    words = line.split(" ")
    words[2 if words[1] == "-t" else 1] = "T"
    return " ".join(words)


def kind_of(line: str) -> str:
    """A line without what differs from packet to packet and from discovery to discovery."""
    line = re.sub(r"^(\w T _\d+_ +\w+ +\S+) \d+ ", r"\1 N ", timeless(line))
    line = re.sub(r"\] \[\d+( 0)?\] ", r"] [S\1] ", line)
    line = re.sub(r"\[0x2 (\d+) \d+ \[(\d+) \d+\] \[(\d+) \d+\]\]", r"[0x2 \1 N [\2 S] [\3 S]]", line)
    return re.sub(r"\[0x4 (\d+) \[(\d+) \d+\] [\d.]+\]", r"[0x4 \1 [\2 S] L]", line)


HEAD = re.compile(r"^(\w) T _(\d+)_ +(\w+) +(\S+) \S+ (\w+) (\d+) \[(\w+) (\w+) (\w+) (\w+)\] (.*)$")
IP = re.compile(r"^------- \[(-?\d+):(\d+) (-?\d+):(\d+) (\d+) (\d+)\] (.*)$")


def roles_of(line: str) -> str:
    """A line with roles in place of nodes, and with what TTL and counts of hops add up to."""
    head = HEAD.match(kind_of(line))
    if head is None:
        return "M"
    mark, node, layer, reason, name, size, duration, receiver, transmitter, ethernet, rest = head.groups()
    ip = IP.match(rest)
    if ip is None:
        rest = re.sub(r"\d+/\d+", "n/n", rest)
        mine = int(receiver, 16) == int(node)
        return f"{mark} {layer} {reason} {name} {size} {duration} {mine} {receiver == 'ffffffff'} {ethernet} {rest}"
    src, source, dst, sink, ttl, next_hop, tail = ip.groups()
    roles = {node: "here", src: "source", dst: "sink"}
    at = roles.get(node, "")
    names = [
        roles.get(str(int(word, 16)), "other") if word not in {"0", "ffffffff"} else ""
        for word in (receiver, transmitter)
    ]
    hops = re.search(r"\[0x[24] (\d+)|\] (\d+) 0$", tail)
    total = int(ttl) + int(hops[1] or hops[2]) if hops else int(ttl)
    tail = re.sub(r"\[0x(\w+) .*\]", r"[0x\1]", re.sub(r" \d+ 0$", "", tail))
    fields = (
        mark,
        at,
        layer,
        reason,
        name,
        size,
        duration,
        names,
        ethernet,
        source,
        sink,
        total,
        next_hop == dst,
        tail,
    )
    return " ".join(map(str, fields))


def lives(lines: list[str], kind: str) -> Counter[tuple[str, ...]]:
    """What befell the packets of a kind, line after line, without times."""
    found: dict[str, list[str]] = defaultdict(list)
    for line in lines:
        words = line.split()
        if words[0] in {"s", "r", "f", "D"} and words[6] == kind:
            found[words[5]].append(roles_of(line))
    return Counter(tuple(life) for life in found.values())


@pytest.mark.parametrize("form", FORMS)
def test_trace_without_random_times_is_that_of_ns2(traces: dict[tuple[str, Form], list[list[str]]], form: Form) -> None:
    real, ours = cases.real("udp_aodv", form), traces["udp_aodv", form][0]
    assert Counter(map(timeless, real)) == Counter(map(timeless, ours))
    rest = [
        sorted((clock(line), timeless(line)) for line in lines if clock(line) > SETTLED_S) for lines in (real, ours)
    ]
    assert len(rest[0]) > 200
    # Lines at one time have an order by chance; those of ns-2 may be a nanosecond apart.
    by_line = [sorted((line, at) for at, line in lines) for lines in rest]
    for (line, at), (our_line, our_at) in zip(*by_line, strict=True):
        assert line == our_line
        assert at == pytest.approx(our_at, abs=ROUNDING_S)


@pytest.mark.parametrize("case", RANDOM)
def test_every_kind_of_line_is_one_of_ns2(traces: dict[tuple[str, Form], list[list[str]]], case: str) -> None:
    # On a line every node has one role; elsewhere paths are random.
    what = roles_of if case in {"grid", "mobile"} else kind_of
    real = Counter(map(what, cases.real(case, "old")))
    ours = Counter(what(line) for lines in traces[case, "old"] for line in lines)
    unknown = {kind: count for kind, count in real.items() if kind not in ours}
    assert sum(unknown.values()) <= 0.01 * sum(real.values()), unknown


@pytest.mark.parametrize("case", ["udp_aodv", "flood", "bursts", "noise", "grid", "mobile"])
def test_packets_live_as_in_ns2(traces: dict[tuple[str, Form], list[list[str]]], case: str) -> None:
    kind = cases.DATA_OF.get(case, "cbr")
    real, ours = lives(cases.real(case, "old"), kind), Counter[tuple[str, ...]]()
    for lines in traces[case, "old"]:
        ours.update(lives(lines, kind))
    shared = sum(count for life, count in real.items() if life in ours)
    assert shared >= 0.9 * sum(real.values())


@pytest.mark.parametrize("case", list(cases.CASES))
def test_scripts_find_the_same_in_both_forms(traces: dict[tuple[str, Form], list[list[str]]], case: str) -> None:
    kind = cases.DATA_OF.get(case, "cbr")
    for old, new in (
        (cases.real(case, "old"), cases.real(case, "new")),
        (traces[case, "old"][0], traces[case, "new"][0]),
    ):
        assert cases.numbers(old, "old", kind) == cases.numbers(new, "new", kind)


def test_scripts_find_the_numbers_of_ns2_where_nothing_is_random(
    traces: dict[tuple[str, Form], list[list[str]]],
) -> None:
    for form in FORMS:
        settled = [
            [line for line in lines if clock(line) > SETTLED_S]
            for lines in (cases.real("udp_aodv", form), traces["udp_aodv", form][0])
        ]
        real, ours = (cases.numbers(lines, form, "cbr") for lines in settled)
        assert real["received"] == 9
        assert ours == pytest.approx(real, abs=1e-6)


@pytest.mark.parametrize("case", list(cases.CASES))
def test_scripts_find_the_numbers_of_ns2_within_intervals(
    traces: dict[tuple[str, Form], list[list[str]]], case: str
) -> None:
    kind = cases.DATA_OF.get(case, "cbr")
    ours = [cases.numbers(lines, "old", kind) for lines in traces[case, "old"]]
    real = cases.stored_numbers(case)
    assert len(real) == len(cases.SEEDS)
    for name in real[0]:
        theirs, found = [row[name] for row in real], [row[name] for row in ours]
        # Four standard errors of the difference: among some 150 comparisons, none beyond is by chance.
        apart = sqrt(stdev(theirs) ** 2 / len(theirs) + stdev(found) ** 2 / len(found))
        least = 0.02 * abs(mean(theirs)) + 1e-6
        assert abs(mean(theirs) - mean(found)) <= 4.0 * apart + least, f"{name}: {mean(theirs)}, ours {mean(found)}"


@pytest.mark.parametrize("form", FORMS)
def test_ns2_writes_the_stored_trace_again(tmp_path: Path, form: Form) -> None:
    program = needs_ns2()
    script = tmp_path / "x.tcl"
    script.write_text(tcl_of(cases.scenario("tcp_aodv"), 1, trace=form), encoding="utf-8")
    assert script.read_text(encoding="utf-8") == (cases.DATA / "tcp_aodv" / f"{form}.tcl").read_text(encoding="utf-8")
    seed = ns2_run.irregular(1)
    ns2_run.execute(program, script, seed)
    assert (tmp_path / f"trace.{seed}.tr").read_text(encoding="utf-8").splitlines() == cases.real("tcp_aodv", form)


def test_hop_limit_of_a_broadcast_falls_once_per_relay(traces: dict[tuple[str, Form], list[list[str]]]) -> None:
    limits = Counter(
        int(match[1]) for line in traces["grid", "old"][0] if (match := re.search(r" -1:255 (-?\d+) 0\] ", line))
    )
    assert set(limits) == set(range(30 - 9, 31)), "from one corner to the neighbors of the other"


def test_numbers_of_flows_are_in_the_new_form(traces: dict[tuple[str, Form], list[list[str]]]) -> None:
    ends = re.compile(r" -Nl AGT .* -Is (\S+) .* -If (\d+) ")
    for lines in (traces["two_ways", "new"][0], cases.real("two_ways", "new")):
        flows = {match.groups() for line in lines if (match := ends.search(line))}
        assert flows == {("0.0", "0"), ("3.1", "1"), ("3.2", "2"), ("1.0", "2")}


def test_the_command(hoplab: CommandLine, chain: Path, tmp_path: Path) -> None:
    hoplab("run", chain, "--set", "duration=2 s", "--out", "found", "--trace")
    answer = hoplab("export", "found", "--ns2-trace", "old.tr")
    assert (answer.code, answer.out.strip()) == (0, "old.tr")
    assert hoplab("export", "found", "--ns2-trace", "old.tr").code == 74
    assert hoplab("export", "found", "--ns2-trace", "new.tr", "--trace-format", "new").code == 0
    wrong = hoplab("export", "found", "--ns2-trace", "x.tr", "--trace-format", "middle")
    assert "--trace-format: unknown value middle, expected old or new" in wrong.err
    assert "--seed: no trace of seed 7, expected 1" in hoplab("export", "found", "--ns2-trace", "x.tr", "--seed", 7).err
    assert "no trace found" in hoplab("export", ".", "--ns2-trace", "x.tr").err
    assert not (tmp_path / "x.tr").exists()


MEMORY = """
import resource
from pathlib import Path
from hoplab.store import ns2_trace
from hoplab.store.trace import open_trace
from hoplab.report.directory import report_of
from hoplab.report.record import read_record
folder = Path({folder!r})
trace, scenario = open_trace(folder), read_record(folder).scenario
if {exports}:
    print(sum(1 for _ in ns2_trace.lines(trace, scenario, seed=1, form="new")))
else:
    print(len(report_of(folder).report.to_html()))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
"""What a process does of which the greatest memory is taken, in kiB on Linux."""
CHAIN = (
    'name = "long"\nduration = "25 s"\n[topology]\nkind = "chain"\nhops = 8\n[routing]\nprotocol = "aodv"\n[[flow]]\n'
)


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in other units elsewhere")
@pytest.mark.parametrize("exports", [True, False])
def test_memory_hardly_grows_with_the_trace(hoplab: CommandLine, tmp_path: Path, exports: bool) -> None:
    (tmp_path / "long.toml").write_text(CHAIN)
    most, sizes = [], []
    for duration in ("25 s", "200 s"):
        hoplab("run", "long.toml", "--set", f"duration={duration}", "--out", duration, "--trace")
        code = MEMORY.format(folder=str(tmp_path / duration), exports=exports)
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        size, memory = map(int, done.stdout.split())
        sizes.append(size)
        most.append(memory / 1024)
    assert sizes[1] > 2 * sizes[0], "the longer trace has more lines, its report more frames"
    assert most[1] - most[0] < 30.0, f"{most} MiB"


@pytest.mark.parametrize("transport", ["split_tcp", "semi_tcp", "xcp", "tcp_ap"])
def test_scripts_find_what_the_results_say(tmp_path: Path, transport: str) -> None:
    what: Scenario = scenario(transport, routing="aodv")
    one = run(what, trace=tmp_path, progress=False)[0]
    lines = list(ns2_trace.lines(open_trace(tmp_path), what, seed=1, form="old"))
    found = Counter((words[0], words[3], words[6]) for words in map(str.split, lines))
    assert found["s", "MAC", "RTS"] == one.frames["rts"]
    assert found["s", "AGT", "tcp"] > 50
    assert found["r", "AGT", "tcp"] > 50
    times = [clock(line) for line in lines]
    assert times == sorted(times)
