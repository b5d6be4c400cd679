"""What-if questions: which changes are tried, which are refused, and what may be said of their effects."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from fakes.command_line import CommandLine
from hypothesis import given
from hypothesis import strategies as st

import hoplab
from hoplab.base.errors import InputError, UsageError
from hoplab.running.runs import Run, Runs
from hoplab.running.whatif.asking import plan
from hoplab.running.whatif.changes import GROUPS, Change, Network, changes_of
from hoplab.running.whatif.effects import Variant, WhatIf
from hoplab.stats import holm, paired

DIAMOND = """
duration = "6 s"
[topology]
kind = "positions"
positions = [[0, 0], [200, 100], [200, -100], [400, 0], [600, 0], [800, 0], [4000, 0], [4200, 0]]
[[flow]]
from = 0
to = 5
[[flow]]
from = 6
to = 7
"""
"""Nodes 1 and 2 both lead from 0 to 3; 3 and 4 are the only way on to 5; 6 and 7 are far away."""
GATEWAYS = """
duration = "4 s"
[topology]
kind = "chain"
hops = 3
[routing]
protocol = "aodv"
[[node]]
kind = "host"
name = "server"
gateway = 3
[[wire]]
between = ["server", 0]
rate = "10 Mb/s"
[[wire]]
between = ["server", 3]
rate = "10 Mb/s"
[[flow]]
from = "server"
to = 1
"""
RADIOS = """
duration = "4 s"
[topology]
kind = "chain"
hops = 3
[[node]]
id = 0
radios = [{ channel = 1 }]
[[node]]
id = 1
radios = [{ channel = 1 }, { channel = 6 }]
[[node]]
id = 2
radios = [{ channel = 6 }, { channel = 11 }]
[[node]]
id = 3
radios = [{ channel = 11 }]
[[flow]]
"""


def titles(text: str, group: str) -> list[str]:
    network = Network(hoplab.Scenario.from_text(text), (1,))
    return [change.title for change in changes_of(network, [group])]


def answer_of(values: Mapping[str, Sequence[float | None]], metric: str = "goodput_bps") -> WhatIf:
    """Changes with these goodputs (bit/s) or mean delays (s) per seed; that of "" is the scenario as given."""
    scenario = hoplab.Scenario.from_text('duration = "1 s"\n[topology]\nkind = "chain"\nhops = 2\n[[flow]]\n')
    template = json.loads(hoplab.run(scenario)[0].json)
    made = {}
    for name, row in values.items():
        runs = []
        for seed, value in enumerate(row, 1):
            flow = {**template["flows"][0], metric: value}
            report = {**template, "seed": seed, "flows": [flow], "fingerprint": f"{name}{seed}"}
            runs.append(Run.from_engine(json.dumps(report), {}))
        made[name] = Runs(scenario, tuple(runs))
    baseline = made.pop("")
    variants = tuple(Variant(Change("nodes", f"{name} off", f"without {name}"), runs) for name, runs in made.items())
    return WhatIf(scenario, tuple(run.seed for run in baseline), baseline, variants, (), metric)


# ---- which changes ----------------------------------------------------------------------------------------------


def test_relays_are_switched_off_and_ends_of_flows_are_not() -> None:
    assert titles(DIAMOND, "nodes") == ["node 1 off", "node 2 off", "node 3 off", "node 4 off"]


def test_ends_that_traffic_draws_count_for_every_seed() -> None:
    traffic = '[traffic]\nkind = "tcp"\nconnections = 1\nstart_window = "1 s"\n'
    text = f'duration = "4 s"\n[topology]\nkind = "chain"\nhops = 9\n{traffic}'
    scenario = hoplab.Scenario.from_text(text)
    ends = Network(scenario, (1, 2, 3)).ends
    assert ends == {node for seed in (1, 2, 3) for node in Network(scenario.with_(seed=seed), (seed,)).ends}
    assert len(ends) > 2


def test_wires_move_to_every_other_node() -> None:
    assert titles(GATEWAYS.replace("aodv", "static"), "gateways") == [
        *("gateway of server: node 1 in place of node 0", "gateway of server: node 2 in place of node 0"),
        *("gateway of server: node 1 in place of node 3", "gateway of server: node 2 in place of node 3"),
        "server through node 0",
    ]


@pytest.mark.parametrize("gateway", ["3", "[0, 3]", "[3, 0]"])
def test_a_wire_takes_its_host_s_gateway_along(gateway: str) -> None:
    scenario = hoplab.Scenario.from_text(GATEWAYS.replace("gateway = 3", f"gateway = {gateway}"))
    found = {change.title: change for change in changes_of(Network(scenario, (1,)), ["gateways"])}
    moved = found["gateway of server: node 2 in place of node 3"].applied(scenario).resolve().data
    assert [wire["between"] for wire in moved["wires"]] == [[4, 0], [4, 2]]
    expected = [2 if node == 3 else node for node in json.loads(f"[{gateway.strip('[]')}]")]
    assert moved["hosts"][0]["gateway"] == (expected if len(expected) > 1 else expected[0])
    answer = hoplab.whatif(scenario, only=["gateways"], seeds=1)
    assert answer.refused == ()
    settings = {each.change.title: answer.settings(each) for each in answer.variants}
    assert settings["server through node 0"] == ["node.server.gateway=0"]


@pytest.mark.parametrize("name", ["server", "server.example"])
def test_each_gateway_of_a_host_is_chosen(name: str) -> None:
    scenario = hoplab.Scenario.from_text(GATEWAYS.replace('"server"', f'"{name}"'))
    found = {change.title: change for change in changes_of(Network(scenario, (1,)), ["gateways"])}
    chosen = found[f"{name} through node 0"]
    assert scenario.resolve().data["hosts"][0]["gateway"] == 3
    assert chosen.applied(scenario).resolve().data["hosts"][0]["gateway"] == 0


def test_links_of_several_channels_say_which() -> None:
    lists = "radios = [{ channel = 36 }, { channel = 44 }]"
    nodes = "".join(f"[[node]]\nid = {node}\n{lists}\n" for node in range(7))
    network = 'duration = "4 s"\n[topology]\nkind = "chain"\nhops = 6\n[routing]\nprotocol = "aodv"\n'
    found = titles(f"{network}{nodes}[[flow]]\n", "channels")
    assert found == [
        "links of 0, 1, 2, 3 and 3 more of channel 36 on channel 44",
        "links of 0, 1, 2, 3 and 3 more of channel 36 on an unused channel",
        "links of 0, 1, 2, 3 and 3 more of channel 44 on channel 36",
        "links of 0, 1, 2, 3 and 3 more of channel 44 on an unused channel",
    ]


def test_a_hop_moves_with_both_of_its_ends() -> None:
    scenario = hoplab.Scenario.from_text(RADIOS)
    found = {change.title: change for change in changes_of(Network(scenario, (1,)), ["channels"])}
    assert [*found] == [
        *("hop 0 to 1 on channel 6", "hop 0 to 1 on channel 11", "hop 0 to 1 on an unused channel"),
        *("hop 1 to 2 on channel 1", "hop 1 to 2 on channel 11", "hop 1 to 2 on an unused channel"),
        *("hop 2 to 3 on channel 1", "hop 2 to 3 on channel 6", "hop 2 to 3 on an unused channel"),
    ]
    moved = found["hop 0 to 1 on channel 11"].applied(scenario).resolve()
    assert [flow.hops for flow in moved.facts.flows] == [3], "no link is lost"


def test_what_is_as_given_is_no_change() -> None:
    base = '[topology]\nkind = "chain"\nhops = 2\n[[flow]]\n'
    assert titles(base, "rts") == ["no RTS"]
    assert titles(f"{base}[mac]\nrts_threshold = 3000\n", "rts") == ["RTS for all frames"]
    assert titles(f"{base}[mac]\nrts_threshold = 500\n", "rts") == ["RTS for all frames", "no RTS"]
    assert "queue.kind = drop_tail" not in titles(base, "queues")
    assert "queue.kind = codel" not in titles(f'{base}[queue]\nkind = "codel"\n', "queues")
    assert titles(f"{base}[mac]\nssrl = 1\n", "retries")[0] == "mac.ssrl = 2"
    assert not any("static" in title for title in titles(base, "routing"))


def test_every_kind_is_there_unless_only_some_are_asked_for() -> None:
    text = GATEWAYS + RADIOS[RADIOS.index("[[node]]") :].replace("[[flow]]", "")
    network = Network(hoplab.Scenario.from_text(text), (1,))
    assert {change.group for change in changes_of(network)} == {*GROUPS}
    assert {change.group for change in changes_of(network, ["queues", "rts"])} == {"queues", "rts"}


# ---- runs -------------------------------------------------------------------------------------------------------


def test_cut_vertices_rank_first_and_paths_are_found_around_others() -> None:
    found = hoplab.whatif(hoplab.Scenario.from_text(DIAMOND), only=["nodes"], seeds=4, progress=False)
    effects = {effect.change.title: effect for effect in found.effects()}
    ranked = [*effects]
    assert {*ranked[:2]} == {"node 3 off", "node 4 off"}
    assert [effects[title].verdict for title in ranked[:2]] == ["harms", "harms"]
    assert [effects[title].cut_off for title in ranked] == [(0,), (0,), (), ()]
    assert effects["node 2 off"].text == "0 in every seed", "paths lead through node 1, the lowest number"
    off = {variant.change.title: variant.runs for variant in found.variants}
    assert min(off["node 1 off"].values("goodput_bps", 0)) > 0.0
    assert max(off["node 3 off"].values("goodput_bps", 0)) == 0.0


def test_without_the_only_relay_nothing_is_left() -> None:
    scenario = hoplab.Scenario.from_text(DIAMOND.partition("[[flow]]\nfrom = 6")[0])
    found = hoplab.whatif(scenario, only=["nodes"], seeds=4, progress=False)
    assert found.headline().startswith("Without node 3 goodput falls by 100 %; without node 4 it falls by 100 %.")


def test_differences_are_paired_by_seed_and_adjusted_by_holm() -> None:
    scenario = hoplab.Scenario.from_text(DIAMOND)
    found = hoplab.whatif(scenario, only=["retries", "rts"], seeds="3..7", progress=False)
    given = hoplab.run(scenario, seeds="3..7")
    own = {}
    for variant in found.variants:
        runs = hoplab.run(scenario.with_(variant.change.keys), seeds="3..7")
        assert [run.fingerprint for run in runs] == [run.fingerprint for run in variant.runs]
        own[variant.change.title] = paired(runs.values(), given.values())
    adjusted = dict(zip(own, holm([pair.p_of_none or 0.0 for pair in own.values()]), strict=True))
    for effect in found.effects():
        assert effect.paired == own[effect.change.title]
        assert effect.p_adjusted == adjusted[effect.change.title]


def test_refused_changes_are_counted_with_their_reason() -> None:
    found = hoplab.whatif(hoplab.Scenario.from_text(RADIOS), only=["channels"], seeds=1, progress=False)
    assert {row["change"]: row["reason"] for row in found.refusals.rows()} == {
        "hop 0 to 1 on channel 6": "node.1.radios.1: two radios on channel 6",
        "hop 1 to 2 on channel 1": "node.1.radios.1: two radios on channel 1",
        "hop 1 to 2 on channel 11": "node.2.radios.1: two radios on channel 11",
        "hop 2 to 3 on channel 6": "node.2.radios.1: two radios on channel 6",
    }
    assert len(found.variants) == 5


def test_a_change_beyond_a_limit_is_refused_and_the_others_go_on() -> None:
    scenario = hoplab.Scenario.from_text(DIAMOND + "[mac]\nrts_threshold = 3000\n")
    runs = {
        title: max(run.events for run in hoplab.run(scenario.with_(keys), seeds=2))
        for title, keys in {"": {}, "RTS for all frames": {"mac.rts_threshold": "0 B"}}.items()
    }
    assert runs["RTS for all frames"] > runs[""], "the limit lies between"
    found = hoplab.whatif(scenario, only=["rts", "retries"], seeds=2, max_events=runs[""], progress=False)
    reasons = {one.change.title: one.reason for one in found.refused}
    assert "events" in reasons["RTS for all frames"]
    assert "mac.slrl = 8" in {variant.change.title for variant in found.variants}
    with pytest.raises(hoplab.LimitError):
        hoplab.whatif(scenario, only=["rts"], seeds=2, max_events=10, progress=False)


def test_results_depend_neither_on_threads_nor_on_other_changes() -> None:
    scenario = hoplab.Scenario.from_text(DIAMOND)
    one, two = (hoplab.whatif(scenario, seeds=2, threads=n, progress=False).json_lines() for n in (1, 2))
    assert one == two
    alone = hoplab.whatif(scenario, only=["rts"], seeds=2, progress=False)
    among = {line["change"]: line for line in map(json.loads, one.splitlines())}
    assert alone.variants[0].runs.interval() is not None
    assert among["no RTS"]["mean"] == alone.rows["mean"][0]


# ---- what may be said -------------------------------------------------------------------------------------------


def test_the_largest_effects_have_a_sentence() -> None:
    given = [100e3, 104e3, 98e3, 101e3, 99e3]
    found = answer_of(
        {
            "": given,
            "a": [58e3, 62e3, 56e3, 59e3, 57e3],
            "b": [98e3, 106e3, 97e3, 103e3, 98e3],
            "c": [121e3, 126e3, 119e3, 122e3, 121e3],
        }
    )
    assert found.headline().splitlines() == [
        "Without c goodput rises by 21.3 % (20.6 to 22.0).",
        "Without a goodput falls by 42 % (41 to 43).",
        "No effect is shown of 1 of 3 changes.",
    ]


def test_less_delay_helps() -> None:
    values = {"": [0.2, 0.21, 0.19, 0.2], "a": [0.1, 0.11, 0.09, 0.1], "b": [0.3, 0.31, 0.29, 0.305]}
    found = answer_of(values, "delay_mean_s")
    assert [(effect.change.title, effect.verdict) for effect in found.effects()] == [
        ("a off", "helps"),
        ("b off", "harms"),
    ]


def test_a_measure_that_is_not_better_or_worse_rises_or_falls() -> None:
    values = {"": [2.0, 2.1, 1.9, 2.0], "a": [3.0, 3.1, 2.9, 3.0]}
    (effect,) = answer_of(values, "hops_mean").effects()
    assert effect.verdict == "raises"


def test_a_change_without_the_measure_is_undefined() -> None:
    found = answer_of({"": [0.2, 0.21, 0.19], "a": [None, None, None]}, "delay_mean_s")
    (effect,) = found.effects()
    assert (effect.verdict, effect.text) == ("undefined", "-")
    assert json.loads(found.json_lines().splitlines()[1])["n"] == 0


def test_one_seed_shows_nothing() -> None:
    found = answer_of({"": [100e3], "a": [0.0]})
    assert found.headline() == "One seed: no effect is shown or excluded; use more seeds, such as 10."
    assert [effect.verdict for effect in found.effects()] == ["no effect shown"]


NUMBERS = st.floats(min_value=1e3, max_value=1e6)


@given(st.lists(st.lists(NUMBERS, min_size=4, max_size=4), min_size=2, max_size=6))
def test_every_named_change_is_one_whose_test_shows_it(rows: list[list[float]]) -> None:
    values = {"" if k == 0 else f"n{k}": row for k, row in enumerate(rows)}
    found = answer_of(values)
    effects = {effect.change.title.split()[0]: effect for effect in found.effects()}
    sizes: dict[str, list[float]] = {}
    for effect in effects.values():
        assert effect.paired is not None
        sizes.setdefault(effect.verdict, []).append(abs(effect.paired.difference.mean))
        if effect.is_shown:
            assert not effect.paired.difference.contains(0.0)
    assert all(row == sorted(row, reverse=True) for row in sizes.values())
    for name, word in re.findall(r"ithout (n\d) (?:goodput|it) (rises|falls)", found.headline()):
        pair = effects[name].paired
        assert effects[name].is_shown
        assert pair is not None
        assert (pair.difference.mean > 0.0) == (word == "rises")


# ---- command line -----------------------------------------------------------------------------------------------


def test_the_command_states_the_time_then_sentence_table_and_refusals(hoplab: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "radios.toml").write_text(RADIOS)
    done = hoplab("whatif", "radios.toml", "--only", "channels,nodes", "--seeds", "3")
    assert done.code == 0
    assert "radios: 7 changes, 3 seeds, 24 runs, about " in done.err
    lines = done.out.splitlines()
    assert lines[0].startswith("Without node 1 goodput falls by 100 %")
    assert "4 changes are left out, because the engine refuses:" in lines
    assert "  hop 0 to 1 on channel 6: node.1.radios.1: two radios on channel 6" in lines
    assert any(line.startswith("harms") and "node 1 off" in line for line in lines)


def test_a_dry_run_lists_changes(hoplab: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "radios.toml").write_text(RADIOS)
    done = hoplab("whatif", "radios.toml", "--dry-run", "--only", "nodes", "--out", "out")
    assert done.code == 0
    assert "nodes  node 1 off" in done.out
    assert "as given" not in done.out
    assert not (tmp_path / "out").exists()


def test_tables_and_provenance_are_stored(hoplab: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "radios.toml").write_text(RADIOS)
    line = ["whatif", "radios.toml", "--only", "nodes,rts", "--seeds", "3", "--out", "out"]
    done = hoplab(*line, "--json", "-q")
    assert (done.code, done.err) == (0, "")
    out = tmp_path / "out"
    assert (out / "changes.jsonl").read_text() == done.out
    assert (out / "changes.csv").read_text().splitlines()[2].startswith("harms,nodes,node")
    assert {"flows.csv", "refused.csv", "scenario.toml", "summary.txt", "provenance.json"} <= {
        path.name for path in out.iterdir()
    }
    head, *rows = map(json.loads, done.out.splitlines())
    assert (head["change"], head["seeds"]) == (None, [1, 2, 3])
    sets = {row["change"]: row["set"] for row in rows}
    assert sets["node 1 off"] == [
        'node.1.radio_off=[["0 s", "4 s"]]',
        "node.1.radios=[{channel = 233}, {channel = 232}]",
    ]
    assert hoplab(*line).code == 74, "the directory is not empty"
    refused = hoplab("report", "out")
    assert refused.code == 3
    assert "written by hoplab whatif" in refused.err


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--only", "nodes,quues"], 2, "--only: unknown kind of changes 'quues', expected queues"),
        (["--only", ","], 2, "--only: no kinds of changes"),
        (["--only", "gateways"], 3, "nothing to change of gateways"),
        (["--metrics", "godput"], 2, "did you mean"),
        (["--seeds", "0"], 2, "expected at least 1"),
    ],
)
def test_wrong_words_are_refused(words: list[str], code: int, said: str, hoplab: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "radios.toml").write_text(RADIOS)
    done = hoplab("whatif", "radios.toml", *words)
    assert (done.code, done.out) == (code, "")
    assert said in done.err


def test_wrong_arguments_are_refused() -> None:
    scenario = hoplab.Scenario.from_text(DIAMOND)
    with pytest.raises(UsageError, match=r"^only: unknown kind"):
        plan(scenario, only=["x"])
    with pytest.raises(UsageError, match="expected at most"):
        plan(scenario, seeds=50_000)
    with pytest.raises(InputError, match="unknown metric"):
        hoplab.whatif(scenario, metric="speed")
