"""What a report says, apart from how it looks. Every text is plain; the template escapes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hoplab.base.errors import OutputError
from hoplab.figures import Figure
from hoplab.report.render import render
from hoplab.report.settings import Setting
from hoplab.store import files

if TYPE_CHECKING:
    from hoplab.explain.page import Chapter


@dataclass(frozen=True)
class Fact:
    """A name and its value, such as a version."""

    name: str
    value: str


@dataclass(frozen=True)
class Item:
    """An assumption or decision: what was chosen, and why or from where."""

    name: str
    choice: str
    reason: str = ""


@dataclass(frozen=True)
class ReportTable:
    """A table; the first `left` columns are text."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    left: int = 1


@dataclass(frozen=True)
class Verdict:
    """What became of one claim of a paper."""

    claim: str
    statement: str
    verdict: str
    numbers: str
    depends_on: str = ""


@dataclass(frozen=True)
class Panel:
    """A part of a page that is drawn by a script of its own, such as an animated network.

    Attributes
    ----------
    style, script : str
        CSS and JavaScript shipped with the package: put into the page as they are, never text from outside.
    data : object
        What the script draws, as JSON; it finds it in the element `panel-data` and draws into `panel`.
    """

    title: str
    note: str
    style: str
    script: str
    data: Any


@dataclass(frozen=True)
class Report:
    """One report.

    Attributes
    ----------
    summary : sequence of str
        What came out, first thing on the page, a sentence each.
    command : str
        The line that makes this report again.
    settings : sequence of Setting
        Every value of the scenario; for a sweep those of its first point, its axes marked.
    scenario_name : str
        What `scenario_toml` is, where it is not the one scenario of the report.
    explanation : Chapter, optional
        Why a run went as it did; its section is absent where nothing was traced.
    viewer : Panel, optional
        The network in motion; its section is absent where there is none.
    bibtex : str
        Entries of the papers concerned and of hoplab.
    """

    title: str
    lead: str
    summary: Sequence[str]
    figures: Sequence[Figure]
    command: str
    tables: Sequence[ReportTable] = ()
    verdicts: Sequence[Verdict] = ()
    assumptions: Sequence[Item] = ()
    environment: Sequence[Fact] = ()
    warnings: Sequence[str] = ()
    settings: Sequence[Setting] = ()
    scenario_toml: str = ""
    scenario_name: str = "The scenario, every default filled in"
    explanation: Chapter | None = None
    viewer: Panel | None = None
    bibtex: str = ""
    footnotes: Sequence[str] = field(default=())

    def to_html(self) -> str:
        """The whole page, with everything it needs inside."""
        return render(self)

    def write(self, path: Path) -> None:
        """Write the page.

        Raises
        ------
        OutputError
            If the file cannot be written.
        """
        page = self.to_html()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            files.replace(path, page.encode())
        except OSError as error:
            raise OutputError(f"{path}: cannot be written: {error.strerror or error}") from error
