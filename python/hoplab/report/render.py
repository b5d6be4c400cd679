"""Render a `Report` as one self-contained HTML file.

The page includes its style, script and data. Its content security policy forbids all requests.
"""

from __future__ import annotations

import math
from dataclasses import asdict, replace
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

import jinja2
from markupsafe import Markup

from hoplab.explain.page import percent
from hoplab.figures.model import Curve, Figure
from hoplab.figures.palette import INKS

if TYPE_CHECKING:
    from hoplab.explain.page import Chapter
    from hoplab.report.model import Panel, Report

_ASSETS = resources.files("hoplab.report").joinpath("assets")


LISTED = frozenset({"points", "dots", "marks"})
"""Styles of curves whose values are also a table."""


def render(report: Report) -> str:
    """HTML of a report, UTF-8."""
    data = {
        "figures": [figure.payload() for figure in report.figures],
        "inks": [asdict(look) for look in INKS],
    }
    return _template().render(
        report=report,
        data=data,
        rows_of=_rows,
        listed=LISTED,
        n_of=_counts,
        chosen=[setting for setting in report.settings if setting.chosen],
        panel=_panel(report.viewer),
        explanation=_explanation(report.explanation),
        style=_style(report),
        script=Markup("\n").join(map(_asset, ("uPlot.iife.min.js", "report_save.js", "report.js"))),
    )


@cache
def _template(name: str = "report") -> jinja2.Template:
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)
    environment.filters["together"] = _together
    return environment.from_string(_ASSETS.joinpath(f"{name}.html.j2").read_text(encoding="utf-8"))


def _style(report: Report) -> Markup:
    names = ["uPlot.min.css", "report.css", *(["explain.css"] if report.explanation else [])]
    return Markup("").join(map(_asset, names))


def _explanation(chapter: Chapter | None) -> Markup | None:
    """The diagnosis section; its template escapes every text."""
    if chapter is None:
        return None

    return Markup(_template("explain").render(why=chapter, percent=percent))  # noqa: S704 (rendered with autoescape)


@cache
def _asset(name: str) -> Markup:
    """A file of the package, inserted unescaped."""
    return _trusted(_ASSETS.joinpath(name).read_text(encoding="utf-8"), name)


def _trusted(text: str, name: str) -> Markup:
    if "</script" in text.lower() or "</style" in text.lower():
        raise ValueError(f"{name} contains a tag that would end the enclosing element")
    return Markup(text)  # noqa: S704 (shipped with the package, holds nothing from outside)


def _panel(viewer: Panel | None) -> dict[str, Any] | None:
    if viewer is None:
        return None
    style, script = _trusted(viewer.style, "the viewer's style"), _trusted(viewer.script, "the viewer's script")
    return {"title": viewer.title, "note": viewer.note, "data": viewer.data, "style": style, "script": script}


def _rows(figure: Figure) -> list[dict[str, Any]]:
    """Values of a figure for readers without script: one row per x, one column per curve."""
    curves = [curve for curve in figure.curves if curve.style in LISTED and curve.name]
    if figure.x_names:  # curves beside each other share the name below them
        curves = [replace(curve, x=[float(round(x)) for x in curve.x]) for curve in curves]
    xs = sorted({x for curve in curves for x in curve.x})
    words = {float(i): name for i, name in enumerate(figure.x_names)}
    return (
        [{"x": words.get(x) or f"{x:g}", "cells": [_cell(curve, x) for curve in curves]} for x in xs] if curves else []
    )


def _counts(curve: Curve) -> str:
    """Replications of a curve's points: one number, or minimum and maximum."""
    counts = curve.counts or [0]
    return str(counts[0]) if min(counts) == max(counts) else f"{min(counts)} to {max(counts)}"


def _together(text: str) -> str:
    """Keep a mean and its half-width on one line."""
    return text.replace(" \N{PLUS-MINUS SIGN} ", "\N{NO-BREAK SPACE}\N{PLUS-MINUS SIGN}\N{NO-BREAK SPACE}")


def _cell(curve: Curve, x: float) -> str:
    if x not in curve.x:
        return ""
    at = list(curve.x).index(x)
    y = curve.y[at]
    if math.isnan(y):
        return ""
    if curve.low is None or curve.high is None or math.isnan(curve.high[at]):
        return f"{y:.4g}"
    return f"{y:.4g} \N{PLUS-MINUS SIGN} {(curve.high[at] - curve.low[at]) / 2:.2g}"
