"""The `[sweep]` table: axes, seeds and what is compared.

```toml
[sweep]
seeds = 10                      # a count, a range "11..20", or a list
until = "5%"                    # add seeds until each half-width is at most 5 % of its mean
max_seeds = 100
compare = ["flow.transport"]

[sweep.axes]                    # cartesian: the last axis varies fastest
"topology.hops" = "1..8"
"flow.transport" = ["new_reno", "vegas"]

[[sweep.zip]]                   # axes that move together; one factor of the product
"topology.rows" = [3, 5, 7]
"topology.columns" = [3, 5, 7]
```

An axis is a key as `--set` takes it, and each of its values goes through the same door, so
whatever the engine says of a wrong `--set` it says of a wrong axis. docs/use/sweeps.md has the whole grammar.
"""

from __future__ import annotations

import difflib
import math
import re
from dataclasses import dataclass, field, replace
from itertools import product
from typing import TYPE_CHECKING, Any

from hoplab.base.errors import InputError, UsageError, is_command_line
from hoplab.base.metrics import metric_of
from hoplab.running.seeds import refuse_seed_axis, seeds_of
from hoplab.scenario.tomltext import literal
from hoplab.stats import StatisticsError, parse_relative

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hoplab.scenario.statements import KeyPath
    from hoplab.sweeping.source import Source

Value = Any
"""A TOML value: string, integer, float, boolean, or an array of these."""
Settings = tuple[tuple[str, Value], ...]
"""What one point sets: (key, value) in the order of the axes."""

KEYS = ("seeds", "precision", "max_seeds", "measure", "compare", "series", "possible", "axes", "zip")
DEFAULT_MAX_SEEDS = 100
MAX_POINTS = 1_000_000
_RANGE = re.compile(r"^\s*(-?\d+)\s*\.\.\s*(-?\d+)(?:\s+step\s+(\d+))?\s*$")
_DURATION = re.compile(r"^\s*(\d+(?:\.\d+)?(?:e-?\d+)?)\s*(us|ms|s)\s*$")
_SECONDS = {"us": 1e-6, "ms": 1e-3, "s": 1.0}


@dataclass(frozen=True, slots=True)
class Factor:
    """One factor of the cartesian product: an axis, or several that move together.

    Attributes
    ----------
    keys : tuple of str
        Scenario keys, as `--set` takes them.
    rows : tuple of tuple
        Values; each row has one value per key.
    """

    keys: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]


