"""Filling stored tables: what is missing is run, what is there stays, and the scripts find nothing to do."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from hoplab.base.errors import HoplabError, InputError
from hoplab.scenario.model import Scenario
from hoplab_validation.peers import storing
from hoplab_validation.peers.resolved import Resolved
from hoplab_validation.peers.runs import Peer, PeerRun
from hoplab_validation.validate.parts import CHAIN_TABLES

SCRIPTS = Path(__file__).parents[3] / "scripts" / "tables"
COLUMNS = ("hops", "transport", "seed", "value")
HEADER = ",".join(COLUMNS)


def run(program: str, path: Path, seed: int, scenario: Resolved, limit_s: float | None) -> PeerRun:
    """A peer whose CPU time is ten times the seed and one per node, and that breaks with seed 9."""
    if seed == 9:
        raise HoplabError("broken")
    return PeerRun(seed, (), 10.0 * seed + len(path.read_text(encoding="utf-8")))


PEER = Peer(name="ns-0", failed=HoplabError, hung=HoplabError, folder="ns0-", suffix=".x", find=lambda: "ns0", run=run)


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table that is not there yet."""
    monkeypatch.setattr(storing, "DATA", tmp_path)
    return tmp_path / "made.csv"


def fill(table: Path, *seeds: int) -> list[str]:
    """Lines of a table of chains of two hops and of one."""
    storing.fill(
        table.stem,
        PEER,
        columns=COLUMNS,
        scenarios={
            (str(hops), "tcp"): Scenario.from_dict(topology={"kind": "chain", "hops": hops}, flow=[{}])
            for hops in (2, 1)
        },
        seeds=seeds,
        text_of=lambda scenario: "x" * len(scenario.resolve().data["topology"]["positions"]),
        values_of=lambda made: (f"{made.cpu_s:g}",),
    )
    return table.read_text(encoding="utf-8").splitlines()


def test_a_table_is_begun_in_the_order_of_its_scenarios(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fill(table, 10, 2) == [HEADER, "2,tcp,2,23", "2,tcp,10,103", "1,tcp,2,22", "1,tcp,10,102"]
    assert capsys.readouterr().err.splitlines()[0] == "2 tcp 10 103"


def test_what_is_there_stays_as_it_is(table: Path) -> None:
    table.write_text(f"{HEADER}\n2,tcp,1,old\n1,tcp,3,kept\n", encoding="utf-8")
    assert fill(table, 1, 2)[1:] == ["2,tcp,1,old", "2,tcp,2,23", "1,tcp,1,12", "1,tcp,2,22", "1,tcp,3,kept"]


def test_a_run_that_breaks_leaves_those_before_it(table: Path) -> None:
    with pytest.raises(HoplabError, match="broken"):
        fill(table, 1, 2, 3, 9)
    assert table.read_text(encoding="utf-8").splitlines() == [HEADER, "2,tcp,1,13", "2,tcp,2,23"]


@pytest.mark.parametrize(
    ("there", "said"),
    [
        ("", "expected the columns hops"),
        ("hops,seed,value\n", "expected the columns hops, transport, seed, value"),
        (f"{HEADER}\n7,tcp,1,x\n", "unknown scenario 7 tcp"),
    ],
)
def test_another_table_is_refused(there: str, said: str, table: Path) -> None:
    table.write_text(there, encoding="utf-8")
    with pytest.raises(InputError, match=said):
        fill(table, 1)
    assert table.read_text(encoding="utf-8") == there


@pytest.mark.parametrize(
    ("script", "tables"),
    [
        ("traffic_ns2.py", ["ns2_traffic", "ns2_spacing"]),
        ("moving_ns2.py", ["ns2_moving"]),
        ("chain_ns2.py", [table.name for table in CHAIN_TABLES]),
        ("cell_ns2.py", ["ns2_cell"]),
        ("ns3_tables.py", ["ns3_loss", "ns3_chain"]),
    ],
)
def test_scripts_know_their_stored_tables(
    script: str, tables: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the tables that are stored nothing is left to run, and no peer is asked for; without a row, one is."""
    monkeypatch.setattr("hoplab_validation.peers.ns2.run.PROGRAM", "no such program")
    monkeypatch.setattr("ctypes.util.find_library", lambda name: None)
    for name in tables:
        (tmp_path / f"{name}.csv").write_bytes((storing.DATA / f"{name}.csv").read_bytes())
    monkeypatch.setattr(storing, "DATA", tmp_path)
    main = runpy.run_path(str(SCRIPTS / script))["main"]
    main()
    last = tmp_path / f"{tables[-1]}.csv"
    last.write_text("".join(last.read_text(encoding="utf-8").splitlines(keepends=True)[:-1]), encoding="utf-8")
    with pytest.raises(HoplabError, match=r"ns-2|ns-3"):
        main()
