"""`hoplab explain` names the causes that a scenario was built to have."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from fakes.command_line import CommandLine

from hoplab.base.airtime import AIRTIME
from hoplab.explain import Explanation, explain
from hoplab.explain.contrast import Contrast
from hoplab.explain.interference import Ranges
from hoplab.explain.narrative import GROUPS, waterfall
from hoplab.running.execution import run
from hoplab.scenario.model import Scenario
from hoplab.store.trace import open_trace
from traced.scenarios import scenario


def explained(folder: Path, what: Scenario) -> Explanation:
    runs = run(what, trace=folder, progress=False)
    return explain(runs[0], open_trace(folder), what)


def two_links(places: list[float], flows: list[tuple[int, int]]) -> Scenario:
    """Nodes on a line, and saturating datagrams over each link."""
    positions = ", ".join(f"[{x}, 0.0]" for x in places)
    text = (
        f'duration = "5 s"\n[topology]\nkind = "positions"\npositions = [{positions}]\n[routing]\nprotocol = "static"\n'
    )
    for src, dst in flows:
        text += (
            f'[[flow]]\nfrom = {src}\nto = {dst}\napp = "cbr"\ntransport = "udp"\nrate = "2 Mb/s"\nsegment = "1000 B"\n'
        )
    return Scenario.from_text(text, path="links.toml")


def test_hidden_terminal_is_named(tmp_path: Path) -> None:
    # Node 2 is 600 m from node 0, which senses up to 550 m, and 360 m from node 1.
    found = explained(tmp_path, two_links([0.0, 240.0, 600.0, 840.0], [(0, 1), (2, 3)]))
    worst = found.collisions[0]
    assert (worst.sender, worst.addressee, worst.other, worst.hidden) == (0, 1, 2, True)
    assert worst.frames > 50
    assert f"Node 2 cannot sense node 0 and collided with {worst.frames} of its frames at node 1." in found.sentences()
    assert found.exposed == []


def test_nodes_in_sensing_range_are_not_hidden(tmp_path: Path) -> None:
    found = explained(tmp_path, two_links([0.0, 100.0, 150.0, 250.0], [(0, 1), (3, 2)]))
    assert found.collisions
    assert not any(collision.hidden for collision in found.collisions)
    assert any(
        re.fullmatch(r"Collisions: \d+ frame-interferer pairs?, 0 % with a hidden terminal\.", sentence)
        for sentence in found.sentences()
    )


def test_exposed_terminals_are_named(tmp_path: Path) -> None:
    # Senders 400 m apart sense each other; each receiver is 600 m from the other sender.
    found = explained(tmp_path, two_links([0.0, 200.0, 600.0, 800.0], [(1, 0), (2, 3)]))
    assert {found.exposed[0].first, found.exposed[0].second} == {(1, 0), (2, 3)}
    assert "Exposed terminals: 1 link pair defers although its data would not collide." in found.sentences()
    first, second = (f"{a} to {b}" for a, b in (found.exposed[0].first, found.exposed[0].second))
    assert f"Links {first} and {second} defer to each other." in found.sentences()


def test_single_link_has_no_collisions(tmp_path: Path) -> None:
    assert "No collisions." in explained(tmp_path, two_links([0.0, 200.0], [(0, 1)])).sentences()


@pytest.mark.parametrize("transport", ["new_reno", "udp", "semi_tcp", "split_tcp"])
def test_packets_and_airtime_are_complete(tmp_path: Path, transport: str) -> None:
    found = explained(tmp_path, scenario(transport, routing="aodv"))
    one = found.run
    assert sum(account.lost for account in found.accounts) == sum(one.drops.values()) - control_drops(tmp_path)
    assert all(account.in_transit >= 0 for account in found.accounts)
    header, rows = waterfall(found)
    assert header[0] == "node"
    assert all(sum(map(float, row[1:])) == pytest.approx(100.0, abs=0.1) for row in rows)
    groups = [use for uses in GROUPS.values() for use in uses]
    assert sorted(groups) == sorted(AIRTIME)
    assert found.bottleneck(0) in found.paths[0]
    assert found.paths[0] == list(range(6))
    sentences = found.sentences()
    goodput = f"{one.flows[0].goodput_bps / 1e3:.1f} kb/s"
    assert sentences[0] == f"Flow 0 ({transport}, 0 to 5, 5 hops): goodput {goodput}."
    assert re.fullmatch(r"Bottleneck: node \d; idle \d+ % of the time, mean queue \d+\.\d packets\.", sentences[1])
    shares = r"transmit \d+ %, receive \d+ %, defer \d+ %, collisions and EIFS \d+ %\."
    assert re.fullmatch(rf"Node {found.bottleneck(0)}: {shares}", sentences[2])
    congestion = [sentence for sentence in sentences if sentence.startswith("Congestion: ")]
    assert len(congestion) == (transport == "semi_tcp")


def test_packets_that_go_on_after_a_drop_are_copies(tmp_path: Path) -> None:
    # Responses are lost often: a sender gives up what its neighbor has.
    lossy = scenario("udp", routing="static").with_({
        "radio.errors.model": "uniform_packet", "radio.errors.frame_error_rate": 0.5, "mac.slrl": 1, "mac.ssrl": 1,
        "mac.rts_threshold": 3000,
    })  # fmt: skip
    accounts = explained(tmp_path, lossy).accounts
    assert sum(account.copies for account in accounts) > 10
    assert all(0 <= account.in_transit <= 60 for account in accounts)


def control_drops(folder: Path) -> int:
    ((count,),) = open_trace(folder).rows("SELECT count(*) FROM events WHERE event = 'dropped' AND flow IS NULL")
    return int(count)


def test_capture_margin_follows_the_path_loss_exponent() -> None:
    """As resolved scenarios have it: with an exponent that only shadowing reads."""
    radio = scenario("muzha").resolve().data["radio"]
    margins = {}
    for name, exponent in (("two_ray", 2.0), ("free_space", 4.0), ("shadowing", 2.7)):
        margins[name] = Ranges.of({**radio, "propagation": name, "path_loss_exponent": exponent}, 550.0).margin
    assert radio["capture_ratio"] == 10.0
    assert margins["two_ray"] == pytest.approx(1.778, abs=1e-3)
    assert margins["free_space"] == pytest.approx(3.162, abs=1e-3)
    assert margins["shadowing"] == pytest.approx(2.346, abs=1e-3)


def test_command_and_stored_run_agree(hoplab: CommandLine, chain: Path, tmp_path: Path) -> None:
    short = ("--set", "duration=3 s")
    text = hoplab("explain", chain, *short)
    assert text.code == 0, text.err
    for part in ("Bottleneck: ", "Airtime by node", "Packet accounting"):
        assert part in text.out
    hoplab("run", chain, *short, "--seeds", "4,5", "--out", "found")
    stored = json.loads(hoplab("explain", "found", "--json").out)
    assert stored["seed"] == 4
    again = json.loads(hoplab("explain", chain, *short, "--seed", 4, "--json").out)
    assert again == stored
    assert sum(value for use, value in stored["airtime"][0].items() if use != "node") == pytest.approx(3.0, abs=1e-6)
    assert sorted(place.name for place in tmp_path.iterdir()) == ["chain.toml", "found"]


def test_bad_arguments_are_refused(hoplab: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert "no stored run" in hoplab("explain", "empty").err
    assert hoplab("explain", "nothing.toml").code == 3
    assert "--set: not supported with a directory" in hoplab("explain", "empty", "--set", "duration=1 s").err


def contrast_of(tmp_path: Path, first: Scenario, second: Scenario) -> Contrast:
    return Contrast(*(explained(tmp_path / name, one) for name, one in (("a", first), ("b", second))))


def test_hidden_terminals_explain_the_loss_of_goodput(tmp_path: Path) -> None:
    hidden = two_links([0.0, 240.0, 600.0, 840.0], [(0, 1), (2, 3)])
    heard = two_links([0.0, 240.0, 440.0, 680.0], [(0, 1), (2, 3)])
    found = contrast_of(tmp_path, heard, hidden)
    rows = {row.name: row for row in found.rows}
    worst = rows["of which with a hidden terminal"]
    assert (worst.second or 0.0) > 20.0 * (worst.first or 0.0)
    assert worst.second == sum(one.frames for one in found.second.collisions)
    goodput = rows["Goodput"]
    assert goodput.first == pytest.approx(sum(flow.goodput_bps for flow in found.first.run.flows) / 1e3)
    assert found.sentences()[0].startswith(f"Goodput {goodput.second:.1f} against {goodput.first:.1f} kb/s")
    assert any("with a hidden terminal" in sentence for sentence in found.sentences())
    shares = [row.second for row in found.airtime]
    assert sum(share for share in shares if share is not None) == pytest.approx(100.0)
    lost = rows["Airtime: collisions and EIFS"]
    assert (lost.second or 0.0) > (lost.first or 0.0)


def test_a_run_against_itself_shows_no_change(tmp_path: Path) -> None:
    same = two_links([0.0, 200.0], [(0, 1)])
    found = contrast_of(tmp_path, same, same)
    assert [row.name for row in found.rows if row.percent] == []
    assert found.sentences()[0].endswith("less than 1 % apart.")
    assert len(found.sentences()) == 1


def test_explain_against_prints_both_runs_and_writes_a_report(hoplab: CommandLine, chain: Path) -> None:
    hoplab("run", str(chain), "-s", "duration=4 s", "--seeds", "1", "--out", "four")
    answer = hoplab(
        "explain", str(chain), "-s", "duration=4 s", "-s", "topology.hops=1", "--against", "four", "--out", "why.html"
    )
    assert answer.code == 0, answer.err
    lines = answer.out.splitlines()
    assert lines[2].startswith("Goodput ")
    assert lines[2].endswith(" % more.")
    assert any(line.startswith("Hops, mean over flows") and line.endswith("-75 %") for line in lines)
    page = Path("why.html").read_text()
    assert '"beside"' in page
    assert "<h3>Both runs</h3>" in page
    wide = hoplab("explain", str(chain), "-s", "duration=4 s", "--against", "four", "--json")
    assert json.loads(wide.out)["rows"][0]["percent"] == 0.0


def test_against_needs_a_run(hoplab: CommandLine, chain: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    answer = hoplab("explain", str(chain), "--against", "empty")
    assert answer.code != 0
    assert "empty: no stored run" in answer.err


def test_reports_of_missing_routes_have_their_account(tmp_path: Path) -> None:
    text = (
        'duration = "12 s"\n[topology]\nkind = "chain"\nhops = 5\nspacing = "200 m"\n[routing]\nprotocol = "dsr"\n'
        '[[flow]]\nfrom = 0\nto = 5\ntransport = "atcp"\nstart = "4 s"\n'
    )
    found = explained(tmp_path, Scenario.from_text(text, path="reports.toml"))
    kinds = [account.kind for account in found.accounts]
    assert kinds == ["segment", "ack", "unreachable"]
    assert all(account.in_transit >= 0 for account in found.accounts)
