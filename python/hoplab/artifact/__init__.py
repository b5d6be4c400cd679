"""Directories of results as artifacts: repeated and compared, packed for others, drawn for papers."""

from hoplab.artifact.pack import pack
from hoplab.artifact.paper import PaperFigure, paper_figure, paper_table
from hoplab.artifact.rerun import Outcome, rerun
from hoplab.artifact.stored import StoredRun, StoredRuns, read_runs

__all__ = [
    "Outcome",
    "PaperFigure",
    "StoredRun",
    "StoredRuns",
    "pack",
    "paper_figure",
    "paper_table",
    "read_runs",
    "rerun",
]
