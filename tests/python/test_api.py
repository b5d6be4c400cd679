"""The Python interface, with a stand-in for the engine."""

from __future__ import annotations

import pickle
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import FrozenInstanceError
from pathlib import Path

import polars as pl
import pytest

import hoplab
from hoplab.figures.build import comparison_figure, cwnd_figure
from hoplab.scenario.units import quantity_of, with_units

CHAIN = '[topology]\nkind = "chain"\nhops = 4\n\n[[flow]]\n'


@pytest.fixture
def scenario(fake_engine: None) -> hoplab.Scenario:
    return hoplab.Scenario.from_text(CHAIN)


HEAVY = ("numpy", "scipy", "duckdb", "matplotlib", "jinja2", "rich", "pydantic", "hoplab._core")
OURS = (
    "hoplab.running.execution",
    "hoplab.running.runs",
    "hoplab.running.comparing",
    "hoplab.running.estimating",
    "hoplab.figures",
    "hoplab_validation.peers",
    "hoplab.stats",
)
"""Our own, which take as long to load as some of those."""


def loaded(code: str, names: Sequence[str]) -> str:
    """Which of these modules are loaded when some code has run in a new interpreter."""
    told = f"{code}; import sys; print(*(name for name in {names!r} if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True, timeout=60)
    return done.stdout.splitlines()[-1].strip()


def test_importing_loads_nothing_heavy() -> None:
    assert loaded("import hoplab, hoplab.cli; hoplab.cli.build_app(loaded=())", HEAVY + OURS) == ""


def test_help_loads_nothing_heavy() -> None:
    # Typer loads pydantic when it builds a page of help of its own types, and only then.
    assert loaded("from hoplab.cli import dispatch; dispatch(['--help'])", HEAVY + OURS) == ""


def test_a_run_without_a_series_does_without_numpy(tmp_path: Path) -> None:
    (tmp_path / "short.toml").write_text(CHAIN)
    line = ["run", str(tmp_path / "short.toml"), "--set", "duration=1 s"]
    code = f"from hoplab.cli import dispatch; dispatch({line!r})"
    assert loaded(code, ("numpy", "scipy", "duckdb", "matplotlib", "jinja2", "rich")) == ""


def test_every_public_name_is_there(fake_engine: None) -> None:
    for name in hoplab.__all__:
        assert getattr(hoplab, name) is not None
    assert callable(hoplab.run)
    assert set(hoplab.__all__) <= set(dir(hoplab))
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = hoplab.nonsense


def test_functions_stay_functions_whatever_is_imported(fake_engine: None) -> None:
    import hoplab.running.comparing
    import hoplab.running.execution

    assert callable(hoplab.run)
    assert callable(hoplab.compare)


def test_a_scenario_is_a_value(scenario: hoplab.Scenario) -> None:
    assert scenario == hoplab.Scenario.from_text(CHAIN)
    assert hash(scenario) == hash(hoplab.Scenario.from_text(CHAIN))
    assert pickle.loads(pickle.dumps(scenario)) == scenario
    with pytest.raises(FrozenInstanceError):
        scenario.text = ""  # type: ignore[misc]


def test_with_makes_another_scenario(scenario: hoplab.Scenario) -> None:
    longer = scenario.with_({"topology.hops": 8}, seed=5)
    assert (longer.resolve().facts.nodes, longer.seed) == (9, 5)
    assert (scenario.resolve().facts.nodes, scenario.seed) == (5, 1)
    assert longer.overrides == (("topology.hops", "8"), ("seed", "5"))


def test_an_invalid_scenario_cannot_be_built(scenario: hoplab.Scenario) -> None:
    with pytest.raises(hoplab.ScenarioError, match=r"<text>:3: topology\.hops is 0"):
        scenario.with_({"topology.hops": 0})


