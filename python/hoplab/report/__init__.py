"""Reports: one self-contained HTML file per run, comparison or study.

`model` holds what a report says, `render` turns it into HTML, `results` and the studies fill it.
"""

from hoplab.report.model import Fact, Item, Report, ReportTable, Verdict

__all__ = ["Fact", "Item", "Report", "ReportTable", "Verdict"]
