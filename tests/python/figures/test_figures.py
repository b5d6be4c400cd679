"""A figure of means says its n and has intervals, or cannot be made."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from hoplab.figures import Curve, Figure, palette
from hoplab.figures.build import interval_curve
from hoplab.figures.draw import ALARM, draw
from hoplab.figures.palette import INKS
from hoplab.stats import mean_interval

LOW, HIGH = [0.5, 1.5], [1.5, 2.5]


def figure_of(*curves: Curve, names: tuple[str, ...] = ()) -> Figure:
    return Figure("one", "Title", "x", "y", curves, x_names=names)


@pytest.mark.parametrize("style", ["points", "line"])
def test_means_require_n_and_interval(style: str) -> None:
    with pytest.raises(ValueError, match="number of replications"):
        Curve("a", [1, 2], [1, 2], low=LOW, high=HIGH, style=style)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="require an interval"):
        Curve("a", [1, 2], [1, 2], n=3, style=style)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="require an interval"):
        Curve("a", [1, 2], [1, 2], [0.5, math.nan], [1.5, math.nan], n=[3, 2], style=style)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="differ in length"):
        Curve("a", [1, 2], [1, 2], low=LOW, high=HIGH, n=[3])
    assert Curve("a", [1, 2], [1, 2], n=1).counts == [1, 1]
    assert Curve("a", [1, 2], [1, math.nan], [0.5, math.nan], [1.5, math.nan], n=[3, 2]).counts == [3]
    assert not Curve("model", [1, 2], [1, 2], exact="closed form").measured


def test_figure_states_its_evidence() -> None:
    assert figure_of(Curve("a", [1, 2], [1, 2], low=LOW, high=HIGH, n=4)).evidence == "n = 4 per point, with intervals"
    mixed = figure_of(Curve("a", [1, 2], [1, 2], low=LOW, high=HIGH, n=[3, 7]))
    assert mixed.evidence == "n = 3 to 7 per point, with intervals"
    assert not mixed.is_anecdote
    one = figure_of(Curve("a", [1, 2], [1, 2], n=1))
    assert one.evidence.startswith("n = 1: one run per point, no interval")
    assert one.is_anecdote
    some = figure_of(Curve("a", [1, 2], [1, 2], [0.5, math.nan], [1.5, math.nan], n=[3, 1]))
    assert some.evidence.endswith("but for single runs, which have none")
    assert some.is_anecdote
    model = figure_of(
        Curve("a", [1, 2], [1, 2], low=LOW, high=HIGH, n=4), Curve("b", [1, 2], [1, 2], exact="closed form")
    )
    assert model.evidence == "n = 4 per point, with intervals; without n: closed form"
    assert figure_of(Curve("a", [1, 2], [1, 2], style="marks")).evidence == ""


def test_points_of_different_n_keep_theirs() -> None:
    curve = interval_curve(
        "a", [1, 2, 3], [mean_interval([1.0, 2.0]), None, mean_interval([1.0, 2.0, 3.0])], 1.0, slot=0
    )
    assert curve.n == [2, 0, 3]
    assert curve.counts == [2, 3]
    assert interval_curve("a", [1, 2], [mean_interval([1.0, 2.0]), None], 1.0, slot=0).n == 2


def test_drawn_figure_has_the_evidence() -> None:
    from matplotlib import pyplot as plt

    several = draw(figure_of(Curve("a", [0, 1], [1, 2], low=LOW, high=HIGH, n=4), names=("near", "far")))
    assert [text.get_text() for text in several.texts] == ["n = 4 per point, with intervals"]
    assert [label.get_text() for label in several.get_xticklabels()] == ["near", "far"]
    alone = draw(figure_of(Curve("a", [1, 2], [1, 2], n=1)))
    assert alone.texts[0].get_text().startswith("n = 1: one run per point")
    assert alone.texts[0].get_color() == ALARM
    plt.close("all")


def test_curves_differ_also_without_color() -> None:
    assert len({(look.color, look.marker) for look in INKS}) == len({(look.color, look.dash) for look in INKS}) == 14
    for look, next_look in zip(INKS, (*INKS[1:], INKS[0]), strict=True):
        assert look.marker != next_look.marker
        assert look.dash != next_look.dash


def test_colors_of_the_viewer_and_of_reports_are_those_of_the_palette() -> None:
    root = Path(__file__).resolve().parents[3]
    named = {name: value for name, value in vars(palette).items() if isinstance(value, str) and value.startswith("#")}
    viewer = (root / "viewer" / "src" / "draw" / "colors.ts").read_text(encoding="utf-8")
    assert dict(re.findall(r'const (\w+) = "(#\w+)"', viewer)) == named
    assets = root / "python" / "hoplab" / "report" / "assets"
    style = (assets / "report.css").read_text(encoding="utf-8")
    own = {name: named[name.upper()] for name in ("blue", "vermilion", "green")}
    assert dict(re.findall(r"--(blue|vermilion|green): (#\w+)", style)) == own
    css = style.split("}", 1)[1] + (assets / "explain.css").read_text(encoding="utf-8")
    sources = [one for kind in ("*.ts", "*.css") for one in (root / "viewer" / "src").rglob(kind)]
    texts = [css, *(one.read_text(encoding="utf-8") for one in sources if one.name != "colors.ts")]
    assert [color for color in own.values() if any(color in text for text in texts)] == []
