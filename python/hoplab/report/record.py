"""Provenance of a directory of results: `provenance.json`, from which its report can be built again.

The results themselves do not depend on it: two runs of the same sweep differ in it, and in nothing else.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from hoplab.base import regular_files
from hoplab.base.engine import core
from hoplab.base.errors import InputError
from hoplab.base.json_schema import Each, check
from hoplab.base.shareable import shareable
from hoplab.report.environment import environment
from hoplab.report.model import Fact
from hoplab.scenario.model import Scenario
from hoplab.scenario.tomltext import literal
from hoplab.store.kept_files import FILES

RECORD = "provenance.json"
"""Its name up to 0.1; read if the present one is absent."""
FORMAT = 1
KINDS = ("run", "compare", "demo", "sweep", "reproduce", "whatif")


@dataclass(frozen=True)
class Record:
    """Provenance of a directory.

    Attributes
    ----------
    kind : {"run", "compare", "demo", "sweep", "reproduce", "whatif"}
        The command.
    command : str
        Its whole line.
    scenario : Scenario or None
        As given, overrides included; None if the directory stores its scenarios elsewhere.
    axes : sequence of (str, values)
        Axes of a comparison, in order.
    study : mapping
        Of a study: `paper`, `figure` or None, `quick`, `seeds`.
    environment : sequence of Fact
        Versions and machine.
    files : mapping
        Keys of the scenario that name files, and the copies in the directory.
    seeds : sequence of int
        Seeds of a comparison; empty in records of older versions, and where the directory stores its runs.
    keep_workloads : bool
        Whether workloads of a comparison keep the transports of the file.
    between : str or None
        What a comparison compares, where that was asked for (`--between`).
    margin : float or None
        Share within which means count as equivalent (`--equivalent`).
    metrics : sequence of str
        Measures that were asked for; empty for the usual ones.
    engine : str
        Version and trajectory number of the engine, such as ``0.2.0+t6``.
    """

    kind: str
    command: str
    scenario: Scenario | None = None
    transports: Sequence[str] = ()
    axes: Sequence[tuple[str, Sequence[Any]]] = ()
    study: Mapping[str, Any] = field(default_factory=dict)
    environment: Sequence[Fact] = field(default_factory=environment)
    files: Mapping[str, str] = field(default_factory=dict)
    seeds: Sequence[int] = ()
    keep_workloads: bool = False
    between: str | None = None
    margin: float | None = None
    metrics: Sequence[str] = ()
    engine: str = field(default_factory=lambda: str(core().version()))

    def to_json(self) -> str:
        """Content of the stored file."""
        scenario = self.scenario
        content = {
            "format": FORMAT,
            "kind": self.kind,
            "command": self.command,
            "scenario": None if scenario is None else {**asdict(scenario), "path": shareable(scenario.path)},
            "transports": list(self.transports),
            "axes": [[key, list(values)] for key, values in self.axes],
            "study": dict(self.study),
            "environment": [[fact.name, fact.value] for fact in self.environment],
            "files": dict(self.files),
            "seeds": list(self.seeds),
            "keep_workloads": self.keep_workloads,
            "between": self.between,
            "margin": self.margin,
            "metrics": list(self.metrics),
            "engine": self.engine,
        }
        return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


_SHAPE = {
    "command": str,
    "scenario": (None, {"text": str, "path": str, "overrides": [[str]]}),
    "transports": [str],
    "axes": [[(str, [(str, bool, float, [object])])]],
    "study": Each(object),
    "environment": [[str]],
    "files?": Each(str),
    "seeds?": [int],
    "keep_workloads?": bool,
    "between?": (None, str),
    "margin?": (None, float),
    "metrics?": [str],
    "engine?": str,
}


def _scenario(folder: Path, content: Mapping[str, Any]) -> Scenario:
    """The scenario as given; its file names, and those of its controllers, are those of the copies in the directory."""
    given, files = content["scenario"], content.get("files") or {}
    has_copies = files or any(name.startswith(f"{FILES}/") for name in content["transports"])
    path = str(folder / Path(given["path"]).name) if has_copies else given["path"]
    copies = tuple((key, literal(name)) for key, name in files.items())
    return Scenario(given["text"], path, (*map(tuple, given["overrides"]), *copies))


def _engine_of(environment: Sequence[Fact]) -> str:
    """The engine that an older record names among its facts; empty without."""
    stated = next((fact.value for fact in environment if fact.name == "hoplab"), "")
    found = _ENGINE.search(stated)
    return found[1] if found else ""


_ENGINE = re.compile(r"\(engine (\S+)\)")


def _plain_command(command: str) -> str:
    """A stored command if a shell would only execute hoplab; otherwise a comment in its place."""
    try:
        words = shlex.split(command)
    except ValueError:
        words = []
    plain = shlex.join(words)
    is_plain = words[:1] == ["hoplab"] and command.isprintable() and (plain == command or not _SHELL.search(command))
    return command if is_plain else "# the stored command is not a plain hoplab command, and is not shown"


_SHELL = re.compile(r"[^\w@%+=:,./ -]")
"""Characters that a shell may interpret."""


def read_record(folder: Path) -> Record | None:
    """The record of a directory; None where it has none.

    Raises
    ------
    InputError
        If its record cannot be read.
    """
    place = folder / RECORD
    try:
        content = regular_files.read_json(place)
        check(content, {"format": int, "kind": str})
        if content["format"] != FORMAT or content["kind"] not in KINDS:
            raise InputError(
                f"{place}: format {content['format']}, kind {content['kind']!r}: not supported", hint="update hoplab"
            )
        check(content, _SHAPE)
        environment = [Fact(name, value) for name, value in content["environment"]]
        return Record(
            kind=content["kind"],
            command=_plain_command(content["command"]),
            scenario=content["scenario"] and _scenario(folder, content),
            transports=tuple(content["transports"]),
            axes=[(key, tuple(values)) for key, values in content["axes"]],
            study=content["study"],
            environment=environment,
            files=content.get("files") or {},
            seeds=tuple(content.get("seeds") or ()),
            keep_workloads=bool(content.get("keep_workloads")),
            between=content.get("between"),
            margin=content.get("margin"),
            metrics=tuple(content.get("metrics") or ()),
            engine=content.get("engine") or _engine_of(environment),
        )
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        if type(error).__name__ in {"InputError", "ScenarioError"}:
            raise
        raise InputError(
            f"{place}: cannot be read ({type(error).__name__}: {error}), expected a record written by hoplab",
            hint="rerun the command",
        ) from error
