"""Catalog of a directory of results: the plan of its sweep, and its stored runs.

`sweep.json` holds the plan and nothing else: no time, no machine, so that the same sweep makes the same file.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hoplab.base import regular_files
from hoplab.base.errors import InputError
from hoplab.base.json_schema import Each, SchemaError, check
from hoplab.base.metrics import ALL_METRICS
from hoplab.store import files
from hoplab.store.checksums import remove_checksums, sealed_names, verify, write_checksums
from hoplab.store.run_store import FORMAT, RunStore, canonical

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

PLAN = "sweep.json"
_HINT = "rerun hoplab sweep: it writes the plan again and reuses completed runs"
_HINT_FILE = "hoplab sweep and hoplab run --out write one from a scenario"
RUNS_OWN = frozenset({
    "point", "position", "seed", "run", "flow", "src", "dst", "goodput_bps", "unique_bps", "throughput_bps",
    "segments_sent", "retransmissions", "timeouts", "delay_mean_s", "cwnd_mean", "jain", "drops", "frames", "events",
    "sim_s", "fingerprint", "version", "kind", "name", "count", "start_s", "stop_s", "planned", "done",
})  # fmt: skip
"""Columns that an axis must not take; `transport` is left out, because the axis of that name means the same."""


@dataclass(frozen=True, slots=True)
class PlannedPoint:
    """One point of a stored plan: its settings, and the run of each seed."""

    point: int
    settings: Mapping[str, Any]
    seeds: tuple[int, ...]
    runs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Catalog:
    """A stored plan.

    Attributes
    ----------
    name : str
        The scenario's name.
    path : str
        The file it was made from.
    source : str
        BLAKE3 of that file's text.
    engine : str
        The engine's version.
    axes : tuple of str
        Axis keys, in nesting order.
    compare : tuple of str
        Axes whose values are set against each other.
    measure : str
        Column that `precision` looked at.
    series_interval_s : float or None
        Sampling interval of the series, s.
    points : tuple of PlannedPoint
        In order.
    """

    name: str
    path: str
    source: str
    engine: str
    axes: tuple[str, ...]
    compare: tuple[str, ...]
    measure: str
    series_interval_s: float | None
    points: tuple[PlannedPoint, ...]

    @property
    def runs(self) -> list[str]:
        """Every planned run, each once, in order."""
        return list(dict.fromkeys(run for point in self.points for run in point.runs))

    @property
    def columns(self) -> dict[str, str]:
        """Column of each axis: the last part of its key where that is free, else the key with underscores."""
        return axis_columns(self.axes)

    def to_bytes(self) -> bytes:
        """The plan as it is stored."""
        content = {
            "format": FORMAT,
            "name": self.name,
            "path": self.path,
            "source": self.source,
            "engine": self.engine,
            "axes": self.axes,
            "compare": self.compare,
            "measure": self.measure,
            "series_interval_s": self.series_interval_s,
            "points": [
                {"point": p.point, "settings": p.settings, "seeds": p.seeds, "runs": p.runs} for p in self.points
            ],
        }
        return json.dumps(content, indent=1, ensure_ascii=False).encode() + b"\n"

    def save(self, root: Path) -> None:
        """Store the plan with its checksum, in place of an older one; nothing is written if it is stored already."""
        root.mkdir(parents=True, exist_ok=True)
        if self._is_stored(root):
            return
        remove_checksums(root)  # a plan without one is believed, so that readers never see that of another plan
        files.replace(root / PLAN, self.to_bytes())
        write_checksums(root, [PLAN])

    def _is_stored(self, root: Path) -> bool:
        try:
            verify(root, [PLAN])
            return PLAN in sealed_names(root) and regular_files.read_bytes(root / PLAN) == self.to_bytes()
        except (OSError, InputError):
            return False

    def digest(self, done: Sequence[str]) -> str:
        """Names a state of the results: this plan with these runs done."""
        return files.digest(canonical({"plan": files.digest(self.to_bytes()), "done": sorted(done)}))


class FormatError(InputError):
    """Results of another format: a newer hoplab has stored them."""


def load_catalog(root: Path, *, is_verified: bool = True) -> Catalog:
    """Read the plan of a directory of results.

    Parameters
    ----------
    is_verified : bool
        Whether the plan is compared with its checksum. One that is about to be replaced need not be.

    Raises
    ------
    InputError
        If there is none, or it cannot be read; on a checksum mismatch.
    """
    place = root / PLAN
    try:
        content = regular_files.read_json(place)
        check(content, {"format": int})
        if content["format"] != FORMAT:
            raise FormatError(f"{place}: format {content['format']}, expected {FORMAT}", hint="update hoplab")
        check(content, _SHAPE)
        _check_points(content)
        if is_verified:
            verify(root, [PLAN], hint=_HINT)
        return Catalog(
            name=content["name"],
            path=content["path"],
            source=content["source"],
            engine=content["engine"],
            axes=tuple(content["axes"]),
            compare=tuple(content["compare"]),
            measure=content["measure"],
            series_interval_s=content["series_interval_s"],
            points=tuple(
                PlannedPoint(p["point"], p["settings"], tuple(p["seeds"]), tuple(p["runs"])) for p in content["points"]
            ),
        )
    except NotADirectoryError:
        raise InputError(f"{root}: is a file, expected a directory of results", hint=_HINT_FILE) from None
    except FileNotFoundError:
        raise InputError(f"{root}: no results found ({PLAN} is missing)", hint=_near(root)) from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            f"{place}: not a plan ({type(error).__name__}: {error})",
            hint=_HINT,
        ) from error


_SHAPE = {
    "name": str,
    "path": str,
    "source": str,
    "engine": str,
    "axes": [str],
    "compare": [str],
    "measure": str,
    "series_interval_s": (None, float),
    "points": [{"point": int, "settings": Each((str, bool, float, [object])), "seeds": [int], "runs": [str]}],
}
_RUN = re.compile(r"[0-9a-f]{32}")


def _check_points(content: dict[str, Any]) -> None:
    """What a plan must be beyond its shape."""
    if content["measure"] not in ALL_METRICS:
        raise SchemaError(f"measure = {content['measure']!r}: expected {', '.join(ALL_METRICS)}")
    for index, point in enumerate(content["points"]):
        where = f"points[{index}]"
        if point["point"] != index:
            raise SchemaError(f"{where}.point is {point['point']}: expected {index}")
        if set(point["settings"]) != set(content["axes"]):
            raise SchemaError(f"{where}.settings keys differ from axes")
        if len(point["seeds"]) != len(point["runs"]) or len(set(point["seeds"])) < len(point["seeds"]):
            raise SchemaError(f"{where} expected one run per seed")
        for run in point["runs"]:
            if _RUN.fullmatch(run) is None:
                raise SchemaError(f"{where}.runs has {run!r}: expected 32 hexadecimal digits")


def present(catalog: Catalog, store: RunStore) -> list[str]:
    """Planned runs that lie in the run store, by their names alone; `RunStore.state` looks inside."""
    try:
        there = {place.name for place in (store.root / "runs").iterdir()}
    except FileNotFoundError:
        return []
    return [run for run in catalog.runs if run in there]


def axis_columns(axes: Sequence[str]) -> dict[str, str]:
    """Column of each axis key."""
    last = [key.rsplit(".", 1)[-1] for key in axes]
    columns: dict[str, str] = {}
    for key, short in zip(axes, last, strict=True):
        free = last.count(short) == 1 and short not in RUNS_OWN and (short != "transport" or key == "flow.transport")
        columns[key] = short if free else key.replace(".", "_")
    return columns


def _near(root: Path) -> str | None:
    if not root.is_dir():
        return "directory not found"
    found = sorted(place.parent for place in (*root.glob(f"*/{PLAN}"), *root.glob(f"*/*/{PLAN}")))
    if found:
        return f"results are in {', '.join(str(place) for place in found[:5])}"
    return "hoplab sweep FILE writes results to ./results/, or to --out"
