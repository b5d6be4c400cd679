"""What notebooks show of scenarios, runs and comparisons: a small picture, and a table of means with units."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hoplab.base.metrics import Metric, usual_of_flows, usual_of_runs
from hoplab.figures.build import comparison_figure, runs_figure
from hoplab.figures.draw import draw
from hoplab.figures.picture import picture_html
from hoplab.running.flows import VARIES

if TYPE_CHECKING:
    from hoplab.running.comparing import Comparison
    from hoplab.running.runs import Runs
    from hoplab.stats import Interval

MOST_FLOWS = 12
"""Flows up to which runs have a picture."""


def runs_html(runs: Runs) -> str:
    """Goodput per flow as a picture, and a row per flow."""
    rows = [
        ({"flow": str(flow.id), "from": src, "to": dst, "transport": flow.transport_name}, flow.id)
        for flow in runs.runs[0].flows
        for src, dst in [runs.ends_of(flow.id) or (VARIES, VARIES)]
    ]
    table = _table(
        [(head, {m: runs.interval(m.name, flow) for m in usual_of_flows()}) for head, flow in rows], len(runs)
    )
    if len(rows) > MOST_FLOWS:
        return table
    return picture_html(lambda ax: draw(runs_figure(runs), ax=ax)) + table


def comparison_html(comparison: Comparison) -> str:
    """Goodput over the first axis as a picture, and a row per point."""
    rows = [
        (
            {"transport": comparison.names[point.transport], **dict(point.at)},
            {metric: point.runs.interval(metric.name) for metric in usual_of_runs()},
        )
        for point in comparison.points
    ]
    picture = picture_html(lambda ax: draw(comparison_figure(comparison), ax=ax))
    return picture + _table(rows, len(comparison.seeds))


def _table(rows: Sequence[tuple[Mapping[str, Any], Mapping[Metric, Interval | None]]], n: int) -> str:
    shown = [metric for metric in (rows[0][1] if rows else ()) if any(values[metric] for _, values in rows)]
    heads = [*rows[0][0], *(metric.axis for metric in shown)] if rows else []
    lines = [[*map(str, head.values()), *(_cell(values[m], m) for m in shown)] for head, values in rows]
    note = f"mean and 95 % CI, n = {n}" if n > 1 else "n = 1, no interval"
    header = f"<thead>{_row('th', heads)}</thead>"
    return (
        f"<table><caption>{note}</caption>{header}<tbody>{''.join(_row('td', line) for line in lines)}</tbody></table>"
    )


def _row(tag: str, cells: Iterable[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{html.escape(cell)}</{tag}>' for cell in cells)}</tr>"


def _cell(interval: Interval | None, metric: Metric) -> str:
    """Mean and half-width in the metric's unit; a dash without a value."""
    if interval is None:
        return "\N{EN DASH}"
    scaled = interval.scaled(metric.scale)
    if scaled.half_width is None:
        return f"{scaled.mean:.{metric.digits}f}"
    return f"{scaled.mean:.{metric.digits}f} \N{PLUS-MINUS SIGN} {scaled.half_width:.{metric.digits}f}"
