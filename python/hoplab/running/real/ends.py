"""Both ends of a connection, of datagrams, and of an echo, for nodes of `hoplab live` and `hoplab real`.

    hoplab real chain.toml --exec last 'python -m hoplab.running.real.ends take 110 10' \
        --exec first 'python -m hoplab.running.real.ends send {last} bbr 110 10'

Times count from the start of the network, in s: connections and datagrams end at the first, and are counted from the
second on. Each program prints one JSON object. It needs Python alone, as hoplab starts it inside a small kernel.
"""

import contextlib
import json
import socket
import struct
import sys
import time

BEGAN = time.monotonic()
PORT, ECHO_PORT, DATAGRAM_PORT = 5001, 7, 9
READ = 1 << 16
RETRY_S = 0.05
SAMPLE_S = 0.1
LINGER_S = 0.5
"""The last program to end ends the others: it leaves them time to print."""

TCP_INFO = 11
RTT_AT, RETRANSMITTED_AT = 68, 100
"""Offsets of `tcpi_rtt`, in us, and `tcpi_total_retrans` in struct tcp_info (linux/tcp.h)."""


def elapsed_s() -> float:
    """Time since the start of this program, which is that of the network within a few ms."""
    return time.monotonic() - BEGAN


def take(end_s: float, from_s: float) -> dict[str, object]:
    """Accept a connection and count its bytes."""
    with socket.create_server(("", PORT)) as server:
        connection, _ = server.accept()
        taken = 0
        connection.settimeout(SAMPLE_S)
        while (now := elapsed_s()) < end_s:
            with contextlib.suppress(TimeoutError):
                got = len(connection.recv(READ))
                taken += got if now >= from_s else 0
        time.sleep(LINGER_S / 2)  # the other end closes first
        return {"goodput_bps": 8 * taken / (end_s - from_s)}


def send(to: str, congestion: str, end_s: float, from_s: float) -> dict[str, object]:
    """Send to a connection without end, with one of the kernel's controllers."""
    while True:
        sender = socket.socket()
        sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, congestion.encode())
        try:
            sender.connect((to, PORT))
            break
        except ConnectionRefusedError:
            sender.close()
            time.sleep(RETRY_S)
    sender.settimeout(SAMPLE_S)
    content, rtts, sampled, before = bytes(READ), [], 0.0, 0
    while (now := elapsed_s()) < end_s:
        with contextlib.suppress(TimeoutError):
            sender.send(content)
        if now - sampled >= SAMPLE_S:
            sampled = now
            info = sender.getsockopt(socket.IPPROTO_TCP, TCP_INFO, 192)
            (rtt_us,) = struct.unpack_from("I", info, RTT_AT)
            (retransmitted,) = struct.unpack_from("I", info, RETRANSMITTED_AT)
            if now < from_s:
                before = retransmitted
            else:
                rtts.append(rtt_us * 1e-6)
    used = sender.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).rstrip(b"\0").decode()
    return {"congestion": used, "rtt_s": sum(rtts) / len(rtts), "retransmissions": retransmitted - before}


def echo() -> None:
    """Return each datagram."""
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("", ECHO_PORT))
    while True:
        content, address = server.recvfrom(READ)
        server.sendto(content, address)


def ask(to: str, count: int, every_s: float) -> dict[str, object]:
    """Send datagrams of 84 bytes with headers to an echo, one at a time."""
    client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    client.settimeout(2.0)
    time.sleep(1.0)
    times = []
    for _ in range(count):
        time.sleep(every_s)
        began = time.monotonic()
        client.sendto(bytes(56), (to, ECHO_PORT))
        client.recv(READ)
        times.append(time.monotonic() - began)
    return {"times_s": times}


def sink() -> None:
    """Receive datagrams."""
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("", DATAGRAM_PORT))
    while True:
        server.recv(READ)


def flood(to: str, rate_bps: float, length: int, end_s: float) -> dict[str, object]:
    """Send datagrams at a constant rate."""
    client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    began, sent = elapsed_s(), 0
    while (now := elapsed_s()) < end_s:
        client.sendto(bytes(length), (to, DATAGRAM_PORT))
        sent += 1
        time.sleep(max(began + sent * length * 8 / rate_bps - now, 0.0))
    return {"sent": sent}


def main(words: list[str]) -> None:
    """Do what the words ask for, and print what came out."""
    kind, rest = words[0], words[1:]
    result = None
    if kind == "take":
        result = take(float(rest[0]), float(rest[1]))
    elif kind == "send":
        result = send(rest[0], rest[1], float(rest[2]), float(rest[3]))
    elif kind == "echo":
        echo()
    elif kind == "ask":
        result = ask(rest[0], int(rest[1]), float(rest[2]))
    elif kind == "sink":
        sink()
    elif kind == "flood":
        result = flood(rest[0], float(rest[1]), int(rest[2]), float(rest[3]))
    else:
        sys.exit(f"ends: unknown word {kind!r}: expected take, send, echo, ask, sink or flood")
    sys.stdout.write(json.dumps(result) + "\n")
    sys.stdout.flush()
    if kind in {"send", "ask", "flood"}:
        time.sleep(LINGER_S)


if __name__ == "__main__":
    main(sys.argv[1:])
