"""Captures, as tshark reads them."""

from __future__ import annotations

import subprocess
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from fakes.command_line import CommandLine
from fakes.tools import INSTALL, needs

from hoplab.running.execution import run
from traced.scenarios import TRANSPORTS, scenario

TYPES = {"0x001b": "rts", "0x001c": "cts", "0x001d": "ack", "0x001e": "rts"}
"""What the engine calls frames of a type and subtype; Semi-TCP's urgent request may use that of CF-End."""

ON_AIR = "wlan.fc.type != 3"


def tshark(path: Path, *fields: str, only: str = "") -> list[list[str]]:
    """These fields of every frame that the filter lets through."""
    program = needs("tshark", INSTALL)
    command = [program, "-n", "-r", str(path), "-T", "fields", "-E", "occurrence=f", "-E", "aggregator=,"]
    command += ["-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE"]
    command += [word for field in fields for word in ("-e", field)]
    done = subprocess.run([*command, "-Y", only or "frame"], capture_output=True, text=True, check=True, timeout=120)
    return [line.split("\t") for line in done.stdout.splitlines()]


@pytest.mark.parametrize(
    ("transport", "routing"),
    [
        *((transport, "aodv") for transport in TRANSPORTS),
        ("new_reno", "static"),
        ("udp", "dsdv"),
        ("rcp", "dsdv"),
        ("udp", "olsr"),
        ("udp", "dsr"),
        ("new_reno", "dsr"),
        ("udp", "hwmp"),
    ],
)
def test_nothing_is_malformed_and_every_frame_is_there(tmp_path: Path, transport: str, routing: str) -> None:
    path = tmp_path / "run.pcapng"
    one = run(scenario(transport, routing=routing, duration="4 s"), pcapng=path, progress=False)[0]
    broken = "_ws.malformed || _ws.unreassembled || _ws.expert.group == 0x07000000"
    assert tshark(path, "frame.number", only=broken) == []
    found: Counter[str] = Counter()
    for subtype, address in tshark(path, "wlan.fc.type_subtype", "wlan.ra", only=ON_AIR):
        found[TYPES.get(subtype, "broadcast" if address == "ff:ff:ff:ff:ff:ff" else "data")] += 1
    assert found == Counter({kind: frames for kind, frames in one.frames.items() if frames})
    drops = Counter(comment.split(": ")[1] for (comment,) in tshark(path, "frame.comment", only=f"!({ON_AIR})"))
    assert drops == Counter({reason: packets for reason, packets in one.drops.items() if packets})
    lost = 'frame.comment contains "lost at"'
    assert len(tshark(path, "frame.number", only=lost)) == sum(one.lost.values())


@pytest.mark.parametrize(("metric", "kinds"), [("hops", {"1", "2"}), ("etx", {"201", "202"})])
def test_messages_of_olsr_have_their_fields(tmp_path: Path, metric: str, kinds: set[str]) -> None:
    path = tmp_path / "run.pcapng"
    settings = {"routing.olsr.metric": metric}
    run(scenario("udp", routing="olsr", duration="20 s").with_(settings), pcapng=path, progress=False)
    rows = tshark(path, "udp.port", "olsr.packet_len", "udp.length", "olsr.message_type", "olsr.hop_count", only="olsr")
    assert {ports for ports, *_ in rows} == {"698"}
    assert all(int(length) + 8 == int(udp) for _, length, udp, *_ in rows)
    assert {kind for *_, kind, _ in rows} <= kinds
    flooded = tshark(
        path, "olsr.origin_addr", "olsr.ansn", "olsr.ttl", only=f"olsr.message_type == {max(kinds, key=int)}"
    )
    assert flooded
    assert all(origin.startswith("10.0.0.") for origin, *_ in flooded)


