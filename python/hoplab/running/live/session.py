"""A live run: the network in real time, then its repetition in simulated time, from which all results come."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tomllib import TOMLDecodeError
from typing import Any

import hoplab
from hoplab.base.errors import HoplabError, UsageError
from hoplab.base.suggest import by_likeness
from hoplab.running.live import system
from hoplab.running.live.places import Place, own_place, remove_stale, running
from hoplab.scenario.model import Scenario, read_file
from hoplab.scenario.tomltext import toml_tables

INSIDE = "hoplab.running.live.inside"

NODE = re.compile(r"\s*(all|first|last|-?[0-9]{1,9})\s*")
"""What stands for a node on a command line, beside names of the scenario."""

ALL = "all"
"""What names every node with a device."""

_ADDRESSED = re.compile(r"\{([^{}\s]+)\}")


@dataclass(frozen=True)
class Command:
    """A program to run at a node; `is_shell` gives it the terminal."""

    node: str
    command: str
    is_shell: bool = False


@dataclass(frozen=True)
class Pace:
    """How a run keeps the pace of the clock, and the bound of the 99th percentile of lateness, in s."""

    bound_s: float = 2e-3
    is_precise: bool = False


@dataclass(frozen=True, kw_only=True)
class LiveRun:
    """What a live network did besides its packets.

    Attributes
    ----------
    replay : Scenario
        The scenario with the packets that entered, and the length of the run: every command accepts it.
    pace : dict
        End, fingerprint, refused packets, and lateness with its grade.
    programs : tuple of dict
        Node, command, exit status and end of each program.
    devices : dict
        Counters of each node's device.
    realtime : bool
        Whether the loop had a real-time class.
    is_interrupted : bool
        Whether Ctrl-C ended the run.
    kernel : str
        Release of the kernel that the programs ran on.
    outputs : tuple of str
        Output of each program.
    """

    replay: Scenario
    pace: dict[str, Any]
    programs: tuple[dict[str, Any], ...]
    devices: dict[str, dict[str, int]]
    realtime: bool
    is_interrupted: bool
    kernel: str
    outputs: tuple[str, ...] = field(default=(), repr=False)

    @property
    def grade(self) -> str:
        """`precise`, `fair` or `late`; a device that dropped packets makes a run late."""
        return "late" if self.ring_drops else str(self.pace["lateness"]["grade"])

    @property
    def ring_drops(self) -> int:
        """Packets that devices dropped outside of the network, as their rings were full."""
        return sum(counts.get("dropped", 0) for counts in self.devices.values())

    def to_json(self) -> str:
        """Everything but outputs of programs, as JSON."""
        whole = {
            "grade": self.grade,
            **self.pace,
            "programs": self.programs,
            "devices": self.devices,
            "realtime": self.realtime,
            "kernel": self.kernel,
        }
        return json.dumps(whole, indent=1) + "\n"


def scenario_of(path: Path, overrides: tuple[tuple[str, str], ...]) -> Scenario:
    """Read a scenario file; one without a table `[live]` has devices at all of its nodes."""
    try:
        has_table = "live" in toml_tables(read_file(path))
    except TOMLDecodeError:
        has_table = True  # the engine reports it, with its line
    if not has_table and not any(key.startswith("live.") for key, _ in overrides):
        overrides = (*overrides, ("live.mtu", "1500"))
    return Scenario.from_file(path, overrides)


def node_of(name: str, ports: Sequence[int], nodes: int, names: Mapping[int, str]) -> int:
    """The node that a command line names, by a name of the scenario, its number, or its place.

    Raises
    ------
    UsageError
        If it has no device.
    """
    match = NODE.fullmatch(name)
    known = {names[node]: node for node in ports if node in names}
    if name.strip() in known:
        return known[name.strip()]
    if match is not None:
        word = match[1]
        node = {"first": 0, "last": nodes - 1, ALL: -1}.get(word)
        if node is None:
            node = int(word) + (nodes if word.startswith("-") else 0)
        if node in ports:
            return node
    listed = f"{ports[0]} to {ports[-1]}" if len(ports) == ports[-1] - ports[0] + 1 else ", ".join(map(str, ports))
    named = f"a name ({', '.join(by_likeness(name.strip(), list(known)))}), " if known else ""
    raise UsageError(f"node {name.strip()!r} has no device", hint=f"expected {named}a number ({listed}), first or last")


def address_of(node: int) -> str:
    """The address of a node, as in captures: 10.0.0.1 is node 0."""
    number = node + 1
    return f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"


def mac_of(node: int) -> str:
    """The MAC address of a node, as in captures."""
    return ":".join(f"{byte:02x}" for byte in (2, 0, *node.to_bytes(4, "big")))


def _device(node: int, live: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of a node's device."""
    mac = mac_of(node) if live.get("device") == "tap" else None
    settings = system.Device(
        address_of(node), int(live["mtu"]), mac, live.get("ipv6", False), live.get("forward", False)
    )
    return asdict(settings)


def run_live(
    scenario: Scenario, commands: Sequence[Command], pace: Pace, packets: Path, *, seed: int | None = None
) -> LiveRun:
    """Run a network in real time; packets that enter are left in the file `packets`.

    Raises
    ------
    UsageError
        If a command names a node without a device.
    UnavailableError
        If the system does not permit it.
    HoplabError
        If the simulation fails.
    """
    if sys.platform != "linux":
        raise system.UnavailableError("live networks require Linux", hint="simulate with hoplab run")
    order = order_of(scenario, commands, pace, scenario.seed if seed is None else seed)
    remove_stale()
    with own_place() as place:
        place.order.write_text(json.dumps(order), encoding="utf-8")
        status = _executed(place)
        return collected(scenario, place, packets, f"status {status}")


