"""Legends are inside their figure and beside the data; many series are refused, with the way to draw a part."""

from __future__ import annotations

import itertools

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

import hoplab
from hoplab.base.metrics import SHORT, metric_of
from hoplab.running.comparing import Comparison

mpl.use("agg")
NAMES = ("new_reno", "tcp_cubic", "vegas", "semi_tcp", "tcp_bbr", "sack", "westwood_plus", "compound")
CHAIN = 'duration = "2 s"\n[topology]\nkind = "chain"\nhops = 2\n[[flow]]\n'


@pytest.fixture(scope="module")
def eight() -> Comparison:
    return hoplab.compare(hoplab.Scenario.from_text(CHAIN), NAMES, over={"topology.hops": [1, 2, 3]}, seeds=2)


@pytest.fixture(scope="module")
def crossed() -> Comparison:
    axes = {"topology.hops": [1, 2], "mac.ssrl": [4, 7]}
    return hoplab.compare(hoplab.Scenario.from_text(CHAIN), NAMES, over=axes, seeds=1)


def check_legend(ax: Axes) -> None:
    """The legend lies in its figure, and outside the axes unless it is theirs."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    figure.canvas.draw()
    (legend,) = [*figure.legends, *filter(None, [ax.get_legend()])]
    found, whole = legend.get_window_extent(), figure.bbox
    assert whole.x0 <= found.x0 < found.x1 <= whole.x1
    assert whole.y0 <= found.y0 < found.y1 <= whole.y1
    if figure.legends:
        assert not found.overlaps(ax.get_window_extent())
    assert ax.get_window_extent().height > 0.35 * whole.height
    plt.close("all")


@pytest.mark.parametrize("style", ["paper", "screen"])
@pytest.mark.parametrize("count", range(2, 9))
def test_the_legend_fits(count: int, style: str, eight: Comparison) -> None:
    check_legend(eight.only(NAMES[:count]).plot("goodput", style=style))


@pytest.mark.parametrize("style", ["paper", "screen"])
def test_a_legend_of_long_names_is_folded(style: str, eight: Comparison) -> None:
    labels = {
        name: f"{name}, a name that is much longer than a column of a paper is wide, in its whole" for name in NAMES
    }
    check_legend(eight.only(NAMES[:4]).plot("goodput", style=style, labels=labels))
    labels = dict.fromkeys(NAMES, "Gradient (ours), queue limit = 50")
    check_legend(eight.only(NAMES[:4]).plot("goodput", style=style, labels=labels))


@pytest.mark.parametrize("style", ["paper", "screen"])
@pytest.mark.parametrize("kind", ["cdf", "against"])
def test_legends_of_other_plots_fit(kind: str, style: str, eight: Comparison) -> None:
    part = eight.only(hops=2)
    check_legend(part.plot_against(style=style) if kind == "against" else part.plot(kind="cdf", style=style))


def test_axes_of_a_shared_figure_keep_their_legends(eight: Comparison) -> None:
    figure, panels = plt.subplots(1, 2, layout="constrained")
    for panel, metric in zip(panels, ("goodput", "delay"), strict=True):
        eight.only(NAMES[:5]).plot(metric, ax=panel, style="paper")
    assert not figure.legends
    assert all(panel.get_legend() is not None for panel in panels)
    plt.close("all")


def test_names_below_the_axes_do_not_touch(eight: Comparison) -> None:
    for style, count in (("paper", 8), ("paper", 3), ("screen", 8)):
        ax = eight.only(NAMES[:count], hops=2).plot("goodput", style=style)
        figure = ax.get_figure(root=True)
        assert figure is not None
        figure.canvas.draw()
        labels = ax.get_xticklabels()
        if labels[0].get_rotation() == 0.0:
            ends = [label.get_window_extent() for label in labels]
            assert all(left.x1 < right.x0 for left, right in itertools.pairwise(ends))
        else:
            assert (style, count) == ("paper", 8) or style == "screen"
        plt.close("all")


def test_one_line_per_transport_over_an_axis(eight: Comparison) -> None:
    ax = eight.plot_against("delay", "goodput")
    lines = ax.get_lines()
    assert [len(np.asarray(line.get_xdata())) for line in lines] == [3] * 8
    delay, goodput = (eight.interval(name, "vegas", hops=3) for name in ("delay", "goodput"))
    assert delay is not None
    assert goodput is not None
    line = lines[NAMES.index("vegas")]
    assert np.asarray(line.get_xdata())[2] == pytest.approx(delay.mean * 1e3)
    assert np.asarray(line.get_ydata())[2] == pytest.approx(goodput.mean * 1e-3)
    assert len({(line.get_color(), line.get_marker()) for line in lines}) == 8
    assert [text.get_text() for text in ax.texts] == [*(["1", "3"] * 8), "numbers: hops"]
    plt.close("all")


def test_an_axis_may_be_x(eight: Comparison) -> None:
    ax = eight.plot_against("hops", "goodput")
    assert (ax.get_xlabel(), ax.get_ylabel(), len(ax.get_lines())) == ("hops", "Goodput (kb/s)", 8)
    plt.close("all")


def test_many_series_are_refused_with_the_way_to_draw_a_part(crossed: Comparison) -> None:
    for x in ("delay", "hops"):
        with pytest.raises(hoplab.UsageError, match=r"16 series, expected at most 14.*\n.*comparison\.only\("):
            crossed.plot_against(x)
    check_legend(crossed.only(NAMES[:4]).plot_against())
    check_legend(crossed.only(hops=2).plot_against("ssrl"))


def test_a_part_of_a_comparison_is_that_comparison(crossed: Comparison) -> None:
    part = crossed.only(["vegas", "sack"], hops=2, ssrl=[7])
    assert (part.transports, part.axes) == (("vegas", "sack"), {"mac.ssrl": (7,)})
    assert part.interval("goodput", "vegas", ssrl=7) == crossed.interval("goodput", "vegas", hops=2, ssrl=7)
    assert part.scenario.resolve().facts.nodes == 3
    assert crossed.only() == crossed
    for wrong, words in (
        ({"hops": 9}, r"no run at topology.hops = 9\n.*values: 1, 2"),
        ({"hops": []}, "no value"),
        ({"speed": 1}, "unknown axis 'speed'"),
    ):
        with pytest.raises(hoplab.InputError, match=words):
            crossed.only(**wrong)
    with pytest.raises(hoplab.InputError, match=r"no run of tahoe\n.*transports that were run"):
        crossed.only(["tahoe"])


def test_short_names_are_metrics(eight: Comparison) -> None:
    for name, columns in SHORT.items():
        assert metric_of(name).name == columns[0]
    ax = eight.only(hops=2).plot("delay")
    assert ax.get_ylabel() == "Mean delay (ms)"
    assert eight.summary("goodput")["mean"].tolist() == eight.summary("goodput_bps")["mean"].tolist()
    plt.close("all")
