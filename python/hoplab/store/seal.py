"""Checksums of the tables that a run or comparison leaves in its directory: `checksums.json`.

A Parquet file whose bytes were changed may well be readable and say something else. Runs of a sweep have the checksums
of their files in their manifests; this is the same for directories without a ledger. Those of older versions, and
traces that a program leaves with `hoplab.run(trace=...)`, have none, and are believed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from hoplab.errors import InputError
from hoplab.shapes import Each, check
from hoplab.store import files

SEAL = "checksums.json"
_HINT = "give the command that made the results again"


def seal(folder: Path) -> None:
    """Write down the checksums of all tables of a directory.

    Raises
    ------
    OSError
        If one cannot be read, or the list be written.
    """
    found = {path.name: files.digest_file(path) for path in sorted(folder.glob("*.parquet"))}
    files.replace(folder / SEAL, json.dumps(found, indent=1).encode() + b"\n")


def break_seal(folder: Path) -> None:
    """Forget the checksums: tables are about to be replaced."""
    (folder / SEAL).unlink(missing_ok=True)


def verify(folder: Path, names: Sequence[str]) -> None:
    """Compare tables with their checksums, where there are any.

    Raises
    ------
    InputError
        If one is not what was stored.
    """
    place = folder / SEAL
    try:
        stated = json.loads(place.read_bytes())
        check(stated, Each(str))
    except FileNotFoundError:
        return
    except (OSError, ValueError) as error:
        raise InputError(f"{place}: cannot be read ({error}), expected checksums of tables", hint=_HINT) from error
    for name in names:
        try:
            whole = name not in stated or files.digest_file(folder / name) == stated[name]
        except OSError:
            whole = False
        if not whole:
            raise InputError(f"{folder / name}: is not what was stored there: its checksum is another", hint=_HINT)