def test_dsr_is_protocol_48_with_true_lengths(tmp_path: Path) -> None:
    path = tmp_path / "run.pcapng"
    run(scenario("udp", routing="dsr", duration="8 s"), pcapng=path, progress=False)
    rows = tshark(path, "ip.len", "frame.len", only=f"ip.proto == 48 && {ON_AIR}")
    lengths = {int(length) for length, _ in rows}
    assert 32 in lengths, "a RREQ at its initiator: headers 24, option 8"
    assert len(lengths) > 2, "messages, and data with source routes"
    assert len({int(frame) - int(length) for length, frame in rows}) == 1


def test_messages_of_hwmp_are_mesh_action_frames(tmp_path: Path) -> None:
    path = tmp_path / "run.pcapng"
    run(scenario("udp", routing="hwmp", duration="4 s"), pcapng=path, progress=False)
    fields = ("wlan.fc.type_subtype", "wlan.hwmp.hopcount", "wlan.hwmp.ttl", "wlan.hwmp.metric", "wlan.hwmp.targ_sta")
    rows = tshark(path, *fields, "wlan.tag.length", only=f"wlan.fixed.mesh_action == 1 && {ON_AIR}")
    assert {kind for kind, *_ in rows} == {"0x000d"}
    assert {length for *_, length in rows} >= {"37", "31"}, "requests and replies"
    traveled = [(int(hops), int(ttl), int(metric)) for _, hops, ttl, metric, *_ in rows if hops]
    assert all(hops + ttl == 31 for hops, ttl, _ in traveled)
    # A link takes 1.2 ms or more at 11 Mb/s or less, in units of 10.24 us.
    assert all(metric >= 110 * hops for hops, _, metric in traveled)
    assert any(hops > 0 for hops, *_ in traveled)


def test_frames_of_80211n_leave_nothing_to_assume(tmp_path: Path) -> None:
    path = tmp_path / "run.pcapng"
    settings = {"radio.standard": "11n", "profile": "std", "topology.spacing": "10 m"}
    run(scenario("udp", routing="static", duration="500 ms").with_(settings), pcapng=path, progress=False)
    assert len(tshark(path, "frame.number", only="radiotap.present.mcs == 1")) > 10
    assert tshark(path, "_ws.expert.message", only="_ws.expert.severity >= 0x600000") == []
    fec, stbc = {
        (fec, stbc)
        for fec, stbc in tshark(path, "radiotap.mcs.fec", "radiotap.mcs.stbc", only="radiotap.present.mcs == 1")
    }.pop()
    assert (fec, stbc) == ("0", "0")


def test_tcpdump_counts_the_same(tmp_path: Path) -> None:
    program = needs("tcpdump", INSTALL)
    path = tmp_path / "run.pcapng"
    one = run(scenario("new_reno", duration="4 s"), pcapng=path, progress=False)[0]

    def lines(words: str) -> int:
        command = [program, "-nn", "-r", str(path), *words.split()]
        return len(subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout.splitlines())

    for kind in ("rts", "cts", "ack"):
        assert lines(f"type ctl subtype {kind}") == one.frames[kind] > 0
    assert lines("type data") == one.frames["data"] + one.frames["broadcast"]
    assert lines("") == sum(one.frames.values()) + sum(one.drops.values())
    assert 0 < lines("type data and tcp") <= one.frames["data"]


