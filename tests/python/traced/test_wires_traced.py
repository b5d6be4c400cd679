"""Traces and captures of wires and real connections; what they do not support."""

from __future__ import annotations

import json
import struct
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest
from fakes.command_line import CommandLine

from hoplab.running.execution import run
from hoplab.scenario.model import Scenario
from hoplab.store.trace import open_trace
from traced.test_captures import tshark

HOSTS = """
duration = "4 s"
[[node]]
kind = "host"
name = "client"
[[node]]
kind = "host"
name = "server"
[[wire]]
between = ["client", "server"]
rate = "10 Mb/s"
delay = "10 ms"
queue = { limit = 8 }
[[flow]]
from = "client"
to = "server"
transport = "tcp_cubic"
bytes = "100 kB"
start = "1 s"
"""

MESH = """
duration = "6 s"
[topology]
kind = "chain"
hops = 1
[[node]]
kind = "host"
name = "server"
[[wire]]
between = ["server", 0]
rate = "10 Mb/s"
delay = "10 ms"
[[flow]]
from = "server"
to = 1
transport = "tcp_reno"
bytes = "20 kB"
start = "1 s"
"""

BLOCK_INTERFACE, BLOCK_PACKET = 1, 6
RAW, RADIOTAP = 101, 127
SYN, ACK, FIN = 2, 16, 1


class Captured(NamedTuple):
    """A packet of a capture: interface, time in ns, direction (1 in, 2 out), IP packet."""

    interface: str
    t_ns: int
    direction: int
    data: bytes


