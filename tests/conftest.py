"""What the tests print at their end beside their outcome."""

from __future__ import annotations

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the alarms of tests that pass: `record_property("alarm", text)`."""
    reports = terminalreporter.stats.get("passed", [])
    alarms = [text for report in reports for name, text in report.user_properties if name == "alarm"]
    if alarms:
        terminalreporter.section("alarms")
    for text in alarms:
        terminalreporter.line(f"warning: {text}")
