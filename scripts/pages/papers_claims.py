"""What survives of the papers' claims over 802.11n: sentences from rates by radio, hops, transport and seed.

`papers_over_11n.py` makes the rates and writes the page.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from hoplab.base.transports import transport_title
from hoplab.stats import ALPHA, Interval, holm, mean_interval, paired

Word = Literal["more", "less", "none"]


@dataclass(frozen=True)
class Radio:
    """A way to use the radio.

    Attributes
    ----------
    id : str
        Its name in the table of rates.
    title, within : str
        Heading, and its form within a sentence.
    joins : bool
        A-MPDUs, or single frames.
    radios : int
        Radios per relay.
    """

    id: str
    title: str
    within: str
    joins: bool
    radios: int


RADIOS = (
    Radio("single-1", "Single frames, one radio", "single frames and one radio", joins=False, radios=1),
    Radio("ampdu-1", "A-MPDUs, one radio", "A-MPDUs and one radio", joins=True, radios=1),
    Radio("single-2", "Single frames, two radios per relay", "single frames and two radios", joins=False, radios=2),
    Radio("ampdu-2", "A-MPDUs, two radios per relay", "A-MPDUs and two radios", joins=True, radios=2),
)
BASE, TODAY = RADIOS[0], "tcp_cubic"
"""The papers' radio; the transport that nearly all of today's programs have."""


class Point(NamedTuple):
    """A radio by its name, hops, a transport, and the share of frames that are corrupted, in percent."""

    radio: str
    hops: int
    transport: str
    loss: int = 0


@dataclass(frozen=True)
class Cell:
    """Rates by seed, kb/s: in order, and of distinct segments; the bound on the latter."""

    limit: float
    goodput: tuple[float, ...]
    distinct: tuple[float, ...]

    @property
    def share(self) -> float:
        """Share of the possible, in percent."""
        return 100.0 * mean_interval(self.distinct).mean / self.limit


Table = Mapping[Point, Cell]
IN_ORDER = 0.9
"""Share of segments in order below which a paragraph says it."""
COLUMNS = ("radio", "hops", "transport", "loss_percent", "limit_kbps", "goodput_kbps", "distinct_kbps")


def read(path: Path) -> dict[Point, Cell]:
    """The table of rates; empty where there is no file."""
    if not path.exists():
        return {}
    with path.open(encoding="utf-8", newline="") as file:
        return {
            Point(row["radio"], int(row["hops"]), row["transport"], int(row["loss_percent"])): Cell(
                float(row["limit_kbps"]), _numbers(row["goodput_kbps"]), _numbers(row["distinct_kbps"])
            )
            for row in csv.DictReader(file)
        }


def write(path: Path, table: Table, order: Sequence[Point]) -> None:
    """Write the points of `order` that the table has; rates are rounded to 1 kb/s."""
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(COLUMNS)
        for point in (point for point in order if point in table):
            cell = table[point]
            by_seed = (" ".join(f"{rate:.0f}" for rate in rates) for rates in (cell.goodput, cell.distinct))
            rows.writerow((*point, f"{cell.limit:.1f}", *by_seed))


def _numbers(text: str) -> tuple[float, ...]:
    return tuple(map(float, text.split()))


@dataclass(frozen=True)
class Claim:
    """What a paper says on a chain, as far as one flow can show it.

    Attributes
    ----------
    words : str
        The claim in our words.
    pair : (str, str)
        The transport of the claim, and the one it is compared with.
    hops : tuple of int
        Hops of the page that the claim is about.
    distinct : bool
        Whether the paper counts distinct segments rather than those in order.
    """

    words: str
    pair: tuple[str, str]
    hops: tuple[int, ...]
    distinct: bool = False


PAPERS: dict[str, tuple[Claim, ...]] = {
    "[Semi-TCP](studies/semi-tcp.md)": (
        Claim("Semi-TCP carries more than TCP-AP over many hops", ("semi_tcp", "tcp_ap"), (4, 8), distinct=True),
    ),
    "[TCP Muzha](studies/muzha.md)": (
        Claim("Muzha carries 5 to 10 % more than NewReno", ("muzha", "new_reno"), (4, 8)),
        Claim("Muzha carries 5 to 10 % more than SACK", ("muzha", "sack"), (4, 8)),
        Claim("Vegas carries more than Muzha below 8 hops", ("vegas", "muzha"), (2, 4)),
    ),
    "[Split TCP](studies/split-tcp.md)": (
        Claim("Split TCP carries 5 to 30 % more than TCP", ("split_tcp", "new_reno"), (4, 8)),
    ),
    "[XCP-Winf](studies/winf.md)": (
        Claim("XCP-Winf carries more than XCP", ("xcp_winf", "xcp"), (2, 4, 8)),
        Claim("XCP-Winf carries more than TCP", ("xcp_winf", "new_reno"), (2, 4, 8)),
        Claim("XCP-Winf carries more than XCP-b", ("xcp_winf", "xcp_b"), (2, 4, 8)),
        Claim("XCP-Winf carries more than TCP-AP", ("xcp_winf", "tcp_ap"), (2, 4, 8)),
    ),
    "[RCP-Winf](studies/winf.md)": (
        Claim("RCP-Winf carries more than RCP", ("rcp_winf", "rcp"), (2, 4, 8)),
        Claim("RCP-Winf carries more than TCP", ("rcp_winf", "new_reno"), (2, 4, 8)),
        Claim("RCP-Winf carries more than TCP-AP", ("rcp_winf", "tcp_ap"), (2, 4, 8)),
    ),
}
"""Hops of Muzha start at its shortest chain, those of Split TCP behind its first proxy, which is at the third hop."""
OWN = ("semi_tcp", "tcp_ap", "muzha", "split_tcp", "xcp", "xcp_b", "xcp_winf", "rcp", "rcp_winf")
"""Transports that the papers propose, or compare with as made for wireless hops."""
OURS = ("semi_tcp_sack", "hop_release")
"""What this project made of their idea, control by hops."""


@dataclass(frozen=True)
class Verdict:
    """A ratio of two transports with its interval, and what its test shows."""

    ratio: Interval | None
    word: Word


Verdicts = Mapping[tuple[Claim, str, int], Verdict]


def verdicts(table: Table, papers: Mapping[str, Sequence[Claim]] = PAPERS) -> dict[tuple[Claim, str, int], Verdict]:
    """Each claim by radio and hops: paired t tests, p adjusted by Holm over all of them."""
    found = {}
    for claim in (claim for claims in papers.values() for claim in claims):
        for radio in RADIOS:
            for hops in claim.hops:
                one, other = (table.get(Point(radio.id, hops, name)) for name in claim.pair)
                if one is not None and other is not None:
                    ours, theirs = (cell.distinct if claim.distinct else cell.goodput for cell in (one, other))
                    found[claim, radio.id, hops] = paired(ours, theirs)
    adjusted = holm([1.0 if each.p_of_none is None else each.p_of_none for each in found.values()])
    return {
        key: Verdict(each.ratio, "none" if p >= ALPHA else "more" if each.difference.mean > 0.0 else "less")
        for (key, each), p in zip(found.items(), adjusted, strict=True)
    }


def survives(claim: Claim, found: Verdicts) -> str:
    """Where a claim holds over all of its hops or some, where its opposite does, and by how much."""
    by_radio = {
        radio: {hops: found[claim, radio.id, hops].word for hops in claim.hops if (claim, radio.id, hops) in found}
        for radio in RADIOS
    }
    words = {word for by_hops in by_radio.values() for word in by_hops.values()}
    if not words:
        return f"*{claim.words}*: not run."
    status = "holds" if words == {"more"} else "holds in part" if "more" in words else "does not hold"
    fully = [radio for radio, by_hops in by_radio.items() if {*by_hops.values()} == {"more"}]
    partly = [radio for radio, by_hops in by_radio.items() if "more" in by_hops.values() and radio not in fully]
    less = [radio for radio, by_hops in by_radio.items() if {*by_hops.values()} == {"less"}]
    places = [radios_text(fully)] if fully else []
    places += [f"over some of {hops_text(claim.hops)} {radios_text(partly)}"] if partly else []
    places += [f"the opposite holds {radios_text(less)}"] if less else []
    sizes = [each.ratio.mean for key, each in found.items() if key[0] == claim and each.ratio is not None]
    over, name = transport_title(claim.pair[1]), "rate of distinct segments" if claim.distinct else "goodput"
    size = f" Its {name} is {min(sizes):.2f} to {max(sizes):.2f} times that of {over}." if sizes else ""
    return f"*{claim.words}*: **{status}**{', ' if places else ''}{'; '.join(places)}.{size}"


def radios_text(radios: Sequence[Radio]) -> str:
    """Radios in a sentence: `with every radio`, `with A-MPDUs`, `with two radios`, or each by itself."""
    groups: dict[str, list[Radio]] = {"every radio": list(RADIOS)}
    for joins, name in ((False, "single frames"), (True, "A-MPDUs")):
        groups[name] = [radio for radio in RADIOS if radio.joins == joins]
    for count, name in ((1, "one radio"), (2, "two radios")):
        groups[name] = [radio for radio in RADIOS if radio.radios == count]
    for name, members in groups.items():
        if list(radios) == members:
            return f"with {name}"
    return joined([f"with {radio.within}" for radio in radios])


def hops_text(hops: Sequence[int]) -> str:
    """`4, 6 and 8 hops`."""
    return f"{joined([str(n) for n in hops])} hop{'' if list(hops) == [1] else 's'}"


def joined(words: Sequence[str]) -> str:
    """Words as a list in a sentence."""
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def paragraphs(table: Table) -> list[str]:
    """A paragraph per paper."""
    found = verdicts(table)
    far = farthest(table)
    lines = []
    for paper, claims in PAPERS.items():
        text = f"**{paper}.** " + " ".join(survives(claim, found) for claim in claims)
        if paper.startswith("[Semi-TCP]"):
            text = f"{text} {in_order(table, 'semi_tcp', far)}".rstrip()
        lines.append(text)
    return lines


def farthest(table: Table) -> int:
    """The longest chain."""
    return max(point.hops for point in table if not point.loss)


def in_order(table: Table, transport: str, hops: int) -> str:
    """How much of what a transport delivers is in order, where that is below nine tenths."""
    parts: dict[str, list[Radio]] = {}
    for radio in RADIOS:
        cell = table.get(Point(radio.id, hops, transport))
        if cell is None or not sum(cell.distinct):
            continue
        share = sum(cell.goodput) / sum(cell.distinct)
        if share < IN_ORDER:
            parts.setdefault(f"{100.0 * share:.0f} %", []).append(radio)
    if not parts:
        return ""
    shares = "; ".join(f"{share} {radios_text(radios)}" for share, radios in parts.items())
    return f"Of what {transport_title(transport)} delivers over {hops_text([hops])} only a part is in order: {shares}."


def leaders(table: Table, hops: int) -> list[str]:
    """The transport that carries most, and those with no difference shown to it, by radio."""
    lines = []
    for radio in RADIOS:
        cells = {
            point.transport: cell
            for point, cell in table.items()
            if (point.radio, point.hops, point.loss) == (radio.id, hops, 0)
        }
        if not cells:
            continue
        best = max(cells, key=lambda name: mean_interval(cells[name].goodput).mean)
        others = [name for name in cells if name != best]
        tests = [paired(cells[best].goodput, cells[name].goodput).p_of_none for name in others]
        adjusted = holm([1.0 if p is None else p for p in tests])
        equal = [transport_title(name) for name, p in zip(others, adjusted, strict=True) if p >= ALPHA]
        mean, share = mean_interval(cells[best].goodput).mean / 1e3, cells[best].share
        text = f"- With {radio.within}: {transport_title(best)}, {mean:.2f} Mb/s, {share:.0f} % of the possible"
        lines.append(f"{text}; no difference is shown to {joined(equal)}." if equal else f"{text}.")
    return lines


def beside_today(table: Table, hops: int, names: Sequence[str] = OWN, of: str = "the papers' transports") -> str:
    """Which of some transports carry more than today's, by radio."""
    pairs = {
        (radio, name): paired(table[point].goodput, table[base].goodput)
        for radio in RADIOS
        for name in names
        if (point := Point(radio.id, hops, name)) in table and (base := Point(radio.id, hops, TODAY)) in table
    }
    adjusted = holm([1.0 if each.p_of_none is None else each.p_of_none for each in pairs.values()])
    ahead: dict[Radio, list[str]] = {radio: [] for radio, _ in pairs}
    for ((radio, name), each), p in zip(pairs.items(), adjusted, strict=True):
        if p < ALPHA and each.difference.mean > 0.0:
            ahead[radio].append(transport_title(name))
    today = transport_title(TODAY)
    none = [radio for radio, names in ahead.items() if not names]
    parts = [f"{joined(names)} {radios_text([radio])}" for radio, names in ahead.items() if names]
    if not parts:
        return f"Over {hops_text([hops])} none of {of} is shown to carry more than {today}."
    text = f"Of {of} more than {today} carry over {hops_text([hops])}: {'; '.join(parts)}"
    return f"{text}; none {radios_text(none)}." if none else f"{text}."


