"""Traces of queues that drop the packet that arrives, or one of another flow."""

from __future__ import annotations

from pathlib import Path

import pytest

import hoplab
from hoplab.store.trace import open_trace


@pytest.mark.parametrize("kind", ["drop_tail", "red", "codel", "pie", "fq_codel", "airtime_fq", "lred"])
def test_drops_of_a_full_queue_are_in_the_trace(tmp_path: Path, kind: str) -> None:
    flows = [
        {"from": 0, "to": 2, "transport": "udp", "app": "cbr", "rate": "5 Mb/s", "start": f"{start} ms"}
        for start in (0, 1, 2)
    ]
    scenario = hoplab.Scenario.from_dict(
        duration="1 s", topology={"kind": "chain", "hops": 2}, queue={"kind": kind, "limit": 10}, flow=flows
    )
    (run,) = hoplab.run(scenario, seeds=1, trace=tmp_path, progress=False)
    ((dropped, named),) = open_trace(tmp_path).rows(
        "SELECT count(*), count(*) FILTER (flow IS NOT NULL AND uid IS NOT NULL) FROM events WHERE event = 'dropped'"
    )
    assert dropped == named == sum(run.drops.values()) > 100
