"""A second run beside the first in a report: `hoplab explain A --against B --out FILE`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hoplab.report.animation.panel import viewer_panel
from hoplab.report.model import Panel, Report, ReportTable

if TYPE_CHECKING:
    from hoplab.explain.contrast import Contrast
    from hoplab.running.runs import Runs
    from hoplab.store.trace import Trace


@dataclass(frozen=True)
class Contrasted:
    """A run and the run that it is contrasted with, which `contrast` has as its first.

    Attributes
    ----------
    runs, base : (Runs, Trace)
        Each with its trace.
    names : (str, str)
        Of the base and of the run.
    """

    runs: tuple[Runs, Trace]
    base: tuple[Runs, Trace]
    contrast: Contrast
    names: tuple[str, str]

    def added_to(self, report: Report) -> Report:
        """The report of the run, with the contrast in front and both animations on one clock."""
        tables = [self._table(), *report.tables]
        return replace(
            report,
            title=f"{self.names[1]} against {self.names[0]}",
            summary=[*self.contrast.sentences(), *report.summary],
            tables=tables,
            viewer=self._panel(),
        )

    def _table(self) -> ReportTable:
        rows = tuple(tuple(row.cells()) for row in self.contrast.rows)
        return ReportTable("Both runs", ("measure", *self.names, "change"), rows, "One run each, no interval.")

    def _panel(self) -> Panel | None:
        own, other = (viewer_panel(*one, share=0.5) for one in (self.runs, self.base))
        if own is None or other is None:
            return own
        first, second = self.names
        data = {**own.data, "title": second, "beside": {**other.data, "title": first}}
        return replace(own, data=data, note=f"{second}: {own.note} {first}: {other.note}")
