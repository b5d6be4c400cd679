"""Draw a `Figure` with matplotlib."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from hoplab.base.errors import UsageError, require
from hoplab.figures.legend import add_legend, may_grow
from hoplab.figures.model import Curve, Figure
from hoplab.figures.palette import ink

if TYPE_CHECKING:
    from matplotlib.axes import Axes


ALARM = "#b34700"
"""Color of the note about n = 1."""
SCREEN: dict[Any, Any] = {"figure.figsize": (6.4, 4.0)}
"""Settings of `style="screen"`."""
PAPER: dict[Any, Any] = {
    "figure.figsize": (3.5, 2.3),
    "font.size": 8.0,
    "axes.labelsize": 8.0,
    "xtick.labelsize": 7.0,
    "ytick.labelsize": 7.0,
    "legend.fontsize": 7.0,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "lines.markersize": 3.5,
}
"""Settings of `style="paper"`: the width of a column of two-column papers, in inches, and 8-point text."""
EMBEDDED: dict[Any, Any] = {"pdf.fonttype": 42, "ps.fonttype": 42, "svg.fonttype": "path"}
"""TrueType fonts in files: publishers refuse the Type 3 fonts that are matplotlib's default."""
STYLES = {"screen": SCREEN, "paper": PAPER}


@contextmanager
def drawing(style: str) -> Iterator[None]:
    """Matplotlib's settings of a style, for all that is created in the block.

    `style="paper"` also sets the fonts of files that are saved later (`EMBEDDED`), until matplotlib's settings change.

    Raises
    ------
    UsageError
        If there is no such style.
    """
    require("matplotlib", "a plot")
    import matplotlib as mpl

    if style not in STYLES:
        raise UsageError(f"unknown style {style!r}", hint=f"expected one of {', '.join(STYLES)}")
    if style == "paper":
        mpl.rcParams.update(EMBEDDED)
    with mpl.rc_context(STYLES[style]):
        yield
        is_interactive = mpl.is_interactive()  # a notebook's backend sets it when the first figure is created
    mpl.interactive(is_interactive)


def draw(figure: Figure, *, ax: Axes | None = None, style: str = "screen") -> Axes:
    """Draw into `ax`, or into a new figure of the style's size, and return the Axes. Raises as `drawing` does."""
    with drawing(style):
        return _draw(figure, new_axes() if ax is None else ax, style)


def _draw(figure: Figure, ax: Axes, style: str) -> Axes:
    for curve in figure.curves:
        if curve.shown:
            _draw_curve(ax, curve)
    if style != "paper":
        _head(figure, ax)
    is_named_below = figure.x_names == tuple(curve.name for curve in figure.curves)
    finish(ax, figure.x_label, figure.y_label, style, has_legend=not is_named_below)
    if figure.y_from_zero:
        ax.set_ylim(bottom=0.0)
    if figure.x_names:
        ax.set_xticks(range(len(figure.x_names)), figure.x_names)
        ax.set_xlim(-0.5, len(figure.x_names) - 0.5)
        slant_names(ax)
    elif figure.integer_x:
        from matplotlib.ticker import MaxNLocator

        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    return ax


def _head(figure: Figure, ax: Axes) -> None:
    """Title, and n with its warning; papers have both in the caption."""
    ax.set_title(figure.title, pad=18.0 if figure.evidence else None)
    if figure.evidence:
        color, weight = (ALARM, "bold") if figure.is_anecdote else ("0.35", "normal")
        ax.text(
            0.5,
            1.01,
            figure.evidence,
            transform=ax.transAxes,
            ha="center",
            va="bottom",
            size="small",
            color=color,
            weight=weight,
        )


def finish(ax: Axes, x_label: str, y_label: str, style: str, *, has_legend: bool = True) -> None:
    """Axis labels, grid and legend (`hoplab.figures.legend`)."""
    ax.set_xlabel(x_label)
    ax.set_ylabel(y_label)
    ax.grid(visible=True, color="0.9", linewidth=0.8)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    if has_legend:
        add_legend(ax, style)


def slant_names(ax: Axes) -> None:
    """Slant the names below the axes if they would touch."""
    figure = ax.get_figure(root=True)
    if figure is not None:
        figure.draw_without_rendering()  # until then the axes have another width
    labels = [label for label in ax.get_xticklabels() if label.get_text()]
    room = float(ax.bbox.width) / max(len(labels), 1)
    if any(label.get_window_extent().width + NAME_GAP_PX > room for label in labels):
        for label in labels:
            label.set(rotation=30.0, ha="right", rotation_mode="anchor")


NAME_GAP_PX = 6.0
"""Least distance of names below the axes."""


def new_axes() -> Axes:
    """Axes on a figure that pyplot knows only where a notebook or window shows it; a script draws without a display."""
    require("matplotlib", "a plot")
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(layout="constrained")
    may_grow(figure)
    return ax


def _draw_curve(ax: Axes, curve: Curve) -> None:
    look = ink(curve.slot)
    dash = (0, look.dash) if look.dash else "-"
    label = curve.name or None
    if curve.style == "step":
        ax.step(curve.x, curve.y, where="post", color=look.color, linestyle=dash, linewidth=1.0, label=label)
        return
    if curve.style == "outline":
        ax.fill(curve.x, curve.y, facecolor=look.color, edgecolor=look.color, alpha=0.25)
        return
    if curve.style == "marks":
        ax.plot(
            curve.x,
            curve.y,
            linestyle="none",
            marker=look.marker,
            markerfacecolor="none",
            color=look.color,
            alpha=0.8,
            label=label,
        )
        _draw_bars(ax, curve, look.color)
        return
    if curve.style == "line":
        ax.plot(curve.x, curve.y, color=look.color, linestyle=dash, linewidth=1.4, label=label)
        if curve.low is not None and curve.high is not None:
            ax.fill_between(curve.x, curve.low, curve.high, color=look.color, alpha=0.18, linewidth=0)
        return
    joined: Any = "none" if curve.style == "dots" else dash
    ax.plot(
        curve.x,
        curve.y,
        color=look.color,
        linestyle=joined,
        linewidth=1.4,
        marker=look.marker,
        markersize=5,
        label=label,
    )
    _draw_bars(ax, curve, look.color)


def _draw_bars(ax: Axes, curve: Curve, color: str) -> None:
    if curve.low is not None and curve.high is not None:
        ax.vlines(curve.x, curve.low, curve.high, color=color, linewidth=1.4)
