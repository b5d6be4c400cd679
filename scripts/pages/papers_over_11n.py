"""Write the page on the papers' protocols over 802.11n: hops, aggregation, one radio or two per relay.

python scripts/pages/papers_over_11n.py            # run, then write docs/judge/papers-over-11n.md
python scripts/pages/papers_over_11n.py --hops 1,4 --seeds 2 --out page.md
"""

import argparse
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hoplab import ScenarioError
from hoplab.base.errors import HoplabError
from hoplab.base.transports import transport_title
from hoplab.bounding import limits
from hoplab.running.execution import Order, run_orders
from hoplab.running.runs import Runs
from hoplab.scenario.controllers import overrides_of
from hoplab.scenario.model import Scenario
from hoplab.stats import Interval, Paired, mean_interval, paired

ROOT = Path(__file__).parents[2]
PAGE = Path("docs/judge/papers-over-11n.md")
TRANSPORTS = (
    "new_reno",
    "cubic",
    "tcp_cubic",
    "tcp_bbr",
    "semi_tcp",
    "tcp_ap",
    "muzha",
    "split_tcp",
    "xcp",
    "xcp_winf",
    "rcp",
    "rcp_winf",
)
HOPS = (1, 2, 3, 4, 6, 8)
SEEDS = 20
DURATION_S, WARMUP_S = 12, 2
CHANNELS = (36, 40, 44, 48)
"""Channels of the hops of a chain with two radios per relay, in turn."""
CHAIN = {
    "profile": "std",
    "duration": f"{DURATION_S} s",
    "warmup": f"{WARMUP_S} s",
    "radio": {
        "standard": "11n",
        "propagation": "shadowing",
        "shadowing_deviation_db": 0.0,
        "path_loss_exponent": 3.0,
        "tx_power": "40 mW",
    },
    "mac": {"mcs": 3, "rts_threshold": 0},
    "routing": {"protocol": "static"},
    "flow": [{"from": "first", "to": "last"}],
}
SPACING = "25 m"


@dataclass(frozen=True)
class Radio:
    """A way to use the radio.

    Attributes
    ----------
    title, within, about : str
        Heading, its form within a sentence, and the sentence below it.
    joins : bool
        A-MPDUs, or single frames.
    radios : int
        Radios per relay.
    """

    title: str
    within: str
    about: str
    joins: bool
    radios: int


RADIOS = (
    Radio(
        "Single frames, one radio",
        "single frames and one radio",
        "All hops share one channel; no aggregation.",
        joins=False,
        radios=1,
    ),
    Radio(
        "A-MPDUs, one radio",
        "A-MPDUs and one radio",
        "All hops share one channel; A-MPDUs up to 65,535 bytes.",
        joins=True,
        radios=1,
    ),
    Radio(
        "Single frames, two radios per relay",
        "single frames and two radios",
        f"Hops take channels {', '.join(map(str, CHANNELS))} in turn.",
        joins=False,
        radios=2,
    ),
    Radio(
        "A-MPDUs, two radios per relay",
        "A-MPDUs and two radios",
        f"Hops take channels {', '.join(map(str, CHANNELS))} in turn.",
        joins=True,
        radios=2,
    ),
)

Key = tuple[Radio, int, str]
"""Radio, hops, transport."""


@dataclass(frozen=True)
class Claim:
    """What a paper says on a chain.

    Attributes
    ----------
    paper, words : str
        Whose it is, and the claim in our words.
    pair : (str, str)
        The transport of the claim, and the one it is compared with.
    metric : str
        What the paper measures: payload in order, or that of distinct segments.
    """

    paper: str
    words: str
    pair: tuple[str, str]
    metric: str = "goodput_bps"