def test_a_connection_reads_as_one(tmp_path: Path) -> None:
    path = tmp_path / "run.pcapng"
    one = run(scenario("new_reno"), pcapng=path, progress=False)[0]
    first_hop = "tcp.len > 0 && wlan.ta == 02:00:00:00:00:00"
    sent = tshark(path, "tcp.seq_raw", "tcp.len", "ip.len", only=first_hop)
    assert {length for _, length, _ in sent} == {"1460"}
    assert {length for _, _, length in sent} == {"1500"}
    numbers = {(int(seq) - 1) // 1460 for seq, _, _ in sent}
    assert all((int(seq) - 1) % 1460 == 0 for seq, _, _ in sent)
    # What is missing was dropped before it was on any air.
    assert len(set(range(max(numbers) + 1)) - numbers) <= sum(one.drops.values())
    # What reached the sink on its last hop, once each, is what the application got, or waits for a gap.
    arrived = {int(seq) for (seq,) in tshark(path, "tcp.seq_raw", only="tcp.len > 0 && wlan.ra == 02:00:00:00:00:05")}
    got = one.flows[0].goodput_bps * 6.0 / 8.0 / 1460
    assert got <= len(arrived) <= got + 20
    answers = [int(ack) for (ack,) in tshark(path, "tcp.ack_raw", only="tcp.len == 0 && ip.src == 10.0.0.6")]
    assert max(answers) == pytest.approx(1 + got * 1460)
    bad = "tcp.checksum.status == Bad || ip.checksum.status == Bad"
    assert tshark(path, "frame.number", only=bad) == []
    opening = tshark(path, "tcp.flags.syn", "tcp.flags.ack", only="tcp.flags.syn == 1 && wlan.ra == 02:00:00:00:00:00")
    assert ["1", "1"] in opening or ["True", "True"] in opening


def test_times_and_interfaces_are_those_of_the_nodes(tmp_path: Path) -> None:
    path = tmp_path / "run.pcapng"
    run(scenario("udp", hops=2), pcapng=path, progress=False)
    for name, sender in tshark(path, "frame.interface_name", "wlan.ta", only="wlan.fc.type_subtype == 0x1b"):
        assert int(sender.split(":")[-1], 16) == int(name.removeprefix("n"))
    times = [float(at) for (at,) in tshark(path, "frame.time_relative")]
    assert times == sorted(times)
    # A request, 352 us on the air and 200 m on the way; SIFS; the grant.
    kinds = tshark(path, "frame.time_relative", "wlan.fc.type_subtype", only="wlan.fc.type == 1")
    gaps = {
        round((float(b[0]) - float(a[0])) * 1e6, 1) for a, b in pairwise(kinds) if (a[1], b[1]) == ("0x001b", "0x001c")
    }
    assert 362.7 in gaps
    unicast = "wlan.fc.type == 2 && wlan.ra != ff:ff:ff:ff:ff:ff"
    assert {float(rate) for (rate,) in tshark(path, "radiotap.datarate", only=unicast)} == {2.0}


def test_routing_messages_are_dissected(tmp_path: Path) -> None:
    path = tmp_path / "run.pcapng"
    run(scenario("new_reno", routing="aodv"), pcapng=path, progress=False)
    requests = tshark(path, "aodv.dest_ip", "aodv.orig_ip", only="aodv.type == 1")
    assert ["10.0.0.6", "10.0.0.1"] in requests
    assert tshark(path, "aodv.lifetime", only="aodv.type == 2")
    assert tshark(path, "arp.dst.proto_ipv4", only="arp.opcode == 1")


def test_the_command_writes_a_whole_file_or_none(hoplab: CommandLine, chain: Path, tmp_path: Path) -> None:
    short = ("--set", "duration=1 s")
    assert hoplab("run", chain, *short, "--seeds", 2, "--pcapng", "run-{seed}.pcapng").code == 0
    assert sorted(place.name for place in tmp_path.glob("*.pcapng")) == ["run-1.pcapng", "run-2.pcapng"]
    answer = hoplab("run", chain, *short, "--pcapng", "run-1.pcapng")
    assert (answer.code, "file exists" in answer.err) == (74, True)
    assert hoplab("run", chain, *short, "--pcapng", "run-1.pcapng", "--force").code == 0
    assert "directory nowhere not found" in hoplab("run", chain, *short, "--pcapng", "nowhere/run.pcapng").err
    wrong = hoplab("run", chain, *short, "--set", "topology.hops=0", "--pcapng", "wrong.pcapng")
    assert wrong.code == 3
    assert not list(tmp_path.glob("*wrong*"))
    assert not [place for place in tmp_path.iterdir() if place.name.startswith(".run")]
