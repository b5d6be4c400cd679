"""The constants of TCP Muzha's routers: searched on training chains, judged on test chains that the search never sees.

The paper gives no formula for its routers' level. Ours has thresholds and a time constant; the search walks along one
of them after the other over a grid, for the best mean goodput beside NewReno's among settings that send few segments
again and share a crossing with NewReno.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hoplab.running.execution import Order, run_orders
from hoplab.running.runs import Runs
from hoplab.scenario.model import Scenario
from hoplab.stats import Interval
from hoplab_studies.muzha import scenarios
from hoplab_studies.shared.measures import ratio

Setting = tuple[tuple[str, str | float], ...]
"""Constants by their key below ``muzha.drai``, in the order of the grid."""

GRID: Mapping[str, tuple[str | float, ...]] = {
    "tau": ("0.25 s", "0.5 s", "1 s"),
    "q4": (1.5, 2.0, 4.0),
    "q3": (0.6, 0.8, 1.0),
    "q2": (0.3, 0.4, 0.5),
    "q1": (0.05, 0.1, 0.2),
    "u2": (0.85, 0.9, 0.95, 0.97),
    "u3": (0.97, 0.99, 1.0),
}
"""Values that are tried (docs/specs/muzha.md section 8, `u2` and `u3` wider)."""

REFERENCES = ("new_reno", "sack", "vegas")
ORACLE_WINDOWS = tuple(range(1, 21))
RESENT_SHARE = 0.5
"""Most retransmissions allowed, as a share of NewReno's."""

FAIR = (0.6, 1.0 / 0.6)
"""Goodput allowed over that of the NewReno flow that crosses: the tolerance of claim M16 (objective 4 of the paper)."""

TRAINING_SEED, TEST_SEED = 1, 2001


@dataclass(frozen=True)
class Ground:
    """Chains to run on, with seeds of their own."""

    name: str
    hops: tuple[int, ...]
    seeds: tuple[int, ...]
    changes: Mapping[str, object] = field(default_factory=dict)
    crosses: tuple[int, ...] = ()

    def cross(self, hops: int, more: Mapping[str, object] | None = None) -> Scenario:
        """Muzha and NewReno on two chains that share their middle node."""
        base = scenarios.cross()
        return base.with_({"topology.hops": hops, "flow.0.transport": "muzha", **self.changes, **(more or {})})

    def scenario(self, hops: int, transport: str, more: Mapping[str, object] | None = None) -> Scenario:
        """One chain."""
        base = scenarios.chain()
        return base.with_({"topology.hops": hops, "flow.transport": transport, **self.changes, **(more or {})})


def training(seeds: int) -> Ground:
    """Chains and crosses that the search sees."""
    chosen = tuple(range(TRAINING_SEED, TRAINING_SEED + seeds))
    return Ground("training", (3, 5, 6, 10, 14), chosen, crosses=(5, 7))


def tests(seeds: int) -> tuple[Ground, ...]:
    """Those that it does not: the paper's, others between them, and another spacing."""
    chosen = tuple(range(TEST_SEED, TEST_SEED + seeds))
    return (
        Ground("250 m", (4, 7, 8, 9, 12, 16, 32), chosen, crosses=(4, 6, 8, 10)),
        Ground("200 m", (4, 8, 12, 16), chosen, {"topology.spacing": "200 m"}, crosses=(4, 6, 8)),
    )


@dataclass(frozen=True)
class References:
    """What others do on a ground, by transport and hops."""

    ground: Ground
    runs: Mapping[tuple[str, int], Runs]

    def values(self, metric: str, transport: str, hops: int) -> list[float]:
        """One number per seed."""
        return self.runs[transport, hops].values(metric)


@dataclass(frozen=True)
class Score:
    """How a setting does on a ground.

    Attributes
    ----------
    gain : float
        Mean over chains of Muzha's mean goodput over NewReno's.
    broken : int
        Chains with more retransmissions than half of NewReno's, or than SACK's.
    shares : mapping
        Muzha's mean goodput over that of the NewReno flow that crosses, by hops.
    """

    setting: Setting
    gain: float
    broken: int
    shares: Mapping[int, float] = field(default_factory=dict)

    @property
    def unfair(self) -> int:
        """Crosses on which one of the two takes more than the other permits."""
        low, high = FAIR
        return sum(not low <= share <= high for share in self.shares.values())

    @property
    def key(self) -> tuple[int, float]:
        """Larger is better: first within the limits of retransmissions and shares, then fast."""
        return (-self.broken - self.unfair, self.gain)


@dataclass(frozen=True)
class Oracle:
    """The best fixed limit of NewReno's window on one chain."""

    hops: int
    window: int
    goodput_bps: float


@dataclass(frozen=True)
class Judged:
    """One chain of the test: ratios of means with Fieller's intervals, paired by seed."""

    ground: str
    hops: int
    over_new_reno: Interval
    over_sack: Interval
    resent: Mapping[str, float]
    goodput_bps: float
    window: float
    oracle: Oracle | None

    @property
    def fewest(self) -> bool:
        """Whether NewReno and SACK both send more segments again, or nobody any."""
        return self.resent["muzha"] <= min(self.resent["new_reno"], self.resent["sack"])


