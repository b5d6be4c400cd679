"""Steps per second of `hoplab.gym` on a 4-hop chain: `python scripts/measure/gym_speed.py [NETWORKS [INTERVAL_S]]`.

Every repetition steps all networks for the given time; the first is left out. Actions are random.
"""

import os
import statistics
import sys
import time

import numpy as np

import hoplab
from hoplab.gym import CongestionVectorEnv

CHAIN = hoplab.Scenario.from_dict(
    duration="50 s", topology={"kind": "chain", "hops": 4}, flow=[{"transport": "new_reno"}]
)
REPEATS, SECONDS = 6, 3.0


def main() -> None:
    """Measure and print."""
    networks = int(sys.argv[1]) if len(sys.argv) > 1 else 64
    intervals = [float(sys.argv[2])] if len(sys.argv) > 2 else [0.01, 0.02, 0.05, 0.1]
    print(f"{os.cpu_count()} cores, {networks} networks, steps per second in all")
    for interval_s in intervals:
        env = CongestionVectorEnv(CHAIN, networks, interval_s=interval_s)
        env.reset(seed=1)
        actions = np.random.default_rng(1).uniform(-0.2, 0.2, (256, networks, 1))
        rates = []
        for _ in range(REPEATS):
            steps, began = 0, time.perf_counter()
            while time.perf_counter() - began < SECONDS:
                env.step(actions[steps % 256])
                steps += 1
            rates.append(steps * networks / (time.perf_counter() - began))
        rates = rates[1:]
        print(
            f"interval {interval_s * 1e3:.0f} ms: {statistics.median(rates):.3g} ({min(rates):.3g} to {max(rates):.3g})"
        )


if __name__ == "__main__":
    main()