CLAIMS = (
    Claim(
        "[Semi-TCP](studies/semi-tcp.md)",
        "carries more than TCP-AP over many hops",
        ("semi_tcp", "tcp_ap"),
        "unique_bps",
    ),
    Claim("[TCP Muzha](studies/muzha.md)", "carries 5 to 10 % more than NewReno", ("muzha", "new_reno")),
    Claim("[Split TCP](studies/split-tcp.md)", "carries 5 to 30 % more than TCP", ("split_tcp", "new_reno")),
    Claim("[XCP-Winf](studies/winf.md)", "carries more than XCP", ("xcp_winf", "xcp")),
    Claim("[RCP-Winf](studies/winf.md)", "carries more than RCP", ("rcp_winf", "rcp")),
)


def scenario(radio: Radio, hops: int, transport: str) -> Scenario:
    """A chain with one flow from end to end."""
    made = Scenario.from_dict(**CHAIN, topology={"kind": "chain", "hops": hops, "spacing": SPACING})
    if not radio.joins:
        made = made.with_({"mac.ampdu": "0 B"})
    if radio.radios > 1:
        channels = [CHANNELS[hop % len(CHANNELS)] for hop in range(hops)]
        own = [[*channels[node : node + 1], *channels[max(node - 1, 0) : node]] for node in range(hops + 1)]
        nodes = [{"id": node, "radios": [{"channel": c} for c in channels]} for node, channels in enumerate(own)]
        made = made.with_({"node": nodes})
    return made.with_(overrides_of(transport, made))


def share(radio: Radio, hops: int, transport: str, runs: Runs) -> float | None:
    """Mean share of the bound of collision-free DCF; None where there is no bound."""
    try:
        bound = limits(scenario(radio, hops, transport), seed=1)
    except (HoplabError, ScenarioError):
        return None
    return mean_interval([bound.share(run) for run in runs]).mean


def shown(interval: Interval, of_bound: float | None) -> str:
    """Goodput in Mb/s, and its share of the bound in percent."""
    number = f"{interval.mean / 1e6:.2f} ± {(interval.half_width or 0.0) / 1e6:.2f}"
    return number if of_bound is None else f"{number} ({100.0 * of_bound:.0f})"


def rates(runs: Runs, metric: str) -> list[float]:
    """A rate of the flow per seed, bit/s."""
    return [getattr(run.flows[0], metric) for run in runs]


def ratio(found: Mapping[Key, Runs], radio: Radio, hops: int, claim: Claim) -> Paired | None:
    """One transport over another, by seeds; None where one of them did not run."""
    one, other = (found.get((radio, hops, name)) for name in claim.pair)
    return None if one is None or other is None else paired(rates(one, claim.metric), rates(other, claim.metric))


def verdict(found: Paired | None) -> str:
    """A ratio with its interval, and what it shows."""
    of = None if found is None else found.ratio
    if of is None:
        return "-"
    if of.low is None or of.high is None:
        return f"{of.mean:.2f}"
    word = "above" if of.low > 1.0 else "below" if of.high < 1.0 else "no difference shown"
    return f"{of.mean:.2f} ({of.low:.2f} to {of.high:.2f}), {word}"


def survivors(found: Mapping[Key, Runs], hops: int) -> list[str]:
    """One sentence per claim: over which radios it holds, over which the opposite does."""
    lines = []
    for claim in CLAIMS:
        words: dict[str, list[str]] = {"above": [], "below": [], "no difference shown": []}
        for radio in RADIOS:
            for word, titles in words.items():
                if verdict(ratio(found, radio, hops, claim)).endswith(word):
                    titles.append(radio.within)
        one, other = (transport_title(name) for name in claim.pair)
        parts = [
            f"{text} with {', '.join(titles)}"
            for text, titles in (
                (f"{one} is above {other}", words["above"]),
                (f"{one} is below {other}", words["below"]),
                ("no difference is shown", words["no difference shown"]),
            )
            if titles
        ]
        lines.append(f"- {claim.paper}: *{claim.words}*. Over {hops} hops {', and '.join(parts)}.")
    return lines


