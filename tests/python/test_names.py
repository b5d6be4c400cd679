"""Nodes are named wherever results are shown, and what is said of listed links follows from their powers."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from fakes.command_line import CommandLine

import hoplab
from hoplab.cli.commands.explain import _distinct_names
from hoplab.explain.interference import ByDistance, ByPower, Ranges
from hoplab.report.results import comparison_report, runs_report
from hoplab.scenario.radio_links import RadioLinks
from hoplab.scenario.trajectories import stationary

MESH = """
duration = "3 s"
[topology]
kind = "links"
names = ["gw-a", "barn", "mill", "roof 10"]
links = [
    { from = "gw-a", to = "barn", snr_db = 20, delivery = 1.0, way = "both" },
    { from = "barn", to = "mill", snr_db = 18, delivery = 0.95, way = "both" },
    { from = "mill", to = "roof 10", snr_db = 20, delivery = 1.0, way = "both" },
    { from = "gw-a", to = "mill", snr_db = 10, delivery = 0.3, way = "both" },
]
[radio]
rx_threshold = "-88 dBm"
cs_threshold = "-95 dBm"
[routing]
metric = "etx"
[[flow]]
from = "gw-a"
to = "roof 10"
"""
"""Two hops by hops, three by ETX; gw-a and roof 10 do not sense each other."""
CHAIN = 'duration = "2 s"\n[topology]\nkind = "chain"\nhops = 2\n[[flow]]\n'


@pytest.fixture
def mesh() -> hoplab.Scenario:
    return hoplab.Scenario.from_text(MESH, path="mesh.toml")


def test_paths_follow_the_metric_in_force(mesh: hoplab.Scenario) -> None:
    assert [flow.hops for flow in mesh.flow_paths] == [3]
    assert [flow.hops for flow in mesh.with_({"routing.metric": "hops"}).flow_paths] == [2]
    assert RadioLinks.of(mesh).paths == {0: (0, 1, 2, 3)}
    run = hoplab.run(mesh)[0]
    assert run.flows[0].hops_mean == 3.0, "the run uses this path"


def test_show_lists_path_and_links_and_no_range(hoplab: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "mesh.toml").write_text(MESH)
    answer = hoplab("show", "mesh.toml")
    assert "reception range" not in answer.out
    assert "listed links: 8 directions received, 8 sensed, 4 links both ways; delivery 0.30 to 1.00" in answer.out
    header, row = (re.split(r" {2,}", line.strip()) for line in answer.out.splitlines()[3:5])
    assert header == ["flow", "from", "to", "hops by ETX", "path", "app", "transport"]
    assert row == ["0", "gw-a", "roof 10", "3", "gw-a, barn, mill, roof 10", "ftp", "new_reno"]
    facts = json.loads(hoplab("show", "mesh.toml", "--json").out)["facts"]
    assert [flow["hops"] for flow in facts["flows"]] == [3]


def test_show_folds_flows_of_workloads(hoplab: CommandLine, tmp_path: Path) -> None:
    web = '[[workload]]\nkind = "web"\nfrom = 0\nto = [1, 2]\n'
    (tmp_path / "web.toml").write_text(CHAIN + web)
    lines = hoplab("show", "web.toml").out.splitlines()
    assert sum("tcp_cubic" in line for line in lines) == 1
    assert any(line.split() == ["0", "web", "0", "1,", "2", "tcp_cubic"] for line in lines)
    assert any(line.endswith("flows of workloads, drawn with seed 1") for line in lines)
    (tmp_path / "only.toml").write_text(CHAIN.replace("[[flow]]\n", web))
    assert "flow  from" not in hoplab("show", "only.toml").out


def test_preview_draws_listed_links(mesh: hoplab.Scenario) -> None:
    import numpy as np
    from matplotlib.collections import LineCollection
    from matplotlib.figure import Figure

    from hoplab.scenario.trajectories import draw_map

    ax = Figure().add_subplot()
    draw_map(mesh, ax)
    links = max(
        (one for one in ax.collections if isinstance(one, LineCollection)), key=lambda one: len(one.get_segments())
    )
    assert len(links.get_segments()) == 4
    widths = sorted(np.atleast_1d(links.get_linewidth()).tolist())
    assert widths[0] < widths[-1] / 2
    labels = ax.get_legend_handles_labels()[1]
    assert "flow 0: gw-a to roof 10" in labels
    assert not any("range" in label for label in labels)


def test_reports_name_the_ends_of_flows(mesh: hoplab.Scenario) -> None:
    report = runs_report(hoplab.run(mesh, seeds=2), command="hoplab run mesh.toml")
    assert report.summary[0].startswith("Flow 0 (NewReno, gw-a to roof 10): goodput ")
    assert report.tables[0].rows[0][1:3] == ("gw-a", "roof 10")
    assert report.figures[0].caption.startswith("NewReno, gw-a to roof 10. ")
    assert "hops per flow: 3" in report.lead


def test_nodes_without_a_name_keep_their_number() -> None:
    report = runs_report(hoplab.run(hoplab.Scenario.from_text(CHAIN)), command="hoplab run chain.toml")
    assert report.summary[0].startswith("Flow 0 (NewReno, node 0 to 2): goodput ")


def test_explain_names_nodes_of_listed_links(hoplab: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "mesh.toml").write_text(MESH)
    answer = hoplab("explain", "mesh.toml", "--out", "page.html")
    assert answer.code == 0, answer.err
    assert "Flow 0 (new_reno, gw-a to roof 10, 3 hops): " in answer.out
    assert "node 1" not in answer.out
    page = (tmp_path / "page.html").read_text()
    assert '"node_names": {"0": "gw-a"' in page or '"node_names":{"0":"gw-a"' in page
    assert ">barn</text>" in page
    assert "carrier-sense range:" not in page


def test_listed_links_are_judged_by_power(mesh: hoplab.Scenario) -> None:
    by_power = ByPower(RadioLinks.of(mesh))
    assert by_power.senses(0, 1, 0.0)
    assert not by_power.senses(0, 3, 0.0)
    assert by_power.survives(0, 1, 3), "not sensed"
    assert not by_power.survives(1, 2, 3), "20 dB against 18 dB"
    assert not by_power.survives(2, 1, 0)
    near = ByDistance(stationary([(0.0, 0.0), (100.0, 0.0), (900.0, 0.0)]), Ranges(550.0, 1.78))
    assert near.senses(0, 1, 0.0)
    assert not near.senses(0, 2, 0.0)


def test_contrasts_name_controllers_by_class() -> None:
    scenario = hoplab.Scenario.from_text(CHAIN)

    def named(*overrides: tuple[str, str]) -> hoplab.Scenario:
        changed = hoplab.Scenario.from_text(CHAIN)
        object.__setattr__(changed, "overrides", overrides)
        return changed

    mine = (("flow.controller", '"gradient.py:Gradient"'), ("flow.0.controller", '"files/def1a9/gradient.py:Gradient"'))
    assert _distinct_names((named(("flow.transport", "vegas")), 1), (named(*mine), 1)) == ("Vegas", "Gradient")
    assert _distinct_names((named(("mac.ssrl", "9")), 1), (scenario, 1)) == ("mac.ssrl = 9", "<text>")


def test_comparisons_over_hops_state_their_range() -> None:
    over = {"topology.hops": [1, 2, 4]}
    found = hoplab.compare(hoplab.Scenario.from_text(CHAIN), ["vegas"], over=over, seeds=1, progress=False)
    lead = comparison_report(found, command="hoplab compare").lead
    assert lead.startswith("2 to 5 nodes (chain), 1 to 4 hops; mean degree ")
    alone = hoplab.compare(hoplab.Scenario.from_text(CHAIN), ["vegas"], seeds=1, progress=False)
    assert comparison_report(alone, command="hoplab compare").lead.startswith("3 nodes (chain), hops per flow: 2; ")


def test_imported_scenarios_have_the_name_of_their_file(hoplab: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "vlg-roofs.csv").write_text("from,to,power_dbm,way\na,b,-60,both\n")
    assert hoplab("import", "vlg-roofs.csv", "--out", "a").code == 0
    assert 'name = "vlg-roofs"' in (tmp_path / "a" / "scenario.toml").read_text()
    assert hoplab("import", "vlg-roofs.csv", "--anonymous", "--out", "b").code == 0
    assert 'name = "mesh"' in (tmp_path / "b" / "scenario.toml").read_text()
