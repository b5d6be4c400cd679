"""A study from the runs that lie in its directory, without running anything."""

from __future__ import annotations

from pathlib import Path

from hoplab.base.errors import InputError, PartialError
from hoplab.report.model import Report
from hoplab.report.record import RECORD, Record
from hoplab.store.run_store import RunStore
from hoplab.studies import catalog as studies
from hoplab.studies.shared import page
from hoplab.studies.shared.claims import paper_named
from hoplab.studies.shared.page import Reproduction
from hoplab.studies.shared.running import grids_of, jobs_of


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
    said = record.study
    try:
        name, figure, seeds, quick = str(said["paper"]), said["figure"], int(said["seeds"]), bool(said["quick"])
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{folder / RECORD}: names no study ({error})", hint="give the command again") from error
    paper = paper_named(name)
    study = studies.study_of(paper.name, quick=quick)
    study = study if said.get("sensitivity", said.get("series", True)) else study.alone()
    shown = study.figure(figure) if figure else None
    jobs = jobs_of(study.narrowed(shown), seeds, folder)
    planned = stored = 0
    for job in jobs:
        store = RunStore(job.root)
        states = [store.state(run) for _, _, run in job.plan.runs()]
        planned, stored = planned + len(states), stored + states.count("done")
    if stored < planned:
        raise PartialError(
            f"{folder}: {stored} of {planned} runs of this study are stored, and a part gives no verdict",
            hint=f"{record.command} --resume goes on",
        )
    return Reproduction(study, paper, shown, grids_of(jobs), seeds, quick, None)


def report(done: Reproduction, record: Record) -> Report:
    """Its report, made anew."""
    return page.report(done, command=record.command, made=record.environment)
