"""The table of features, what is composed of them, and the page that is made from both."""

from __future__ import annotations

import json
import tomllib
from itertools import combinations
from pathlib import Path

import pytest
from fakes.command_line import CommandLine

from hoplab.base.engine import registry
from hoplab.scenario.features import Feature, features, refusals
from hoplab_validation.pairs import stored
from hoplab_validation.pairs.compose import ContradictionError, compose
from hoplab_validation.pairs.covering import MOST_ANSWERS, MOST_FEATURES, MOST_FLOWS, covering, has_flows
from hoplab_validation.pairs.judge import ACTIONS, Verdict, first_words, judged
from hoplab_validation.pairs.page import contradicting, page

NAMED = {one.name: one for one in features()}
FAMILIES = ("topologies", "routing", "queues", "standards", "workloads")
"""Families of which each name is a feature."""


PAGE = Path(__file__).parents[3] / "docs" / "use" / "reference" / "pairs.md"


def of(*names: str) -> list[Feature]:
    return [NAMED[name] for name in names]


def test_the_table_has_each_name_once_and_known_answers() -> None:
    assert len(NAMED) == len(features()) >= 60
    assert {one.do for one in features() if one.do} == {*ACTIONS}
    assert [one.name for one in features() if one.out] == ["smoltcp", "live"]


@pytest.mark.parametrize("family", FAMILIES)
def test_each_name_of_a_family_is_in_the_table(family: str) -> None:
    text = "".join(one.toml for one in features())
    assert [entry["name"] for entry in registry()[family] if f'"{entry["name"]}"' not in text] == []


def test_two_values_of_a_key_contradict_each_other() -> None:
    with pytest.raises(ContradictionError, match=r"chain and grid: two values of topology\.kind"):
        compose(of("chain", "grid"))
    with pytest.raises(ContradictionError, match="arf and python_rate: two kinds of rate control"):
        compose(of("arf", "python_rate"))
    with pytest.raises(ContradictionError, match=r"wire and lossy_wire: two values of node\.server"):
        compose([NAMED["wire"], Feature("lossy_wire", "", "", '[[node]]\nname = "server"\nkind = "radio"')])


def test_flows_of_all_features_run_from_the_source() -> None:
    made = tomllib.loads(compose(of("udp", "wire", "cubic", "rrul")).toml)
    ends = [(one["from"], one["to"], one["start"]) for one in (*made["flow"], *made["workload"])]
    assert ends == [("server", 5, "4 s"), (5, "server", "4 s"), ("server", 4, "4 s")]
    assert made["mac"]["data_rate"] == "11 Mb/s"
    assert made["topology"] == {"kind": "chain", "hops": 5, "spacing": "200 m"}


def test_lengths_and_defaults_follow_the_standard() -> None:
    made = tomllib.loads(compose(of("arf", "places")).toml)
    assert made["radio"]["standard"] == "11a"
    assert made["topology"]["geo"][1] == [pytest.approx(48 + 30 / 111_195), 9]
    assert "data_rate" not in made["mac"]
    assert "spacing" not in made["topology"]
    assert made["flow"] == [{"transport": "new_reno", "from": 0, "to": 5, "start": "4 s"}]


def test_nodes_of_two_features_become_one_node() -> None:
    made = tomllib.loads(compose(of("radio_off", "busy_observer")).toml)
    assert made["node"] == [{"id": 1, "radio_off": [["6 s", "7 s"]], "observer": "busy"}]


def test_a_verdict_names_what_became_of_a_pair() -> None:
    assert judged(of("chain", "udp")) == Verdict("runs")
    assert judged(of("chain", "grid")).kind == "contradicts"
    refused = judged(of("11b", "edca"))
    assert refused.kind == "refused"
    assert refused.message.startswith("mac.qos: requires radio.standard")
    cut = Feature("cut", "", "", "topology.spacing = '2 km'\ntopology.kind = 'chain'\ntopology.hops = 5")
    assert judged([cut]).kind in {"nothing", "silent"}
    broken = Feature("broken", "", "", do="no such command")
    assert judged([broken]).is_fault


def test_a_message_keeps_its_first_problem_only() -> None:
    assert first_words("features.toml:3: mac.qos: bad\n  |\n3 | x\n  = hint: y") == "mac.qos: bad"
    assert first_words("trace: a trace of ns-2: not supported\n  hint: y") == "a trace of ns-2: not supported"


def test_few_scenarios_have_every_pair_that_runs() -> None:
    chosen = [one for one in features() if not one.out]
    apart = contradicting(chosen) | {*stored.known()}
    sets = covering(chosen, apart=apart)
    pairs = {frozenset((a.name, b.name)) for one in sets for a, b in combinations(one, 2)}
    assert pairs == {frozenset((a.name, b.name)) for a, b in combinations(chosen, 2)} - apart
    assert all(len(one) <= MOST_FEATURES for one in sets)
    assert all(sum(map(has_flows, one)) <= MOST_FLOWS and sum(bool(f.do) for f in one) <= MOST_ANSWERS for one in sets)


def test_stored_pairs_are_read_as_they_were_written() -> None:
    order = [one.name for one in features()]
    verdicts = {
        frozenset(one.features): Verdict("refused" if one.is_refused else "nothing", one.message) for one in refusals()
    }
    assert stored.text_of(verdicts, order) == stored.FILE.read_text(encoding="utf-8")
    assert all(pair <= {*order} for pair in verdicts)
    assert stored.changes(verdicts) == []


def test_a_new_refusal_and_one_that_is_gone_are_changes() -> None:
    pair = frozenset(refusals()[0].features)
    (gone,) = stored.changes({pair: Verdict("runs")})
    assert str(gone).endswith(f"runs; stored: {refusals()[0].message}")
    (new,) = stored.changes({frozenset(("chain", "udp")): Verdict("refused", "no")})
    assert str(new) == "chain and udp: refused: no; stored: runs"
    (fault,) = stored.changes({pair: Verdict("silent", "flow 0")})
    assert fault.now.is_fault


def test_the_page_is_made_from_the_stored_pairs() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run: make pairs BLESS=1"


def test_list_features_shows_what_does_not_combine(hoplab: CommandLine) -> None:
    refused = refusals()[0]
    first, second = refused.features
    answer = hoplab("list", "features")
    line = next(line for line in answer.out.splitlines() if line.strip().startswith(f"{first} "))
    assert f"not with {second}" in line or f", {second}" in line
    listed = {one["name"]: one for one in json.loads(hoplab("list", "features", "--json").out)}
    assert [*listed] == [*NAMED]
    assert listed[second]["not_with"][first] == refused.message
    assert listed["live"]["out"].startswith("needs the privileges")