def packets(path: Path) -> tuple[dict[str, int], list[Captured]]:
    """Link types of interfaces, and the packets of a pcapng file in little endian."""
    content, at = path.read_bytes(), 0
    names: list[str] = []
    types: dict[str, int] = {}
    found = []
    while at < len(content):
        kind, size = struct.unpack_from("<II", content, at)
        body = content[at + 8 : at + size - 4]
        if kind == BLOCK_INTERFACE:
            name = options(body[8:])[2].decode()
            names.append(name)
            types[name] = struct.unpack_from("<H", body)[0]
        elif kind == BLOCK_PACKET:
            interface, high, low, kept, _ = struct.unpack_from("<IIIII", body)
            data = body[20 : 20 + kept]
            flags = options(body[20 + (kept + 3) // 4 * 4 :]).get(2, b"\0\0\0\0")
            found.append(Captured(names[interface], high << 32 | low, flags[0] & 3, data))
        at += size
    return types, found


def options(body: bytes) -> dict[int, bytes]:
    """Options of a block, by code."""
    found, at = {}, 0
    while at + 4 <= len(body):
        code, length = struct.unpack_from("<HH", body, at)
        if code == 0:
            break
        found[code] = body[at + 4 : at + 4 + length]
        at += 4 + (length + 3) // 4 * 4
    return found


def test_each_end_of_a_wire_captures_the_connection(tmp_path: Path) -> None:
    path = tmp_path / "run.pcapng"
    one = run(Scenario.from_text(HOSTS), pcapng=path, progress=False)[0]
    types, found = packets(path)
    assert types == {"drops": RAW, "wire0.client": RAW, "wire0.server": RAW}
    first = found[0]
    assert (first.interface, first.t_ns, first.direction) == ("wire0.client", 1_000_000_000, 2)
    # The SYN: 60 bytes from 10.0.0.1 to 10.0.0.2, flags, MSS, window scale.
    assert len(first.data) == 60
    assert first.data[12:20] == bytes([10, 0, 0, 1, 10, 0, 0, 2])
    assert first.data[33] == SYN
    assert first.data[40:44] == bytes([2, 4, 5, 180])
    # 60 bytes take 48 us, and 10 ms.
    arrived = next(one for one in found if one.interface == "wire0.server")
    assert (arrived.t_ns, arrived.direction, arrived.data) == (1_010_048_000, 1, first.data)
    counts = Counter((one.interface, one.direction) for one in found)
    ports = [port["packets"] for port in one.wires]
    assert counts["wire0.client", 2] == counts["wire0.server", 1] == ports[0]
    assert counts["wire0.server", 2] == counts["wire0.client", 1] == ports[1]
    assert counts["drops", 0] == sum(one.drops.values()) > 0


def test_tshark_reads_numbers_flags_and_options(tmp_path: Path) -> None:
    path = tmp_path / "run.pcapng"
    run(Scenario.from_text(HOSTS), pcapng=path, progress=False)
    assert tshark(path, "frame.number", only="_ws.malformed || tcp.checksum_bad.expert || ip.checksum_bad.expert") == []
    sent = 'frame.interface_name == "wire0.client" && frame.packet_flags_direction == 2'
    rows = tshark(path, "tcp.seq_raw", "tcp.len", "tcp.flags", "tcp.options.timestamp.tsval", only=sent)
    flags = [int(row[2], 16) for row in rows]
    assert (flags[0], flags[1], flags[-1] & ACK) == (SYN, ACK, ACK)
    assert sum(flag & FIN for flag in flags) == 1
    fresh = {int(seq): int(length) for seq, length, *_ in rows if int(length) > 0}
    assert sum(fresh.values()) == 100_000
    assert all(a + fresh[a] == b for a, b in pairwise(sorted(fresh)))
    assert all(int(row[3]) > 0 for row in rows)
    blocks = tshark(path, "tcp.options.sack_le", only="tcp.options.sack_le")
    assert blocks, "the queue of 8 packets loses some: SACK"


def test_capture_of_gateway_has_radio_and_wire(tmp_path: Path) -> None:
    path = tmp_path / "run.pcapng"
    run(Scenario.from_text(MESH), pcapng=path, progress=False)
    types, found = packets(path)
    assert types == {"n0": RADIOTAP, "n1": RADIOTAP, "drops": RADIOTAP, "wire0.server": RAW, "wire0.n0": RAW}
    assert {one.interface for one in found} >= {"n0", "n1", "wire0.server", "wire0.n0"}
    assert [one.t_ns for one in found] == sorted(one.t_ns for one in found)


def test_trace_has_events_of_wires_and_changes_nothing(tmp_path: Path) -> None:
    scenario = Scenario.from_text(MESH)
    plain = run(scenario, progress=False)[0]
    traced = run(scenario, trace=tmp_path, progress=False)[0]
    assert plain.fingerprint == traced.fingerprint
    trace = open_trace(tmp_path)
    counts = dict(trace.rows("SELECT event, count(*) FROM events WHERE event LIKE 'wire%' GROUP BY event"))
    total = sum(port["packets"] for port in traced.wires)
    assert counts == {"wire_sent": total, "wire_received": total}
    (row,) = trace.rows("SELECT node, peer, flow, bytes FROM events WHERE event = 'wire_sent' ORDER BY t_ns LIMIT 1")
    assert row == (2, 0, 0, 60)


def test_report_of_traced_wires_has_all_but_the_trace_of_ns2(hoplab: CommandLine, tmp_path: Path) -> None:
    file, out = tmp_path / "mesh.toml", tmp_path / "out"
    file.write_text(MESH, encoding="utf-8")
    assert hoplab("run", str(file), "--trace", "--out", str(out)).code == 0
    page = next(out.glob("*.html")).read_text(encoding="utf-8")
    assert "One run (seed 1), all 6 s of it." in page
    assert "Bottleneck: node" in page
    assert "Wire, server to node 0" in page
    answer = hoplab("export", str(out), "--ns2-trace", str(tmp_path / "mesh.tr"))
    assert answer.code != 0
    assert "a trace of ns-2: not supported with [[wire]]" in answer.err


def test_ns2_trace_of_aggregates_is_refused_by_name(hoplab: CommandLine, tmp_path: Path) -> None:
    file, out = tmp_path / "aggregates.toml", tmp_path / "out"
    file.write_text(
        'profile = "std"\nduration = "200 ms"\nradio.standard = "11n"\n'
        'topology = { kind = "chain", hops = 1, spacing = "10 m" }\n'
        'flow = [{ transport = "udp", app = "cbr", rate = "9 Mb/s" }]\n',
        encoding="utf-8",
    )
    assert hoplab("run", str(file), "--trace", "--out", str(out)).code == 0
    answer = hoplab("export", str(out), "--ns2-trace", str(tmp_path / "aggregates.tr"))
    assert answer.code == 3
    assert "a trace of ns-2: not supported with A-MPDUs (mac.ampdu)" in answer.err
    single = tmp_path / "single"
    assert hoplab("run", str(file), "--set", "mac.ampdu=0 B", "--trace", "--out", str(single)).code == 0
    assert hoplab("export", str(single), "--ns2-trace", str(tmp_path / "single.tr")).code == 0


def test_explain_shows_wires_beside_the_radio_part(hoplab: CommandLine, tmp_path: Path) -> None:
    file, out = tmp_path / "mesh.toml", tmp_path / "mesh.html"
    file.write_text(MESH.replace('bytes = "20 kB"', ""), encoding="utf-8")
    shown = hoplab("explain", str(file), "--out", str(out)).out
    assert "Flow 0 (tcp_reno, server to 1, 1 hop and 1 wire)" in shown
    assert "Bottleneck: node" in shown
    assert "Wire, server to node 0: busy" in shown
    # 1500 B at 10 Mb/s and 10 ms, and what waits.
    found = json.loads(hoplab("explain", str(file), "--json").out)
    (delay,) = found["wire_delays"]
    assert 0.0112 <= delay["wire_s"] < delay["total_s"]
    # That of the flow includes the time before retransmissions.
    assert delay["total_s"] < (run(Scenario.from_file(file), progress=False)[0].flows[0].delay_mean_s or 0.0)
    assert 'id="why"' in out.read_text(encoding="utf-8")
    beside = tmp_path / "beside.html"
    assert hoplab("explain", str(file), "--against", str(file), "--seed", "2", "--out", str(beside)).code == 0
    assert beside.read_text(encoding="utf-8").count(chr(34) + "wires" + chr(34) + ":") == 2


def test_explain_names_a_wire_that_is_the_bottleneck(hoplab: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "mesh.toml"
    file.write_text(MESH.replace("10 Mb/s", "300 kb/s").replace('bytes = "20 kB"', ""), encoding="utf-8")
    assert "Bottleneck: a wire. Wire, server to node 0: busy" in hoplab("explain", str(file)).out


def test_explain_needs_a_radio_node(hoplab: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "hosts.toml"
    file.write_text(HOSTS, encoding="utf-8")
    answer = hoplab("explain", str(file))
    assert answer.code != 0
    assert "explain: not supported without radio nodes" in answer.err


@pytest.mark.parametrize(("key", "cause"), [("", None), ("[stream]\nunreachable = true\n", "unreachable")])
def test_connection_without_a_route_is_given_up(key: str, cause: str | None) -> None:
    text = MESH.replace('kind = "chain"\nhops = 1', 'kind = "positions"\npositions = [[0, 0], [1000, 0]]')
    one = run(Scenario.from_text(f"{text}{key}"), progress=False)[0]
    assert (one.flows[0].aborted_by, one.flows[0].is_aborted) == (cause, cause is not None)
