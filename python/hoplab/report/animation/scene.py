"""Content of the animation, from a trace: frames and their outcomes, states, events, samples."""

# ruff: noqa: S608 (what is put into queries are lists of this file, and numbers)

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hoplab.explain.narrative import REASONS
from hoplab.report.animation.columns import Packer, Rounded, Single, Table, Whole
from hoplab.report.animation.span import Span
from hoplab.report.animation.state import States, changes
from hoplab.report.animation.wires import Wire, packets, waiting
from hoplab.scenario.channels import RESPONSES

if TYPE_CHECKING:
    from hoplab.scenario.channels import Channels
    from hoplab.scenario.trajectories import Trajectory
    from hoplab.store.trace import Trace

KINDS = (
    "rts",
    "cts",
    "mac_ack",
    "segment",
    "ack",
    "datagram",
    "lack",
    "arp_request",
    "arp_reply",
)
"""Frame types; data frames by packet type. Routing messages are added under their protocols' names."""
FATES = ("unheard", "arrived", "collision", "undecodable", "busy", "duplicate", "noise")
"""Outcomes of a unicast frame; "unheard" if the trace has none."""
CATEGORIES = ("background", "best_effort", "video", "voice")
"""Access categories, in runs that have them."""
HEADERS = ("mrai", "xcp", "rcp", "atp", "wcp")
NEWS = ("refused", "reused", "silent", "resolved")
"""Instantaneous handshake steps; the others are states, or marked frames."""

STATE_US = 200
"""Changes of a state within this time count as one: an exchange of the shortest frame takes longer."""
STAMP_US = 20_000
"""As `STATE_US`, for headers, since every packet has one."""
RATE_NS = 1_000_000_000
"""Averaging time of goodput: segments released by loss recovery arrive in bursts."""
LAST_NS = 1_000_000_000
"""Upper bound of the time from the end of the shown part to the end of its last frame."""
PART_FRAMES = 100_000
"""Frames that are read at a time: of the others memory holds what the page needs."""
MAX_CELLS = 300_000
"""Limit of sampled values of nodes in a page; more are thinned over time."""

SENT = "event IN ('frame_sent', 'wire_sent')"
"""Events that the page has a row for, in SQL."""

NODE_METRICS = (
    "idle_share",
    "drai",
    "busy_share",
    "winf_capacity_bps",
    "winf_available_bps",
    "idle_gap_capacity_bps",
    "idle_gap_available_bps",
    "router_capacity_bps",
    "router_rate_bps",
    "router_standing_bytes",
)
"""Sampled metrics of nodes; queue length, proxy buffer and congestion come from events."""
FLOW_METRICS = ("cwnd", "ssthresh", "srtt_s", "rate_bps", "delivered_bytes")

Answer = dict[str, npt.NDArray[Any]]


