"""The `[sweep]` table: what it means, and what it says when it is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from hoplab.base.errors import EXIT_INPUT, UsageError, exit_code_of
from hoplab.sweeping import SweepError, make_plan, parse_sweep, read_source, split_source
from hoplab.sweeping.plan import more_seeds
from sweep.fake_engine import FakeRunner
from sweep.kit import SCENARIO, plan_of

HEAD = '[topology]\nkind = "chain"\n\n[[flow]]\ntransport = "sack"\n\n'


def points(sweep: str) -> list[dict[str, object]]:
    return [dict(settings) for settings in parse_sweep(split_source(HEAD + sweep, "s.toml")).points()]


def test_axes_make_a_product_whose_last_axis_varies_fastest() -> None:
    found = points('[sweep.axes]\n"topology.hops" = "1..2"\n"flow.transport" = ["sack", "vegas"]\n')
    assert [list(point.values()) for point in found] == [[1, "sack"], [1, "vegas"], [2, "sack"], [2, "vegas"]]


def test_zipped_axes_move_together_and_multiply_with_the_rest() -> None:
    found = points(
        '[sweep.axes]\n"mac.ssrl" = [4, 7]\n[[sweep.zip]]\n"topology.rows" = [3, 5]\n"topology.columns" = [2, 9]\n'
    )
    assert [list(point.values()) for point in found] == [[4, 3, 2], [4, 5, 9], [7, 3, 2], [7, 5, 9]]
    assert points('[sweep.zip]\n"a.x" = [1, 2]\n"a.y" = [3, 4]\n') == [{"a.x": 1, "a.y": 3}, {"a.x": 2, "a.y": 4}]


def test_dotted_keys_need_no_quotes() -> None:
    assert points("[sweep.axes]\ntopology.hops = [1, 2]\n") == points('[sweep.axes]\n"topology.hops" = [1, 2]\n')


def test_ranges_have_both_ends_and_steps() -> None:
    assert [p["k.n"] for p in points('[sweep.axes]\n"k.n" = "2..8 step 3"\n')] == [2, 5, 8]


def test_no_sweep_is_one_point() -> None:
    assert points("") == [{}]


def test_the_engine_never_sees_the_sweep_and_lines_stay() -> None:
    text = (
        'name = "a"\n[sweep]\nseeds = 2\n[sweep.axes]\n"topology.positions" = [\n  [[0, 0], [1, 1]],\n'
        '  [[0, 0]],\n]\n\n[topology]\nkind = """\n[sweep]\nnot a table"""\npositions = [\n[1, 2],\n]\n'
        '["sweep".zip]\n"mac.ssrl" = [\n1]\n# [sweep]\n[[flow]] # the end\n'
    )
    source = split_source(text, "s.toml")
    assert len(source.scenario.splitlines()) == len(text.splitlines())
    kept = [(number, line) for number, line in enumerate(source.scenario.splitlines(), 1) if line]
    assert kept == [
        (1, 'name = "a"'),
        (10, "[topology]"),
        (11, 'kind = """'),
        (12, "[sweep]"),
        (13, 'not a table"""'),
        (14, "positions = ["),
        (15, "[1, 2],"),
        (16, "]"),
        (21, "[[flow]] # the end"),
    ]
    assert source.line_of("sweep", "axes", "topology.positions") == 5
    assert source.line_of("sweep", "zip", "mac.ssrl") == 18
    assert source.line_of("topology", "positions") == 14