def test_numbers_are_si_where_a_quantity_belongs(fake_engine: None) -> None:
    assert quantity_of("topology.spacing") == "length"
    assert quantity_of("flow.0.rate") == quantity_of("flow.rate") == "rate"
    assert quantity_of("topology.hops") is quantity_of("no.such.key") is quantity_of("flow.window") is None
    assert with_units(250, "topology.spacing") == "250 m"
    assert with_units("0.2 km", "topology.spacing") == "0.2 km"
    assert with_units({"topology": {"spacing": 2.5, "hops": 3}, "flow": [{"rate": 2e6, "window": 4}]}) == {
        "topology": {"spacing": "2.5 m", "hops": 3},
        "flow": [{"rate": "2000000.0 b/s", "window": 4}],
    }


def test_a_run_takes_a_file_and_refuses_anything_else(fake_engine: None, tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text('duration = "1 s"\n[topology]\nkind = "chain"\nhops = 1\n[[flow]]\n', encoding="utf-8")
    assert len(hoplab.run(path)) == len(hoplab.run(str(path))) == 1
    assert [p.transport for p in hoplab.compare(path, ["new_reno"], seeds=1).points] == ["new_reno"]
    with pytest.raises(hoplab.InputError, match="expected a scenario, found dict"):
        hoplab.run({"duration": "1 s"})  # type: ignore[arg-type]


def test_from_dict_takes_a_mapping_and_keywords(fake_engine: None) -> None:
    scenario = hoplab.Scenario.from_dict({"name": "x"}, topology={"kind": "chain", "hops": 2}, flow=[{}])
    assert scenario.name == "x"
    assert scenario.resolve().facts.nodes == 3


def test_runs_come_in_the_order_of_their_seeds(scenario: hoplab.Scenario) -> None:
    runs = hoplab.run(scenario, seeds=[5, 2, 9])
    assert runs.seeds == (5, 2, 9)
    assert [run.seed for run in runs] == [5, 2, 9]
    assert runs.flows["seed"].tolist() == [5, 2, 9]


def test_an_interval_has_mean_half_width_and_n(scenario: hoplab.Scenario) -> None:
    interval = hoplab.run(scenario, seeds=3).interval("goodput_bps")
    assert interval is not None
    assert (interval.mean, interval.n) == (252e3, 3)
    # seeds 1, 2, 3 give 251, 252, 253 kb/s: s = 1 kb/s, t(2) = 4.30265
    assert interval.half_width == pytest.approx(4.30265e3 / 3**0.5, rel=1e-5)


def test_a_metric_that_no_run_defines_has_no_interval(scenario: hoplab.Scenario) -> None:
    runs = hoplab.run(scenario.with_({"flow.transport": "udp"}), seeds=3)
    assert runs.interval("cwnd_mean") is None
    assert pl.DataFrame(runs.flows)["cwnd_mean"].to_list() == [None] * 3


@pytest.mark.parametrize(
    "arguments", [{"seeds": 0}, {"threads": 0}, {"series_interval_s": 0.0}, {"series_interval_s": float("nan")}]
)
def test_arguments_that_make_no_sense_are_refused(scenario: hoplab.Scenario, arguments: dict[str, float]) -> None:
    with pytest.raises(hoplab.UsageError):
        hoplab.run(scenario, **arguments)  # type: ignore[arg-type]


def test_compare_crosses_axes_and_pairs_seeds(scenario: hoplab.Scenario) -> None:
    comparison = hoplab.compare(
        scenario, ["sack", "vegas"], over={"topology.hops": range(1, 3), "flow.window": [4, 8]}, seeds=2
    )
    assert len(comparison.points) == 8
    assert len(comparison.flows) == 16
    assert comparison.flows.names[:3] == ("transport", "hops", "window")
    runs = comparison.runs("vegas", hops=2, window=8)
    assert runs.scenario.resolve().facts.nodes == 3
    assert comparison.difference("goodput_bps", "vegas", "sack", hops=2, window=8).difference.mean == pytest.approx(1e4)
    with pytest.raises(hoplab.InputError, match="no run at vegas, hops = 9"):
        comparison.runs("vegas", hops=9)
    with pytest.raises(hoplab.InputError, match="unknown axis 'hop'"):
        comparison.runs("vegas", hop=1)


@pytest.mark.parametrize(
    ("transports", "over", "message"),
    [
        ([], {}, "transports: no names"),
        (["sack"], {"topology.hops": []}, "no values"),
        (["sack"], {"topology.hops": "12"}, "expected a list"),
        (["sack"], {"topology.hops": [1, 1]}, "duplicate"),
        (["sack"], {"flow.transport": ["vegas"]}, "compare varies it"),
    ],
)
def test_comparisons_that_make_no_sense_are_refused(
    scenario: hoplab.Scenario, transports: list[str], over: dict[str, list[int]], message: str
) -> None:
    with pytest.raises(hoplab.UsageError, match=message):
        hoplab.compare(scenario, transports, over=over)


def test_axes_with_the_same_last_part_keep_their_whole_key(scenario: hoplab.Scenario) -> None:
    comparison = hoplab.compare(scenario, ["sack"], over={"flow.window": [1], "tcp.window": [2]}, seeds=1)
    assert comparison.flows.names[:3] == ("transport", "flow.window", "tcp.window")


def test_plots_are_axes_with_n_in_the_figure(scenario: hoplab.Scenario) -> None:
    from matplotlib import pyplot as plt

    comparison = hoplab.compare(scenario, ["sack", "vegas"], over={"topology.hops": [1, 2, 4]}, seeds=3)
    ax = comparison.plot("goodput_bps")
    assert ax.get_xlabel() == "hops"
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["SACK", "Vegas"]
    figure = comparison_figure(comparison)
    assert all(curve.n == 3 for curve in figure.curves)
    assert figure.curves[0].high[0] > figure.curves[0].y[0]  # type: ignore[index]
    given = plt.subplots()[1]
    assert hoplab.run(scenario, seeds=3).plot(ax=given) is given
    plt.close("all")


def test_window_is_drawn_as_mean_with_band(scenario: hoplab.Scenario) -> None:
    runs = hoplab.run(scenario, seeds=4, series_interval_s=1.0)
    assert len(runs.series) == 40
    mean, single = cwnd_figure([("NewReno", runs, 0)], start_s=2.0).curves
    assert (mean.n, mean.style, len(mean.x), mean.x[0]) == (4, "line", 8, 0.0)
    assert (single.name, single.shown) == ("NewReno, seed 1 alone", False)
    with pytest.raises(hoplab.InputError, match="no series"):
        cwnd_figure([("NewReno", hoplab.run(scenario, seeds=2), 0)])


def test_representations_escape_names(fake_engine: None) -> None:
    scenario = hoplab.Scenario.from_text('name = "<script>alert(1)</script>"\n' + CHAIN)
    runs = hoplab.run(scenario, seeds=2)
    comparison = hoplab.compare(scenario, ["sack"], seeds=2)
    for value in (scenario, runs, comparison):
        assert "<script>" not in value._repr_html_()
        assert repr(value).startswith(f"<{type(value).__name__}")


def test_nothing_is_printed_where_stderr_is_no_terminal(
    scenario: hoplab.Scenario, capsys: pytest.CaptureFixture[str]
) -> None:
    hoplab.run(scenario, seeds=2)
    assert capsys.readouterr() == ("", "")


def test_a_progress_bar_is_shown_when_asked(
    scenario: hoplab.Scenario, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hoplab.base.progress._PATIENCE_S", -1.0)
    hoplab.run(scenario, seeds=2, progress=True)
    out, err = capsys.readouterr()
    assert out == ""
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", err)
    assert re.search(r"running .* 1/2 [0-9.]+ s left", plain)


def test_a_missing_file_is_an_input_error(fake_engine: None, tmp_path: Path) -> None:
    with pytest.raises(hoplab.InputError, match="file not found"):
        hoplab.Scenario.from_toml(tmp_path / "x.toml")
