"""Draw a `Figure` with matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hoplab.figures.model import Curve, Figure
from hoplab.figures.palette import ink

if TYPE_CHECKING:
    from matplotlib.axes import Axes


ALARM = "#b34700"
"""Color of the note about n = 1."""


def draw(figure: Figure, *, ax: Axes | None = None) -> Axes:
    """Draw into `ax`, or into a new figure of 6.4 x 4 inches, and return the Axes."""
    if ax is None:
        ax = _new_axes()
    for curve in figure.curves:
        if curve.shown:
            _draw_curve(ax, curve)
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
    ax.set_xlabel(figure.x_label)
    ax.set_ylabel(figure.y_label)
    if figure.y_from_zero:
        ax.set_ylim(bottom=0.0)
    if figure.x_names:
        ax.set_xticks(range(len(figure.x_names)), figure.x_names)
    elif figure.integer_x:
        from matplotlib.ticker import MaxNLocator

        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.grid(visible=True, color="0.9", linewidth=0.8)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    if any(curve.name and curve.shown for curve in figure.curves):
        ax.legend(frameon=False)
    return ax


def _new_axes() -> Axes:
    """Axes on a figure that pyplot knows only where a notebook or window shows it; a script draws without a display."""
    from matplotlib import pyplot as plt

    _, ax = plt.subplots(figsize=(6.4, 4.0), layout="constrained")
    return ax


def _draw_curve(ax: Axes, curve: Curve) -> None:
    look = ink(curve.slot)
    dash = (0, look.dash) if look.dash else "-"
    label = curve.name or None
    if curve.style == "step":
        ax.step(curve.x, curve.y, where="post", color=look.color, linestyle=dash, linewidth=1.0, label=label)
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
    ax.plot(
        curve.x, curve.y, color=look.color, linestyle=dash, linewidth=1.4, marker=look.marker, markersize=5, label=label
    )
    _draw_bars(ax, curve, look.color)


def _draw_bars(ax: Axes, curve: Curve, color: str) -> None:
    if curve.low is not None and curve.high is not None:
        ax.vlines(curve.x, curve.low, curve.high, color=color, linewidth=1.4)
