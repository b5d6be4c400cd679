"""Checksums of what a run or comparison leaves in its directory: `checksums.json`.

A Parquet file whose bytes were changed may well be readable and say something else, and a number in `runs.jsonl` may
be another one. Runs of a sweep have the checksums of their files in their manifests; this is the same for the plan of a
sweep, and for directories without a run store. Those of older versions have none, and are believed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from hoplab.base import regular_files
from hoplab.base.errors import InputError
from hoplab.base.json_schema import Each, check
from hoplab.store import files

SEAL = "checksums.json"
SEALED = ("*.parquet", "runs.jsonl")
"""Files with checksums: all with numbers that are read again."""
_HINT = "rerun the command"


def write_checksums(folder: Path, patterns: Sequence[str] = SEALED) -> None:
    """Write down the checksums of all tables of a directory, and of its runs, or of what has these names.

    Raises
    ------
    OSError
        If one cannot be read, or the list be written.
    """
    found = {path.name: files.digest_file(path) for names in patterns for path in sorted(folder.glob(names))}
    files.replace(folder / SEAL, json.dumps(found, indent=1).encode() + b"\n")


def remove_checksums(folder: Path) -> None:
    """Forget the checksums: files are about to be replaced."""
    (folder / SEAL).unlink(missing_ok=True)


def sealed_names(folder: Path) -> set[str]:
    """Names of the files that have a checksum; none where the list cannot be read."""
    try:
        stated = regular_files.read_json(folder / SEAL)
        check(stated, Each(str))
    except (OSError, ValueError):
        return set()
    return {name for name in stated if "/" not in name}


def verify(folder: Path, names: Sequence[str], *, hint: str = _HINT) -> None:
    """Compare files with their checksums, where there are any.

    Raises
    ------
    InputError
        On a checksum mismatch.
    """
    place = folder / SEAL
    try:
        stated = regular_files.read_json(place)
        check(stated, Each(str))
    except FileNotFoundError:
        return
    except (OSError, ValueError) as error:
        raise InputError(f"{place}: cannot be read ({error}), expected checksums", hint=hint) from error
    for name in names:
        try:
            whole = name not in stated or files.digest_file(folder / name) == stated[name]
        except OSError as error:
            what = f"{folder / name}: cannot be read ({error.strerror}), listed in its checksums"
            raise InputError(what, hint=hint) from error
        if not whole:
            raise InputError(f"{folder / name}: checksum mismatch", hint=hint)
