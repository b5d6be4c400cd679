"""The studies that can be run, by the name of their paper."""

from __future__ import annotations

from types import ModuleType

from hoplab.reproduce import muzha
from hoplab.reproduce.study import Study

STUDIES: dict[str, ModuleType] = {"muzha": muzha}
"""One entry per study; its module has `study()`."""


def study_of(paper: str) -> Study:
    """The study of a paper that `claims.paper_named` knows and whose protocols are there."""
    found: Study = STUDIES[paper].study()
    return found
