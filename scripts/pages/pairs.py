"""`make pairs`: runs every pair of features, and with TRIPLES=2000 so many triples; compares with what is stored."""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import combinations
from pathlib import Path

from hoplab.base.progress import progress_bar
from hoplab.scenario.features import Feature, features, refusals
from hoplab_validation.pairs import covering, stored
from hoplab_validation.pairs.judge import Kind, Verdict, judged
from hoplab_validation.pairs.page import page

PAGE = Path(__file__).parents[2] / "docs" / "use" / "reference" / "pairs.md"
CHUNK = 8
KINDS: tuple[Kind, ...] = ("runs", "refused", "nothing", "contradicts", "silent", "failed")


def main() -> None:
    """Run pairs and triples, print the table, and compare."""
    asked = _arguments()
    chosen = [one for one in features() if not one.out]
    groups: list[Sequence[Feature]] = [
        pair
        for pair in combinations(chosen, 2)
        if (not asked.only or asked.only in _names(pair)) and (not asked.stored or _names(pair) in stored.known())
    ]
    with ProcessPoolExecutor(asked.jobs) as pool:
        each = partial(_each, pool)
        verdicts = (
            covering.verdicts(chosen, stored.known(), each)
            if asked.fast
            else dict(zip(map(_names, groups), each(judged, groups), strict=True))
        )
        triples = _triples(chosen, asked.triples, asked.seed)
        of_triples = dict(zip(map(_names, triples), each(judged, triples), strict=True))
    print(_summary("pairs", verdicts))
    changed = stored.changes(verdicts)
    if of_triples:
        print(_summary("triples", of_triples))
    faults = [
        f"{' and '.join(sorted(names))}: {verdict.kind}: {verdict.message}"
        for names, verdict in {**verdicts, **of_triples}.items()
        if verdict.is_fault
    ]
    print("\n".join(faults))
    if asked.bless:
        if asked.only:
            sys.exit("BLESS writes all pairs: leave ONLY out")
        stored.FILE.write_text(stored.text_of(verdicts, [one.name for one in features()]), encoding="utf-8")
        refusals.cache_clear()
        PAGE.write_text(page(), encoding="utf-8")
    else:
        other = [change for change in changed if not change.now.is_fault]
        print("\n".join(map(str, other)))
        if other:
            sys.exit(f"{len(other)} pairs are not as stored: mend them, or make pairs BLESS=1")
    if faults:
        sys.exit(f"{len(faults)} faults")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bless", action="store_true", help="store the pairs that do not run, and write the page")
    parser.add_argument("--triples", type=int, default=0, help="random triples to run besides")
    parser.add_argument("--seed", type=int, default=1, help="of the random triples")
    parser.add_argument("--only", default="", help="pairs of this feature alone")
    parser.add_argument("--fast", action="store_true", help="many pairs in one scenario: a twentieth of the time")
    parser.add_argument("--stored", action="store_true", help="the pairs alone that are stored: after a mend")
    parser.add_argument("--jobs", type=int, default=None, help="processes; one per core by default")
    return parser.parse_args()


def _triples(chosen: Sequence[Feature], count: int, seed: int) -> list[Sequence[Feature]]:
    """Different triples, drawn at random."""
    drawn = random.Random(seed)  # noqa: S311 (no secret)
    return [drawn.sample(chosen, 3) for _ in range(count)]


def _each(pool: ProcessPoolExecutor, judge: covering.Judge, groups: Sequence[Sequence[Feature]]) -> Iterator[Verdict]:
    with progress_bar(len(groups), judge.__name__) as tick:
        for done, verdict in enumerate(pool.map(judge, groups, chunksize=CHUNK)):
            tick(done + 1)
            yield verdict


def _names(group: Iterable[Feature]) -> frozenset[str]:
    return frozenset(one.name for one in group)


def _summary(what: str, verdicts: Mapping[frozenset[str], Verdict]) -> str:
    counts = Counter(verdict.kind for verdict in verdicts.values())
    listed = ", ".join(f"{counts[kind]} {kind}" for kind in KINDS if counts[kind])
    meant = len(verdicts) - counts["contradicts"]
    return f"{len(verdicts)} {what}: {listed}; {100.0 * counts['runs'] / max(meant, 1):.1f} % of those that can be run"


if __name__ == "__main__":
    main()
