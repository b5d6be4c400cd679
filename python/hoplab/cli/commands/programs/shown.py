"""What people read of runs with programs: conversations, programs and lateness."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hoplab.base.errors import HoplabError
from hoplab.base.numbers import counted
from hoplab.cli.commands.run import describe
from hoplab.cli.console import text_table
from hoplab.running.live.session import LiveRun

if TYPE_CHECKING:
    from hoplab.running.runs import Run, Runs

PROTOCOLS = {1: "icmp", 2: "igmp", 6: "tcp", 17: "udp", 132: "sctp"}
"""Names of IP protocol numbers (IANA)."""

MAX_SHOWN = 20
"""Conversations on the terminal; `--json` and `live.json` have them all."""


def check(done: LiveRun, run: Run) -> None:
    """The repetition must have the event sequence of the run with programs.

    Raises
    ------
    HoplabError
        If it has another.
    """
    if run.fingerprint != done.pace["fingerprint"]:
        raise HoplabError(
            f"the repetition differs from the run with programs: fingerprint {run.fingerprint}, expected "
            f"{done.pace['fingerprint']}",
            hint="this is a bug in hoplab: please report the scenario and packets.txt",
        )


def shown(runs: Runs, done: LiveRun) -> str:
    """What people read: the network, conversations, programs and lateness."""
    report = runs[0].live or {}
    nodes = counted(len(report.get("nodes", [])), "node")
    head = f"{runs.scenario.name}: {runs[0].sim_s:.3f} s in real time, {nodes} with a device"
    lines = [head, *describe(runs).split("\n")[1:], ""]
    lines += talk(report.get("conversations", []), runs.scenario.node_names)
    lines += ended(done)
    late = done.pace["lateness"]
    cells = ", ".join(
        f"{name} {_ms(late[key])}" for name, key in (("p50", "p50_s"), ("p99", "p99_s"), ("max", "max_s"))
    )
    lines.append(f"lateness         {done.grade}: {late['deliveries']} deliveries, {cells}")
    if late["beyond"]:
        worst = ", ".join(
            f"{moment['at_s']:.3f} s ({_ms(moment['late_s'])})" for moment in late["worst"][: min(late["beyond"], 5)]
        )
        lines.append(f"                 {late['beyond']} later than {_ms(late['bound_s'])}; the latest at {worst}")
    if done.ring_drops:
        dropped = counted(done.ring_drops, "packet")
        lines.append(f"                 devices dropped {dropped}: programs send faster than hoplab reads")
    if not done.realtime:
        lines.append("                 without real-time priority: run as root, or with CAP_SYS_NICE")
    if refused := done.pace["refused"]:
        lines.append("refused packets  " + ", ".join(f"{reason} {count}" for reason, count in refused.items()))
    return "\n".join(lines)


def talk(conversations: Sequence[dict[str, Any]], names: Mapping[int, str]) -> list[str]:
    """A table of the conversations of a run."""
    if not conversations:
        return []
    shown = sorted(conversations, key=lambda one: -one["bytes"])[:MAX_SHOWN]
    header = ["from", "to", "protocol", "packets", "bytes", "delivered", "delay mean (ms)", "max (ms)", "dropped"]
    lines = [text_table(header, [_row(one, names) for one in shown], left=3), ""]
    if len(conversations) > len(shown):
        lines += [f"{counted(len(conversations) - len(shown), 'more conversation')}: --json, or --out DIR", ""]
    return lines


def ended(done: LiveRun) -> list[str]:
    """How the programs of a run ended."""
    lines = []
    for program in done.programs:
        status = "ended by hoplab" if (program["status"] or 0) < 0 else f"status {program['status']}"
        lines.append(f"{node_word(done, program)}: {program['command']}: {status}")
    return lines


def node_word(done: LiveRun, program: Mapping[str, Any]) -> str:
    """The node of a program, at the beginning of a line."""
    return done.replay.node_names.get(program["node"], f"node {program['node']}")


def texts_of(done: LiveRun) -> dict[str, str]:
    """Files of a run with programs, beside those of every run."""
    return {
        "live.json": done.to_json(),
        **{f"program-{index}.txt": text for index, text in enumerate(done.outputs)},
    }


def _row(one: dict[str, Any], names: Mapping[int, str]) -> list[str]:
    def end(node: str, port: str) -> str:
        name = "*" if one[node] is None else names.get(one[node], str(one[node]))
        return f"{name}:{one[port]}" if one[port] else name

    protocol = int(str(one["protocol"]))
    dropped = one["dropped"]
    reasons = ", ".join(f"{reason} {count}" for reason, count in dropped.items()) if isinstance(dropped, dict) else ""
    return [
        end("from", "from_port"),
        end("to", "to_port"),
        PROTOCOLS.get(protocol, str(protocol)),
        *(str(one[key]) for key in ("packets", "bytes", "delivered")),
        _ms(one["delay_mean_s"], unit=""),
        _ms(one["delay_max_s"], unit=""),
        reasons or "-",
    ]


def _ms(seconds: object, unit: str = " ms") -> str:
    return "-" if seconds is None else f"{float(str(seconds)) * 1e3:.3f}{unit}"