@dataclass(frozen=True, slots=True)
class Sweep:
    """A checked `[sweep]` table.

    Attributes
    ----------
    factors : tuple of Factor
        In nesting order: the last varies fastest.
    seeds : int, str or tuple of int
        The seeds of every point, as `hoplab.running.seeds` understands them; a count starts at the scenario's own
        `seed`.
    precision : float or None
        Relative half-width to reach, 0.05 for 5 %.
    max_seeds : int
        Most seeds of a point under `precision`.
    measure : str
        Column that `precision` looks at.
    compare : tuple of str
        Axes whose values are set against each other seed by seed.
    series_interval_s : float or None
        Sampling interval of the series, in seconds; None keeps none.
    possible : bool
        Whether the results have shares of the possible.
    """

    factors: tuple[Factor, ...] = ()
    seeds: int | str | tuple[int, ...] = 1
    precision: float | None = None
    max_seeds: int = DEFAULT_MAX_SEEDS
    measure: str = "goodput_bps"
    compare: tuple[str, ...] = ()
    series_interval_s: float | None = None
    possible: bool = False
    places: Mapping[str, KeyPath] = field(default_factory=dict, compare=False)

    @property
    def axes(self) -> tuple[str, ...]:
        """Every axis key, in nesting order."""
        return tuple(key for factor in self.factors for key in factor.keys)

    @property
    def size(self) -> int:
        """Number of points; may be more than any `len` can be."""
        return math.prod(len(factor.rows) for factor in self.factors)

    def __len__(self) -> int:
        return self.size

    def points(self) -> Iterator[Settings]:
        """The settings of every point, in order."""
        for rows in product(*(factor.rows for factor in self.factors)):
            yield tuple(
                pair
                for factor, row in zip(self.factors, rows, strict=True)
                for pair in zip(factor.keys, row, strict=True)
            )

    def with_axis(self, key: str, values: Sequence[Value]) -> Sweep:
        """The sweep with one axis more, or with this axis in place of the file's.

        Several keys with commas between them get the same value: ``mobility.min_speed,mobility.max_speed``.

        Raises
        ------
        UsageError
            If the axis has no value or has one twice, or belongs to axes that move together.
        """
        keys = tuple(part.strip() for part in key.split(","))
        refuse_seed_axis(key)
        shown = [literal(value, keys[0]) for value in values]
        if not shown or len(set(shown)) != len(shown):
            raise UsageError(f"axis {key}: {'duplicate value' if shown else 'no values'}")
        axis = Factor(keys, tuple((value,) * len(keys) for value in values))
        places = {axis: place for axis, place in self.places.items() if axis not in keys}
        for position, factor in enumerate(self.factors):
            if factor.keys == keys:
                factors = (*self.factors[:position], axis, *self.factors[position + 1 :])
                return replace(self, factors=factors, places=places)
            for one in set(keys) & set(factor.keys):
                raise UsageError(f"axis {one}: zipped in the file with {_others(factor.keys, one)}")
        schemes = tuple(one for one in keys if is_scheme(one) and one not in self.compare)
        compare = (*self.compare, *schemes)
        return replace(self, factors=(*self.factors, axis), compare=compare)


def parse_sweep(source: Source) -> Sweep:
    """Check the `[sweep]` table of a file.

    Raises
    ------
    SweepError
        With file and line, for an unknown key, a value of the wrong kind, an empty or repeated axis,
        zipped axes of different length, or more than a million points.
    """
    table = source.sweep
    for key in table:
        if key not in KEYS:
            raise source.error(("sweep", key), f"unknown key 'sweep.{key}'", hint=_nearest(key))
    factors: list[Factor] = []
    places: dict[str, KeyPath] = {}
    for base, axes, zipped in _axis_tables(source):
        found = [
            (key, _values(source, place, key, value), place) for key, value, place in _flat(source, axes, base, ())
        ]
        if not found:
            raise source.error(base, f"{_dotted(base)} must name an axis", hint='write "topology.hops" = [1, 2, 4]')
        for key, _, place in found:
            if key in places:
                raise source.error(place, f"duplicate axis '{key}'")
            if key == "seed" or key.split(".", 1)[0] == "sweep":
                raise source.error(
                    place, f"'{key}' is not supported as an axis", hint="for replications write seeds = 10"
                )
            places[key] = place
        factors.extend(_zipped(source, found) if zipped else [Factor((k,), _rows(v)) for k, v, _ in found])
    sweep = Sweep(
        factors=tuple(factors),
        seeds=_seeds(source, table.get("seeds", 1)),
        precision=_precision(source, table.get("precision")),
        max_seeds=_count(source, "max_seeds", table.get("max_seeds", DEFAULT_MAX_SEEDS)),
        measure=_measure(source, table.get("measure", "goodput_bps")),
        compare=_compare(source, table.get("compare"), tuple(places)),
        series_interval_s=_series(source, table.get("series")),
        possible=_possible(source, table.get("possible", False)),
        places=places,
    )
    check_size(source, sweep)
    return sweep


def check_size(source: Source, sweep: Sweep) -> None:
    """Refuse more points, or runs, than memory has room for, before the first is resolved."""
    seeds = len(seeds_of(sweep.seeds, 1))
    if sweep.size <= MAX_POINTS and sweep.size * seeds <= MAX_POINTS:
        return
    counts = " x ".join(f"{len(factor.rows):,} ({factor.keys[0]})" for factor in sweep.factors[:8])
    more = f" x {len(sweep.factors) - 8} more axes" if len(sweep.factors) > 8 else ""
    runs = f" and, with {seeds:,} seeds, {sweep.size * seeds:,} runs" if seeds > 1 else ""
    what = f"the axes yield {sweep.size:,} points{runs}, expected at most {MAX_POINTS:,}: {counts}{more}"
    hint = "use fewer values or seeds, or zip axes with [[sweep.zip]]"
    if set(sweep.axes) <= set(sweep.places) and source.sweep:
        raise source.error(("sweep",), what, hint=hint)
    raise UsageError(what, hint=hint)


