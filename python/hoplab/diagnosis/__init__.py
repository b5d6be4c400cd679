"""Why a flow carries nothing: one sentence and one remedy for each that delivers nothing, or almost nothing.

`carrying` says which flows these are, `case` is what is known of one of them, `table` has the reasons in their order,
and `reasons` how each is recognized. A scenario alone is enough for those that are known before a run.
"""

from hoplab.diagnosis.finding import Finding
from hoplab.diagnosis.table import REASONS, Reason, diagnose, predict, warnings_with

__all__ = ["REASONS", "Finding", "Reason", "diagnose", "predict", "warnings_with"]
