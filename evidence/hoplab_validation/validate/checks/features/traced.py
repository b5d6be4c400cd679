"""Runs whose trace a judge queries: what reports do not count."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from hoplab.running.execution import run
from hoplab.scenario.model import Scenario
from hoplab.store.trace import Trace, open_trace


@contextmanager
def traced(scenario: Scenario, seeds: Sequence[int]) -> Iterator[Trace]:
    """The trace of a scenario over seeds, as long as the context is open."""
    with tempfile.TemporaryDirectory(prefix="hoplab-validate-") as folder:
        run(scenario, seeds=seeds, trace=folder, progress=False)
        trace = open_trace(folder)
        try:
            yield trace
        finally:
            trace.connection.close()
