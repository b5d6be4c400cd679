"""A stored trace as lines, read row by row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_type_hints

from hoplab.base.errors import InputError
from hoplab.scenario.trajectories import movements
from hoplab.store.columns import readable
from hoplab.store.ns2_trace.forms import Form, New, Old, movement
from hoplab.store.ns2_trace.reader import Reader, Row

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hoplab.scenario.model import Scenario
    from hoplab.store.trace import Trace

EVENTS = (
    "originated", "forwarded", "frame_sent", "frame_received", "frame_accepted", "delivered", "dropped", "retry_limit",
    "frame_collided", "frame_lost",
)  # fmt: skip
CHUNK = 2_000
"""Rows that are fetched at a time."""


def _unknown(data: Mapping[str, Any]) -> str | None:
    """What a scenario has that ns-2 has no line for."""
    if data.get("wires"):
        return "[[wire]]"
    return "A-MPDUs (mac.ampdu)" if data["mac"].get("ampdu", 0) > 0 else None


def lines(trace: Trace, scenario: Scenario, *, seed: int, form: Form) -> Iterator[str]:
    """Each line of the trace of one seed, without its end.

    Parameters
    ----------
    scenario : Scenario
        Whose run it is: for flows, routing and the link layer's delay, and for the places of nodes in the new form.

    Raises
    ------
    InputError
        If the trace lacks a column, as an older version has left it, or the scenario has wires or A-MPDUs.
    """
    data = scenario.resolve().data
    if (unknown := _unknown(data)) is not None:
        raise InputError(
            f"{trace.folder}: a trace of ns-2: not supported with {unknown}",
            hint="capture packets with hoplab run --pcapng, or query the events with hoplab query",
        )
    trajectories = movements(scenario, seed=seed)
    reader = Reader(data, Old() if form == "old" else New(trajectories))
    for node, leg in (
        (node, leg) for node, trajectory in enumerate(trajectories) for leg in trajectory.legs if leg.speed_mps > 0.0
    ):
        reader.schedule(round(leg.begin_s * 1e9), movement(node, leg))
    names = list(get_type_hints(Row))
    with readable(f"{trace.folder}: the trace"):
        known = {name for name, *_ in trace.rows("DESCRIBE events")}
    if not known.issuperset(names):
        raise InputError(f"{trace.folder}: an older version has left this trace", hint="give hoplab run --trace again")
    query = f"SELECT {', '.join(names)} FROM events WHERE seed = ? AND event IN {EVENTS}"  # noqa: S608 (constants)
    cursor = trace.connection.cursor()
    with readable(f"{trace.folder}: the trace"):
        answer = cursor.execute(query, [seed])
        while rows := answer.fetchmany(CHUNK):
            for values in rows:
                yield from reader.read(Row._make(values))
    yield from reader.finish(round(float(data["duration_s"]) * 1e9))