def expand_range(text: str) -> list[int]:
    """The integers of ``"a..b"`` or ``"a..b step c"``, both ends included.

    Raises
    ------
    ValueError
        If the text is not a range, or is empty, backwards or longer than a million.
    """
    match = _RANGE.match(text)
    if match is None:
        raise ValueError(f"'{text}' is not a range: expected '1..8' or '2..16 step 2'")
    first, last, step = int(match[1]), int(match[2]), int(match[3] or 1)
    if step < 1:
        raise ValueError(f"range '{text}' has step 0")
    if first > last:
        raise ValueError(f"range '{text}' is descending")
    if (last - first) // step >= MAX_POINTS:
        raise ValueError(f"range '{text}' has more than {MAX_POINTS:,} values")
    return list(range(first, last + 1, step))


def is_scheme(key: str) -> bool:
    """Whether a key names a transport, which is what most sweeps compare."""
    return key == "flow.transport" or (key.startswith("flow.") and key.endswith(".transport"))


def nearest(word: str, known: Sequence[str]) -> str | None:
    """The known word most like a mistyped one."""
    close = difflib.get_close_matches(word, known, n=1, cutoff=0.5)
    return close[0] if close else None


def _axis_tables(source: Source) -> Iterator[tuple[KeyPath, dict[str, Any], bool]]:
    """(place, table, zipped) of `[sweep.axes]`, `[sweep.zip]` and each `[[sweep.zip]]`, axes first."""
    axes = source.sweep.get("axes")
    if axes is not None:
        yield ("sweep", "axes"), _table(source, ("sweep", "axes"), axes), False
    zips = source.sweep.get("zip")
    if isinstance(zips, list):
        for index, table in enumerate(zips):
            yield ("sweep", "zip", index), _table(source, ("sweep", "zip", index), table), True
    elif zips is not None:
        yield ("sweep", "zip"), _table(source, ("sweep", "zip"), zips), True


