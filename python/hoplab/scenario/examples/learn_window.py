"""Train a policy of five numbers for the window of TCP, then compare it on seeds and paths that it has not seen.

python learn_window.py [GENERATIONS]    (needs the extras: pip install 'hoplab[gym]' cmaes)
"""

import sys

import numpy as np
from cmaes import CMA

import hoplab
from hoplab.gym import CongestionVectorEnv, Observed, controller, utility

INTERVAL_S = 0.5
SEEDS = 4  # networks per candidate
CHAIN = hoplab.Scenario.from_dict(
    duration="20 s", topology={"kind": "chain", "hops": 8}, flow=[{"transport": "new_reno"}]
)


def features(observed: Observed) -> np.ndarray:
    """What the policy looks at: numbers of about 1, for one agent or for many."""
    has_sample = np.asarray(observed.min_rtt_s) > 0
    waiting = np.divide(observed.rtt_s, observed.min_rtt_s, out=np.ones(has_sample.shape), where=has_sample)
    return np.stack(
        [
            np.ones(has_sample.shape),
            np.log2(waiting),
            np.log2(observed.cwnd) / 4,
            np.minimum(observed.losses, 1),
            np.minimum(observed.timeouts, 1),
        ],
        axis=-1,
    )


class LearnedWindow:
    """The hyperbolic tangent of a weighted sum."""

    def __init__(self, weights: np.ndarray) -> None:
        self.weights = [float(weight) for weight in weights]

    def __call__(self, observed: Observed) -> float:
        """The action."""
        return float(np.tanh(features(observed) @ np.array(self.weights)))


def train(generations: int) -> LearnedWindow:
    """Evolve the weights; all candidates of a generation run at once, on the same seeds."""
    search = CMA(mean=np.zeros(5), sigma=1.0, seed=1)
    size = search.population_size
    env = CongestionVectorEnv(CHAIN, size * SEEDS, interval_s=INTERVAL_S, reward=utility(0.3))
    for generation in range(generations):
        candidates = np.array([search.ask() for _ in range(size)])
        weights = np.repeat(candidates, SEEDS, axis=0)
        seeds = [1 + generation * SEEDS + network % SEEDS for network in range(size * SEEDS)]
        observed, _ = env.reset(seed=seeds)
        total, truncated = np.zeros(size * SEEDS), np.zeros(1, bool)
        while not truncated.all():
            actions = np.tanh(np.sum(features(Observed.of(observed)) * weights, axis=-1))
            observed, rewards, _, truncated, _ = env.step(actions[:, None])
            total += rewards
        scores = total.reshape(size, SEEDS).mean(axis=1) * INTERVAL_S / 20
        search.tell([(candidate, -score) for candidate, score in zip(candidates, scores, strict=True)])
        print(f"generation {generation + 1}: best {scores.max():.3f}, mean {scores.mean():.3f}")
    return LearnedWindow(search.mean)


if __name__ == "__main__":
    policy = train(int(sys.argv[1]) if len(sys.argv) > 1 else 40)
    print("weights", np.round(policy.weights, 3))
    learned = controller(policy, interval_s=INTERVAL_S)
    over = {"topology.hops": [4, 8, 12]}
    found = hoplab.compare(CHAIN, ["new_reno", "vegas", learned], over=over, seeds="1001..1010")
    print(found.summary())
    print(found.summary("delay_mean_s"))
