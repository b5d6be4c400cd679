"""Content of a report. Texts are plain; the template escapes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hoplab.base.errors import OutputError
from hoplab.figures import Figure
from hoplab.report.claim_chart import Chart
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
    """An assumption or decision, with its reason or source."""

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
    """Verdict on one claim of a paper.

    Attributes
    ----------
    said, because : str
        One sentence each: the verdict, and its reason.
    chart : Chart or None
        None if no run tests the claim.
    """

    claim: str
    statement: str
    verdict: str
    numbers: str
    depends_on: str = ""
    said: str = ""
    because: str = ""
    chart: Chart | None = None


@dataclass(frozen=True)
class Panel:
    """A section of a page that a script of its own draws, such as the animation.

    Attributes
    ----------
    style, script : str
        CSS and JavaScript of the package, inserted unescaped; never external text.
    data : object
        JSON that the script reads from element `panel-data` and draws into element `panel`.
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
        Main results, one sentence each.
    command : str
        Command line that reproduces this report.
    settings : sequence of Setting
        Every key of the scenario; for a sweep those of its first point, with axes marked.
    scenario_name : str
        Caption of `scenario_toml`.
    explanation : Chapter, optional
        Diagnosis of a run; the section is absent without a trace.
    viewer : Panel, optional
        Animation; the section is absent without a trace.
    bibtex : str
        Entries of the cited papers and of hoplab.
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
    scenario_name: str = "Scenario, defaults included"
    explanation: Chapter | None = None
    viewer: Panel | None = None
    bibtex: str = ""
    footnotes: Sequence[str] = field(default=())

    def to_html(self) -> str:
        """The page, self-contained."""
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
