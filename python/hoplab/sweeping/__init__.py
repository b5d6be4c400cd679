"""Sweeps: a scenario over axes and seeds, stored run by run, resumed where it stopped.

`sweep` is what users call; `Request`, `run_plan` and `backend_of` are its parts, for the command line.
"""

from hoplab.sweeping.api import Request, backend_of, run_plan, sweep
from hoplab.sweeping.backend import Backend
from hoplab.sweeping.executor import Outcome, execute_plan
from hoplab.sweeping.grammar import Sweep, parse_sweep
from hoplab.sweeping.plan import Plan, Point, make_plan
from hoplab.sweeping.runner import CoreRunner, Runner, Task
from hoplab.sweeping.source import Source, SweepError, read_source, split_source

__all__ = [
    "Backend",
    "CoreRunner",
    "Outcome",
    "Plan",
    "Point",
    "Request",
    "Runner",
    "Source",
    "Sweep",
    "SweepError",
    "Task",
    "backend_of",
    "execute_plan",
    "make_plan",
    "parse_sweep",
    "read_source",
    "run_plan",
    "split_source",
    "sweep",
]
