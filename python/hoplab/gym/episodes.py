"""Episodes of environments: seeds, numbers of the caller, and steps that have no run."""

from __future__ import annotations

from typing import Any

import gymnasium

from hoplab.base.errors import UsageError
from hoplab.base.numbers import MOST_SEED, number_of


class ResetNeededError(UsageError, gymnasium.error.ResetNeeded):
    """A step or report without a run: before the first reset, or after the end of the episode."""


class Episode:
    """Whether an environment has a run, and whether it goes on."""

    def __init__(self) -> None:
        self._is_begun = self._is_over = False

    def begin(self) -> None:
        """A reset has started a run."""
        self._is_begun, self._is_over = True, False

    def end(self) -> None:
        """The run has reached its end."""
        self._is_over = True

    def need(self) -> None:
        """Raise `ResetNeededError` without a run."""
        if not self._is_begun:
            raise ResetNeededError("no run: call reset first")

    def need_running(self) -> None:
        """Raise `ResetNeededError` without a run that goes on."""
        self.need()
        if self._is_over:
            raise ResetNeededError("the episode has ended: call reset first")


def following(seed: int, count: int = 1) -> int:
    """The seed that is so many later; the first follows the last."""
    return (seed + count) % (MOST_SEED + 1)


def number(name: str, value: Any, hint: str) -> float:
    """A finite number.

    Raises
    ------
    UsageError
        If it is none.
    """
    found = number_of(value)
    if found is None:
        raise UsageError(f"{name} is {value!r}", hint=hint)
    return found
