"""Former names of arguments and attributes: accepted until 0.3, with a warning that names the new one."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

REMOVED_IN = "0.3"
"""The version that no longer accepts the names that are deprecated now."""

P = ParamSpec("P")
R = TypeVar("R")


def deprecation(old: str, new: str) -> str:
    """The sentence about a former name."""
    return f"{old} is deprecated: write {new}; hoplab {REMOVED_IN} no longer accepts it"


def warn_of(old: str, new: str, *, depth: int = 1) -> None:
    """Warn the caller, `depth` functions above the one that calls this, of a former name."""
    warnings.warn(deprecation(old, new), DeprecationWarning, stacklevel=depth + 2)


def renamed_arguments(**names: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Accept former names of keyword arguments, given as ``old="new"``."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
            for old in names.keys() & kwargs.keys():
                new = names[old]
                if new in kwargs:
                    raise TypeError(f"{function.__name__}() got {new} and its former name {old}")
                warn_of(f"{function.__name__}({old}=)", f"{new}=")
                kwargs[new] = kwargs.pop(old)
            return function(*args, **kwargs)

        return wrapped

    return decorate


class Renamed:
    """The former name of an attribute: ``made = Renamed("executed")``."""

    def __init__(self, new: str) -> None:
        self._new = new
        self._old = ""

    def __set_name__(self, _: type, name: str) -> None:
        self._old = name

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self
        warn_of(f"{owner.__name__}.{self._old}", f"{owner.__name__}.{self._new}")
        return getattr(instance, self._new)
