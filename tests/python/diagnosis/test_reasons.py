"""Each reason is named for a scenario that has it, and its remedy makes the flow carry."""

from __future__ import annotations

import pytest

from diagnosis.cases import SICK, Sick
from hoplab.diagnosis import predict
from hoplab.running.execution import run


@pytest.mark.parametrize("sick", SICK, ids=lambda sick: sick.name.replace(" ", "-"))
def test_a_flow_that_carries_nothing_has_a_reason_and_a_remedy(sick: Sick) -> None:
    runs = run(sick.scenario)
    found = [one for one in runs.diagnosis if one.flow == sick.flow and not one.is_note]
    assert [one.reason for one in found] == [sick.reason], [one.text for one in found]
    assert sick.words in found[0].text
    assert (sick.reason in [one.reason for one in predict(sick.scenario)]) == sick.before
    mended = run(sick.scenario.with_(found[0].fix))
    assert mended[0].flows[sick.flow].goodput_bps > sick.least_bps, found[0].remedy
    assert not [one for one in mended.diagnosis if one.flow == sick.flow and not one.is_note]
