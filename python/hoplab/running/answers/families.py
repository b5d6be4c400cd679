"""Two families of transports in one comparison: one-way agents and complete connections differ by more than control."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from hoplab.base.transports import split_base, transports
from hoplab.running.answers.phrases import Words, listed
from hoplab.stats import Pair

RENO = ("new_reno", "tcp_reno")
"""Reno as a one-way agent and as a connection."""
_RENO_OF = {"quinn": "quinn_new_reno", "smoltcp": "smoltcp_reno"}
"""Reno in the same stack, by the start of a name; `tcp_reno` for others."""
SHOWN = 4
"""Names of a family that a sentence has."""


def families_of(names: Iterable[str]) -> tuple[list[str], list[str]]:
    """One-way agents, and complete connections; a controller of the user belongs to the family of its base."""
    known = transports()
    bases = {name: split_base(name)[1] or name for name in names}
    kinds = {name: known[base].conversation if base in known else "one_way" for name, base in bases.items()}
    return [n for n, kind in kinds.items() if kind == "one_way"], [
        n for n, kind in kinds.items() if kind == "connection"
    ]


def families_sentences(
    names: Mapping[str, str], pairs: Iterable[Pair], words: Words, *, is_delayed: bool = False
) -> list[str]:
    """What to know where both families are compared, and what the pair that isolates control says; else nothing.

    Parameters
    ----------
    names : mapping
        Words for each transport, by its name in scenarios.
    pairs : iterable of Pair
        Tests of these words.
    is_delayed : bool
        Whether agents have delayed acknowledgments, too.
    """
    agents, connections = families_of(names)
    if not agents or not connections:
        return []
    are = "is a one-way agent" if len(agents) == 1 else "are one-way agents"
    those = "a complete connection" if len(connections) == 1 else "complete connections"
    both = f"{_some(agents, names)} {are}, {_some(connections, names)} {those}"
    differing = "handshake and loss recovery" if is_delayed else "handshake and acknowledgments"
    found = [f"{both}: {differing} differ, not only control."]
    tested = {frozenset((pair.a, pair.b)): pair for pair in pairs}
    missing: dict[str, list[str]] = {}
    for one in connections:
        reno = _RENO_OF.get(one.partition("_")[0], RENO[1])
        pair = tested.get(frozenset((names[one], names.get(reno, reno))))
        if pair is not None:
            found.append(f"A pair that isolates control: {_said(pair, words)}.")
        elif one != reno:
            missing.setdefault(reno, []).append(one)
    ways = [f"compare {_some(those, names)} with {reno}" for reno, those in missing.items()]
    ways += [] if is_delayed else ["run agents with tcp.delayed_ack = true"]
    if ways:
        found.append(f"To isolate control, {' or '.join(ways)}.")
    same = tested.get(frozenset(names.get(name, name) for name in RENO))
    if same is not None and same.is_shown:
        found.append(f"The same Reno as agent and as connection: {_said(same, words)}.")
    return found


def _said(pair: Pair, words: Words) -> str:
    if pair.is_shown:
        return f"{pair.a} is {words.against(pair)} ({words.ci(pair)})"
    return f"no difference shown between {pair.a} and {pair.b} ({words.ci(pair)})"


def _some(family: list[str], names: Mapping[str, str]) -> str:
    more = [f"{len(family) - SHOWN} more"] if len(family) > SHOWN else []
    return listed([*(names[name] for name in family[:SHOWN]), *more])
