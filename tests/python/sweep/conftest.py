"""What tests of sweeps ask for."""

from __future__ import annotations

import pytest
from fakes.tools import needs_module


@pytest.fixture
def ray_installed() -> None:
    """For tests that start a Ray of their own."""
    needs_module("ray", "`make dev` installs the extra [ray]")
