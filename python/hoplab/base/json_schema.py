"""What a JSON document must look like before it is read: files on disk may have been harmed, or be another program's.

A shape is a type (`str`, `int`, `bool`, `float` for any number, `object` for anything), `None`, a list of one shape, a
mapping from key to shape (a key that ends with ``?`` may be absent; others may be there), `Each` for a mapping from any
name to one shape, or a tuple of shapes of which one must fit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

MOST = 2**64
"""Integers beyond this come from no engine."""

LARGEST = 1e150
"""Numbers beyond this come from no engine either, and their squares, which statistics take, are not finite."""


class SchemaError(ValueError):
    """A document that violates its schema; the message has the location."""


@dataclass(frozen=True, slots=True)
class Each:
    """A mapping from any name to values of one shape."""

    shape: Any


def check(value: Any, shape: Any, where: str = "") -> None:
    """Compare a document with a shape.

    Raises
    ------
    SchemaError
        At the first place where they differ.
    """
    if isinstance(shape, tuple):
        _check_one_of(value, shape, where)
    elif isinstance(shape, list):
        if not isinstance(value, list):
            raise SchemaError(_words(where, value, "a list"))
        for index, item in enumerate(value):
            check(item, shape[0], f"{where}[{index}]")
    elif isinstance(shape, Each):
        for key, item in _mapping(value, where).items():
            check(item, shape.shape, _join(where, key))
    elif isinstance(shape, dict):
        _check_keys(_mapping(value, where), shape, where)
    elif not _is_plain(value, shape):
        raise SchemaError(_words(where, value, NAMES.get(shape, "null")))


def check_sizes(value: Any, where: str = "") -> None:
    """Compare every number of a document with `LARGEST`.

    Raises
    ------
    SchemaError
        At the first number that is larger, or is none.
    """
    if isinstance(value, dict):
        for key, item in value.items():
            check_sizes(item, _join(where, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            check_sizes(item, f"{where}[{index}]")
    elif isinstance(value, int | float) and not abs(value) <= LARGEST:
        raise SchemaError(_words(where, value, f"at most {LARGEST:g} in magnitude"))


NAMES = {str: "text", int: "an integer", float: "a number", bool: "true or false"}


def _check_one_of(value: Any, shapes: tuple[Any, ...], where: str) -> None:
    problems = []
    for shape in shapes:
        try:
            check(value, shape, where)
        except SchemaError as error:
            problems.append(error)
        else:
            return
    raise problems[-1]


def _check_keys(value: dict[str, Any], shape: dict[str, Any], where: str) -> None:
    for key, wanted in shape.items():
        name = key.removesuffix("?")
        if name in value:
            check(value[name], wanted, _join(where, name))
        elif name == key:
            raise SchemaError(f"{_join(where, name)} is missing")


def _mapping(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise SchemaError(_words(where, value, "an object"))
    return value


def _is_plain(value: Any, shape: Any) -> bool:
    if shape is object:
        return True
    if shape is None:
        return value is None
    if shape is float:
        is_integer = isinstance(value, int) and not isinstance(value, bool)
        return isinstance(value, float) or (is_integer and abs(value) < MOST)
    if shape is int:
        return isinstance(value, int) and not isinstance(value, bool) and abs(value) < MOST
    return isinstance(value, shape)


def _join(where: str, key: str) -> str:
    return f"{where}.{key}" if where else key


def _words(where: str, value: Any, expected: str) -> str:
    shown = repr(value)
    short = shown if len(shown) <= 40 else f"{shown[:37]}..."
    return f"{where or 'the document'} is {short}: expected {expected}"