@dataclass(frozen=True)
class Scene:
    """A time span of one run.

    Attributes
    ----------
    trajectories : tuple of Trajectory
        Of all nodes, hosts included.
    flows : tuple of (int, int)
        Source and destination of each flow, by its index.
    wires : tuple of Wire
        The wires, if there are any.
    channels : Channels, optional
        Channels of the radios.
    hosts : int
        How many of the last nodes have no radio.
    """

    trace: Trace
    seed: int
    span: Span
    trajectories: tuple[Trajectory, ...]
    flows: tuple[tuple[int, int], ...]
    wires: tuple[Wire, ...] = ()
    channels: Channels | None = None
    hosts: int = 0

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """Frame types of this run: `KINDS`, and the routing messages of its trace."""
        packets = "SELECT DISTINCT packet FROM events WHERE seed = ? AND packet IS NOT NULL ORDER BY 1"
        found = (str(packet) for (packet,) in self.trace.rows(packets, [self.seed]))
        return (*KINDS, *(packet for packet in found if packet not in KINDS))

    @cached_property
    def categories(self) -> tuple[str, ...]:
        """Display names of access categories; none without categories."""
        return tuple(name.replace("_", " ") for name in CATEGORIES) if self.trace.has_categories else ()

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        """Numbers of the channels in use, ascending; none where there is one."""
        return self.channels.numbers(self.radios) if self.channels is not None else ()

    @property
    def radios(self) -> int:
        """How many of the nodes have radios: hosts have the last numbers."""
        return len(self.trajectories) - self.hosts

    def pack(self) -> dict[str, Any]:
        """Everything, as JSON."""
        packer = Packer()
        for name, table in self.tables():
            packer.add(name, table)
        metrics, samples = self._samples()
        for name, table in samples:
            packer.add(name, table)
        return {"metrics": metrics, **packer.packed()}

    def tables(self) -> Iterator[tuple[str, Table]]:
        """All tables but samples, by name."""
        yield from self._places()
        yield "frames", self._frames()
        yield "queues", self._states("event IN ('enqueued', 'dequeued')")
        yield (
            "congested",
            self._states("event = 'handshake' AND reason IN ('congested', 'uncongested')", "reason = 'congested'"),
        )
        held_back = "CASE WHEN reason = 'parked' THEN coalesce(peer, -1) ELSE -2 END"
        yield "parked", self._states("event = 'handshake' AND reason IN ('parked', 'unparked')", held_back)
        yield "stores", self._states("event IN ('proxy_accepted', 'proxy_released')")
        yield "radios", self._states("event = 'switched'")
        yield "proxies", self._states("event = 'proxy_switched'")
        yield "hops", self._hops()
        yield "stamps", self._stamps()
        yield "drops", self._drops()
        yield "news", self._news()
        yield "timeouts", self._timeouts()
        if self.wires:
            yield "wired", packets(self._ask, _place("sent.packet", self.kinds))
            yield "ports", waiting(self._ask, self.wires, begin_us=self.span.begin_ns // 1000, grain_us=STATE_US)

    def _places(self) -> Iterator[tuple[str, Table]]:
        starts = np.array([trajectory.start for trajectory in self.trajectories])
        yield "starts", {"x": Single(starts[:, 0]), "y": Single(starts[:, 1])}
        begin_s, end_s = self.span.begin_ns / 1e9, self.span.end_ns / 1e9
        legs = []
        for node, trajectory in enumerate(self.trajectories):
            shown = [i for i, leg in enumerate(trajectory.legs) if leg.begin_s <= end_s and leg.end_s >= begin_s]
            # The previous leg gives the position until the first shown leg.
            first = shown[0] if shown else sum(leg.end_s < begin_s for leg in trajectory.legs)
            legs += [(node, trajectory.legs[i]) for i in ([first - 1] if first > 0 else []) + shown]
        columns = np.array([(leg.begin_s, *leg.start, leg.end_s, *leg.end) for _, leg in legs]).reshape(-1, 6)
        nodes = np.array([node for node, _ in legs], dtype=np.int64)
        names = ("t0", "x0", "y0", "t1", "x1", "y1")
        yield "legs", {"node": Whole(nodes), **{name: Single(columns[:, i]) for i, name in enumerate(names)}}

    @cached_property
    def frames(self) -> int:
        """How many frames are sent, and packets on wires."""
        query = f"SELECT count(*) FROM events WHERE seed = ? AND {SENT} AND t_ns >= ? AND t_ns < ?"
        return int(self.trace.rows(query, [self.seed, self.span.begin_ns, self.span.end_ns])[0][0])

    def beyond(self, count: int) -> int | None:
        """When the first of them after so many is sent, in ns; None if there are no more."""
        query = (
            f"SELECT t_ns FROM events WHERE seed = ? AND {SENT} AND t_ns >= ? AND t_ns < ? "
            "ORDER BY t_ns LIMIT 1 OFFSET ?"
        )
        found = self.trace.rows(query, [self.seed, self.span.begin_ns, self.span.end_ns, count])
        return int(found[0][0]) if found else None

    def _frames(self) -> Table:
        parts = [self._part(part) for part in self.span.parts(-(-self.frames // PART_FRAMES))]
        columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        return {name: Whole(values, ascending=name == "t") for name, values in columns.items()}

    def _part(self, span: Span) -> Answer:
        """Frames of a part of the span, and what became of them."""
        kind = (
            "CASE WHEN frame IN ('data', 'ampdu') THEN packet "
            "WHEN frame IN ('rts', 'cts') THEN frame ELSE 'mac_ack' END"
        )
        category = f", {_place('category', CATEGORIES)} AS category" if self.categories else ""
        answers = ", ".join(f"'{frame}'" for frame in sorted(RESPONSES))
        sent = self._ask(
            f"SELECT t_ns AS t, node, coalesce(peer, -1) AS peer, {_place(kind, self.kinds)} AS kind, "
            f"coalesce(flow, -1) AS flow, coalesce(seq, -1) AS seq, airtime_ns, congested, is_retransmission, "
            f"frame IN ({answers}) AS answers{category} "
            "FROM events WHERE seed = $seed AND event = 'frame_sent' AND t_ns >= $begin AND t_ns < $after",
            span,
        )
        columns = {
            "t": sent["t"] // 1000,
            # Airtimes take few values, which depend on the type: the low byte repeats.
            "air": sent["airtime_ns"] // 1000,
            "from": sent["node"],
            "to": sent["peer"],
            "kind": sent["kind"],
            "flow": sent["flow"],
            "seq": sent["seq"],
            "marks": sent["congested"].astype(np.int64) + 2 * sent["is_retransmission"].astype(np.int64),
            "fate": self._fates(sent, span),
        }
        if self.categories:
            columns["category"] = sent["category"]
        if self.numbers:
            columns["channel"] = self._channels(sent)
        # Frames after the part show which of its last frames get no response.
        within = sent["t"] < span.end_ns
        return {name: _small(values[within]) for name, values in columns.items()}

    def _channels(self, sent: Answer) -> npt.NDArray[np.int64]:
        """Index of each frame's channel; -1 where a routing protocol chose among several."""
        channels = self.channels
        assert channels is not None
        ends = np.stack([sent["node"], sent["peer"]], axis=1)
        ends = np.where(sent["answers"].astype(bool)[:, None], ends[:, ::-1], ends)
        pairs, place = np.unique(ends, axis=0, return_inverse=True)
        found = (channels.of_link(int(sender), int(addressee)) for sender, addressee in pairs)
        known = [-1 if number is None else self.numbers.index(number) for number in found]
        return np.array(known, dtype=np.int64)[place.reshape(-1)]

    def _fates(self, sent: Answer, span: Span) -> npt.NDArray[np.int64]:
        """Outcome of each frame: its receiver records one during its airtime or shortly after."""
        fates = np.zeros(len(sent["t"]), dtype=np.int64)
        lost = _place("reason", FATES)
        came = self._ask(
            f"SELECT t_ns AS t, node, peer, CASE WHEN event = 'frame_lost' THEN {lost} ELSE 1 END AS fate "
            "FROM events WHERE seed = $seed AND event IN ('frame_received', 'frame_accepted', 'frame_lost') "
            "AND peer IS NOT NULL AND t_ns >= $begin AND t_ns < $after",
            span,
        )
        if not len(fates) or not len(came["t"]):
            return fates
        # A node transmits one frame at a time: an outcome belongs to the last transmission that its sender started.
        stride = int(came["t"].max()) + 1
        keys = sent["node"] * stride + sent["t"]
        order = np.argsort(keys, kind="stable")
        at = np.searchsorted(keys[order], came["peer"] * stride + came["t"], side="right") - 1
        frame = order[np.maximum(at, 0)]
        fits = (at >= 0) & (sent["node"][frame] == came["peer"]) & (sent["peer"][frame] == came["node"])
        fates[frame[fits]] = came["fate"][fits]
        return fates

    def _states(self, where: str, value: str = "value") -> Table:
        """A node state that events of one kind change."""
        found = self._changes(
            f"SELECT t_ns // 1000 AS t, node, ({value})::DOUBLE AS value FROM events "
            f"WHERE seed = $seed AND {where} AND t_ns >= $begin AND t_ns < $end",
            lambda rows: rows["node"],
            grain=STATE_US,
        )
        return {
            "t": Whole(found["t"], ascending=True),
            "node": Whole(found["node"]),
            "value": Whole(found["value"].astype(np.int64)),
        }

    def _changes(
        self,
        query: str,
        keys: Callable[[Answer], npt.NDArray[np.int64]],
        *,
        grain: int,
        value: str = "value",
    ) -> Answer:
        """Rows from the start of the run on at which the state of a key has changed; see `changes`."""

        def kept(rows: Answer) -> States:
            values = rows[value].astype(np.float64)
            return changes(rows["t"], keys(rows), values, begin=self.span.begin_ns // 1000, grain=grain)

        before = Span(0, self.span.end_ns)
        count = self.frames * before.length_ns // max(self.span.length_ns, 1) // PART_FRAMES + 1
        parts = []
        for part in before.parts(count):
            rows = self._ask(query, part)
            # Of each part only its changes are kept: those of the whole are among them.
            order = np.sort(kept(rows).rows) if count > 1 else slice(None)
            parts.append({name: column[order] for name, column in rows.items()})
        found = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        last = kept(found)
        return {**{name: column[last.rows] for name, column in found.items()}, "t": last.times}

    def _hops(self) -> Table:
        """Next hops of a flow's packets, on route and reverse route; -1 where the route was lost."""
        ends = ", ".join(f"({i}, {src}, {dst})" for i, (src, dst) in enumerate(self.flows)) or "(-1, -1, -1)"
        found = self._changes(
            f"WITH ends(flow, src, dst) AS (VALUES {ends}), numbered AS "
            "(SELECT row_number() OVER () AS nth, t_ns, node, event, packet, peer, flow FROM events "
            "WHERE seed = $seed AND event IN ('forwarded', 'route_lost') AND t_ns >= $begin AND t_ns < $end) "
            "SELECT nth, t_ns // 1000 AS t, node, flow, (packet = 'ack')::BIGINT AS back, coalesce(peer, -1) AS next "
            "FROM numbered WHERE event = 'forwarded' AND packet IN ('segment', 'datagram', 'ack') "
            "UNION ALL SELECT nth, t_ns // 1000, node, ends.flow, (peer = src)::BIGINT, -1 FROM numbered, ends "
            "WHERE event = 'route_lost' AND peer IN (src, dst) ORDER BY 1, 4, 5",
            lambda rows: (rows["flow"] * 2 + rows["back"]) * len(self.trajectories) + rows["node"],
            grain=STATE_US,
            value="next",
        )
        return {
            "t": Whole(found["t"], ascending=True),
            **{name: Whole(found[name]) for name in ("node", "flow", "back", "next")},
        }

    def _stamps(self) -> Table:
        """Feedback that routers wrote into headers of data packets."""
        found = self._changes(
            f"SELECT t_ns // 1000 AS t, node, flow, {_place('reason', HEADERS)} AS header, value FROM events "
            "WHERE seed = $seed AND event = 'stamped' AND packet IN ('segment', 'datagram') "
            "AND t_ns >= $begin AND t_ns < $end",
            lambda rows: rows["flow"] * len(self.trajectories) + rows["node"],
            grain=STAMP_US,
        )
        whole = {name: Whole(found[name]) for name in ("node", "flow", "header")}
        return {"t": Whole(found["t"], ascending=True), **whole, "value": Single(found["value"])}

    def _drops(self) -> Table:
        reason, kind = _place("reason", self.reasons), _place("packet", self.kinds)
        found = self._ask(
            f"SELECT t_ns // 1000 AS t, node, {reason} AS reason, {kind} AS kind, "
            "coalesce(flow, -1) AS flow, coalesce(seq, -1) AS seq FROM events "
            "WHERE seed = $seed AND event = 'dropped' AND t_ns >= $begin AND t_ns < $end"
        )
        return _moments(found)

    def _news(self) -> Table:
        names = ", ".join(f"'{name}'" for name in NEWS)
        found = self._ask(
            f"SELECT t_ns // 1000 AS t, node, coalesce(peer, -1) AS peer, {_place('reason', NEWS)} AS what FROM events "
            f"WHERE seed = $seed AND event = 'handshake' AND reason IN ({names}) AND t_ns >= $begin AND t_ns < $end"
        )
        return _moments(found)

    def _timeouts(self) -> Table:
        found = self._ask(
            "SELECT t_ns // 1000 AS t, node, flow FROM events "
            "WHERE seed = $seed AND event = 'timeout' AND t_ns >= $begin AND t_ns < $end"
        )
        return _moments(found)

    def _samples(self) -> tuple[list[dict[str, Any]], list[tuple[str, Table]]]:
        """Sampled metrics: entities of each, and a table with one column per entity."""
        wanted = ", ".join(f"'{name}'" for name in (*NODE_METRICS, *FLOW_METRICS))
        found = self._ask(
            "SELECT t_ns AS t, metric, coalesce(node, -1) AS node, coalesce(flow, -1) AS flow, value FROM samples "
            f"WHERE seed = $seed AND metric IN ({wanted}) AND t_ns >= $begin AND t_ns <= $end ORDER BY t_ns"
        )
        moments = np.unique(found["t"])
        cells = max(int((found["metric"] == name).sum()) for name in NODE_METRICS) if len(moments) else 0
        metrics: list[dict[str, Any]] = []
        tables: list[tuple[str, Table]] = []
        kinds = len({str(name) for name in found["metric"]} & {*NODE_METRICS})
        stride = max(-(-cells * kinds // MAX_CELLS), 1)
        moments = moments[::stride]
        tables.append(("moments", {"t": Whole(moments // 1000, ascending=True)}))
        for name, of in (*((name, "node") for name in NODE_METRICS), *((name, "flow") for name in FLOW_METRICS)):
            rows = np.flatnonzero((found["metric"] == name) & np.isin(found["t"], moments))
            if not len(rows):
                continue
            entities, column = np.unique(found[of][rows], return_inverse=True)
            grid = np.full((len(entities), len(moments)), np.nan)
            grid[column, np.searchsorted(moments, found["t"][rows])] = found["value"][rows]
            if name == "delivered_bytes":
                name, grid = "goodput_bps", _rates(grid, moments)  # noqa: PLW2901
            metrics.append({"name": name, "of": of, "entities": entities.tolist()})
            tables.append((f"samples:{name}", {"value": Rounded(grid.reshape(-1))}))
        return metrics, tables

    @property
    def reasons(self) -> tuple[str, ...]:
        """Reasons of drops."""
        return tuple(REASONS)

    def _ask(self, query: str, span: Span | None = None) -> Answer:
        """The answer to a query about a span, by default all of it."""
        asked = self.span if span is None else span
        begin, end = asked.begin_ns, asked.end_ns
        given = {"seed": self.seed, "begin": begin, "end": end, "after": end + LAST_NS}
        used = {name: value for name, value in given.items() if f"${name}" in query}
        answer = self.trace.columns(query, used)
        return {name: _plain(column) for name, column in answer.items()}


def _rates(totals: npt.NDArray[np.float64], moments: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Mean rate over the last second, in bit/s, from totals in bytes; over less time at the start."""
    rates = np.full(totals.shape, np.nan)
    now = np.arange(1, len(moments))
    then = np.clip(np.searchsorted(moments, moments[now] - RATE_NS, side="right") - 1, 0, now - 1)
    rates[:, now] = (totals[:, now] - totals[:, then]) * 8.0 / ((moments[now] - moments[then]) / 1e9)
    return rates


def _small(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Whole numbers in as few bytes as they need."""
    least, most = (int(values.min()), int(values.max())) if len(values) else (0, 0)
    fits = (
        kind for kind in (np.int8, np.int16, np.int32) if np.iinfo(kind).min <= least and most <= np.iinfo(kind).max
    )
    return values.astype(next(fits, np.int64))


def _moments(found: Answer) -> Table:
    return {name: Whole(column, ascending=name == "t") for name, column in found.items()}


def _place(expression: str, names: tuple[str, ...]) -> str:
    """SQL for the index of a text in a list; -1 if absent."""
    listed = ", ".join(f"'{name}'" for name in names)
    return f"(coalesce(list_position([{listed}], ({expression})::VARCHAR), 0) - 1)::BIGINT"


def _plain(column: Any) -> npt.NDArray[Any]:
    """A column without its mask: only texts and reals of a query can be null."""
    if isinstance(column, np.ma.MaskedArray):
        return np.asarray(column.filled(np.nan) if column.dtype.kind == "f" else column.data)
    if hasattr(column, "codes"):  # a category of pandas
        return np.asarray(column)
    array = np.asarray(column)
    return array.astype(np.int64) if array.dtype.kind in "iu" else array
