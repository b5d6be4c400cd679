"""The report of a validation: JSON for programs, Markdown for people."""

from __future__ import annotations

import json
import platform
from collections.abc import Sequence
from datetime import UTC, datetime

from hoplab_validation.peers import tables
from hoplab_validation.peers.verdict import Row, failures, markdown_table
from hoplab_validation.validate.plan import Depth, Outcome


def passed(outcomes: Sequence[Outcome]) -> bool:
    """Whether no decisive row differs."""
    return not any(failures(outcome.rows) for outcome in outcomes)


def as_json(outcomes: Sequence[Outcome], depth: Depth, version: str) -> str:
    """All rows, with their provenance."""
    return json.dumps(
        {
            "version": version,
            "made": datetime.now(UTC).isoformat(timespec="seconds"),
            "machine": platform.machine(),
            "depth": depth.name,
            "seeds": depth.seeds,
            "passed": passed(outcomes),
            "parts": [
                {
                    "part": outcome.part,
                    "title": outcome.title,
                    "skipped": outcome.skipped or None,
                    "rows": [row.to_dict() for row in outcome.rows],
                }
                for outcome in outcomes
            ],
            "provenance": tables.provenance(),
        },
        indent=1,
        ensure_ascii=False,
    )


def as_markdown(outcomes: Sequence[Outcome], depth: Depth, version: str) -> str:
    """A summary, then every row of every part."""
    lines = [
        "# Validation of hoplab",
        "",
        f"hoplab {version}, depth {depth.name}, {depth.seeds} seeds per row unless stated.",
        f"Verdict: {'every decisive row agrees' if passed(outcomes) else 'some rows differ'}.",
        "",
        "| part | rows | agree | differ | noted |",
        "| --- | --- | --- | --- | --- |",
    ]
    lines += [f"| {outcome.part} | {' | '.join(map(str, counts(outcome.rows)))} |" for outcome in outcomes]
    for outcome in outcomes:
        lines += ["", f"## {outcome.part}: {outcome.title}", ""]
        lines.append(f"Skipped: {outcome.skipped}" if outcome.skipped else markdown_table(outcome.rows))
        notes = [f"- {row.name}: {row.note}" for row in outcome.rows if row.note]
        lines += ["", *notes] if notes else []
    return "\n".join(lines) + "\n"


def counts(rows: Sequence[Row]) -> tuple[int, int, int, int]:
    """Numbers of rows, of those that agree, differ, and differ without being decisive."""
    agree = sum(row.agrees for row in rows)
    differ = len(failures(rows))
    return len(rows), agree, differ, len(rows) - agree - differ
