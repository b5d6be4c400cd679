"""Axes: the seed is none, names that were not run are answered with those that were, and size is looked at first."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from fakes.command_line import CommandLine
from sweep.kit import plan_of

import hoplab
from hoplab.base.errors import EXIT_INPUT, EXIT_USAGE, InputError, UsageError
from hoplab.base.suggest import LISTED, by_likeness
from hoplab.cli.options import axes_of
from hoplab.sweeping import SweepError, parse_sweep, split_source


@pytest.mark.parametrize("axis", ["seed", " seed ", "topology.hops,seed"])
def test_seed_is_no_axis(axis: str, hoplab: CommandLine, chain: Path) -> None:
    for command in (["sweep", "chain.toml"], ["compare", "chain.toml", "-t", "vegas"]):
        answer = hoplab(*command, "--over", f"{axis}=1,2,3", "--seeds", "5")
        assert answer.code == EXIT_USAGE
        assert "seed: not supported as an axis" in answer.err
        assert "--seeds 1,2,3" in answer.err


def test_seed_is_no_axis_in_python(chain: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="seed: not supported as an axis"):
        hoplab.sweep(chain, over={"seed": [1, 2]}, out=tmp_path / "s")
    with pytest.raises(UsageError, match="seed: not supported as an axis"):
        hoplab.compare(chain, ["vegas"], over={"seed": [1, 2]})


@pytest.mark.usefixtures("fake_engine")
def test_a_name_that_was_not_run_lists_those_that_were(chain: Path) -> None:
    found = hoplab.compare(chain, ["vegas", "new_reno", "sack"], over={"topology.hops": [1, 2]}, seeds=2)
    with pytest.raises(InputError, match=r"Vagas.*\n.*that were run: vegas, ") as caught:
        found.difference("goodput_bps", "Vagas", "sack", hops=1)
    assert "new_reno" in str(caught.value)
    with pytest.raises(InputError, match=r"that were run: new_reno, "):
        found.runs("newreno", hops=1)
    with pytest.raises(InputError, match=r"hops = 11.*\n.*values of hops that were run: 1, 2"):
        found.runs("vegas", hops=11)
    with pytest.raises(InputError, match=r"unknown axis 'hop', expected topology.hops"):
        found.runs("vegas", hop=1)


def test_likeness_cuts_long_lists() -> None:
    names = [f"name{index}" for index in range(100)]
    assert by_likeness("name42", names)[0] == "name42"
    assert by_likeness("x", names)[LISTED:] == [f"and {100 - LISTED} more"]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1..3", (1, 2, 3)),
        ("a, b", ("a", "b")),
        ('tower,["tower", "office"]', ("tower", ["tower", "office"])),
        ("[{channel=36},{channel=44}],[{channel=44}]", ([{"channel": 36}, {"channel": 44}], [{"channel": 44}])),
        ('"a,b",c', ("a,b", "c")),
        ("[1,2", ("[1", 2)),
        ("it's,1", ("it's", 1)),
    ],
)
def test_commas_within_a_value_belong_to_it(text: str, values: tuple[object, ...]) -> None:
    assert dict(axes_of([f"key={text}"])) == {"key": values}


CHANNELS = ("[{channel=36}]", "[{channel=36},{channel=44}]")


def test_lists_are_values_of_an_axis(hoplab: CommandLine, chain: Path) -> None:
    axis = f"node.1.radios={','.join(CHANNELS)}"
    base = ("--seeds", "2", "--set", "duration=2 s", "--set", "node.0.radios=[{channel=36}]")
    rest = ("--set", "node.2.radios=[{channel=36}]", "--set", "topology.hops=2")
    answer = hoplab("compare", "chain.toml", "-t", "new_reno", "--between", axis, *base, *rest)
    assert (answer.code, "internal error" in answer.err) == (0, False)
    assert answer.out.count("[{channel = 36}, {channel = 44}]") > 1


def test_a_list_of_an_axis_is_found_by_its_value(chain: Path) -> None:
    lists = [[{"channel": 36}], [{"channel": 36}, {"channel": 44}]]
    others = {f"node.{node}.radios": lists[0] for node in (0, 2)}
    scenario = hoplab.Scenario.from_toml(chain, {"topology.hops": 2, "duration": "1 s", **others})
    found = hoplab.compare(scenario, ["new_reno"], over={"node.1.radios": lists}, seeds=2)
    assert found.runs("new_reno", radios=lists[1]) is found.points[1].runs
    ((value,),) = found.only(radios=[lists[1]]).axes.values()
    assert [*value] == lists[1]
    with pytest.raises(InputError, match=r"that were run: \[\{channel = 36\}"):
        found.runs("new_reno", radios=[{"channel": 40}])


MANY = "".join(f'"node.{index}.mac.ssrl" = [7, 8]\n' for index in range(64))


@pytest.mark.parametrize(
    "sweep",
    [
        f"[sweep.axes]\n{MANY}",
        '[sweep]\nseeds = 100000\n[sweep.axes]\n"topology.hops" = "1..1000"\n',
    ],
)
def test_a_sweep_too_large_for_memory_is_refused(sweep: str) -> None:
    text = f'[topology]\nkind = "chain"\nhops = 2\n\n[[flow]]\n{sweep}'
    with pytest.raises(SweepError, match=r"s\.toml:6: the axes yield .* at most 1,000,000"):
        parse_sweep(split_source(text, "s.toml"))


@pytest.mark.parametrize(
    "over",
    [
        ["topology.hops=1..1000000000000"],
        ["topology.hops=1..50000", "flow.window=1..50000"],
        [f"node.{index}.mac.ssrl=7,8" for index in range(64)],
    ],
)
def test_options_that_make_too_many_points_are_refused(over: list[str], hoplab: CommandLine, chain: Path) -> None:
    options = [word for axis in over for word in ("--over", axis)]
    for command in (["sweep", "chain.toml"], ["compare", "chain.toml", "-t", "vegas"]):
        answer = hoplab(*command, *options)
        assert answer.code == EXIT_USAGE
        assert "internal error" not in answer.err
        assert over[0].split("=")[0] in answer.err


def test_a_plan_keeps_little_of_each_point() -> None:
    axes = '[sweep.axes]\n"topology.hops" = "1..200"\n'
    plan = plan_of(f'[topology]\nkind = "chain"\nhops = 2\n\n[[flow]]\n{axes}')
    assert max(len(point.packed.data) for point in plan.points[1:]) < 400
    assert plan.points[7].scenario["topology"]["hops"] == 8


def test_the_line_of_a_mistyped_key_is_found_in_a_long_file() -> None:
    nodes = "".join(f"[[node]]\nid = {index}\nssrl = 7\n\n" for index in range(4000))
    text = f"{nodes}[sweep]\nseedz = 3\n"
    before = time.monotonic()
    with pytest.raises(SweepError, match=r"s\.toml:16002: unknown key 'sweep\.seedz'"):
        parse_sweep(split_source(text, "s.toml"))
    assert time.monotonic() - before < 10.0


@pytest.mark.parametrize(
    ("text", "key", "line"),
    [
        ("a = 1\n[b]\nc = 2\n", ("b", "c"), 3),
        ("[[n]]\nx = 1\n[[n]]\nx = 2\n[n.y]\nz = 3\n", ("n", 1, "y", "z"), 6),
        ("[[n]]\nx = 1\n[[n]]\nx = 2\n", ("n", 1), 3),
        ('a = """\n[b]\nc = 1\n"""\n[b]\nc = 2\n', ("b", "c"), 6),
        ("a = [\n  # [b]\n  1, ']',\n]\nb.c = {d = 1}\n", ("b", "c", "d"), 5),
        ("a = 'it''s'\n", ("a",), None),
        ("# c = 1\n\n'c d' = 1\n", ("c d",), 3),
        ('a = "\\"["\nb = 1\n', ("b",), 2),
        ("x = 1\r\ny = [\r\n1]\r\nz = 2\r\n", ("z",), 4),
        ("[a.b.c]\nd = 1\n", ("a", "b"), 1),
    ],
)
def test_statements_of_every_form_have_their_line(text: str, key: tuple[str | int, ...], line: int | None) -> None:
    from hoplab.scenario.statements import placed_statements, sets

    found = [at for at, table, document in placed_statements(text) if sets(table, document, key)]
    assert (found[0] if found else None) == line


@pytest.mark.parametrize("depth", [2000, 100_000])
def test_deep_nesting_is_an_input_error(depth: int, hoplab: CommandLine, chain: Path, tmp_path: Path) -> None:
    nested = "[" * depth + "]" * depth
    (tmp_path / "deep.toml").write_text(f"a = {nested}\n{chain.read_text()}")
    (tmp_path / "axis.toml").write_text(f'{chain.read_text()}\n[sweep.axes]\n"topology.hops" = [{nested}]\n')
    for line in (
        ["run", "deep.toml"],
        ["sweep", "deep.toml"],
        ["sweep", "axis.toml"],
        ["sweep", "chain.toml", "--over", f"topology.hops={nested}"],
        ["run", "chain.toml", "--set", f"topology.hops={nested}"],
    ):
        answer = hoplab(*line)
        assert answer.code in {EXIT_USAGE, EXIT_INPUT}
        assert "internal error" not in answer.err
        assert len(answer.err) < 2000
