"""Bounds of networks: values of an independent program, closed forms, and runs that stay below."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fakes.command_line import CommandLine

import hoplab
from bounding.cases import REFERENCE, chain, rows, scenario
from hoplab.base.errors import InputError
from hoplab.bounding import bound, graph, replay, shares
from hoplab.bounding.inputs import Network, networks
from hoplab.bounding.loads import fixed_loads, links_used
from hoplab.scenario.model import Scenario
from hoplab.sweeping import sweep


def placed(row: dict[str, Any]) -> str:
    if "positions" in row:
        return f'[topology]\nkind = "positions"\npositions = {REFERENCE["placements"][row["positions"]]}\n'
    return "[topology]\n" + "".join(f"{part.strip()}\n" for part in row["topology"].split(";"))


@pytest.mark.parametrize("row", rows("airtime"))
def test_times_of_an_exchange(row: dict[str, Any]) -> None:
    mac = (
        f'[mac]\nprofile = "{row["profile"]}"\npreamble = "{row["preamble"]}"\n'
        f'data_rate = "{row["data_rate_bps"]} b/s"\nbasic_rate = "{row["basic_rate_bps"]} b/s"\n'
        f'rts_threshold = "{0 if row["rts"] else 3000} B"\n'
    )
    top = f'[topology]\nkind = "chain"\nhops = 1\n{mac}'
    segment = f'segment = "{row["ip_bytes"] - 20} B"\n'
    station = networks(scenario(top, [(0, 1)], "udp", segment), 1)[0].stations[0]
    found = [*station.exchanges[row["ip_bytes"]], station.wait_s, station.difs_s]
    assert [1e6 * value for value in found] == pytest.approx([row[f"{x}_us"] for x in "FRGWD"], abs=2e-3)


@pytest.mark.parametrize("row", [*rows("chain"), *rows("chain_no_acks")])
def test_chains(row: dict[str, Any]) -> None:
    given = chain(row["hops"], row["transport"], row.get("spacing_m", 200))
    for scheduler in ("perfect", "dcf"):
        found = bound(given, scheduler=scheduler, acks=row["kind"] == "chain", schedule=False)
        assert found.sum.high == pytest.approx(row[f"{scheduler}_bps"], rel=1e-6)


@pytest.mark.parametrize("hops", [1, 2, 3, 4, 6, 8, 11, 16])
def test_brackets_of_chains_are_narrow(hops: int) -> None:
    found = bound(chain(hops, "new_reno"))
    assert found.proved
    assert max(row.gap for row in (found.sum, found.max_min, *found.alone)) <= 0.05


@pytest.mark.parametrize("row", rows("network"))
def test_networks(row: dict[str, Any]) -> None:
    given = scenario(placed(row), [(a, b) for a, b in row["flows"]], row["transport"])
    found = bound(given, scheduler=row["scheduler"], time_s=20)
    assert (found.links, found.vertices, found.merged) == (row["links"], row["vertices"], row["merged"])
    for bracket, theirs, slack in (
        (found.sum, row["sum_bps"], 0.002),
        (found.max_min, row["maxmin_bps"], 0.002),
        (found.fair, row["pf_logsum"], 0.0002),
    ):
        assert bracket.low <= theirs[1] * (1.0 + slack)
        assert bracket.high >= theirs[0] * (1.0 - slack)
        assert bracket.gap < 0.01


@pytest.mark.parametrize("row", rows("cell"))
def test_cells(row: dict[str, Any]) -> None:
    stations = row["stations"]
    top = f'[topology]\nkind = "positions"\npositions = {[[0, 0]] * (stations + 1)}\n'
    top += f'[mac]\nprofile = "{row["mac_profile"]}"\nrts_threshold = "{row["rts_threshold"]} B"\n'
    given = scenario(top, [(i, 0) for i in range(1, stations + 1)], "udp")
    assert bound(given, schedule=False).sum.high == pytest.approx(row["dcf_bps"], rel=1e-6)


@pytest.mark.parametrize("row", rows("free"))
def test_free_routes(row: dict[str, Any]) -> None:
    given = scenario(placed(row), [(a, b) for a, b in row["flows"]], row["transport"])
    for scheduler in ("perfect", "dcf"):
        found = bound(given, scheduler=scheduler, routes="free", schedule=False)
        assert found.sum.high == pytest.approx(row[f"{scheduler}_sum_bps"], rel=row["tolerance"])
        assert found.max_min.high == pytest.approx(row[f"{scheduler}_maxmin_bps"], rel=row["tolerance"])


@pytest.mark.parametrize("row", rows("of_possible"))
def test_share_of_the_possible(row: dict[str, Any]) -> None:
    if row["case"].startswith("grid"):
        ends = [(0, 4), (20, 24), (2, 22), (10, 14)]
        given = scenario('[topology]\nkind = "grid"\ncolumns = 5\n', ends, "new_reno")
    else:
        given = chain(8, "semi_tcp" if "semi_tcp" in row["case"] else "new_reno")
    share = row["share"] if isinstance(row["share"], float) else row["share"][1]
    assert bound(given, schedule=False).share(row["goodput_bps"]) == pytest.approx(share, rel=1e-3)


@pytest.mark.parametrize("row", rows("window_cap"))
def test_window_caps_the_bound(row: dict[str, Any]) -> None:
    top = f'[topology]\nkind = "chain"\nhops = {row["hops"]}\n[mac]\nprofile = "{row["mac_profile"]}"\n'
    network = networks(scenario(top, [(0, row["hops"])], "new_reno", f"window = {row['window']}\n"), 1)[0]
    loads = fixed_loads(network, graph.build(network, links_used(network), "dcf"))
    assert loads.caps[0] == pytest.approx(row["cap_bps"], rel=1e-6)


@pytest.mark.parametrize("row", rows("pair"))
def test_conflicts_of_two_links(row: dict[str, Any]) -> None:
    network = networks(chain(8, "udp", row["spacing_m"]), 1)[0]
    first, second = tuple(row["first"]), tuple(row["second"])
    for scheduler, pairs in (("perfect", ("FF", "FR", "RF", "RR")), ("dcf", ("FF",))):
        found = graph.build(network, links_used(network), scheduler)  # type: ignore[arg-type]
        for pair in pairs:
            a, b = found.index[pair[0], first], found.index[pair[1], second]
            assert bool(found.conflicts[a, b] or a == b) == row[pair if scheduler == "perfect" else f"{pair}_dcf"]
    waits = found.index["W", (first[0], first[0])]
    for letter in "FRD":
        other = found.index[letter, second]
        assert bool(found.conflicts[waits, other]) == row[f"W_of_first_sender_with_{letter}"]


def second_builder(network: Network, links: list[tuple[int, int]]) -> set[frozenset[Any]]:
    """Conflicts of frames by loops over pairs, from the definition."""
    frames = {("F", link): link for link in links} | {("R", (a, b)): (b, a) for a, b in links}
    found = set()
    for one, (u, v) in frames.items():
        for other, (x, y) in frames.items():
            power = network.power_w
            harms = power[u, y] >= network.cs_threshold_w and power[x, y] < network.capture_ratio * power[u, y]
            if one != other and ({u, v} & {x, y} or harms):
                found.add(frozenset((one, other)))
    return found


@pytest.mark.parametrize("seed", range(5))
def test_a_second_builder_finds_the_same_conflicts(seed: int) -> None:
    rng = np.random.default_rng(seed)
    positions = rng.uniform(0.0, 700.0, (12, 2)).round(3).tolist()
    network = networks(scenario(f'[topology]\nkind = "positions"\npositions = {positions}\n', [(0, 1)], "udp"), 1)[0]
    links = network.links()
    found = graph.build(network, links, "perfect")
    ours = {
        frozenset((a, b))
        for i, a in enumerate(found.vertices)
        for b in found.vertices[:i]
        if a[0] != "G" and b[0] != "G"
        and (found.index[a] == found.index[b] or found.conflicts[found.index[a], found.index[b]])
    }  # fmt: skip
    assert ours == second_builder(network, links)


def test_order_of_objectives_and_schedulers() -> None:
    given = scenario('[topology]\nkind = "cross"\nhops = 4\n', [(0, 4), (5, 8)], "new_reno")
    dcf, perfect = bound(given), bound(given, scheduler="perfect")
    assert dcf.sum.high <= perfect.sum.high
    assert dcf.sum.high * (1 + 1e-6) >= 2 * dcf.max_min.high
    assert dcf.sum.high >= math.fsum(dcf.fair.flows_bps) * (1 - 1e-6)
    assert max(row.high for row in dcf.alone) <= dcf.sum.high * (1 + 1e-6)
    assert bound(given, acks=False).sum.high > dcf.sum.high
    less = bound(given.with_({"radio.capture_ratio": 20.0}), schedule=False)
    assert less.sum.high <= dcf.sum.high * (1 + 1e-6)


@pytest.mark.parametrize(
    "transport",
    ["udp", "new_reno", "vegas", "semi_tcp", "semi_tcp_sack", "hop_release", "tcp_ap", "rcp", "split_tcp", "muzha"],
)
@pytest.mark.parametrize("seed", range(1, 4))
def test_no_run_exceeds_its_bound(transport: str, seed: int) -> None:
    """A run above its bound is a fault of one of the two."""
    rng = np.random.default_rng(seed)
    positions = rng.uniform(0.0, 500.0, (10, 2)).round(3).tolist()
    ends = [(int(a), int(b)) for a, b in rng.choice(10, (3, 2), replace=False)]
    top = f'warmup = "5 s"\n[topology]\nkind = "positions"\npositions = {positions}\n'
    run = hoplab.run(given := scenario(top, ends, transport), seeds=1)[0]
    assert 0.0 < bound(given, schedule=False).share(run) <= 1.003


def test_moving_nodes_have_a_bound_over_snapshots() -> None:
    text = """
    duration = "20 s"
    [topology]
    kind = "grid"
    columns = 3
    [mobility]
    kind = "waypoint"
    init = "topology"
    [routing]
    protocol = "aodv"
    [[flow]]
    from = 0
    to = 8
    """
    given = hoplab.Scenario.from_text(text, path="moving.toml")
    found = bound(given)
    assert (found.routes, found.strict, found.proved) == ("free", False, False)
    assert 0.0 < found.share(hoplab.run(given, seeds=1)[0]) <= 1.02
    with pytest.raises(InputError, match="nodes move"):
        bound(given, routes="fixed")


def test_what_is_not_supported_says_so() -> None:
    radio = {"standard": "11n", "propagation": "shadowing", "shadowing_deviation_db": 0, "path_loss_exponent": 3}
    ht = {
        "profile": "std",
        "duration": "5 s",
        "radio": radio,
        "topology": {"kind": "chain", "hops": 1, "spacing": "20 m"},
        "flow": [{"transport": "udp", "app": "cbr", "rate": "1 Mb/s"}],
    }
    with pytest.raises(InputError, match=r"mac\.ampdu and mac\.amsdu join packets, expected neither for a replay"):
        replay(Scenario.from_dict(ht))
    with pytest.raises(InputError, match="finds routes during the run"):
        bound(chain(2, "udp").with_({"routing.protocol": "aodv"}), routes="fixed")
    with pytest.raises(InputError, match="no path between nodes 0 and 1"):
        bound(chain(1, "udp", 400))


def test_run_and_compare_show_and_store_shares(tmp_path: Path, hoplab: CommandLine) -> None:
    (tmp_path / "c.toml").write_text('duration = "20 s"\n[topology]\nkind = "chain"\nhops = 2\n[[flow]]\n')
    single = hoplab("run", str(tmp_path / "c.toml"), "--possible")
    assert "of possible " in single.out
    both = hoplab("compare", str(tmp_path / "c.toml"), "-t", "new_reno,vegas", "--seeds", "2", "--possible")
    assert "possible" in both.out  # a narrow heading breaks
    one = json.loads(hoplab("run", str(tmp_path / "c.toml"), "--possible", "--json").out)
    assert 0.9 < one["possible_share"] < 1.0
    assert one["fair_share"] == pytest.approx(one["possible_share"])
    for command in (["run"], ["compare", "-t", "new_reno,vegas", "--seeds", "2"]):
        out = tmp_path / command[0]
        hoplab(command[0], str(tmp_path / "c.toml"), *command[1:], "--possible", "--out", str(out))
        assert re.search(r"of (the )?possible", described(hoplab("report", str(out)), out))


def described(command: Any, out: Path) -> str:
    """The page of a directory, built again from its files."""
    assert command.code == 0, command.err
    return (out / "report.html").read_text(encoding="utf-8")


def test_a_sweep_file_asks_for_shares(tmp_path: Path, hoplab: CommandLine) -> None:
    flow = 'duration = "10 s"\n[topology]\nkind = "chain"\n[[flow]]\n'
    (tmp_path / "s.toml").write_text(flow + '[sweep]\npossible = true\n[sweep.axes]\n"topology.hops" = [1, 2]\n')
    done = hoplab("sweep", str(tmp_path / "s.toml"), "--json", "--out", str(tmp_path / "out"))
    points = [json.loads(line) for line in done.out.splitlines()]
    assert [0.9 < point["possible_share"]["mean"] < 1.0 for point in points] == [True, True]
    found = sweep(tmp_path / "s.toml", out=tmp_path / "out", progress=False)
    assert [found.shares[i].possible.mean for i in range(2)] == [point["possible_share"]["mean"] for point in points]


def test_random_networks_have_a_bound_per_seed() -> None:
    top = 'duration = "10 s"\n[topology]\nkind = "random"\nnodes = 10\narea = ["400 m", "400 m"]\n'
    text = f"{top}[[flow]]\nfrom = 0\nto = 9\n"
    found = shares(hoplab.run(hoplab.Scenario.from_text(text, path="r.toml"), seeds=3))
    assert found.possible.n == 3
    assert 0.3 < found.possible.mean <= 1.003