HEAD = """# The papers' protocols over 802.11n

Written by `python scripts/pages/papers_over_11n.py`; nothing is copied by hand.

The five papers were written for 802.11 and 802.11b. Here their transports run over 802.11n: chains of {spacing} per
hop, MCS 3 (26 Mb/s), 5 GHz, RTS for each frame as in the papers, static routes, one flow that always has data. Mean of
the goodput in Mb/s with its 95 % interval (Student), {seeds} seeds of {duration} s, the first {warmup} s left out. In
parentheses: the share of [the possible](../use/bounds.md) in percent, which is the bound of DCF without collisions for
packets and acknowledgments as this transport sends them. Semi-TCP's paper counts distinct segments: its share and its
claim do so, its goodput is what arrives in order.

How each scheme sees an A-MPDU is on its page: [Semi-TCP](../protocols/semi_tcp.md),
[rt-Winf](../protocols/winf.md), [Muzha](../protocols/muzha.md), [XCP](../protocols/xcp.md), [RCP](../protocols/rcp.md).

## What survives
"""


def table(
    found: Mapping[Key, Runs], shares: Mapping[Key, float | None], radio: Radio, hops: Sequence[int]
) -> list[str]:
    """One radio: transports by hops."""
    lines = ["| transport | " + " | ".join(f"{n} hop{'s' if n > 1 else ''}" for n in hops) + " |"]
    lines.append("| --- |" + " ---: |" * len(hops))
    for name in TRANSPORTS:
        cells = []
        for n in hops:
            runs = found.get((radio, n, name))
            mean = None if runs is None else mean_interval(rates(runs, "goodput_bps"))
            cells.append("-" if mean is None else shown(mean, shares.get((radio, n, name))))
        lines.append(f"| {transport_title(name)} | " + " | ".join(cells) + " |")
    return lines


def main() -> None:
    """Run all, write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--hops", default=",".join(map(str, HOPS)), help="numbers of hops, with commas")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--out", type=Path, default=ROOT / PAGE)
    asked = parser.parse_args()
    hops = tuple(int(word) for word in asked.hops.split(","))
    seeds = tuple(range(1, asked.seeds + 1))
    begin = time.process_time()
    valid: dict[Key, Scenario] = {}
    refused: dict[str, str] = {}
    for radio in RADIOS:
        for n in hops:
            for name in TRANSPORTS:
                try:
                    made = scenario(radio, n, name)
                    made.resolve()
                    valid[radio, n, name] = made
                except ScenarioError as error:
                    refused[f"{transport_title(name)}, {radio.title}"] = str(error).splitlines()[0].split(": ", 1)[-1]
    results = run_orders([Order(one, seeds) for one in valid.values()], threads=asked.threads, label="papers over 11n")
    found = dict(zip(valid, results, strict=True))
    shares = {key: share(*key, runs) for key, runs in found.items()}
    far = max(hops)
    head = HEAD.format(spacing=SPACING, seeds=len(seeds), duration=DURATION_S, warmup=WARMUP_S)
    parts = [head.rstrip(), "", *survivors(found, far), ""]
    parts += [
        "| ratio, " + f"{far} hops | " + " | ".join(radio.title for radio in RADIOS) + " |",
        "| --- |" + " --- |" * len(RADIOS),
    ]
    for claim in CLAIMS:
        cells = [verdict(ratio(found, radio, far, claim)) for radio in RADIOS]
        one, other = (transport_title(name) for name in claim.pair)
        parts.append(f"| {one} over {other} | " + " | ".join(cells) + " |")
    for radio in RADIOS:
        parts += ["", f"## {radio.title}", "", radio.about, "", *table(found, shares, radio, hops)]
    if refused:
        parts += ["", "Not run:", "", *(f"- {name}: {reason}." for name, reason in refused.items())]
    parts += ["", f"Runs and bounds took {time.process_time() - begin:.0f} s of CPU time."]
    asked.out.write_text("\n".join(parts) + "\n", encoding="utf-8")
    print(asked.out)


if __name__ == "__main__":
    main()
