"""Turn a `Report` into one HTML file that needs nothing else.

The page carries its style, its script and its data. A content security policy forbids every request, so that a
mistake here cannot make one either.
"""

from __future__ import annotations

import math
from dataclasses import asdict
from functools import cache
from importlib import resources
from typing import Any

import jinja2
from markupsafe import Markup

from hoplab.figures.model import Curve, Figure
from hoplab.figures.palette import INKS
from hoplab.report.model import Report

_ASSETS = resources.files("hoplab.report").joinpath("assets")


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
        style=_asset("uPlot.min.css") + _asset("report.css"),
        script=_asset("uPlot.iife.min.js") + "\n" + _asset("report.js"),
    )


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)
    environment.filters["together"] = _together
    return environment.from_string(_ASSETS.joinpath("report.html.j2").read_text(encoding="utf-8"))


@cache
def _asset(name: str) -> Markup:
    """One of our own files, put into the page as it is."""
    text = _ASSETS.joinpath(name).read_text(encoding="utf-8")
    if "</script" in text.lower() or "</style" in text.lower():
        raise ValueError(f"{name} holds a tag that would end the element around it")
    return Markup(text)  # noqa: S704 (shipped with the package, holds nothing from outside)


def _rows(figure: Figure) -> list[dict[str, Any]]:
    """The numbers behind a figure, for readers without script and for copying: one row per x, curves side by side."""
    curves = [curve for curve in figure.curves if curve.style in {"points", "marks"} and curve.name]
    xs = sorted({x for curve in curves for x in curve.x})
    return [{"x": f"{x:g}", "cells": [_cell(curve, x) for curve in curves]} for x in xs] if curves else []


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
