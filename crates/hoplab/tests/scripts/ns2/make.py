"""Writes timelines.txt.gz with `ns` (Debian package ns2 2.35+dfsg-5); run it here, for a few seconds.

To read one: `gzip -dc timelines.txt.gz | sed -n '/^# sack_burst:/,/^# /p'`.
"""

import gzip
import subprocess
import tempfile
from pathlib import Path

AGENTS = {"tahoe": "Tahoe", "reno": "Reno", "new_reno": "Newreno", "sack": "Sack1", "vegas": "Vegas"}
LINUX = {
    "reno": "reno",
    "vegas": "vegas",
    "veno": "veno",
    "westwood_plus": "westwood",
    "bic": "bic",
    "cubic": "cubic",
    "compound": "compound",
}
"""Congestion controls of `Agent/TCP/Linux` by our transport names."""

CASES: dict[str, dict[str, object]] = {
    "tahoe_losses": {"sender": "tahoe", "data": [30, 33, 36, 90]},
    "tahoe_acks_lost": {"sender": "tahoe", "data": [50], "acks": [8, 9, 20, 30, 40]},
    "reno_burst": {"sender": "reno", "data": [30, 31, 32, 33]},
    "reno_losses": {"sender": "reno", "data": [30, 60, 61, 90], "window": 12},
    "new_reno_losses": {"sender": "new_reno", "data": [25, 45, 60, 90]},
    "new_reno_burst": {"sender": "new_reno", "data": list(range(30, 40))},
    "new_reno_steady": {"sender": "new_reno", "data": list(range(30, 36)), "steady": 1},
    "new_reno_delayed_acks": {"sender": "new_reno", "data": [30, 33, 50], "sink": "TCPSink/DelAck"},
    "new_reno_acks_lost": {"sender": "new_reno", "data": [40, 41], "acks": [5, 6, 7, 22, 23, 35, 50]},
    "new_reno_limited": {"sender": "new_reno", "data": [12, 40], "window": 4, "rate": 2e6},
    "new_reno_cbr": {"sender": "new_reno", "data": [12, 30, 31], "cbr": 1e5, "until": 5},
    "sack_losses": {"sender": "sack", "data": [30, 32, 34, 36, 60, 61]},
    "sack_burst": {"sender": "sack", "data": list(range(30, 42))},
    "sack_lost_again": {"sender": "sack", "data": [30, 31, 32, 50, 51]},
    "sack_delayed_acks": {"sender": "sack", "data": [30, 33], "acks": [12, 13, 30], "sink": "TCPSink/Sack1/DelAck"},
    "vegas_losses": {"sender": "vegas", "data": [25, 45, 60, 90]},
    "vegas_burst": {"sender": "vegas", "data": [30, 31, 32, 33]},
    "vegas_limited": {"sender": "vegas", "data": [12, 40, 70, 71], "window": 4},
    "vegas_acks_lost": {"sender": "vegas", "data": [40, 80, 81], "acks": list(range(60, 68)), "window": 32},
}

PATTERNS: dict[str, dict[str, object]] = {
    "losses": {"data": [30, 60, 61, 90, 120, 123, 126, 160], "window": 32, "until": 5},
    "burst": {"data": [*range(60, 72), 90, 91], "acks": [20, 21, 40], "window": 32, "until": 5},
    "silence": {"data": [50, 51, 52, *range(80, 140)], "acks": [*range(100, 110)], "window": 12, "until": 10},
    "wide": {"data": [150, 420, 700, 950], "window": 128, "rate": 2e6, "until": 7},
    "delayed": {"data": [40, 80, 81, 130], "window": 32, "until": 5, "sink": "TCPSink/Sack1/DelAck"},
}
"""What is lost of each of the Linux senders; `wide` opens the window far beyond what a wireless chain lets it."""

CASES |= {
    f"linux_{sender}_{name}": {"sender": sender, "linux": LINUX[sender], **pattern}
    for sender in LINUX
    for name, pattern in PATTERNS.items()
}


def timeline(name: str, case: dict[str, object]) -> str:
    """One case as text: its conditions, sendings (`ms segment`) and windows (`w ms segments`)."""
    sender = str(case["sender"])
    linux = str(case.get("linux", ""))
    options = {
        "agent": "Linux" if linux else AGENTS[sender],
        "ca": linux,
        # The modules of Linux take a segment sent at time zero for one whose time is unknown.
        "start": 1 if linux else 0,
        "sink": case.get("sink", "TCPSink/Sack1" if linux or sender == "sack" else "TCPSink"),
        "window": case.get("window", 20),
        "rate": case.get("rate", 1e6),
        "delay": 20,
        "until": case.get("until", 2.5),
        "data": ",".join(map(str, case.get("data", []))),
        "acks": ",".join(map(str, case.get("acks", []))),
        "steady": case.get("steady", 0),
        "cbr": case.get("cbr", 0),
    }
    with tempfile.NamedTemporaryFile() as trace:
        arguments = [text for key, value in options.items() for text in (f"-{key}", str(value))]
        done = subprocess.run(["ns", "pipe.tcl", *arguments, "-out", trace.name], check=True, capture_output=True)
        # An unknown congestion control is only mentioned: ns goes on with another.
        assert b"Error" not in done.stdout, done.stdout
        lines = Path(trace.name).read_text().splitlines()
    conditions = [
        f"# {name}: ns-2.35 (Debian 2.35+dfsg-5), pipe.tcl of this folder.",
        f"sender {sender}",
        *(["profile ns2_linux", f"start {options['start']}"] if linux else []),
        *(f"{key} {options[key]}" for key in ("window", "rate", "delay", "until", "steady", "cbr")),
        *(f"{key} {options[key]}".strip() for key in ("data", "acks")),
        f"delayed {int('DelAck' in str(options['sink']))}",
    ]
    sendings, windows = [], {}
    for fields in map(str.split, lines):
        if fields[0] == "+" and fields[4] == "tcp":
            sendings.append(f"{float(fields[1]) * 1e3:.2f} {fields[10]}")
        elif fields[5:6] == ["cwnd_"]:
            windows[fields[0]] = float(fields[6])
    curve = [f"w {float(at) * 1e3:.2f} {window:g}" for at, window in windows.items()]
    return "\n".join([*conditions, *sendings, *curve]) + "\n"


if __name__ == "__main__":
    text = "".join(timeline(name, CASES[name]) for name in sorted(CASES))
    # Without a time, so that equal timelines make an equal file.
    Path("timelines.txt.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
