"""A directory of results as one file for others: the results, a script that repeats them, and a text about both.

The bytes depend on the results alone, and on ``SOURCE_DATE_EPOCH`` if it is set: times, owners and order of the entries
are fixed.
"""

from __future__ import annotations

import gzip
import os
import shutil
import stat
import tarfile
import textwrap
import time
import zipfile
from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING

from hoplab.base import regular_files
from hoplab.base.errors import InputError, UsageError
from hoplab.store import files

if TYPE_CHECKING:
    from hoplab.artifact.stored import StoredRuns

ENDINGS = (".zip", ".tar.gz", ".tgz")
RESULTS, README, SCRIPT = "results", "README.txt", "rerun.sh"
LEFT_OUT = frozenset({"tmp", "damaged", "export", "__pycache__"})
"""Directories of results that repeat nothing: unfinished and damaged runs, exported tables."""
EPOCH = 315532800
"""1980-01-01, the first date that a ZIP file can have."""
LEVEL = 9
"""Of compression."""

RERUN = f"""\
#!/bin/sh
# Repeats the runs of {RESULTS}/ and compares their fingerprints with the stored ones.
cd "$(dirname "$0")" && exec hoplab rerun {RESULTS} "$@"
"""


def pack(stored: StoredRuns, target: Path) -> None:
    """Write the archive, in place of an older one.

    Parameters
    ----------
    stored : StoredRuns
        From `read_runs`: the directory can be repeated.
    target : Path
        Ends in `.zip`, `.tar.gz` or `.tgz`; the archive has one directory of this name.

    Raises
    ------
    UsageError
        If it ends in something else.
    InputError
        If a file of the scenarios is not in the directory, or the directory has a link.
    OSError
        If a file cannot be read or written.
    """
    ending = ending_of(target)
    outside = [place for place in stored.files if not place.resolve().is_relative_to(stored.folder.resolve())]
    if outside:
        raise InputError(
            f"{stored.folder}: {outside[0].name} is not in the directory, but its scenario names it",
            hint="run the command again: --out keeps copies of all files",
        )
    top = target.name.removesuffix(ending)
    texts = {README: readme(stored), SCRIPT: RERUN}
    write = _zip if ending == ".zip" else _tar
    entries = [*_entries(stored.folder, target)]
    files.build(target, lambda place: write(place, top, texts, entries))


def ending_of(target: Path) -> str:
    """The ending of an archive.

    Raises
    ------
    UsageError
        If it is none of `ENDINGS`.
    """
    found = next((ending for ending in ENDINGS if target.name.endswith(ending) and target.name != ending), None)
    if found is None:
        raise UsageError(f"--artifact {target}: expected a name that ends in {', '.join(ENDINGS)}")
    return found


def _entries(folder: Path, target: Path) -> Iterator[tuple[str, Path]]:
    """Name in the archive and place of each file, by name; without what is being written."""
    for place in sorted(folder.rglob("*"), key=lambda place: place.relative_to(folder).as_posix()):
        name = place.relative_to(folder)
        kind = files.kind_of(place)
        if any(part in LEFT_OUT or part.startswith(".") for part in name.parts) or kind == "a directory":
            continue
        if kind != "a file":
            raise InputError(f"{place}: is {kind}, expected regular files in a directory of results")
        if place.absolute() != target.absolute():
            yield f"{RESULTS}/{name.as_posix()}", place


def readme(stored: StoredRuns) -> str:
    """What the archive holds, what made it, and how to repeat it."""
    facts = {} if stored.record is None else {fact.name: fact.value for fact in stored.record.environment}
    version = stored.engine.partition("+t")[0] or "of the same version"
    command = "" if stored.record is None else f"\n    {stored.record.command}\n"
    digest = files.digest("\n".join(run.fingerprint for run in stored.runs).encode())[:16]
    made = "\n".join(f"    {name:<10} {value}" for name, value in facts.items())
    controllers = sorted(
        place.resolve().relative_to(stored.folder.resolve()).as_posix() for place in stored.controllers
    )
    runs = len(stored.runs)
    parts = [
        f"Results of hoplab {stored.kind}: {runs} runs in {RESULTS}/, and a script that repeats them.\n{command}",
        _wrapped(f"To repeat every run and compare fingerprints, install hoplab {version} and execute:")
        + f"\n\n    sh {SCRIPT}{' --run-controllers' if controllers else ''}",
    ]
    if controllers:
        named = "\n".join(f"    {RESULTS}/{name}" for name in controllers)
        parts.append(f"This executes Python files; read them first:\n\n{named}")
    parts += [
        _wrapped(
            f"Exit code 0: the event sequences of all {runs} runs are those of the stored ones. 5: some are not, "
            "and are named. Fingerprints do not depend on machine, threads or time."
        ),
        _wrapped(
            f"Engine: {stored.engine or 'not stored'}. The number behind +t is that of the event sequences: an engine "
            "with another number may differ, and the command says so."
        ),
        f"Digest of all fingerprints: {digest}",
        *([f"Made by:\n\n{made}"] if made else []),
        f"Figures and tables: {RESULTS}/report.html",
    ]
    return "\n\n".join(part.rstrip() for part in parts) + "\n"


def _wrapped(text: str) -> str:
    return textwrap.fill(text, 88)


def _moment() -> int:
    """Time of all entries, s since 1970."""
    return max(int(os.environ.get("SOURCE_DATE_EPOCH") or EPOCH), EPOCH)


def _mode(name: str) -> int:
    return 0o755 if name == SCRIPT else 0o644


def _zip(target: Path, top: str, texts: Mapping[str, str], entries: list[tuple[str, Path]]) -> None:
    moment = time.gmtime(_moment())[:6]

    def add(name: str, source: IO[bytes]) -> None:
        info = zipfile.ZipInfo(f"{top}/{name}", moment)
        info.create_system, info.external_attr = 3, (stat.S_IFREG | _mode(name)) << 16
        info.compress_type = zipfile.ZIP_DEFLATED
        with archive.open(info, "w", force_zip64=True) as place:
            shutil.copyfileobj(source, place)

    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL) as archive:
        for name, text in texts.items():
            add(name, BytesIO(text.encode()))
        for name, place in entries:
            with regular_files.open_binary(place) as source:
                add(name, source)


def _tar(target: Path, top: str, texts: Mapping[str, str], entries: list[tuple[str, Path]]) -> None:
    def add(name: str, source: IO[bytes], size: int) -> None:
        info = tarfile.TarInfo(f"{top}/{name}")
        info.size, info.mtime, info.mode = size, _moment(), _mode(name)
        archive.addfile(info, source)

    with (
        target.open("wb") as file,
        gzip.GzipFile("", "wb", LEVEL, file, mtime=_moment()) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for name, text in texts.items():
            add(name, BytesIO(text.encode()), len(text.encode()))
        for name, place in entries:
            with regular_files.open_binary(place) as source:
                add(name, source, place.stat().st_size)
