"""Results of `hoplab run --out` and `hoplab compare --out`, read again."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hoplab.base import regular_files
from hoplab.base.errors import InputError
from hoplab.base.json_schema import check, check_sizes
from hoplab.base.numbers import counted
from hoplab.explain.narrative import GROUPS
from hoplab.report.record import RECORD, Record, read_record
from hoplab.running.comparing import Comparison, Point
from hoplab.running.runs import PlacedRun, Run, Runs
from hoplab.scenario import controllers
from hoplab.store.checksums import verify
from hoplab.store.kept_files import FILES

if TYPE_CHECKING:
    from hoplab.scenario.model import Scenario

RUNS = "runs.jsonl"
_AIRTIME = {use: float for uses in GROUPS.values() for use in uses}


def open_comparison(path: str | Path) -> Comparison:
    """Open what `hoplab compare --out` stored, as `hoplab.compare` returned it; no run is executed.

    Parameters
    ----------
    path : str or Path
        The directory.

    Raises
    ------
    InputError
        If it holds no comparison, is damaged, or a file is missing that it names.
    """
    folder = Path(path)
    record = read_record(folder)
    if record is None or record.kind != "compare":
        what = "no results found" if record is None else f"results of hoplab {record.kind}, expected those of compare"
        raise InputError(f"{folder}: {what}", hint="hoplab compare --out writes a directory that can be opened")
    return stored_comparison(folder, record)


def stored_lines(place: Path) -> Iterator[PlacedRun]:
    """The stored runs, each decoded once.

    Raises
    ------
    InputError
        If there are none, or one cannot be read.
    """
    try:
        text = regular_files.read_text(place)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{place}: cannot be read ({error})") from error
    for number, line in enumerate(text.splitlines(), 1):
        try:
            run = PlacedRun.from_engine(line, {})
            check(list(run.airtime), [_AIRTIME])
            check(run.point, {"transport?": str})
            check_sizes(regular_files.parse_json(line))
            yield run
        except ValueError as error:
            raise InputError(
                f"{place}:{number}: not a run ({error}), expected one JSON object per line",
                hint="rerun the command",
            ) from error
    if not text.strip():
        raise InputError(f"{place}: file is empty, expected runs", hint="rerun the command")


def stored_comparison(folder: Path, record: Record) -> Comparison:
    """The comparison that a directory of `hoplab compare --out` holds; no run is executed.

    Raises
    ------
    InputError
        If it is damaged, or a file is missing that it names.
    """
    scenario = record.scenario
    if scenario is None:
        raise InputError(f"{folder / RECORD}: scenario is missing", hint="rerun the command")
    _check_controllers(folder, record, scenario)
    lines = list(stored_lines(folder / RUNS))
    grouped: dict[str, list[Run]] = {}
    where: dict[str, dict[str, Any]] = {}
    for run in lines:
        key = json.dumps(run.point)
        where[key] = run.point
        grouped.setdefault(key, []).append(run)
    keys = [key for key, _ in record.axes]
    points = []
    for name, runs in grouped.items():
        point = where[name]
        if set(point) != {"transport", *keys}:
            raise InputError(
                f"{folder / RUNS}: unexpected point {name}, expected keys transport, {', '.join(keys)}",
                hint="rerun the command",
            )
        at = tuple((key, point[key]) for key in keys)
        changes = controllers.overrides_of(point["transport"], scenario, keep_workloads=record.keep_workloads)
        placed = scenario.with_({**dict(at), **changes})
        points.append(Point(point["transport"], at, Runs(placed, tuple(runs))))
    axes = {key: tuple(values) for key, values in record.axes}
    expected = math.prod(map(len, axes.values())) * len(record.transports)
    if len(points) != expected or len({point.runs.seeds for point in points}) != 1:
        raise InputError(
            f"{folder / RUNS}: {counted(len(lines), 'run')} of {counted(len(points), 'point')}, "
            f"expected {counted(expected, 'point')} on the same seeds",
            hint="rerun the command",
        )
    verify(folder, [RUNS])
    return Comparison(scenario, tuple(record.transports), axes, points[0].runs.seeds, tuple(points))


def _check_controllers(folder: Path, record: Record, scenario: Scenario) -> None:
    """Refuse a comparison whose controllers cannot be found: up to 0.2 a directory had no copies of them."""
    for name in record.transports:
        file = name.rpartition(":")[0]
        if not controllers.is_controller(name) or name.startswith(controllers.HELD):
            continue
        if not (Path(scenario.path).parent / file).exists() and not Path(file).exists():
            has_copy = file.startswith(f"{FILES}/")
            what = "its copy is missing" if has_copy else "the directory has no copy of it"
            remedy = "restore the file" if has_copy else f"work in the directory of {file}, or repeat compare --out"
            raise InputError(f"{folder}: controller {file} not found: {what}", hint=remedy)
