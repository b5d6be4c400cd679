"""A study from the runs that lie in its directory, without running anything."""

from __future__ import annotations

from pathlib import Path

from hoplab.base.errors import InputError, PartialError
from hoplab.report.model import Report
from hoplab.report.record import RECORD, Record
from hoplab.store.run_store import RunStore
from hoplab_studies import catalog as studies
from hoplab_studies.shared import page
from hoplab_studies.shared.claims import paper_named
from hoplab_studies.shared.page import Reproduction
from hoplab_studies.shared.running import grids_of, jobs_of


def reopened(folder: Path, record: Record) -> Reproduction:
    """The study that `hoplab reproduce` left in a directory.

    Parameters
    ----------
    folder : Path
        Its directory.
    record : Record
        What it remembers of itself.

    Raises
    ------
    InputError
        If the record names no study of this version.
    PartialError
        If runs are missing: a part of them gives no verdict.
    """
    stored_study = record.study
    try:
        name, figure, seeds, quick = (
            str(stored_study["paper"]),
            stored_study["figure"],
            int(stored_study["seeds"]),
            bool(stored_study["quick"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{folder / RECORD}: study is missing ({error})", hint="rerun the command") from error
    paper = paper_named(name)
    study = studies.study_of(paper.name, quick=quick)
    has_series = stored_study.get("sensitivity", stored_study.get("series", True))
    not_run = tuple(map(str, stored_study.get("not_run", ()))) if has_series else study.series
    study = study.without(not_run)
    shown = study.figure(figure) if figure else None
    jobs = jobs_of(study.narrowed(shown), seeds, folder)
    planned = stored = 0
    for job in jobs:
        store = RunStore(job.root)
        states = [store.state(run) for _, _, run in job.plan.runs()]
        planned, stored = planned + len(states), stored + states.count("done")
    if stored < planned:
        raise PartialError(
            f"{folder}: {stored} of {planned} runs are stored, verdicts need all",
            hint=f"to continue: {record.command} --resume",
        )
    return Reproduction(study, paper, shown, grids_of(jobs), seeds, quick, None, not_run)


def report(folder: Path, record: Record) -> Report:
    """Its report; raises as `reopened` does."""
    return page.report(reopened(folder, record), command=record.command, made=record.environment)
