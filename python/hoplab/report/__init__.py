"""Reports: one self-contained HTML file per run, comparison or study.

`model` holds what a report says, `render` turns it into HTML; `results`, `sweeps` and the studies fill it. `record` is
what a directory of results remembers of how it was made, from which `directory` makes its report again.
"""

from hoplab.report.model import Fact, Item, Panel, Report, ReportTable, Verdict
from hoplab.report.settings import Setting

__all__ = ["Fact", "Item", "Panel", "Report", "ReportTable", "Setting", "Verdict"]