def order_of(
    scenario: Scenario, commands: Sequence[Command], pace: Pace, seed: int, *, is_virtual: bool = False
) -> dict[str, Any]:
    """What the process inside is to do.

    Raises
    ------
    UsageError
        If a command names a node without a device.
    """
    data = scenario.resolve().data
    ports, nodes = [int(node) for node in data["live"]["nodes"]], len(data["topology"]["positions"])
    names = scenario.node_names

    def addressed(match: re.Match[str]) -> str:
        is_node = NODE.fullmatch(match[1]) is not None or match[1] in names.values()
        return address_of(node_of(match[1], ports, nodes, names)) if is_node and match[1] != ALL else match[0]

    programs = []
    for one in commands:
        text = _ADDRESSED.sub(addressed, one.command)
        at = ports if one.node.strip() == ALL and not one.is_shell else [node_of(one.node, ports, nodes, names)]
        programs += [
            {"node": node, "name": names.get(node, str(node)), "command": text, "is_shell": one.is_shell} for node in at
        ]
    return {
        "text": scenario.text,
        "path": str(Path(scenario.path).absolute()),
        "overrides": scenario.overrides,
        "seed": seed,
        "ports": {node: _device(node, data["live"]) for node in ports},
        "programs": programs,
        "names": names,
        "bound_s": pace.bound_s,
        "clock": "virtual" if is_virtual else "precise" if pace.is_precise else "real",
    }


def collected(scenario: Scenario, place: Place, packets: Path, ended: str) -> LiveRun:
    """The run that a place contains; `ended` says how its process ended.

    Raises
    ------
    UnavailableError
        If the system did not permit it.
    HoplabError
        If it ended early.
    """
    try:
        result: dict[str, Any] = json.loads(place.result.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise HoplabError(f"the process of the network ended early ({ended})") from None
    if "unavailable" in result:
        raise system.UnavailableError(result["unavailable"], hint=result["hint"])
    if "error" in result:
        raise HoplabError(f"the network ended early: {result['error']}")
    packets.write_bytes(place.packets.read_bytes())
    logs = [place.path / f"program-{index}.txt" for index in range(len(result["programs"]))]
    return LiveRun(
        replay=_replay(scenario, packets, result["pace"]),
        pace=result["pace"],
        programs=tuple(result["programs"]),
        devices=result["devices"],
        realtime=result["realtime"],
        is_interrupted=result["is_interrupted"],
        kernel=result["kernel"],
        outputs=tuple(log.read_text(encoding="utf-8", errors="replace") if log.is_file() else "" for log in logs),
    )


def _replay(scenario: Scenario, packets: Path, pace: dict[str, Any]) -> Scenario:
    """The scenario that repeats a run."""
    end_ns = pace["end_ns"]
    more = [("live.file", json.dumps(str(packets.absolute()))), ("duration", f'"{end_ns} ns"')]
    if float(scenario.resolve().data["warmup_s"]) * 1e9 >= end_ns:
        more.append(("warmup", '"0 s"'))
    return Scenario(scenario.text, scenario.path, (*scenario.overrides, *more))


def _executed(place: Place) -> int:
    """Execute the order of a place in a process of its own, and return its exit status."""
    with _uninterrupted():
        process = subprocess.run(  # noqa: S603 (the interpreter that runs this)
            [sys.executable, "-m", INSIDE, str(place.path)],
            env={**os.environ, "PYTHONPATH": module_path()},
            check=False,
        )
    return process.returncode


def module_path() -> str:
    """`PYTHONPATH` of a process that has this package."""
    root = str(Path(hoplab.__file__).parents[1])
    return os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])


@contextlib.contextmanager
def _uninterrupted() -> Iterator[None]:
    """Ctrl-C reaches the network, which ends in order; this process waits for it."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def enter(node: str, words: Sequence[str]) -> int:
    """Run a command, or a shell, in a node of a network that runs; returns its exit status.

    Raises
    ------
    UsageError
        If no network runs, or several do.
    """
    places = running()
    if len(places) != 1:
        found = "no live network runs" if not places else f"{len(places)} live networks run"
        raise UsageError(f"{found} as this user", hint="start one with hoplab live FILE, and use another terminal")
    state = json.loads(places[0].nodes.read_text(encoding="utf-8"))
    spaces = {int(number): int(descriptor) for number, descriptor in state["spaces"].items()}
    names = {int(number): name for number, name in state["names"].items()}
    chosen = node_of(node, sorted(spaces), max(spaces) + 1, names)
    init = f"/proc/{state['init']}"
    kinds = ["user"] if Path(f"{init}/ns/user").stat().st_ino != Path("/proc/self/ns/user").stat().st_ino else []
    opened = [os.open(f"{init}/ns/{kind}", os.O_RDONLY) for kind in (*kinds, "mnt", "pid")]
    opened.append(os.open(f"{init}/fd/{spaces[chosen]}", os.O_RDONLY))
    for descriptor in opened:
        system.enter(descriptor)
        os.close(descriptor)
    command = list(words) or [os.environ.get("SHELL", "/bin/sh")]
    env = {**os.environ, "HOPLAB_NODE": str(chosen)}
    try:
        return subprocess.run(command, env=env, check=False).returncode  # noqa: S603 (the user's own command)
    except OSError as error:
        raise UsageError(f"{command[0]}: cannot be started: {error.strerror}", hint="name a program in PATH") from None
