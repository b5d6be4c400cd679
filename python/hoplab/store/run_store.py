"""The run store of runs: `runs/<id>` with a valid manifest *is* the record that a run is done.

A run is written below `tmp/`, its manifest last, and renamed to its place in one step, so that a
process killed at any moment leaves either a whole run or none. The id is a digest of what determines the result;
two processes that make the same run make the same files, and whoever renames second gives way.

    DIR/sweep.json               what is planned
    DIR/runs/<id>/               manifest.json, result.json, scenario.toml, flows.parquet, ...
    DIR/tmp/<id>.<pid>.<host>/   being written
    DIR/failed/<id>/             failure.json, scenario.toml: error and command line that repeats the run
    DIR/damaged/<id>.<k>/        runs with a checksum mismatch
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import platform
import re
import shlex
import sys
import time
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal

from blake3 import blake3

from hoplab.base import regular_files
from hoplab.base.engine import scenario_defaults
from hoplab.base.errors import InputError
from hoplab.store import columns, files
from hoplab.store.kept_files import KeptFiles
from hoplab.store.rows import DERIVED, rows_of, value_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

State = Literal["done", "missing", "damaged"]
FORMAT = 1
"""Version of the directory's layout."""
ATTEMPTS = 3
"""Failed attempts after which a run is quarantined: listed, and not executed again without `retry`."""
FIRST = ("run",)
"""Column that every table of a run begins with."""
_MANIFEST = "manifest.json"
_TEMPORARY = re.compile(r"^[0-9a-f]+\.(\d+)\.(.+)$")


def run_id(version: str, scenario: Mapping[str, Any], seed: int, series_interval_s: float | None) -> str:
    """Name of a run: 32 hexadecimal digits of BLAKE3 over all that determines its files.

    Parameters
    ----------
    version : str
        The engine's version with its trajectory number, which changes with event sequences.
    scenario : mapping
        The resolved scenario in SI numbers; its own `seed` does not count, nor do places drawn with it. A movement
        file counts by its content (`mobility.file_blake3`). Constants at their defaults do not count, so that a key
        that a later version adds leaves names as they are.
    seed : int
        Seed of the replication.
    series_interval_s : float or None
        Sampling interval of the stored series, s.
    """
    return seeded_id(point_hash(version, scenario), seed, series_interval_s)


def point_hash(version: str, scenario: Mapping[str, Any]) -> Any:
    """The part of `run_id` that all seeds of a scenario share."""
    resolved = {key: value for key, value in scenario.items() if key != "seed"}
    topology: Mapping[str, Any] = resolved.get("topology") or {}
    # Names of nodes and of the file of links change nothing; links count by `links_blake3`.
    without = {"names", "placed", "file"}
    if topology.get("drawn"):
        # Each run draws its own places; those of the scenario's seed are not part of it.
        without.add("positions")
    if topology:
        resolved["topology"] = {key: value for key, value in topology.items() if key not in without}
    for name, defaults in scenario_defaults().items():
        if name in resolved:
            resolved[name] = _different(resolved[name], defaults)
    return blake3(canonical({"engine": version, "scenario": resolved})[:-1])


