"""Where instructions go: what callgrind writes, read by part of the engine."""

from __future__ import annotations

import pytest

from hoplab_validation.bench.profile import PARTS, REST, part_of, shares, table

DUMP = """\
positions: line
events: Ir
fl=(1) /home/me/hoplab/crates/hoplab/src/phy/channel/arrivals.rs
fn=(1) pass
10 4
fi=(2) /rustc/core/src/cmp.rs
+3 6
fi=(3) /home/me/hoplab/crates/hoplab/src/phy/neighbors/mobile_index.rs
7 10
fe=(1)
* 5
cfi=(4) /home/me/hoplab/crates/hoplab/src/mac/dcf.rs
cfn=(2) on_busy
calls=3 12
* 1000
fl=(4)
fn=(2)
12 25
fl=(5) ./malloc/malloc.c
fn=(3) malloc
-1 50
totals: 100
"""


def test_lines_are_charged_to_parts_libraries_to_callers() -> None:
    found = shares(DUMP.splitlines())
    assert found == {
        **dict.fromkeys(PARTS, 0.0),
        "signals at receivers": pytest.approx(0.15),
        "finding receivers": pytest.approx(0.10),
        "stations (DCF)": pytest.approx(0.25),
        REST: pytest.approx(0.50),
    }
    assert shares([]) == {}


def test_parts_of_files() -> None:
    source = "/x/crates/hoplab/src/"
    assert part_of(f"{source}phy/neighbors/receiver_index.rs") == "finding receivers"
    assert part_of(f"{source}phy/neighbors/motion.rs") == "finding receivers"
    assert part_of(f"{source}phy/channel/nav_expiry.rs") == "signals at receivers"
    assert part_of(f"{source}kernel/timing_wheel.rs") == "pending events"
    assert part_of(f"{source}scenario/mod.rs") == REST
    assert part_of("/rustc/core/src/cmp.rs") is None


def test_the_table_has_a_row_per_scenario() -> None:
    of = {**dict.fromkeys([*PARTS, REST], 0.0), "stations (DCF)": 0.256}
    head, _, row = table({"a chain": of}).splitlines()
    assert head.startswith("| scenario | finding receivers | ")
    assert row == "| a chain | 0 % | 0 % | 26 % | 0 % | 0 % | 0 % | 0 % |"
