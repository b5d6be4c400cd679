"""The network in motion: what the animation of a report is drawn from, packed small enough for its page.

`scene` asks the trace of a run, `columns` packs the answers, `span` chooses what part of a long run fits. The
program that draws them is written in TypeScript (`viewer/`) and ships as `report/assets/viewer.js`.
"""

from hoplab.report.animation.panel import viewer_panel
from hoplab.report.animation.span import Span, parse_span

__all__ = ["Span", "parse_span", "viewer_panel"]
