"""Which tests are of the full lane, and what tests print at their end beside their outcome."""

from __future__ import annotations

from pathlib import PurePath

import pytest

FULL = ("bench", "peers", "reproduce", "studies", "validate")
"""Folders of tests about what is beside the product: a submission is not held up by them (`make check-all`)."""
FULL_FILES = ("test_sweep_ray",)
"""Beginnings of the names of files whose tests start a cluster of Ray."""


def is_full(path: PurePath) -> bool:
    """Whether the tests of a file are of the full lane alone."""
    return bool({*path.parts} & {*FULL}) or path.name.startswith(FULL_FILES)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of the full lane."""
    for item in items:
        if is_full(item.path.relative_to(item.config.rootpath)):
            item.add_marker("full")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the alarms of tests that pass: `record_property("alarm", text)`."""
    reports = terminalreporter.stats.get("passed", [])
    alarms = [text for report in reports for name, text in report.user_properties if name == "alarm"]
    if alarms:
        terminalreporter.section("alarms")
    for text in alarms:
        terminalreporter.line(f"warning: {text}")
