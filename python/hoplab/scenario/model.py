"""A scenario as a value: TOML text, where it came from, and what was set on top of it.

The engine reads and checks the text; nothing about its keys is known here. A `Scenario` that exists is valid.
"""

from __future__ import annotations

import html
import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Any

from hoplab.base import regular_files
from hoplab.base.engine import core
from hoplab.base.errors import InputError, is_command_line
from hoplab.base.numbers import SECONDS, counted
from hoplab.scenario.radio_links import MOST_NODES, RadioLinks
from hoplab.scenario.tomltext import document, literal
from hoplab.scenario.units import with_units


@dataclass(frozen=True)
class FlowPath:
    """Length of a flow's shortest path at the start of the run.

    Attributes
    ----------
    hops : int or None
        None where there is no path, or the network is too large to search.
    is_counted : bool
        Whether the path was searched.
    """

    id: int
    hops: int | None
    is_counted: bool = True

    def __str__(self) -> str:
        if not self.is_counted:
            return "not counted"
        return "no path" if self.hops is None else str(self.hops)


@dataclass(frozen=True)
class LinkBudget:
    """Received power, in W, at a distance (m) that `pairs` pairs of nodes have."""

    distance_m: float
    pairs: int
    received_w: float


@dataclass(frozen=True)
class Facts:
    """How hard a scenario is, before it runs.

    Attributes
    ----------
    rx_range_m, cs_range_m : float
        Distance to which a frame can be received, and to which it is sensed, in m.
    mean_degree : float or None
        Nodes within reception range of a node, on average; None where the network is too dense to count.
    partitions : int or None
        Parts of the network without a path between them; 1 if it is connected, None where it is too dense to count.
    link_budget : tuple of LinkBudget
        Received power at the shortest distances; empty for more than 400 nodes.
    """

    nodes: int
    rx_range_m: float
    cs_range_m: float
    mean_degree: float | None
    partitions: int | None
    flows: tuple[FlowPath, ...]
    link_budget: tuple[LinkBudget, ...] = ()

    @property
    def degree(self) -> str:
        """The mean degree as text."""
        return "not counted" if self.mean_degree is None else f"{self.mean_degree:.3g}"

    @property
    def connectivity(self) -> str:
        """Whether the network is connected, as text."""
        if self.partitions is None:
            return "too dense to look for partitions"
        return "connected" if self.partitions == 1 else f"{self.partitions} parts that cannot reach each other"


@dataclass(frozen=True)
class Resolved:
    """A scenario with every default filled in.

    Attributes
    ----------
    data : dict
        The scenario in SI units (`duration_s`, `tx_power_w`, ...), positions included.
    toml : str
        The same as a scenario file, with unit strings.
    flow_tables : tuple of dict
        Every flow as a table of a scenario file, those that ``[traffic]`` draws with the scenario's seed included.
    warnings : tuple of str
        Valid input that is probably unintended, such as a flow without a path.
    """

    data: Mapping[str, Any]
    toml: str
    flow_tables: tuple[Mapping[str, Any], ...]
    warnings: tuple[str, ...]
    facts: Facts


