"""Traces in ns-2's formats, as scripts for them read them."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from fakes.command_line import CommandLine
from fakes.peers import needs_ns2

from hoplab.running.execution import run
from hoplab.running.runs import Run
from hoplab.store import ns2_trace
from hoplab.store.trace import open_trace
from traced.scenarios import scenario

IP = r"\[-?\d+:\d+ -?\d+:\d+ \d+ \d+\]"
OLD = re.compile(
    r"^[srfD] \d+\.\d{9} _\d+_ (AGT|RTR|IFQ|MAC)  (---|[A-Z]+) \d+ "
    r"((RTS|CTS|ACK) \d+ \[[0-9a-f]+ [0-9a-f]+ [0-9a-f]+ 0\] "
    r"|ARP \d+ \[[0-9a-f]+ [0-9a-f]+ [0-9a-f]+ (806|0)\] ------- \[(REQUEST|REPLY) \d+/\d+ \d+/\d+\]"
    rf"|(tcp|ack) \d+ \[[0-9a-f]+ [0-9a-f]+ [0-9a-f]+ (800|0)\] ------- {IP} \[-?\d+ 0\] \d+ 0"
    rf"|cbr \d+ \[[0-9a-f]+ [0-9a-f]+ [0-9a-f]+ (800|0)\] ------- {IP} \[\d+\] \d+ 0"
    rf"|AODV \d+ \[[0-9a-f]+ [0-9a-f]+ [0-9a-f]+ (800|0)\] ------- {IP} \((REQUEST|REPLY|ERROR|HELLO)\))$"
)
DELIVERY = """
$4 == "AGT" && $1 == "s" && $7 == kind { sent[$6] = 1 }
$4 == "AGT" && $1 == "r" && $7 == kind { got[$6] = 1; bytes += $8 }
$4 == "MAC" && $1 == "s" && $7 == "RTS" { rts++ }
$1 == "D" && $4 == "IFQ" { full++ }
END { for (i in sent) s++; for (i in got) r++; print s + 0, r + 0, bytes + 0, rts + 0, full + 0 }
"""
"""What scripts for the old format do: they count packets by layer, mark and type."""
DELIVERY_NEW = """
{ for (i = 2; i < NF; i += 2) field[$i] = $(i + 1) }
field["-Nl"] == "AGT" && field["-It"] == kind && $1 == "s" { s++ }
field["-Nl"] == "AGT" && field["-It"] == kind && $1 == "r" { r++ }
END { print s + 0, r + 0 }
"""


def exported(tmp_path: Path, transport: str, routing: str, form: ns2_trace.Form) -> tuple[Run, list[str]]:
    what = scenario(transport, routing=routing)
    one = run(what, trace=tmp_path, progress=False)[0]
    return one, list(ns2_trace.lines(open_trace(tmp_path), what, seed=1, form=form))


def awk(program: str, lines: list[str], kind: str) -> list[int]:
    tool = shutil.which("awk")
    assert tool, "every Unix has awk"
    done = subprocess.run(
        [tool, "-v", f"kind={kind}", program], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True
    )
    return [int(word) for word in done.stdout.split()]


@pytest.mark.parametrize(("transport", "kind"), [("new_reno", "tcp"), ("udp", "cbr")])
@pytest.mark.parametrize("routing", ["static", "aodv"])
def test_scripts_find_what_the_results_say(tmp_path: Path, transport: str, kind: str, routing: str) -> None:
    one, lines = exported(tmp_path, transport, routing, "old")
    strange = [line for line in lines if not OLD.match(line)]
    assert strange == []
    sent, got, size, rts, full = awk(DELIVERY, lines, kind)
    flow = one.flows[0]
    assert sent == flow.segments_sent
    assert rts == one.frames["rts"]
    assert full == one.drops.get("queue_full", 0) + one.drops.get("arp", 0)
    overhead = {"tcp": 40, "cbr": 20}[kind]
    data = got - 1 if kind == "tcp" else got  # the opening has none
    assert size == pytest.approx(flow.throughput_bps * 6.0 / 8.0 + overhead * got, abs=1500)
    assert data > 50
    times = [float(line.split()[1]) for line in lines]
    assert times == sorted(times)


def test_new_format_has_the_same_values(tmp_path: Path) -> None:
    one, lines = exported(tmp_path, "new_reno", "aodv", "new")
    assert awk(DELIVERY_NEW, lines, "tcp")[0] == one.flows[0].segments_sent
    assert all(re.match(r"^[srfd] -t \d+\.\d{9} -Hs \d+ -Hd -?\d+ -Ni \d+ -Nx ", line) for line in lines)
    places = {line.split(" -Ni ")[1].split(" -Ny")[0] for line in lines}
    assert {f"{node} -Nx {200 * node}.00" for node in range(6)} == places


NS2 = """
set ns [new Simulator]
set tf [open ns2.tr w]; $ns trace-all $tf
set topo [new Topography]; $topo load_flatgrid 2000 2000
create-god 3
$ns node-config -adhocRouting AODV -llType LL -macType Mac/802_11 -ifqType Queue/DropTail/PriQueue -ifqLen 50 \
  -antType Antenna/OmniAntenna -propType Propagation/TwoRayGround -phyType Phy/WirelessPhy \
  -channel [new Channel/WirelessChannel] -topoInstance $topo -agentTrace ON -routerTrace ON -macTrace ON
for {set i 0} {$i<3} {incr i} { set n($i) [$ns node]
  $n($i) set X_ [expr 10+200*$i]; $n($i) set Y_ 100; $n($i) set Z_ 0; $n($i) random-motion 0 }
set tcp [new Agent/TCP/Newreno]; set sink [new Agent/TCPSink]
$ns attach-agent $n(0) $tcp; $ns attach-agent $n(2) $sink; $ns connect $tcp $sink
set ftp [new Application/FTP]; $ftp attach-agent $tcp; $ns at 1.0 "$ftp start"
$ns at 3.0 "finish"; proc finish {} { global ns tf; $ns flush-trace; close $tf; exit 0 }
$ns run
"""


def test_lines_of_ns2_itself_have_the_same_shape(tmp_path: Path) -> None:
    ns = needs_ns2()
    (tmp_path / "chain.tcl").write_text(NS2)
    subprocess.run([ns, "chain.tcl"], cwd=tmp_path, capture_output=True, timeout=60, check=True)
    real = (tmp_path / "ns2.tr").read_text().splitlines()
    # What is left out: the bodies of routing messages.
    bare = [re.sub(r" \[0x.*\] \(", " (", line) for line in real if not line.startswith("M ")]
    assert [line for line in bare if not OLD.match(line)] == []
    kinds = Counter((line.split()[0], line.split()[3], line.split()[6]) for line in real)
    _, lines = exported(tmp_path, "new_reno", "aodv", "old")
    ours = Counter((line.split()[0], line.split()[3], line.split()[6]) for line in lines)
    assert {kind for kind in kinds if kind[0] != "D"} - set(ours) == set()


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
