"""What notebooks show: a picture and a table with units, and one line as `repr`."""

from __future__ import annotations

import base64
import re

import pytest

import hoplab
from hoplab.scenario.model import Scenario

CHAIN = """
duration = "5 s"
[topology]
kind = "chain"
hops = 2
[[flow]]
transport = "new_reno"
"""


@pytest.fixture(scope="module")
def scenario() -> Scenario:
    return Scenario.from_text(CHAIN)


def svg_of(page: str) -> str:
    found = re.search(r'src="data:image/svg\+xml;base64,([^"]+)"', page)
    assert found is not None
    return base64.b64decode(found[1]).decode()


def test_runs_show_a_picture_and_means_with_units(scenario: Scenario) -> None:
    runs = hoplab.run(scenario, seeds=3)
    page = runs._repr_html_()
    assert "<svg" in svg_of(page)
    assert "<th>Goodput (kb/s)</th>" in page
    assert "mean and 95 % CI, n = 3" in page
    goodput = runs.interval()
    assert goodput is not None
    assert f"{goodput.mean / 1e3:.1f} \N{PLUS-MINUS SIGN}" in page
    assert "Completion time" not in page  # the flow does not end


def test_value_that_a_transport_lacks_is_a_dash() -> None:
    ends = "\nfrom = 0\nto = 2\n"
    text = CHAIN.replace('transport = "new_reno"', f'transport = "tcp_reno"\nbytes = "20 kB"{ends}')
    text += f'[[flow]]\ntransport = "new_reno"{ends}'
    page = hoplab.run(Scenario.from_text(text), seeds=2)._repr_html_()
    assert "<th>Completion time (ms)</th>" in page
    assert page.count("<td>\N{EN DASH}</td>") >= 1


@pytest.mark.parametrize("over", [None, {"topology.hops": [1, 2]}])
def test_comparison_shows_a_row_per_point(scenario: Scenario, over: dict[str, list[int]] | None) -> None:
    comparison = hoplab.compare(scenario, ["new_reno", "vegas"], over=over, seeds=2)
    page = comparison._repr_html_()
    assert "<svg" in svg_of(page)
    assert page.count("<td>vegas</td>") == (1 if over is None else 2)
    assert ("<th>topology.hops</th>" in page) == (over is not None)


def test_scenario_shows_its_map(scenario: Scenario) -> None:
    page = scenario._repr_html_()
    assert "<svg" in svg_of(page)
    assert "<th>nodes</th><td>3</td>" in page


def test_repr_is_one_line(scenario: Scenario) -> None:
    runs = hoplab.run(scenario, seeds=2)
    comparison = hoplab.compare(scenario, ["new_reno"], seeds=2)
    for value in (scenario, runs, runs[0], comparison):
        assert len(repr(value).splitlines()) == 1
        assert len(repr(value)) < 120
    assert re.fullmatch(r"<Run: seed 1, 1 flow, goodput [\d.]+ kb/s, 5 s simulated>", repr(runs[0]))


def test_pandas_takes_a_table_as_it_is(scenario: Scenario) -> None:
    pandas = pytest.importorskip("pandas")
    flows = hoplab.run(scenario, seeds=2).flows
    frame = pandas.DataFrame(flows)
    assert list(frame.columns) == list(flows.names)
    assert frame["goodput_bps"].tolist() == flows["goodput_bps"].tolist()


def test_dir_has_public_names_only() -> None:
    assert dir(hoplab) == sorted(hoplab.__all__)
