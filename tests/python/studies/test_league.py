"""The league: networks that run, ranks by hand, refusals with reasons, a controller of the user, stored runs reused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fakes.command_line import CommandLine

from hoplab.base.errors import InputError
from hoplab_studies.commands.league import _controllers as own
from hoplab_studies.league import NETWORKS, networks
from hoplab_studies.league.networks import FOLDER, refusal, transports
from hoplab_studies.league.table import MEASURES, _ranks

GENTLE = """\
import hoplab


class Gentle(hoplab.Controller):
    def on_ack(self, ack):
        self.cwnd += 0.25 / self.cwnd


class Helper:
    pass
"""


def test_every_file_is_a_network_with_a_title() -> None:
    assert sorted(NETWORKS) == sorted(path.stem for path in FOLDER.glob("*.toml"))
    for network in networks():
        assert network.title
        assert network.title[0].isupper() or network.title[0].isdigit()
        assert network.scenario.resolve().data["flows"] or network.table == "workload"
        assert refusal(network, "new_reno") is None


def test_ranks_are_those_of_each_network_and_seed() -> None:
    values = {
        ("a", "x"): {1: 3.0, 2: 3.0},
        ("a", "y"): {1: 2.0, 2: 3.0},
        ("a", "z"): {1: 1.0, 2: 1.0},
        ("b", "x"): {1: 1.0, 2: 1.0},
        ("b", "y"): {1: 2.0, 2: 2.0},
    }
    goodput, delay = MEASURES[:2]
    found = _ranks(values, goodput, ["x", "y", "z", "w"])
    # x: seed 1 ranks 1 and 2, seed 2 ranks 1.5 and 2
    assert found["x"] is not None
    assert found["x"].mean == pytest.approx((1.5 + 1.75) / 2)
    assert found["y"] is not None
    assert found["y"].mean == pytest.approx((1.5 + 1.25) / 2)
    assert found["z"] is not None
    assert found["z"].mean == 3.0
    assert found["w"] is None
    other = _ranks(values, delay, ["x", "y", "z"])
    assert other["z"] is not None
    assert other["z"].mean == 1.0


def test_a_league_of_three_with_a_controller(hoplab: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(GENTLE)
    asked = ("league", "--transports", "new_reno,muzha", "--networks", "chain-4,gateway", "--seeds", "2")
    done = hoplab(*asked, "--with", "mine.py")
    assert done.code == 0, done.err
    assert "8 runs" not in done.out
    assert "10 runs: about" in done.err
    assert "3 transports over 2 networks" in done.out
    assert "muzha: gateway" in done.out
    stored = tmp_path / "results" / "league" / "league.json"
    first: dict[str, Any] = json.loads(stored.read_text())
    assert {row["transport"].split("@")[0] for row in first["rows"]} == {"new_reno", "muzha", "python:Gentle"}
    shares = [row["possible_share"] for row in first["rows"]]
    assert all(0.2 < share < 1.0 for share in shares)
    assert first["refused"][0]["reason"].startswith("not supported with [[wire]]")
    again = hoplab(*asked, "--json")
    assert "all stored" in again.err
    rows = {row["transport"]: row for row in json.loads(again.out)["rows"]}
    assert rows["new_reno"]["values"] == next(row for row in first["rows"] if row["transport"] == "new_reno")["values"]


def test_a_controller_has_the_base_that_is_named(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(GENTLE)
    (plain,) = own(f"{tmp_path / 'mine.py'}")
    (over,) = own(f"{tmp_path / 'mine.py'}:Gentle+tcp_reno")
    assert over == f"{plain}+tcp_reno"
    (transfers,) = networks(["transfers"])
    assert refusal(transfers, over) is None
    assert "requires a complete connection as the base" in str(refusal(transfers, plain))
    with pytest.raises(InputError, match="unknown base 'vegas'"):
        own(f"{tmp_path / 'mine.py'}+vegas")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--networks", "mesured"), "did you mean measured?"),
        (("--transports", "new-reno"), "unknown transport 'new-reno'"),
        (("--with", "none.py"), "file not found"),
        (("--seeds", "1"), "greater than or equal to 2"),
        (("--transports", "muzha", "--networks", "gateway"), "no network takes any of these transports"),
    ],
)
def test_wrong_arguments_are_named(hoplab: CommandLine, tmp_path: Path, arguments: tuple[str, ...], words: str) -> None:
    done = hoplab("league", *arguments)
    assert done.code == 2
    assert words in done.err
    assert not (tmp_path / "results").exists()


def test_datagrams_take_no_part() -> None:
    assert "udp" not in transports()
    assert "new_reno" in transports()
