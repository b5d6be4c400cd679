"""Run ns-3.37 for the rows of `minstrel_ht` in `peers/data/ns3_wifi.csv`: goodput in kb/s, with its 95 % interval.

python scripts/tables/wifi_ns3.py
"""

from hoplab.stats import mean_interval
from hoplab_validation.peers.ns3 import ofdm

COMMON = {"standard": "11n", "manager": "MinstrelHtWifiManager", "rate": "70", "queue": "500", "warm": "2"}
ROWS = {
    "rate-minstrel_ht-11n-15m": (5, {"distance": "15"}),
    "rate-minstrel_ht-11n-28m": (5, {"distance": "28"}),
    "rate-minstrel_ht-11n-40m": (5, {"distance": "40"}),
    "rate-minstrel_ht-11n-15m-single": (5, {"distance": "15", "ampdu": "0"}),
    "rate-minstrel_ht-11n-40m-single": (5, {"distance": "40", "ampdu": "0"}),
    "rate-minstrel_ht-11n-25m-m1": (10, {"distance": "25", "nakagami": "1"}),
}
"""Seeds and settings by name of the row."""


def main() -> None:
    """Print the rows."""
    program = ofdm.find()
    for name, (seeds, settings) in ROWS.items():
        runs = (ofdm.execute(program, {**COMMON, **settings}, seed, (2.0, 7.0)) for seed in range(1, seeds + 1))
        found = mean_interval([run.goodput_bps * 1e-3 for run in runs])
        print(f"{name},{found.mean:.3f},{found.half_width:.3f},{seeds}")


if __name__ == "__main__":
    main()
