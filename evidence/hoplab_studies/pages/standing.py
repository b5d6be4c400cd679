"""Where a claim stands, in the words of a reader: what is not reproduced is not all denied."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from hoplab_studies.pages.stored import StoredClaim, StoredStudy
from hoplab_studies.shared.claims import Claim
from hoplab_studies.shared.study import Study
from hoplab_studies.shared.verdict import EXPLAINED, NOT_CONTRADICTED, NOT_TESTABLE, REPRODUCED, TREND_ONLY

UNDECIDED = "undecided"
CONTRARY = "found contrary"
NOT_LOOKED = "contrary (cause not yet looked for by runs)"

STANDINGS: Mapping[str, str] = {
    REPRODUCED: "the intervals lie within the claim's tolerance",
    TREND_ONLY: "the direction is shown, the size is not",
    UNDECIDED: "the intervals include the claim, or its direction, and also the contrary",
    CONTRARY: "the intervals deny the claim; every series that could explain it was run, or its cause was searched by "
    "other runs",
    NOT_LOOKED: "the intervals deny the claim under the study's assumptions; series that could explain it were not run "
    "with all seeds, and a reason on the page is not tested",
}
"""What became of a claim that runs decide, and what the word means."""


def standing_of(row: StoredClaim, claim: Claim, pending: Iterable[str]) -> str:
    """Where a claim stands: one of `STANDINGS`, or "cannot be tested".

    Parameters
    ----------
    pending : iterable of str
        Series that concern the claim and were not run with all seeds.
    """
    if row.outcome in {REPRODUCED, NOT_TESTABLE, TREND_ONLY}:
        return row.outcome
    if row.outcome == NOT_CONTRADICTED or not row.conclusive:
        return UNDECIDED
    is_searched = row.outcome == EXPLAINED or bool(claim.cause) or not tuple(pending)
    return CONTRARY if is_searched else NOT_LOOKED


def pending_of(study: Study, stored: StoredStudy) -> dict[str, set[str]]:
    """By claim: the series that concern it and were not run with all seeds."""
    parts = {part.name: part for part in study.parts}
    found: dict[str, set[str]] = {}
    for check in study.checks:
        series = {one.name for one in parts[check.part].variations} | {name for name, _, _ in check.on_series}
        found.setdefault(check.claim, set()).update(series & set(stored.not_run))
    return found


def counted(standings: Iterable[str]) -> str:
    """Counts in words, in the order of `STANDINGS`; empty if there are none."""
    counts = Counter(standings)
    return ", ".join(f"{counts[word]} {word}" for word in (*STANDINGS, NOT_TESTABLE) if counts[word])
