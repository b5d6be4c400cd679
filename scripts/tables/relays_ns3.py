"""Chains of 802.11a whose relays hand packets on at once or after a while: ns-3.37 beside hoplab, in Mb/s.

python scripts/tables/relays_ns3.py
"""

import itertools

import hoplab
from hoplab.scenario.model import Scenario
from hoplab.stats import Interval, mean_interval
from hoplab_validation.peers.ns3 import ofdm
from hoplab_validation.validate.checks.wifi import MAC, RADIO

HOPS = (3, 4)
RATES = (6, 12, 24)
"""Data and response rates, Mb/s."""
PROCESSING_US = (0, 5, 20)
"""A relay takes no time, less than SIFS, or more: 20 us are in the midst of its ACK."""
SEEDS = range(1, 11)
SPACING_M, OFFERED_MBPS = 25, 24
WARM_S, END_S = 2.0, 12.0


def theirs(hops: int, rate: int, processing_us: int) -> Interval:
    """Goodput in ns-3."""
    mode = f"OfdmRate{rate}Mbps"
    settings = {
        "mode": mode,
        "control": mode,
        "size": str(hops),
        "distance": str(SPACING_M),
        "rate": str(OFFERED_MBPS),
        "warm": f"{WARM_S:g}",
        "processing": str(processing_us),
    }
    program = ofdm.find()
    runs = (ofdm.execute(program, settings, seed, (WARM_S, END_S)) for seed in SEEDS)
    return mean_interval([run.goodput_bps / 1e6 for run in runs])


def ours(hops: int, rate: int) -> Interval:
    """Goodput here."""
    scenario = Scenario.from_dict(
        profile="std",
        duration=f"{END_S:g} s",
        warmup=f"{WARM_S:g} s",
        topology={"kind": "chain", "hops": hops, "spacing": f"{SPACING_M} m"},
        # Below 24 Mb/s two spacings can be decoded: routes take every hop nevertheless.
        radio={**RADIO, "link_threshold": "-78 dBm"},
        mac={**MAC, "data_rate": f"{rate} Mb/s", "basic_rate": f"{rate} Mb/s"},
        link={"arp": False, "delay": "0 s"},
        routing={"protocol": "static", "link_failure_feedback": False},
        flow=[{"transport": "udp", "app": "cbr", "rate": f"{OFFERED_MBPS} Mb/s", "segment": 1472}],
    )
    runs = hoplab.run(scenario, seeds=SEEDS)
    return mean_interval([run.flows[0].goodput_bps / 1e6 for run in runs])


def cell(interval: Interval) -> str:
    """A mean with its half-width."""
    return f"{interval.mean:.3f} ± {interval.half_width or 0.0:.3f}"


def main() -> None:
    """Print the table."""
    print("| hops, rate (Mb/s) | " + " | ".join(f"ns-3, {us} us" for us in PROCESSING_US) + " | hoplab |")
    print("| --- |" + " --- |" * (len(PROCESSING_US) + 1))
    for hops, rate in itertools.product(HOPS, RATES):
        cells = [cell(theirs(hops, rate, us)) for us in PROCESSING_US]
        print(f"| {hops}, {rate} | " + " | ".join([*cells, cell(ours(hops, rate))]) + " |", flush=True)


if __name__ == "__main__":
    main()
