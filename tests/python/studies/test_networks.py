"""The networks of every study stay what they are: a changed one has other run ids, and its stored runs are lost."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from blake3 import blake3

from hoplab.store.run_store import point_hash, seeded_id
from hoplab_studies import catalog
from hoplab_studies.shared.running import jobs_of

GOLDEN = Path(__file__).with_name("networks.json")
SEED = 1


def digests(paper: str) -> Iterator[tuple[str, str]]:
    """By part and series: a digest over all points, whatever the engine's version.

    As in run ids, constants at their defaults do not count: a key that a later version adds leaves digests as they are.
    """
    for job in jobs_of(catalog.study_of(paper, quick=False).parts, SEED, Path("results")):
        found = blake3()
        for point in job.plan.points:
            run = seeded_id(point_hash("", point.scenario), SEED, job.part.series_interval_s)
            found.update(json.dumps([point.settings, run]).encode())
        alone = "" if job.alone is None else f", flow {job.alone} alone"
        yield f"{job.part.name}, {job.variation.name}{alone}", found.hexdigest()[:16]


@pytest.mark.parametrize("paper", catalog.STUDIES)
def test_networks_of_a_study_are_those_of_its_stored_runs(paper: str) -> None:
    found = dict(digests(paper))
    stored = json.loads(GOLDEN.read_text(encoding="utf-8"))
    if os.environ.get("BLESS"):
        GOLDEN.write_text(json.dumps({**stored, paper: found}, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    before = stored.get(paper, {})
    differ = [name for name in {**found, **before} if found.get(name) != before.get(name)]
    assert differ == [], f"{paper}: stored runs of these series are lost; BLESS=1 keeps the new networks"
