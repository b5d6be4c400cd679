"""Run the scenarios of the validation's parts `ns3` in ns-3.37 and store them: peers/data/ns3_loss.csv, ns3_chain.csv.

Needs ns-3 (scripts/install-peers.sh) and some minutes. What stands in a table already is not run again; remove it to
begin anew.
"""

from hoplab_validation.peers.compare import text_of
from hoplab_validation.peers.ns3.run import NS3
from hoplab_validation.peers.storing import fill
from hoplab_validation.validate.checks import ns3

SEEDS = range(1, 6)


def main() -> None:
    """Both tables."""
    points = [(rate, distance) for rate in ns3.RATES_MBPS for distance in ns3.DISTANCES_M]
    fill(
        ns3.LOSS_TABLE,
        NS3,
        columns=("rate_mbps", "distance_m", "seed", "lost_pct"),
        scenarios={(f"{rate:g}", f"{distance:g}"): ns3.interfered(rate, distance) for rate, distance in points},
        seeds=SEEDS,
        text_of=text_of,
        values_of=lambda run: (f"{ns3.lost_pct(run.flows[0].goodput_bps):.3f}",),
    )
    chains = [(hops, transport) for transport in ("new_reno", "udp") for hops in ns3.CHAIN_HOPS]
    fill(
        ns3.CHAIN_TABLE,
        NS3,
        columns=("hops", "transport", "seed", "goodput_kbps"),
        scenarios={(str(hops), transport): ns3.chain(hops, transport) for hops, transport in chains},
        seeds=SEEDS,
        text_of=text_of,
        values_of=lambda run: (f"{run.flows[0].goodput_bps / 1e3:.3f}",),
    )


if __name__ == "__main__":
    main()
