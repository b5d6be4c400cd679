"""Learn routes of two connections over a grid, then compare them with shortest paths on seeds that it has not seen.

python learn_routes.py [STEPS]    (needs the extra: pip install 'hoplab[gym]')
"""

import sys

import numpy as np

import hoplab
from hoplab.gym import RoutingEnv
from hoplab.stats import mean_interval

GRID = hoplab.Scenario.from_dict(
    duration="60 s",
    topology={"kind": "grid", "rows": 5, "columns": 5},
    flow=[{"transport": "new_reno", "from": 0, "to": 24}, {"transport": "new_reno", "from": 5, "to": 23}],
)
INTERVAL_S = 2.0
RATE = 0.3  # of learning
SEEDS = range(1001, 1011)


def train(env: RoutingEnv, steps: int, random: np.random.Generator) -> np.ndarray:
    """Raise the odds of next hops that were in use when the reward was above its mean (Williams 1992)."""
    odds = [np.zeros(len(choice.next_hops)) for choice in env.choices]
    mean, ended = None, True
    for _ in range(steps):
        if ended:
            env.reset()
        shares = [np.exp(row) / np.exp(row).sum() for row in odds]
        action = np.array([random.choice(len(share), p=share) for share in shares])
        _, reward, _, ended, _ = env.step(action)
        mean = reward if mean is None else mean
        for row, share, taken in zip(odds, shares, action, strict=True):
            np.add(row, RATE * (reward - mean) * ((np.arange(len(row)) == taken) - share), out=row)
        mean += 0.05 * (reward - mean)
    return np.array([int(row.argmax()) for row in odds])


def path(env: RoutingEnv, action: np.ndarray, node: int, destination: int) -> list[int]:
    """Nodes from one end of a path to the first that has no choice."""
    nodes = [node]
    by_pair = {(c.node, c.destination): c.next_hops[index] for c, index in zip(env.choices, action, strict=True)}
    while (node, destination) in by_pair:
        node = by_pair[node, destination]
        nodes.append(node)
    return nodes


def totals_kbps(env: RoutingEnv, action: np.ndarray | None, random: np.random.Generator) -> list[float]:
    """Goodput of both connections by seed, with these routes; without any, with some at random for each seed."""
    totals = []
    for seed in SEEDS:
        env.reset(seed=seed)
        routes = action if action is not None else np.array([random.integers(len(c.next_hops)) for c in env.choices])
        ended = False
        while not ended:
            ended = env.step(routes)[3]
        totals.append(sum(flow.goodput_bps for flow in env.report().flows) / 1e3)
    return totals


if __name__ == "__main__":
    env = RoutingEnv(GRID, interval_s=INTERVAL_S)
    random = np.random.default_rng(1)
    learned = train(env, int(sys.argv[1]) if len(sys.argv) > 1 else 900, random)
    lowest = np.zeros_like(learned)
    for name, routes in (("lowest number", lowest), ("at random", None), ("learned", learned)):
        total = mean_interval(totals_kbps(env, routes, random))
        print(f"{name:14} {total.mean:6.1f} ± {total.half_width:4.1f} kb/s")
    for flow in env.report().flows:
        print(f"flow {flow.id}: {' '.join(str(node) for node in path(env, learned, flow.src, flow.dst))}")
