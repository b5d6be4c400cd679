"""A figure and its table for a paper, from a comparison that is stored or at hand."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hoplab.base.errors import OutputError, UsageError
from hoplab.base.latex import Cell, Column, escaped, latex_table
from hoplab.base.metrics import Metric, metric_of
from hoplab.base.transports import transport_title
from hoplab.figures.build import means_of
from hoplab.figures.titles import axis_title, relabeled
from hoplab.report.stored import open_comparison
from hoplab.running.comparing import Comparison

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMATS = (".pdf", ".svg", ".eps", ".png")
"""Endings of figures."""
MOST_COLUMNS = 6
"""Transports up to which each has a column of the table."""
Labels = Mapping[str, str] | None


@dataclass(frozen=True)
class PaperFigure:
    """A figure and its table.

    Attributes
    ----------
    axes : Axes
        Of Matplotlib, in the style of papers.
    table : str
        LaTeX, with a caption.
    caption : str
        What both show, with n.
    files : tuple of Path
        What was written: the figure, and LaTeX with both.
    """

    axes: Axes
    table: str
    caption: str
    files: tuple[Path, ...] = ()


def paper_figure(  # noqa: PLR0913 (keyword-only but for the first two)
    source: str | Path | Comparison,
    metric: str = "goodput",
    *,
    over: str | None = None,
    labels: Labels = None,
    caption: str | None = None,
    out: str | Path | None = None,
) -> PaperFigure:
    r"""Make a figure and its table for a paper.

    Parameters
    ----------
    source : str, Path or Comparison
        A directory of `hoplab compare --out`, or a comparison.
    metric : str
        A column of `flows`, or a short name of `--metrics`.
    over, labels
        As for `Comparison.plot`.
    caption : str, optional
        In place of the one that names metric, n and intervals.
    out : str or Path, optional
        Files to write: ``figures/goodput`` makes ``goodput.pdf`` and ``goodput.tex``, which ``\input`` takes;
        ``goodput.svg`` (or .eps, .png) makes a figure of that format. Older files are replaced.

    Returns
    -------
    PaperFigure

    Raises
    ------
    InputError
        If the directory holds no comparison, or the metric is unknown.
    OutputError
        If a file cannot be written.
    """
    comparison = source if isinstance(source, Comparison) else open_comparison(source)
    spec = metric_of(metric)
    target = None if out is None else _target(Path(out))
    axes = comparison.plot(spec.name, over=over, labels=labels, style="paper")
    words = caption if caption is not None else _caption(comparison, spec, labels)
    name = spec.name if target is None else target.stem
    table = paper_table(comparison, [spec.name], labels=labels, caption=words, label=f"tab:{name}")
    made = PaperFigure(axes, table, words)
    return made if target is None else _written(made, target)


def paper_table(
    comparison: Comparison,
    metrics: Sequence[str] = ("goodput",),
    *,
    labels: Labels = None,
    caption: str = "",
    label: str = "",
) -> str:
    """Means and intervals of a comparison as a table in LaTeX, for the packages booktabs and siunitx.

    One metric has a row per setting and a column per transport; several have a row per setting and transport.

    Parameters
    ----------
    comparison : Comparison
        From `hoplab.compare` or `hoplab.open_comparison`.
    metrics : sequence of str
        Columns of `flows`, or short names of `--metrics`.
    labels : mapping, optional
        Other words for transports, axes (by key) and metrics (by column).
    caption, label : str
        With a caption the table floats.
    """
    specs = [metric_of(name) for name in metrics]
    if not specs:
        raise UsageError("metrics: no names", hint="such as goodput, delay_mean_s")
    title = functools.partial(_title, labels=labels)
    settings = comparison.settings()
    if len(specs) == 1 and comparison.axes and len(comparison.transports) <= MOST_COLUMNS:
        columns = [_axis(key, [dict(setting)[key] for setting in settings], labels) for key in comparison.axes]
        columns += [
            Column(title(name), [_cell(comparison, specs[0], name, setting) for setting in settings], specs[0].digits)
            for name in comparison.transports
        ]
        return latex_table(columns, caption=caption, label=label)
    rows = [(setting, name) for setting in settings for name in comparison.transports]
    columns = [_axis(key, [dict(setting)[key] for setting, _ in rows], labels) for key in comparison.axes]
    columns.append(Column("Transport", [title(name) for _, name in rows]))
    for spec in specs:
        cells = [_cell(comparison, spec, name, setting) for setting, name in rows]
        columns.append(Column(relabeled(spec.name, labels, spec.axis), cells, spec.digits))
    return latex_table(columns, caption=caption, label=label, grouped=bool(comparison.axes))


def _axis(key: str, values: Sequence[Any], labels: Labels) -> Column:
    """The column of an axis: numbers where all values are numbers."""
    return Column(
        relabeled(key, labels, axis_title(key)), [v if isinstance(v, int | float) else str(v) for v in values]
    )


def _title(name: str, labels: Labels) -> str:
    return relabeled(name, labels, transport_title(name))


def _cell(comparison: Comparison, spec: Metric, name: str, setting: tuple[tuple[str, Any], ...]) -> Cell:
    """Mean and half-width at a point, in the unit of the metric."""
    found = comparison.runs_at(name, setting).interval(spec.name)
    if found is None:
        return None
    scaled = found.scaled(spec.scale)
    return scaled.mean, scaled.half_width


def _caption(comparison: Comparison, spec: Metric, labels: Labels) -> str:
    over = "".join(f" against {relabeled(key, labels, axis_title(key))}" for key in list(comparison.axes)[:1])
    seeds = "" if len(comparison.transports) < 2 else "; all transports run the same seeds"
    what = relabeled(spec.name, labels, spec.axis)
    return f"{what}{over}, {comparison.scenario.name}. {means_of(len(comparison.seeds))}{seeds}."


def _target(out: Path) -> Path:
    """The file of the figure: PDF where no format is named."""
    if out.suffix in FORMATS:
        return out
    if out.suffix == ".tex":
        return out.with_suffix(".pdf")
    return out.with_name(f"{out.name}.pdf")


def _written(made: PaperFigure, target: Path) -> PaperFigure:
    """Write the figure, and LaTeX that includes it and has the table."""
    text = target.with_suffix(".tex")
    float_of_figure = "\n".join(
        [
            "% Needs \\usepackage{booktabs, graphicx, siunitx}.",
            r"\begin{figure}",
            r"  \centering",
            f"  \\includegraphics[width=\\linewidth]{{{target.name}}}",
            f"  \\caption{{{escaped(made.caption)}}}",
            f"  \\label{{fig:{target.stem}}}",
            r"\end{figure}",
        ]
    )
    figure = made.axes.get_figure(root=True)
    dates = {".pdf": {"CreationDate": None}, ".svg": {"Date": None}, ".eps": {}, ".png": {}}[target.suffix]
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if figure is not None:
            figure.savefig(target, dpi=300, metadata=dates or None)
        text.write_text(f"{float_of_figure}\n\n{made.table}", encoding="utf-8")
    except OSError as error:
        raise OutputError(f"{target}: cannot be written: {error.strerror or error}") from error
    return PaperFigure(made.axes, made.table, made.caption, (target, text))
