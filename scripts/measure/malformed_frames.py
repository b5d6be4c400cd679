"""Send malformed frames into a device of a live network: prints what became of them, and fails if one is not counted.

    python scripts/measure/malformed_frames.py                  # 1,000,000 frames
    python scripts/measure/malformed_frames.py --frames 3000

Headers have one to three bytes of a random value, and a third of the frames a random length. Each frame is refused with
a reason, enters the network, or was dropped by the device's ring. The run is then repeated in simulated time, and must
have the same fingerprint.
"""

import argparse
import contextlib
import json
import random
import socket
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from hoplab.running.execution import run
from hoplab.running.live.session import Command, Pace, run_live
from hoplab.running.live.system import DEVICE
from hoplab.scenario.model import Scenario

ETH_P_IP = 0x0800
HEADER = bytes([0x45, 0, 0, 60, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2])
"""IPv4, from node 0 to node 1, of 60 bytes, UDP."""

BURST = 100
"""Frames without a rest: the ring of a device has 500."""

REST_S = 5e-4
SLOWEST_PER_S = 10_000
"""Rate at which a run has time for all frames."""

SCENARIO = """
duration = "{seconds} s"
[topology]
kind = "chain"
hops = 1
spacing = "200 m"
[link]
arp = false
[live]
"""


def frame_of(draw: random.Random, index: int) -> bytes:
    """A frame with a wrong header, and often a wrong length."""
    frame = bytearray(HEADER + bytes(40))
    for _ in range(draw.randrange(1, 4)):
        frame[draw.randrange(len(HEADER))] = draw.randrange(256)
    return bytes(frame[: draw.randrange(1, 61)] if index % 3 == 0 else frame)


def send(count: int) -> None:
    """Send frames at the node of this process, and print how many the kernel took."""
    draw, sent = random.Random(1), 0  # noqa: S311 (no secret)
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, ETH_P_IP) as link:
        link.bind((DEVICE, ETH_P_IP))
        for index in range(count):
            with contextlib.suppress(OSError):  # the kernel refuses some lengths
                link.send(frame_of(draw, index))
                sent += 1
            if index % BURST == 0:
                time.sleep(REST_S)
    print(sent)


def measure(count: int) -> dict[str, Any]:
    """Run a network into which node 0 sends, and return its counts."""
    with tempfile.TemporaryDirectory(prefix="hoplab-frames-") as folder:
        scenario = Scenario.from_text(SCENARIO.format(seconds=60 + count // SLOWEST_PER_S))
        command = f"exec {sys.executable} {Path(__file__).resolve()} --send --frames {count}"
        done = run_live(scenario, [Command("first", command)], Pace(), Path(folder) / "packets.txt")
        (repeated,) = run(done.replay, progress=False)
    return {
        "sent": int(done.outputs[0]),
        "refused": done.pace["refused"],
        "entered": done.pace["entered"],
        "ring_dropped": done.devices["0"]["dropped"],
        "is_repeated": repeated.fingerprint == done.pace["fingerprint"],
        "end_s": done.pace["end_ns"] * 1e-9,
    }


def faults(count: int, found: dict[str, Any]) -> list[str]:
    """What is wrong with the counts."""
    refused = found["refused"]
    listed = sum(refused.values()) + found["entered"] + found["ring_dropped"]
    wrong = [] if found["is_repeated"] else ["the repetition in simulated time differs"]
    if listed != found["sent"]:
        wrong.append(f"{found['sent']} frames were sent, and {listed} are counted")
    if found["sent"] < count / 2:
        wrong.append(f"the kernel took {found['sent']} of {count} frames")
    if missing := {"too_short", "not_ipv4", "bad_header", "unknown_address"} - {*refused}:
        wrong.append(f"no frame was refused for: {', '.join(sorted(missing))}")
    return wrong


def main() -> int:
    """Send, or run a network and judge its counts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--frames", type=int, default=1_000_000)
    parser.add_argument("--send", action="store_true", help="send at this node: for the program in the network")
    args = parser.parse_args()
    if args.send:
        send(args.frames)
        return 0
    found = measure(args.frames)
    print(json.dumps(found, indent=1))
    wrong = faults(args.frames, found)
    for sentence in wrong:
        print(f"malformed_frames: {sentence}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
