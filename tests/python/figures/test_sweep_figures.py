"""Figures of a sweep: which axis goes along x, which make curves, and how values are named."""

from __future__ import annotations

from pathlib import Path

import pytest

import hoplab
from hoplab.base.metrics import METRICS
from hoplab.figures import Figure
from hoplab.figures.sweep import SHOWN_AT_FIRST, sweep_figures

SCENARIO = """\
duration = "1 s"

[topology]
kind = "chain"
hops = 1

[[flow]]

[sweep]
seeds = 2
"""


def drawn(root: Path, axes: str, *, table: str = "sweep.axes") -> list[Figure]:
    """The figures of a sweep of one second."""
    file = root / "short.toml"
    file.write_text(f"{SCENARIO}\n[{table}]\n{axes}\n")
    results = hoplab.sweep(file, out=root / "results")
    return sweep_figures(results, {name: results.intervals(name) for name in METRICS})


def test_transports_are_curves_over_the_first_other_axis(tmp_path: Path) -> None:
    figure = drawn(tmp_path, '"flow.transport" = ["new_reno", "vegas"]\n"topology.hops" = [1, 2, 4]')[0]
    assert figure.id == "goodput-bps-over-topology-hops"
    assert [curve.name for curve in figure.curves] == ["NewReno", "Vegas"]
    assert [list(curve.x) for curve in figure.curves] == [[1.0, 2.0, 4.0]] * 2
    assert figure.integer_x
    assert figure.evidence == "n = 2 per point, with intervals"


def test_quantities_of_one_unit_are_numbers(tmp_path: Path) -> None:
    spacing = drawn(tmp_path, '"topology.spacing" = ["100 m", "250 m"]')[0]
    assert spacing.x_label == "spacing (m)"
    assert list(spacing.curves[0].x) == [100.0, 250.0]


def test_words_stand_side_by_side(tmp_path: Path) -> None:
    routes = drawn(tmp_path, '"routing.protocol" = ["static", "aodv"]')[0]
    assert routes.x_names == ("static", "aodv")
    assert list(routes.curves[0].x) == [0.0, 1.0]


def test_zipped_axes_share_x(tmp_path: Path) -> None:
    figure = drawn(tmp_path, '"topology.hops" = [1, 2]\nduration = ["1 s", "2 s"]', table="[sweep.zip]")[0]
    assert figure.x_label == "hops, and with it duration"
    assert [list(curve.x) for curve in figure.curves] == [[1.0, 2.0]]


def test_a_transport_alone_stands_on_x(tmp_path: Path) -> None:
    figure = drawn(tmp_path, '"flow.transport" = ["new_reno", "vegas"]')[0]
    assert figure.x_names == ("new_reno", "vegas")


def test_many_curves_are_there_and_most_are_off(tmp_path: Path) -> None:
    limits = ", ".join(map(str, range(2, 14)))
    figure = drawn(tmp_path, f'"topology.hops" = [1, 2]\n"queue.limit" = [{limits}]')[0]
    assert [curve.shown for curve in figure.curves] == [True] * SHOWN_AT_FIRST + [False] * 4
    assert f"{SHOWN_AT_FIRST} of 12 curves are on at first" in figure.caption


def test_one_seed_is_no_evidence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.SCENARIO", SCENARIO.replace("seeds = 2", "seeds = 1"))
    figures = drawn(tmp_path, '"topology.hops" = [1, 2]')
    assert figures
    assert all(figure.is_anecdote for figure in figures)
    assert not any("Mean over" in figure.caption for figure in figures)
