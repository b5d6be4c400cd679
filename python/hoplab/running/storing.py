"""Comparisons as directories of results have them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hoplab.scenario import controllers
from hoplab.store.kept_files import names_file

if TYPE_CHECKING:
    from hoplab.running.comparing import Comparison
    from hoplab.store.kept_files import KeptFiles


def with_copies(comparison: Comparison, kept: KeptFiles) -> Comparison:
    """The comparison with each controller, and each file of an axis, named by its copy: `files/<digest>/mine.py:Mine`.

    Raises
    ------
    InputError
        If a file cannot be read any more.
    """
    folder = Path(comparison.scenario.path).parent
    names = {
        name: kept.value("controller", name, _folder_of(name, folder)) if controllers.is_controller(name) else name
        for name in comparison.transports
    }

    def copied(key: str, value: Any) -> Any:
        return kept.value(key, value, folder) if names_file(key) and isinstance(value, str) else value

    axes = {key: tuple(copied(key, value) for value in values) for key, values in comparison.axes.items()}
    points = tuple(
        replace(
            point,
            transport=names[point.transport],
            at=tuple((key, copied(key, value)) for key, value in point.at),
        )
        for point in comparison.points
    )
    return replace(comparison, transports=tuple(names.values()), axes=axes, points=points)


def _folder_of(name: str, folder: Path) -> Path:
    """Where the file of a controller is: in the folder of the scenario, or else in the current one."""
    return folder if (folder / name.rpartition(":")[0]).exists() else Path()