def _different(table: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a table that differ from its defaults."""
    found = {}
    for key, value in table.items():
        usual = defaults.get(key)
        if isinstance(value, dict) and isinstance(usual, dict):
            if inner := _different(value, usual):
                found[key] = inner
        elif value != usual or isinstance(value, bool) != isinstance(usual, bool):
            found[key] = value
    return found


def seeded_id(shared: Any, seed: int, series_interval_s: float | None) -> str:
    """Name of the run with a seed; `shared` is from `point_hash`."""
    own = shared.copy()
    own.update(b"," + canonical({"seed": seed, "series_interval_s": series_interval_s})[1:])
    return str(own.hexdigest()[:32])


def canonical(value: Any) -> bytes:
    """JSON with one spelling: sorted keys, no blanks, UTF-8."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


@dataclass(frozen=True, slots=True)
class Header:
    """What a run is, known before it starts.

    Attributes
    ----------
    id : str
        From `run_id`.
    seed : int
        Seed of the replication.
    version : str
        The engine's version.
    scenario : mapping
        Resolved, SI numbers.
    toml : str
        The same as a scenario file, its seed in it, from which the run can be repeated.
    series_interval_s : float or None
        Sampling interval of the series, s.
    folder : Path or None
        Where the files that `toml` names are seen from: copies of them are stored.
    """

    id: str
    seed: int
    version: str
    scenario: Mapping[str, Any]
    toml: str
    series_interval_s: float | None = None
    folder: Path | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """A run that ended without a result.

    Attributes
    ----------
    id : str
        The run.
    seed : int
        Its seed.
    error : str
        The error of the engine or worker.
    attempts : int
        How often it has been tried.
    replay : str
        The command that repeats it.
    """

    id: str
    seed: int
    error: str
    attempts: int
    replay: str

    @property
    def quarantined(self) -> bool:
        """Whether it has failed `ATTEMPTS` times."""
        return self.attempts >= ATTEMPTS


class RunStore:
    """The runs stored in one directory. Several processes may use it at once.

    Parameters
    ----------
    root : Path
        The directory; created with the first stored run.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._kept = KeptFiles(root)

    def path_of(self, run: str) -> Path:
        """Directory of a stored run."""
        return self.root / "runs" / run

    def manifest(self, run: str) -> dict[str, Any] | None:
        """A run's manifest if it is readable and matches its own checksum, else None.

        Raises
        ------
        InputError
            If it is whole, and of another format.
        """
        try:
            manifest: dict[str, Any] = regular_files.read_json(self.path_of(run) / _MANIFEST)
            stated = manifest.pop("checksum")
        except (OSError, ValueError, KeyError, AttributeError):
            return None
        if files.digest(canonical(manifest)) != stated or manifest.get("id") != run:
            return None
        if manifest.get("format") != FORMAT:
            raise InputError(
                f"{self.path_of(run) / _MANIFEST}: format {manifest.get('format')}, expected {FORMAT}",
                hint="update hoplab, or name another directory",
            )
        return manifest

    def state(self, run: str) -> State:
        """Whether a run is stored whole: its manifest and every file that the manifest names."""
        place = self.path_of(run)
        if not place.is_dir():
            return "missing"
        manifest = self.manifest(run)
        if manifest is None:
            return "damaged"
        for file, stated in manifest["files"].items():
            try:
                whole = (place / file).stat().st_size == stated["bytes"]
                if not whole or files.digest_file(place / file) != stated["blake3"]:
                    return "damaged"
            except OSError:
                return "damaged"
        return "done"

    def value(self, run: str, metric: str) -> float | None:
        """A metric of a stored run; None where it is not defined."""
        return value_of(self.result(run), metric)

    def result(self, run: str) -> dict[str, Any]:
        """The engine's object for a stored run, without `cpu_s`.

        Raises
        ------
        InputError
            On a checksum mismatch.
        """
        place = self.path_of(run) / "result.json"
        manifest = self.manifest(run)
        try:
            content = regular_files.read_bytes(place)
            whole = manifest is not None and files.digest(content) == manifest["files"][place.name]["blake3"]
        except OSError:
            whole = False
        if not whole:
            raise InputError(
                f"{place}: checksum mismatch with its manifest; rerun the command",
                hint="the command executes this run again",
            )
        result: dict[str, Any] = regular_files.parse_json(content)
        return result

    def fingerprint(self, run: str) -> str | None:
        """Hash of a stored run's event sequence."""
        manifest = self.manifest(run) or {}
        fingerprint = manifest.get("fingerprint")
        return None if fingerprint is None else str(fingerprint)

    def commit(self, header: Header, result_json: str, series: Mapping[str, Any] | None) -> None:
        """Store a finished run.

        Parameters
        ----------
        header : Header
            What was run.
        result_json : str
            The engine's object for the run. `cpu_s`, which no two runs share, goes to the manifest alone.
        series : mapping or None
            Sampled series in the engine's form.

        Raises
        ------
        OSError
            If a file cannot be written; `runs/` then has no part of this run.
        """
        result = regular_files.parse_json(result_json)
        cpu_s = result.pop("cpu_s", None)
        started = time.perf_counter()
        work = self._work_directory(header.id)
        try:
            for table, rows in rows_of(result).items():
                if table not in DERIVED:
                    content = columns.from_rows(({"run": header.id, **row} for row in rows), FIRST)
                    columns.write_parquet(content, work / f"{table}.parquet")
            if series is not None:
                columns.write_parquet(columns.from_series(header.id, series), work / "series.parquet")
            (work / "result.json").write_bytes(canonical(result) + b"\n")
            (work / "scenario.toml").write_bytes(self._portable(header).encode())
            for path in sorted(work.iterdir()):  # all written first: the disk then flushes them together
                files.sync(path)
            manifest = {
                "format": FORMAT,
                "id": header.id,
                "seed": header.seed,
                "engine": header.version,
                "series_interval_s": header.series_interval_s,
                "scenario": header.scenario,
                "fingerprint": result.get("fingerprint"),
                "files": {
                    path.name: {"bytes": path.stat().st_size, "blake3": files.digest_file(path)}
                    for path in sorted(work.iterdir())
                },
                "made": {
                    "cpu_s": cpu_s,
                    "storing_s": round(time.perf_counter() - started, 6),
                    "at": _now(),
                    **_environment(),
                },
            }
            manifest["checksum"] = files.digest(canonical(manifest))
            files.write(work / _MANIFEST, canonical(manifest) + b"\n")
            files.sync(work)
            self._publish(work, header.id)
        except BaseException:
            files.remove_tree(work)
            raise
        files.remove_tree(self.root / "failed" / header.id)

    def move_to_damaged(self, run: str) -> Path:
        """Move a damaged run to `damaged/`; returns its new path."""
        parent = self.root / "damaged"
        parent.mkdir(parents=True, exist_ok=True)
        number = 1
        while (target := parent / f"{run}.{number}").exists():
            number += 1
        with contextlib.suppress(FileNotFoundError):  # another process did it
            self.path_of(run).rename(target)
        return target

    def record_failure(self, header: Header, error: str, *, attempts: int = 1) -> Failure:
        """Keep what is needed to repeat a run that failed, and count its attempts.

        Parameters
        ----------
        header : Header
            What was run.
        error : str
            The error.
        attempts : int
            Number of failed attempts.
        """
        earlier = self.failure(header.id)
        place = self.root / "failed" / header.id
        place.mkdir(parents=True, exist_ok=True)
        scenario = place / "scenario.toml"
        files.replace(scenario, self._portable(header).encode())
        replay = _replay(scenario)
        total = attempts + (earlier.attempts if earlier else 0)
        failure = Failure(header.id, header.seed, error, total, replay)
        described = {**asdict(failure), "replay": _replay(scenario.relative_to(self.root))}
        content = {**described, "engine": header.version, "at": _now(), **_environment()}
        files.replace(place / "failure.json", json.dumps(content, indent=2, ensure_ascii=False).encode() + b"\n")
        return failure

    def failure(self, run: str) -> Failure | None:
        """The record of a run that failed; None where there is none or it cannot be read."""
        try:
            content = regular_files.read_json(self.root / "failed" / run / "failure.json")
            place = self.root / "failed" / run / "scenario.toml"
            is_own = content["replay"] == _replay(place.relative_to(self.root))
            replay = _replay(place) if is_own else content["replay"]
            return Failure(**{key: content[key] for key in ("id", "seed", "error", "attempts")}, replay=replay)
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def clear_failure(self, run: str) -> None:
        """Delete a failure, so that a quarantined run is executed again."""
        files.remove_tree(self.root / "failed" / run)

    def remove_stale(self) -> int:
        """Remove what processes of this machine left unfinished when they ended; returns how many directories."""
        removed = 0
        host = _host()
        try:
            left = sorted((self.root / "tmp").iterdir())
        except FileNotFoundError:
            return 0
        for place in left:
            match = _TEMPORARY.match(place.name)
            if match and match[2] == host and not _alive(int(match[1])):
                files.remove_tree(place)
                removed += 1
        return removed

    def _portable(self, header: Header) -> str:
        """The scenario as it is stored, two directories below the root."""
        if header.folder is None:
            return header.toml
        return self._kept.portable(header.toml, header.folder, self.root / "runs" / header.id)

    def _work_directory(self, run: str) -> Path:
        work = self.root / "tmp" / f"{run}.{os.getpid()}.{_host()}"
        files.remove_tree(work)
        work.mkdir(parents=True)
        return work

    def _publish(self, work: Path, run: str) -> None:
        """Rename into place. An existing intact run has the same content and is kept."""
        target = self.path_of(run)
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            work.rename(target)
        except OSError:
            if not target.is_dir():
                raise
            if self.state(run) == "done":
                files.remove_tree(work)
                return
            self.move_to_damaged(run)
            work.rename(target)
        files.sync(target.parent)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _replay(scenario: Path) -> str:
    return f"hoplab run {shlex.quote(str(scenario))}"


def _host() -> str:
    """A token for this machine: distinguishes the processes of one machine from those of another, and names none."""
    return files.digest(platform.node().encode())[:12]


def _now() -> str:
    return datetime.fromtimestamp(time.time(), UTC).isoformat(timespec="seconds")


@functools.cache
def _environment() -> dict[str, str]:
    return {"host": _host(), "platform": f"{platform.system()} {platform.machine()}", "python": sys.version.split()[0]}
