"""The page on transports from a server into a mesh: its script runs what is valid and names the rest."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from hoplab.running.execution import run as run_scenario

ROOT = Path(__file__).parents[3]
SCRIPT = ROOT / "scripts/pages/gateway_mesh.py"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("gateway_mesh", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["gateway_mesh"] = module
    spec.loader.exec_module(module)
    return module


def test_page_has_a_row_per_transport_and_queue(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "mesh.md"
    asked = ["--transports", "tcp_cubic,vegas,semi_tcp,tcp_quick", "--seeds", "2", "--out", str(page)]
    monkeypatch.setattr(sys, "argv", [str(SCRIPT), *asked])
    script.main()
    text = page.read_text(encoding="utf-8")
    assert [
        line.split(" | ")[0:2] for line in text.splitlines() if line.startswith(("| CUBIC", "| Vegas", "| Semi"))
    ] == [
        ["| CUBIC", "drop-tail"],
        ["| CUBIC", "FQ-CoDel"],
        ["| Vegas (pages: NewReno)", "drop-tail"],
        ["| Vegas (pages: NewReno)", "FQ-CoDel"],
        ["| Semi-TCP (from the gateway; pages: NewReno)", "drop-tail"],
        ["| Semi-TCP (from the gateway; pages: NewReno)", "FQ-CoDel"],
    ]
    assert text.count("| NewReno (from the gateway) |") == 2
    assert "- Semi-TCP (`semi_tcp`): it needs parts at each node" in text
    assert '- tcp_quick (`tcp_quick`): unknown value "tcp_quick".' in text


def test_pages_start_alike_for_all_transports(script: ModuleType) -> None:
    starts = []
    for transport in ("tcp_reno", "tcp_cubic"):
        (point, scenario), _ = script.points(transport)[0]
        assert point.web == transport
        (run,) = run_scenario(scenario.with_({"duration": "25 s"}), seeds=1)
        users = [flow for flow in run.flows if flow.workload == 0]
        assert {flow.transport for flow in users} == {transport}
        starts.append([(flow.dst, flow.start_s) for flow in users])
    assert starts[0] == starts[1]
    assert len({start for _, start in starts[0]}) == len(script.WEB)


def test_stored_page_names_every_transport(script: ModuleType) -> None:
    text = (ROOT / script.PAGE).read_text(encoding="utf-8")
    assert [name for name in script.NAMES.values() if name not in text] == []