@dataclass(frozen=True)
class Scenario:
    """A checked scenario; changing one makes another.

    Make one with `from_toml` (a file), `from_text` or `from_dict`.

    Attributes
    ----------
    text : str
        TOML text.
    path : str
        Where the text came from, for messages.
    overrides : tuple of (str, str)
        Keys set on top of the text and their TOML values, in order.

    Examples
    --------
    >>> chain = Scenario.from_dict(topology={"kind": "chain", "hops": 4}, flow=[{"transport": "vegas"}])
    >>> chain.with_({"topology.hops": 8}).resolve().facts.nodes
    9
    """

    text: str
    path: str = "<text>"
    overrides: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        _ = self._resolved

    @classmethod
    def from_toml(cls, path: str | Path, overrides: Mapping[str, object] | None = None) -> Scenario:
        """Read a scenario file.

        Parameters
        ----------
        path : str or Path
            The file.
        overrides : mapping, optional
            Keys to set, as for `with_`.

        Raises
        ------
        InputError
            If the file is missing, or is not text.
        ScenarioError
            If it is not a valid scenario; the message gives file and line.
        """
        return cls.from_file(Path(path), _as_overrides(overrides or {}))

    @classmethod
    def from_file(cls, path: str | Path, overrides: tuple[tuple[str, str], ...] = ()) -> Scenario:
        """Read a scenario file with overrides as text, as the command line has them (``("mac.ssrl", "9")``)."""
        return cls(read_file(Path(path)), str(path), overrides)

    @classmethod
    def from_text(cls, text: str, *, path: str = "<text>") -> Scenario:
        """Read a scenario from TOML text; `path` names it in messages."""
        return cls(regular_files.without_mark(text), path)

    @classmethod
    def from_dict(cls, tables: Mapping[str, Any] | None = None, /, **more: Any) -> Scenario:
        """Make a scenario from Python values: a mapping, keywords, or both.

        Values are those of a scenario file; a plain number where a quantity belongs counts as SI (250 for a spacing of
        250 m, 2e6 for a rate of 2 Mb/s).
        """
        return cls(document(with_units({**(tables or {}), **more})), "<dict>")

    @classmethod
    def of(cls, source: Scenario | str | Path) -> Scenario:
        """A scenario as it is, or that of a TOML file.

        Raises
        ------
        InputError
            If it is something else.
        """
        if isinstance(source, Scenario):
            return source
        if isinstance(source, str | Path):
            return cls.from_toml(source)
        raise InputError(
            f"expected a scenario, found {type(source).__name__}",
            hint="pass a hoplab.Scenario or the path of a TOML file; for tables use Scenario.from_dict",
        )

    def with_(self, changes: Mapping[str, object] | None = None, /, **more: object) -> Scenario:
        """The same scenario with some keys set.

        Parameters
        ----------
        changes, more
            Dotted keys and their values: ``{"mac.ssrl": 9, "flow.transport": "vegas", "flow.0.window": 8}``.
            A key of a flow without an index sets it for every flow. Plain numbers count as SI where a quantity
            belongs. Top-level keys can be keywords.

        Raises
        ------
        ScenarioError
            If the result is not a valid scenario; the message names the key.
        """
        return Scenario(self.text, self.path, self.overrides + _as_overrides({**(changes or {}), **more}))

    def resolve(self) -> Resolved:
        """The scenario with all defaults, warnings, and facts such as ranges and path lengths."""
        return self._resolved

    @property
    def name(self) -> str:
        """The scenario's name, or the stem of its file."""
        return str(self._resolved.data.get("name") or "") or Path(self.path).stem

    @cached_property
    def node_names(self) -> dict[int, str]:
        """Names of the nodes and hosts that have one, by number."""
        return host_names(self._resolved.data)

    @cached_property
    def flow_paths(self) -> tuple[FlowPath, ...]:
        """Length of each flow's path at the start of the run: by hops, or by ETX where that is `routing.metric`."""
        facts, data = self._resolved.facts, self._resolved.data
        if data["routing"].get("metric", "hops") == "hops":
            return facts.flows
        if facts.nodes > MOST_NODES:
            return tuple(FlowPath(flow.id, None, is_counted=False) for flow in facts.flows)
        paths = RadioLinks.of(self).paths
        return tuple(FlowPath(flow.id, len(path) - 1 if (path := paths.get(flow.id)) else None) for flow in facts.flows)

    @property
    def seed(self) -> int:
        """Seed of a single run, and the first of several."""
        return int(self._resolved.data["seed"])

    @cached_property
    def goodput_interval_s(self) -> float | None:
        """Interval of the goodput series, in s; None without."""
        value = tomllib.loads(self._resolved.toml).get("goodput_interval")
        if value is None:
            return None
        number, unit = str(value).split()
        return float(number) * SECONDS[unit]

    @cached_property
    def _resolved(self) -> Resolved:
        overrides = list(self.overrides)
        answer = json.loads(core().resolve(self.text, self.path, overrides, as_options=is_command_line()))
        facts = dict(answer["facts"])
        flows = tuple(FlowPath(flow["id"], flow["hops"], flow["is_counted"]) for flow in facts["flows"])
        return Resolved(
            answer["scenario"],
            answer["toml"],
            tuple(answer["flow_tables"]),
            tuple(answer["warnings"]),
            Facts(
                nodes=facts["nodes"],
                rx_range_m=facts["rx_range_m"],
                cs_range_m=facts["cs_range_m"],
                mean_degree=facts["mean_degree"],
                partitions=facts["partitions"],
                flows=flows,
                link_budget=tuple(LinkBudget(**row) for row in facts["link_budget"]),
            ),
        )

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the three fields; the rest is derived from them."""
        return {"text": self.text, "path": self.path, "overrides": self.overrides}

    def __rich_repr__(self) -> Any:
        """Name, size and path length, for rich."""
        facts = self._resolved.facts
        yield "name", self.name
        yield "nodes", facts.nodes
        yield "hops", [flow.hops for flow in self.flow_paths]
        yield "overrides", dict(self.overrides), {}

    def __repr__(self) -> str:
        facts = self._resolved.facts
        extra = f", with {', '.join(f'{key} = {value}' for key, value in self.overrides)}" if self.overrides else ""
        return f"<Scenario {self.name!r}: {facts.nodes} nodes, {counted(len(facts.flows), 'flow')}{extra}>"

    @property
    def has_ranges(self) -> bool:
        """Whether links follow from distances: listed links have no range."""
        return bool(self._resolved.data["topology"]["kind"] != "links")

    @property
    def _ranges(self) -> tuple[tuple[str, str], ...]:
        facts = self._resolved.facts
        return ("reception range", f"{facts.rx_range_m:.4g} m"), ("carrier sense", f"{facts.cs_range_m:.4g} m")

    def _repr_html_(self) -> str:
        facts = self._resolved.facts
        rows = [
            ("nodes", str(facts.nodes)),
            *(self._ranges if self.has_ranges else ()),
            ("mean degree", facts.degree),
            ("partitions", "not counted" if facts.partitions is None else str(facts.partitions)),
            *((f"hops of flow {flow.id}", str(flow)) for flow in self.flow_paths),
        ]
        body = "".join(f"<tr><th>{html.escape(key)}</th><td>{html.escape(value)}</td></tr>" for key, value in rows)
        table = f"<table><caption>{html.escape(self.name)}</caption><tbody>{body}</tbody></table>"
        if not self._resolved.data["topology"]["positions"]:
            return table
        from hoplab.figures.picture import picture_html  # noqa: PLC0415 (both load what only pictures need)
        from hoplab.scenario.trajectories import draw_map  # noqa: PLC0415

        return picture_html(lambda ax: draw_map(self, ax), size=(5.6, 5.0)) + table


def host_names(data: Mapping[str, Any]) -> dict[int, str]:
    """Names of the nodes and hosts of a resolved scenario, by number: hosts follow the nodes that have positions."""
    first = len(data["topology"]["positions"])
    nodes = dict(enumerate(data["topology"].get("names", ())))
    return {**nodes, **{first + k: host["name"] for k, host in enumerate(data.get("hosts", ()))}}


def _as_overrides(changes: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    return tuple((key, literal(with_units(value, key), key)) for key, value in changes.items())


def read_file(path: Path) -> str:
    """Text of a scenario file; errors suggest similar names, and name a syntax other than TOML."""
    try:
        text = regular_files.read_text(path, MOST_BYTES)
    except FileNotFoundError:
        raise InputError(f"{path}: file not found", hint=_near(path)) from None
    except IsADirectoryError:
        raise InputError(f"{path}: is a directory, expected a scenario file", hint=_inside(path)) from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 text (byte {error.start}), expected a scenario file") from None
    except (regular_files.NotRegularError, regular_files.TooLongError) as error:
        hint = "write the scenario to a file first" if isinstance(error, regular_files.NotRegularError) else None
        raise InputError(f"{path}: {error.strerror}", hint=hint) from None
    except (OSError, ValueError) as error:  # a name with a NUL is a ValueError
        raise InputError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip() and not line.lstrip("\ufeff").lstrip().startswith("#"):
            if (found := next((name for name, start in _OTHERS.items() if start.match(line)), None)) is not None:
                raise InputError(f"{path}:{number}: {found}, expected TOML", hint=_TOML)
            break
    return text


_OTHERS = {
    "JSON": re.compile("\ufeff?\\s*\\{"),
    "YAML": re.compile(r"\ufeff?(---|%YAML|\s*[\w.-]+\s*:(\s|$))"),
}
"""How the first line of other syntaxes begins; no line of TOML does so."""

_TOML = '[topology], and kind = "chain" below it; hoplab new chain writes an example; Python: Scenario.from_dict'

MOST_BYTES = 16 << 20
"""Longest file that is read as a scenario; the engine takes less."""


def _near(path: Path) -> str | None:
    folder = path.parent
    if not folder.is_dir():
        return f"directory {folder} not found"
    names = sorted(entry.name for entry in folder.iterdir() if entry.suffix == ".toml")
    close = get_close_matches(path.name, names, n=3) or get_close_matches(f"{path.name}.toml", names, n=3)
    if close:
        return f"did you mean {' or '.join(str(folder / name) for name in close)}?"
    return _inside(folder)


def _inside(folder: Path) -> str | None:
    names = sorted(entry.name for entry in folder.iterdir() if entry.suffix == ".toml")
    return f"scenario files in {folder}: {', '.join(names[:8])}" if names else None
