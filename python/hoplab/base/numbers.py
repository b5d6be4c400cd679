"""Numbers as Python programs and the environment supply them, checked."""

from __future__ import annotations

import math
import operator
import os
from datetime import UTC, datetime
from typing import Any

from hoplab.base.errors import UsageError

SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}
"""Units of times in scenarios."""


def integer_of(value: Any) -> int | None:
    """A whole number (an int, or a scalar of NumPy's); None for anything else, truth values among them."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        return None
    try:
        return operator.index(value)
    except TypeError:  # NumPy's truth values and arrays
        return None


MOST_SEED = 2**64 - 1


def seed_of(value: Any) -> int:
    """A seed of the engine.

    Raises
    ------
    UsageError
        If it is none.
    """
    seed = integer_of(value)
    if seed is None or not 0 <= seed <= MOST_SEED:
        raise UsageError(f"seed {value!r}: expected an integer from 0 to 2**64 - 1")
    return seed


def number_of(value: Any) -> float | None:
    """A finite number, whole or not, NumPy's among them; None for anything else."""
    if isinstance(value, bool | str | bytes | bytearray):
        return None
    whole = integer_of(value)
    try:
        number = float(value) if whole is None and hasattr(value, "__float__") else whole
        number = None if number is None else float(number)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if number is not None and math.isfinite(number) else None


def counted(count: int, what: str) -> str:
    """A number of things as text: ``1 run``, ``2 runs``; `what` is the singular."""
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def check_source_date() -> None:
    """Check ``SOURCE_DATE_EPOCH``, which NumPy and Matplotlib read without a check.

    Raises
    ------
    UsageError
        If it is set to no integer, or to one that is no date.
    """
    text = os.environ.get("SOURCE_DATE_EPOCH", "")
    try:
        datetime.fromtimestamp(int(text or "0"), UTC)
    except (ValueError, OverflowError, OSError):
        raise UsageError(
            f"SOURCE_DATE_EPOCH = {text!r}: expected integer seconds since 1970", hint="unset it, or set an integer"
        ) from None