def _table(source: Source, place: KeyPath, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise source.error(place, f"{_dotted(place)} is {_shown(value)}: expected a table of axes")
    return value


def _flat(
    source: Source, table: dict[str, Any], base: KeyPath, prefix: tuple[str, ...]
) -> Iterator[tuple[str, Any, KeyPath]]:
    """Axes of a table; `topology.hops = [...]` and `"topology.hops" = [...]` are the same axis."""
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _flat(source, value, base, (*prefix, name))
        else:
            yield ".".join((*prefix, name)), value, (*base, *prefix, name)


def _values(source: Source, place: KeyPath, key: str, value: Any) -> list[Value]:
    if isinstance(value, str):
        try:
            return list(expand_range(value))
        except ValueError as error:
            raise source.error(place, f"axis '{key}': {error}", hint=f'or a list: ["{value}"]') from error
    if not isinstance(value, list):
        option = f", or in --set {key}={value}" if is_command_line() else ""
        raise source.error(
            place,
            f"axis '{key}' is {_shown(value)}: expected a list or a range",
            hint=f"write a fixed value in its own table{option}",
        )
    if not value:
        raise source.error(place, f"axis '{key}': no values")
    for item in value:
        if not _is_value(item):
            raise source.error(
                place, f"axis '{key}' contains {_shown(item)}: expected strings, numbers, booleans or arrays"
            )
    shown: set[str] = set()
    for item in map(literal, value):
        if item in shown:
            raise source.error(place, f"axis '{key}': duplicate value {item}")
        shown.add(item)
    return value


def _zipped(source: Source, found: list[tuple[str, list[Value], KeyPath]]) -> list[Factor]:
    keys = tuple(key for key, _, _ in found)
    length = len(found[0][1])
    for key, values, place in found[1:]:
        if len(values) != length:
            raise source.error(
                place, f"zipped axes differ in length: '{keys[0]}' has {length} values, '{key}' has {len(values)}"
            )
    return [Factor(keys, tuple(zip(*(values for _, values, _ in found), strict=True)))]


def _seeds(source: Source, value: Any) -> int | str | tuple[int, ...]:
    place = ("sweep", "seeds")
    seeds = tuple(value) if isinstance(value, list) else value
    if isinstance(seeds, bool) or not isinstance(seeds, int | str | tuple):
        raise source.error(
            place, f"sweep.seeds is {_shown(value)}: expected a count, a range such as '11..20', or a list of integers"
        )
    try:
        seeds_of(seeds, 1)
    except UsageError as error:
        raise source.error(place, f"sweep.seeds: {error.message}", hint=error.hint) from error
    return seeds


def _precision(source: Source, value: Any) -> float | None:
    if value is None:
        return None
    try:
        return parse_relative(str(value))
    except StatisticsError as error:
        raise source.error(("sweep", "precision"), f"sweep.precision: {error}") from error


def _count(source: Source, key: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 2:
        raise source.error(("sweep", key), f"sweep.{key} is {_shown(value)}: expected an integer of at least 2")
    return value


def _measure(source: Source, value: Any) -> str:
    try:
        return metric_of(str(value)).name
    except InputError as error:
        raise source.error(("sweep", "measure"), f"sweep.measure: {error.message}", hint=error.hint) from error


def _compare(source: Source, value: Any, axes: tuple[str, ...]) -> tuple[str, ...]:
    if value is None:
        return tuple(key for key in axes if is_scheme(key))
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise source.error(("sweep", "compare"), f"sweep.compare is {_shown(value)}: expected names of axes")
    for name in names:
        if name not in axes:
            like = nearest(name, axes)
            raise source.error(
                ("sweep", "compare"),
                f"sweep.compare names '{name}', which is not an axis",
                hint=f"did you mean '{like}'?" if like else None,
            )
    return tuple(names)


def _series(source: Source, value: Any) -> float | None:
    if value is None:
        return None
    match = _DURATION.match(value) if isinstance(value, str) else None
    seconds = float(match[1]) * _SECONDS[match[2]] if match else 0.0
    if seconds <= 0.0:
        hint = f'write "{value} s" or "{value} ms"' if isinstance(value, int | float) else None
        raise source.error(
            ("sweep", "series"), f"sweep.series is {_shown(value)}: expected a time such as '100 ms'", hint=hint
        )
    return seconds


def _possible(source: Source, value: Any) -> bool:
    if not isinstance(value, bool):
        raise source.error(("sweep", "possible"), f"sweep.possible is {_shown(value)}: expected true or false")
    return value


def _is_value(item: Any) -> bool:
    if isinstance(item, list):
        return all(_is_value(part) for part in item)
    return isinstance(item, str | int) or (isinstance(item, float) and math.isfinite(item))


def _rows(values: Sequence[Value]) -> tuple[tuple[Value, ...], ...]:
    return tuple((value,) for value in values)


def _nearest(key: str) -> str:
    like = nearest(key, KEYS)
    known = f"keys of sweep: {', '.join(KEYS)}"
    if "." in key or like is None:
        return f'{known}; axes belong to [sweep.axes], such as "topology.hops" = [1, 2, 4]'
    return f"did you mean '{like}'? {known}"


def _others(keys: tuple[str, ...], key: str) -> str:
    return ", ".join(other for other in keys if other != key)


def _dotted(place: KeyPath) -> str:
    return ".".join(str(part) for part in place)


def _shown(value: Any) -> str:
    try:
        text = "a table" if isinstance(value, dict) else literal(value)
        return text if len(text) <= 80 else f"{text[:80]}..."
    except InputError:
        return str(value)
