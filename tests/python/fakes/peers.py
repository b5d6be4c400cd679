"""The simulators that a few tests run for real: ns-2 and ns-3.

A machine without one skips those tests and says how to get it. Continuous integration (`.ci/run`) has neither and skips
them too: few systems have packages of just these releases. There the engine is held against what they said once and
what is stored: segments and places of ns-2 (`crates/hoplab/tests/scripts/ns2`, `mobility/ns2`), vectors and tables
(`evidence/hoplab_validation/peers/data`, whose long runs are those of `make validate`); and what we write for a peer is
tested word for word without it. What is left for the tests that call these functions is whether a real peer takes that
text and gives its stored numbers again: run them after a change of `peers/ns2`, `peers/ns3` or `data/ns3_peer.cc`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from hoplab_validation.peers.ns2 import run as ns2_run
from hoplab_validation.peers.ns3 import run as ns3_run

HOW_TO_GET_IT = "`make peers` installs it (scripts/install-peers.sh: Debian, as root)"


def needs_ns2() -> str:
    """Where `ns` is; without it the test skips."""
    try:
        return ns2_run.find()
    except ns2_run.Ns2MissingError as missing:
        pytest.skip(f"{missing.message}: {HOW_TO_GET_IT}")


def needs_ns3() -> Path:
    """Our program on top of ns-3, built where it is not yet; without ns-3 the test skips."""
    try:
        return ns3_run.find()
    except ns3_run.Ns3MissingError as missing:
        pytest.skip(f"{missing.message}: {HOW_TO_GET_IT}")
