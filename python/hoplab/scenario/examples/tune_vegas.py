"""Search for the constants of Vegas on training networks, then compare them on networks and seeds that it has not seen.

python tune_vegas.py [TRIALS]    (needs: pip install hoplab optuna)
"""

import math
import sys

import optuna

import hoplab

ALPHA, BETA = "tcp.congestion.vegas.alpha", "tcp.congestion.vegas.beta"
DELAY_WEIGHT = 0.3


def chain(hops: int, *, forth: int = 1, back: int = 0) -> hoplab.Scenario:
    """Flows between the ends of a chain."""
    ends = [{"from": "first", "to": "last"}] * forth + [{"from": "last", "to": "first"}] * back
    flows = [{"transport": "vegas"} | pair for pair in ends]
    return hoplab.Scenario.from_dict(
        duration="40 s", warmup="10 s", topology={"kind": "chain", "hops": hops}, flow=flows
    )


TRAINING = [chain(4), chain(8), chain(6, forth=2)]
HOLD_OUT = {
    "3 hops": chain(3),
    "12 hops": chain(12),
    "5 hops, 3 flows": chain(5, forth=3),
    "7 hops, 2 ways": chain(7, back=1),
}


def utility(scenario: hoplab.Scenario, constants: dict[str, float], seeds: str) -> float:
    """Mean logarithm of a flow's rate (kb/s) less that of its delay (ms), over flows and runs."""
    runs = hoplab.run(scenario.with_(constants), seeds=seeds, progress=False)
    flows = [flow for run in runs for flow in run.flows]
    scores = [
        math.log(max(flow.goodput_bps, 1e3) / 1e3) - DELAY_WEIGHT * math.log(1e3 * (flow.delay_mean_s or 10.0))
        for flow in flows
    ]
    return sum(scores) / len(scores)


def objective(trial: optuna.Trial) -> float:
    """Mean utility over the training networks; an unpromising trial is stopped after one of them."""
    alpha = trial.suggest_float("alpha", 0.1, 4.0, log=True)
    constants = {ALPHA: alpha, BETA: alpha + trial.suggest_float("width", 0.05, 4.0, log=True)}
    scores = []
    for step, network in enumerate(TRAINING):
        scores.append(utility(network, constants, seeds="1..5"))
        trial.report(sum(scores) / len(scores), step)
        if trial.should_prune():
            raise optuna.TrialPruned
    return sum(scores) / len(scores)


def interval(values: list[float]) -> str:
    """Mean and half of the 95 % interval of ten values."""
    mean = sum(values) / len(values)
    variance = sum((value - mean) ** 2 for value in values) / (len(values) - 1)
    return f"{mean:6.1f} ± {2.262 * math.sqrt(variance / len(values)):4.1f}"


if __name__ == "__main__":
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(
        direction="maximize", sampler=optuna.samplers.TPESampler(seed=1), pruner=optuna.pruners.MedianPruner()
    )
    study.enqueue_trial({"alpha": 1.0, "width": 2.0})  # the defaults
    study.optimize(objective, n_trials=int(sys.argv[1]) if len(sys.argv) > 1 else 60)
    alpha = study.best_params["alpha"]
    found = {ALPHA: alpha, BETA: alpha + study.best_params["width"]}
    print(f"alpha {found[ALPHA]:.2f}, beta {found[BETA]:.2f}: utility {study.best_value:.3f} in training")
    for name, network in HOLD_OUT.items():
        for label, constants in (("default", {}), ("found", found)):
            runs = hoplab.run(network.with_(constants), seeds="1001..1010", progress=False)
            rates = [sum(flow.goodput_bps for flow in run.flows) / 1e3 for run in runs]
            delays = [1e3 * sum(flow.delay_mean_s or 0 for flow in run.flows) / len(run.flows) for run in runs]
            score = utility(network, constants, seeds="1001..1010")
            print(f"{name:16} {label:8} {interval(rates)} kb/s, {interval(delays)} ms, utility {score:.3f}")