def run_references(ground: Ground, *, threads: int | None, progress: bool | None) -> References:
    """The other transports on a ground."""
    keys = [(name, hops) for name in REFERENCES for hops in ground.hops]
    orders = [Order(ground.scenario(hops, name), ground.seeds) for name, hops in keys]
    found = run_orders(orders, threads=threads, progress=progress, label=f"references, {ground.name}")
    return References(ground, dict(zip(keys, found, strict=True)))


def oracles(ground: Ground, *, threads: int | None, progress: bool | None) -> list[Oracle]:
    """For each chain the limit of NewReno's window with the largest mean goodput."""
    keys = [(hops, window) for hops in ground.hops for window in ORACLE_WINDOWS]
    orders = [Order(ground.scenario(hops, "new_reno", {"flow.window": window}), ground.seeds) for hops, window in keys]
    found = run_orders(orders, threads=threads, progress=progress, label=f"fixed windows, {ground.name}")
    best: dict[int, Oracle] = {}
    for (hops, window), runs in zip(keys, found, strict=True):
        goodput = _mean(runs.values("goodput_bps"))
        if hops not in best or goodput > best[hops].goodput_bps:
            best[hops] = Oracle(hops, window, goodput)
    return list(best.values())


def score(references: References, setting: Setting, *, threads: int | None, progress: bool | None) -> Score:
    """Run one setting on the chains of the references."""
    ground = references.ground
    orders = [Order(ground.scenario(hops, "muzha", _keys(setting)), ground.seeds) for hops in ground.hops]
    gains, broken = [], 0
    for hops, runs in zip(ground.hops, run_orders(orders, threads=threads, progress=progress), strict=True):
        gains.append(_mean(runs.values("goodput_bps")) / _mean(references.values("goodput_bps", "new_reno", hops)))
        resent = _mean(runs.values("retransmissions"))
        new_reno, sack = (_mean(references.values("retransmissions", name, hops)) for name in ("new_reno", "sack"))
        broken += resent > min(RESENT_SHARE * new_reno, sack)
    shares = {hops: found.mean for hops, found in share(ground, setting, threads=threads, progress=progress).items()}
    return Score(setting, _mean(gains), broken, shares)


def share(ground: Ground, setting: Setting, *, threads: int | None, progress: bool | None) -> dict[int, Interval]:
    """Goodput of Muzha over that of the NewReno flow that crosses, by hops: ratios of means, paired by seed."""
    orders = [Order(ground.cross(hops, _keys(setting)), ground.seeds) for hops in ground.crosses]
    found = run_orders(orders, threads=threads, progress=progress)
    both = [tuple(runs.values("goodput_bps", flow=flow) for flow in (0, 1)) for runs in found]
    return {hops: ratio(*pair) for hops, pair in zip(ground.crosses, both, strict=True)}


def search(
    references: References, start: Setting, *, passes: int, threads: int | None, progress: bool | None
) -> list[Score]:
    """Walk along one constant after the other; all settings that were tried, the chosen one last."""
    tried: dict[Setting, Score] = {}

    def at(setting: Setting) -> Score:
        if setting not in tried:
            tried[setting] = score(references, setting, threads=threads, progress=progress)
        return tried[setting]

    best = at(start)
    for _ in range(passes):
        before = best
        for name, values in GRID.items():
            found = [at(_with(best.setting, name, value)) for value in values]
            best = max((best, *found), key=lambda one: one.key)
        if best == before:
            break
    return [*(one for one in tried.values() if one != best), best]


def judge(
    references: References,
    setting: Setting,
    best: Sequence[Oracle],
    *,
    threads: int | None,
    progress: bool | None,
) -> list[Judged]:
    """Run the frozen setting once on a test ground."""
    ground = references.ground
    orders = [Order(ground.scenario(hops, "muzha", _keys(setting)), ground.seeds) for hops in ground.hops]
    by_hops = {oracle.hops: oracle for oracle in best}
    found = []
    for hops, runs in zip(ground.hops, run_orders(orders, threads=threads, progress=progress), strict=True):
        goodput = runs.values("goodput_bps")
        resent = {name: _mean(references.values("retransmissions", name, hops)) for name in REFERENCES}
        over, sack = (ratio(goodput, references.values("goodput_bps", name, hops)) for name in ("new_reno", "sack"))
        resent["muzha"] = _mean(runs.values("retransmissions"))
        window = _mean(runs.values("cwnd_mean"))
        found.append(Judged(ground.name, hops, over, sack, resent, _mean(goodput), window, by_hops.get(hops)))
    return found


def default_setting() -> Setting:
    """The engine's own constants, as the resolved scenario tells them."""
    drai = scenarios.chain().resolve().data["muzha"]["drai"]
    return tuple((name, f"{drai['tau_s']:g} s" if name == "tau" else drai[name]) for name in GRID)


def _keys(setting: Setting) -> dict[str, object]:
    return {f"muzha.drai.{name}": value for name, value in setting}


def _with(setting: Setting, name: str, value: str | float) -> Setting:
    return tuple((key, value if key == name else old) for key, old in setting)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
