"""Access categories of 802.11e in a run: a sentence for each category, summed over the nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hoplab.base.numbers import counted

NAMES = {
    "voice": "voice",
    "video": "video",
    "best_effort": "best effort",
    "background": "background",
}
"""Categories in the results, from the highest priority to the lowest, with their display names."""


def category_sentences(nodes: Sequence[dict[str, Any]]) -> list[str]:
    """What each category that was used sent, for how long, waited and lost; none without categories."""
    reports = [node["categories"] for node in nodes if node.get("categories")]
    return [
        sentence
        for key, name in NAMES.items()
        if (sentence := _of_category(name, [report[key] for report in reports])) is not None
    ]


def _of_category(name: str, reports: Sequence[dict[str, Any]]) -> str | None:
    data, queued, dropped, collisions = (
        sum(int(report[key]) for report in reports) for key in ("data", "queued", "dropped", "internal_collisions")
    )
    if not data and not dropped:
        return None
    airtime_s = sum(float(report["airtime_s"]) for report in reports)
    waited_s = sum(report["queued"] * report["queue_wait_mean_s"] for report in reports if report["queued"])
    mean_ms = 1e3 * waited_s / queued if queued else 0.0
    return (
        f"Category {name}: {data} data frames, {airtime_s:.2f} s of airtime, mean wait {mean_ms:.1f} ms per queue, "
        f"{counted(dropped, 'packet')} dropped, {counted(collisions, 'internal collision')}."
    )