def gains(table: Table, hops: int, names: Iterable[str]) -> dict[str, dict[str, float]]:
    """By transport and radio: how many times the goodput with single frames and one radio."""
    found = {}
    for name in names:
        base = table.get(Point(BASE.id, hops, name))
        if base is None or not sum(base.goodput):
            continue
        found[name] = {
            radio.id: sum(cell.goodput) / sum(base.goodput)
            for radio in RADIOS[1:]
            if (cell := table.get(Point(radio.id, hops, name))) is not None
        }
    return found


def gain_sentence(found: Mapping[str, Mapping[str, float]], hops: int) -> str:
    """Which transport gains least and most by each radio."""
    parts = []
    for radio in RADIOS[1:]:
        by_name = {name: times[radio.id] for name, times in found.items() if radio.id in times}
        if by_name:
            least, most = min(by_name, key=by_name.__getitem__), max(by_name, key=by_name.__getitem__)
            parts.append(
                f"{radio.within}, {by_name[least]:.1f} ({transport_title(least)}) to "
                f"{by_name[most]:.1f} times ({transport_title(most)})"
            )
    return f"Over {hops_text([hops])}, beside {BASE.within}: with {'; with '.join(parts)}." if parts else ""


def fall(table: Table, radio: Radio, hops: int, names: Sequence[str], losses: Sequence[int]) -> Interval:
    """Fall of the mean goodput of several transports from the first to the last share of lost frames, in percent."""

    def means(loss: int) -> list[float]:
        cells = [table[Point(radio.id, hops, name, loss)].goodput for name in names]
        return [sum(rates) / len(rates) for rates in zip(*cells, strict=True)]

    percent = paired(means(losses[-1]), means(losses[0])).percent
    if percent is None:
        raise ValueError(f"{radio.within}: no goodput with {losses[0]} % of frames lost")
    return percent.scaled(-1.0)


def fall_sentence(falls: Mapping[Radio, Interval], losses: Sequence[int]) -> str:
    """What survives of the paper of variants: goodput falls by 98 % to the highest error rate."""
    parts = [f"{round(each.mean)} % with {radio.within}" for radio, each in falls.items()]
    shown = all(each.low is not None and each.low > 0.0 for each in falls.values())
    fully = all(each.low is not None and each.low >= 90.0 for each in falls.values())
    status = "holds" if fully else "holds in part" if shown else "does not hold"
    return (
        f"*Goodput of the seven variants falls by 98 % up to the highest error rate*: **{status}**; "
        f"from {losses[0]} to {losses[-1]} % of frames corrupted it falls by {joined(parts)}."
    )
