"""Directories of results as artifacts: what they hold is repeated and compared, and packed for others."""

from hoplab.artifact.pack import pack
from hoplab.artifact.rerun import Outcome, rerun
from hoplab.artifact.stored import StoredRun, StoredRuns, read_runs

__all__ = ["Outcome", "StoredRun", "StoredRuns", "pack", "read_runs", "rerun"]
