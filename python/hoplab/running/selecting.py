"""A part of a comparison: some of its transports, at some values of its axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hoplab.base.errors import InputError, UsageError
from hoplab.base.suggest import by_likeness
from hoplab.scenario import controllers
from hoplab.scenario.tomltext import hashable

if TYPE_CHECKING:
    from hoplab.running.comparing import Comparison
    from hoplab.scenario.controllers import Controller


def part_of(
    comparison: Comparison, transports: Sequence[str | type[Controller]] | None, at: Mapping[str, Any]
) -> Comparison:
    """See `Comparison.only`."""
    chosen = _chosen(comparison, transports)
    wanted = {comparison.axis_key(name): value for name, value in at.items()}
    fixed = {key: value for key, value in wanted.items() if not isinstance(value, list | tuple | range | set)}
    kept = {key: [*map(hashable, value)] for key, value in wanted.items() if key not in fixed}
    for key, values in {**{key: [value] for key, value in fixed.items()}, **kept}.items():
        missing = [value for value in values if value not in comparison.axes[key]]
        if missing or not values:
            ran = ", ".join(by_likeness(str(missing[0]) if missing else "", [*map(str, comparison.axes[key])]))
            raise InputError(f"no run at {key} = {missing[0] if missing else 'no value'}", hint=f"values: {ran}")
    points = tuple(
        replace(point, at=tuple((key, value) for key, value in point.at if key not in fixed))
        for point in comparison.points
        if point.transport in chosen
        and all(point.value(key) == value for key, value in fixed.items())
        and all(point.value(key) in values for key, values in kept.items())
    )
    axes = {
        key: tuple(value for value in values if value in kept.get(key, values))
        for key, values in comparison.axes.items()
        if key not in fixed
    }
    return replace(
        comparison,
        scenario=comparison.scenario.with_(fixed) if fixed else comparison.scenario,
        transports=tuple(name for name in comparison.transports if name in chosen),
        axes=axes,
        points=points,
    )


def _chosen(comparison: Comparison, transports: Sequence[str | type[Controller]] | None) -> set[str]:
    """Whole names of the transports that are kept."""
    if transports is None:
        return set(comparison.transports)
    if isinstance(transports, str) or not transports:
        raise UsageError(f"transports: expected a list of names, found {transports!r}")
    found = set()
    for one in transports:
        name = controllers.name_of(one)
        whole = next((full for full, short in comparison.names.items() if name in {full, short}), None)
        if whole is None:
            known = ", ".join(by_likeness(name, [*comparison.names.values()]))
            raise InputError(f"no run of {name}", hint=f"transports that were run: {known}")
        found.add(whole)
    return found