@pytest.mark.parametrize(
    ("sweep", "message"),
    [
        ("[sweep]\nseed = 10\n", "s.toml:8: unknown key 'sweep.seed'\n  hint: did you mean 'seeds'?"),
        ("[sweep]\nseeds = 0\n", "s.toml:8: sweep.seeds: seeds = 0: expected at least 1"),
        ("[sweep]\nseeds = 2.5\n", "s.toml:8: sweep.seeds is 2.5: expected a count, a range"),
        ("[sweep]\nseeds = true\n", "s.toml:8: sweep.seeds is true: expected a count, a range"),
        ("[sweep]\nseeds = [3, 3]\n", "s.toml:8: sweep.seeds: seed 3 is duplicate"),
        ('[sweep]\nseeds = "9..2"\n', "s.toml:8: sweep.seeds: seeds '9..2': range is descending"),
        (
            "[sweep]\nprecision = 5\n",
            "s.toml:8: sweep.precision: '5' is not a precision between 0 and 100 %; for 5 percent",
        ),
        ("[sweep]\nuntil = '5%'\n", "s.toml:8: unknown key 'sweep.until'"),
        ("[sweep]\nmax_seeds = 1\n", "s.toml:8: sweep.max_seeds is 1: expected an integer of at least 2"),
        ('[sweep]\nmeasure = "goodputs"\n', "s.toml:8: sweep.measure: unknown metric 'goodputs'"),
        (
            "[sweep]\nseries = 0.1\n",
            "s.toml:8: sweep.series is 0.1: expected a time such as '100 ms'\n  hint: write \"0.1 s\"",
        ),
        ('[sweep]\nseries = "0 s"\n', 's.toml:8: sweep.series is "0 s": expected a time'),
        ("[sweep]\npossible = 1\n", "s.toml:8: sweep.possible is 1: expected true or false"),
        ("[sweep.axes]\n", "s.toml:7: sweep.axes must name an axis"),
        ("[sweep]\naxes = 3\n", "s.toml:8: sweep.axes is 3: expected a table of axes"),
        ('[sweep.axes]\n"topology.hops" = 4\n', "s.toml:8: axis 'topology.hops' is 4: expected a list or a range"),
        ('[sweep.axes]\n"topology.hops" = []\n', "s.toml:8: axis 'topology.hops': no values"),
        ('[sweep.axes]\n"topology.hops" = "1-4"\n', "s.toml:8: axis 'topology.hops': '1-4' is not a range"),
        ('[sweep.axes]\n"topology.hops" = "4..1"\n', "s.toml:8: axis 'topology.hops': range '4..1' is descending"),
        ('[sweep.axes]\n"mac.ssrl" = [1,\n2, 1]\n', "s.toml:8: axis 'mac.ssrl': duplicate value 1"),
        ('[sweep.axes]\n"mac.ssrl" = [{a = 1}]\n', "s.toml:8: axis 'mac.ssrl' contains a table: expected strings"),
        ('[sweep.axes]\n"mac.ssrl" = [nan]\n', "s.toml:8: axis 'mac.ssrl' contains nan: expected strings"),
        ("[sweep.axes]\nseed = [1, 2]\n", "s.toml:8: 'seed' is not supported as an axis"),
        ('[sweep.axes]\n"a.b" = [1]\na.b = [2]\n', "s.toml:9: duplicate axis 'a.b'"),
        ('[[sweep.zip]]\n"a.b" = [1]\n\n[[sweep.zip]]\n"a.c" = [1]\n"a.d" = [1, 2]\n', "s.toml:12: zipped axes differ"),
        ('[sweep]\ncompare = ["hops"]\n[sweep.axes]\n"topology.hops" = [1]\n', "s.toml:8: sweep.compare names 'hops'"),
        ('[sweep.axes]\n"a.b" = "1..2000"\n"a.c" = "1..2000"\n', "s.toml:7: the axes yield 4,000,000 points"),
        ("[sweep]\nseeds = [1,\n", "s.toml: not TOML"),
        ("[sweep]\nseeds = = 3\n", "s.toml:8: not TOML"),
    ],
)
def test_a_wrong_sweep_names_file_line_and_remedy(sweep: str, message: str) -> None:
    with pytest.raises(SweepError) as caught:
        parse_sweep(split_source(HEAD + sweep, "s.toml"))
    assert str(caught.value).startswith(message)
    assert exit_code_of(caught.value) == EXIT_INPUT


@pytest.mark.parametrize("text", ["sweep.seeds = 3\n", "sweep = {seeds = 3}\n", "sweep = 3\n"])
def test_a_sweep_that_cannot_be_cut_out_is_refused(text: str) -> None:
    with pytest.raises(SweepError, match=r"^s.toml:1: sweep is not written as a table"):
        split_source(text, "s.toml")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SweepError, match="No such file"):
        read_source(tmp_path / "none.toml")


def test_a_wrong_value_of_an_axis_cites_the_axis() -> None:
    text = SCENARIO.replace("[1, 2, 4]", "[1, 0]")
    with pytest.raises(SweepError, match=r"^chain.toml:15: axis 'topology.hops': invalid value 0, expected an int"):
        plan_of(text)


def test_set_cannot_fight_an_axis() -> None:
    source = split_source(SCENARIO, "s.toml")
    for key in ("topology.hops", "sweep.seeds"):
        with pytest.raises(UsageError, match=f"override {key}"):
            make_plan(source, parse_sweep(source), FakeRunner(), [(key, "3")])


def test_an_axis_of_the_command_line_replaces_that_of_the_file() -> None:
    sweep = parse_sweep(split_source(SCENARIO, "s.toml"))
    assert len(sweep.with_axis("topology.hops", [7])) == 2
    assert len(sweep.with_axis("mac.ssrl", [4, 7])) == 12
    with pytest.raises(UsageError, match="no values"):
        sweep.with_axis("mac.ssrl", [])
    zipped = parse_sweep(split_source(HEAD + '[sweep.zip]\n"a.x" = [1]\n"a.y" = [3]\n', "s.toml"))
    with pytest.raises(UsageError, match=r"zipped in the file with a\.y"):
        zipped.with_axis("a.x", [1])


def test_all_points_share_seeds_and_equal_points_share_runs() -> None:
    plan = plan_of(SCENARIO.replace("[1, 2, 4]", "[1, 2]"))
    assert {tuple(seeds) for seeds in plan.seeds.values()} == {(1, 2, 3, 4)}
    runs = [run for _, _, run in plan.runs()]
    assert len(set(runs)) == len(runs) == 16
    same = plan_of(SCENARIO.replace("[1, 2, 4]", "[1]").replace('duration = "10 s"', 'duration = "10.0 s"'))
    assert {run for _, _, run in same.runs()} <= set(runs)


def test_seeds_start_at_the_scenarios_own() -> None:
    assert plan_of("seed = 5\n" + SCENARIO).seeds[0] == [5, 6, 7, 8]
    assert plan_of("seed = 5\n" + SCENARIO.replace("seeds = 4", "seeds = [9, 2]")).seeds[0] == [9, 2]
    assert more_seeds([9, 2], 4) == [9, 2, 10, 11]
