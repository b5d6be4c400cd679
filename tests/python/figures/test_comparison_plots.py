"""Plots of comparisons: words in place of keys, distributions, scatter, and figures for papers."""

from __future__ import annotations

import re
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

import hoplab
from hoplab.base.transports import transport_title, transports
from hoplab.figures.build import flows_figure, runs_figure
from hoplab.figures.relations import scatter_figure
from hoplab.figures.titles import axis_title
from hoplab.running.comparing import Comparison

mpl.use("agg")
CHAIN = """
duration = "6 s"
[topology]
kind = "chain"
hops = 2
[[flow]]
transport = "new_reno"
"""


@pytest.fixture(scope="module")
def plain() -> Comparison:
    return hoplab.compare(hoplab.Scenario.from_text(CHAIN), ["new_reno", "vegas"], seeds=4)


@pytest.fixture(scope="module")
def over_spacing() -> Comparison:
    scenario = hoplab.Scenario.from_text(CHAIN)
    return hoplab.compare(scenario, ["new_reno"], over={"topology.spacing": ["150 m", "200 m"]}, seeds=2)


def legend_of(ax: Axes) -> list[str]:
    return [str(label) for label in ax.get_legend_handles_labels()[1]]


def ys(line: Line2D) -> list[float]:
    return [float(y) for y in np.asarray(line.get_ydata(), dtype=float)]


def test_titles_of_transports_differ() -> None:
    titles = [row.title for row in transports().values()]
    assert len(set(titles)) == len(titles) > 30


def test_words_stand_in_place_of_keys(over_spacing: Comparison) -> None:
    ax = over_spacing.plot("goodput_bps")
    assert (ax.get_xlabel(), ax.get_ylabel(), legend_of(ax)) == ("spacing (m)", "Goodput (kb/s)", ["NewReno"])
    assert np.asarray(ax.get_lines()[0].get_xdata()).tolist() == [150.0, 200.0]


def test_labels_replace_words(over_spacing: Comparison) -> None:
    labels = {"new_reno": "NewReno (RFC 6582)", "topology.spacing": "distance", "goodput_bps": "kb/s"}
    ax = over_spacing.plot("goodput_bps", labels=labels)
    assert (ax.get_xlabel(), ax.get_ylabel(), legend_of(ax)) == ("distance", "kb/s", ["NewReno (RFC 6582)"])


def test_key_without_words_keeps_its_last_part() -> None:
    assert axis_title("tcp.congestion.vegas.alpha") == "alpha"
    assert axis_title("wire.queue_limit", "packets") == "queue limit (packets)"


def test_class_name_stands_for_a_controller() -> None:
    assert transport_title("python:Delayish@f4e6d1e81e581770") == "Delayish"
    assert transport_title("unknown") == "unknown"


def test_cdf_rises_to_one(plain: Comparison) -> None:
    ax = plain.plot("goodput_bps", kind="cdf")
    for line in ax.get_lines():
        shares = ys(line)
        assert shares == sorted(shares)
        assert shares[-1] == 1.0
    assert legend_of(ax) == ["NewReno", "Vegas"]


def test_box_has_the_median_of_the_flows(plain: Comparison) -> None:
    ax = plain.plot("goodput_bps", kind="box")
    median = float(np.median(plain.runs("new_reno").flows["goodput_bps"])) / 1e3
    assert any(ys(line)[0] == pytest.approx(median) for line in ax.get_lines())
    assert [text.get_text() for text in ax.get_xticklabels()] == ["NewReno", "Vegas"]


def test_scatter_has_a_mark_per_run_and_an_ellipse(plain: Comparison) -> None:
    ax = plain.plot_against("delay_mean_s", "goodput_bps")
    marks = [len(ys(line)) for line in ax.get_lines()]
    assert marks == [4, 1, 4, 1]
    assert len(ax.patches) == 2
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("Mean delay (ms)", "Goodput (kb/s)")


def test_paper_style_fits_a_column_and_embeds_fonts(over_spacing: Comparison, tmp_path: Path) -> None:
    ax = over_spacing.plot("goodput_bps", style="paper")
    figure = ax.get_figure(root=True)
    assert figure is not None
    assert figure.get_figwidth() == 3.5
    assert ax.get_title() == ""
    sizes = {ax.xaxis.label.get_fontsize(), *(text.get_fontsize() for text in figure.legends[0].get_texts())}
    assert sizes == {8.0, 7.0}
    figure.savefig(tmp_path / "figure.pdf")
    page = (tmp_path / "figure.pdf").read_bytes()
    assert b"/Type3" not in page
    assert re.search(rb"/FontFile2", page)


def test_legend_of_a_paper_covers_no_data(over_spacing: Comparison) -> None:
    ax = over_spacing.plot("goodput_bps", style="paper")
    figure = ax.get_figure(root=True)
    assert figure is not None
    figure.canvas.draw()
    assert not figure.legends[0].get_window_extent().overlaps(ax.get_window_extent())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"kind": "violin"}, "expected one of interval, box, cdf"),
        ({"style": "poster"}, "expected one of screen, paper"),
        ({"kind": "cdf", "over": "topology.hops"}, "not supported with kind"),
        ({"metric": "goodputt"}, "did you mean goodput?"),
        ({"metric": "fct_s", "kind": "box"}, "has no value"),
    ],
)
def test_wrong_arguments_are_named(plain: Comparison, arguments: dict[str, str], words: str) -> None:
    with pytest.raises((hoplab.UsageError, hoplab.InputError), match=words):
        plain.plot(**arguments)  # type: ignore[arg-type]


def test_each_flow_has_a_dot_per_transport() -> None:
    text = 'duration = "6 s"\n[topology]\nkind = "parallel"\nhops = 2\n' + '[[flow]]\ntransport = "new_reno"\n' * 2
    found = hoplab.compare(hoplab.Scenario.from_text(text), ["new_reno", "vegas"], seeds=4)
    figure = flows_figure(found)
    assert figure is not None
    assert [curve.name for curve in figure.curves] == ["NewReno", "Vegas"]
    assert figure.x_names == ("0: 0 to 2", "1: 3 to 5")
    vegas = found.runs("vegas").interval("goodput_bps", 1)
    assert vegas is not None
    assert figure.curves[1].y[1] == pytest.approx(vegas.mean * 1e-3)
    assert [round(x) for x in figure.curves[1].x] == [0, 1]


def test_goodput_against_delay_has_marks_and_ellipses(plain: Comparison) -> None:
    figure = scatter_figure(plain, ())
    assert figure is not None
    assert [curve.style for curve in figure.curves] == ["points", "marks", "outline"] * 2
    mean, marks, outline = figure.curves[:3]
    assert len(marks.x) == 4
    assert sum(marks.x) / 4 == pytest.approx(mean.x[0])
    assert (min(outline.y) + max(outline.y)) / 2 == pytest.approx(sum(marks.y) / 4)
    assert (max(outline.y) - min(outline.y)) / 2 == pytest.approx(np.std(marks.y, ddof=1), rel=0.01)
    assert flows_figure(plain) is None, "one flow"


def test_one_flow_over_seeds_is_drawn_by_seed(plain: Comparison) -> None:
    figure = runs_figure(plain.runs("vegas"))
    marks, mean = figure.curves
    assert figure.x_label == "seed"
    assert list(marks.x) == [1.0, 2.0, 3.0, 4.0]
    assert mean.n == 4
    assert mean.y[0] == pytest.approx(sum(marks.y) / 4)
