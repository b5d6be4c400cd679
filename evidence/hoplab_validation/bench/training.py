"""Training runs of profile-guided optimization (`make fast`).

Usage: ``python -m hoplab_validation.bench.training``. The scenarios of the instruction counts, every transport over a
chain, and a moving network by profile `std`; each once, a second or two in all.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from hoplab.base.engine import own_transports
from hoplab.scenario.model import Scenario
from hoplab_validation.bench import counted
from hoplab_validation.bench.cases import suite
from hoplab_validation.bench.instructions import cases

SIMULATED_S = 60


def scenarios() -> dict[str, Scenario]:
    """What is run, by name."""
    duration = f"{SIMULATED_S} s"
    chain = suite.chain(4, "aodv")
    over_chain = {
        f"chain of 4 hops, {name}": Scenario.from_dict(
            {**chain, "flow": [{**flow, "transport": name} for flow in chain["flow"]]}, duration=duration
        )
        for name in own_transports()
        if name != "udp"
    }
    standard = Scenario.from_dict({**suite.moving(), "profile": "std"}, duration=duration)
    return {**cases(), **over_chain, "50 moving nodes, std": standard}


def main() -> None:
    """Run them."""
    with tempfile.TemporaryDirectory(prefix="hoplab-training-") as name:
        files = []
        for number, scenario in enumerate(scenarios().values()):
            files.append(Path(name) / f"{number}.toml")
            files[-1].write_text(scenario.resolve().toml, encoding="utf-8")
        counted.main([str(file) for file in files])


if __name__ == "__main__":
    main()
