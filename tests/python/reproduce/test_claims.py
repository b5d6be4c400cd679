"""The ledgers: complete, consistent with their study, and helpful when a name is wrong."""

from __future__ import annotations

import pytest

from hoplab.base.engine import registry
from hoplab.base.errors import UsageError
from hoplab_studies.muzha.study import study
from hoplab_studies.shared.claims import paper_named, papers


def test_every_paper_is_there() -> None:
    assert set(papers()) == {"ho2014", "linux-over-hops", "muzha", "variants", "semi-tcp", "winf", "split-tcp"}


def test_muzha_has_every_row() -> None:
    assert {claim.id for claim in paper_named("muzha").claims} == {f"M{i}" for i in range(1, 24)}


def test_each_check_has_its_claim_part_and_figure() -> None:
    paper, made = paper_named("muzha"), study()
    checks = {check.claim: check for check in made.checks}
    for claim in paper.claims:
        assert bool(claim.tested) == (claim.id in checks), claim.id
        assert claim.tested or claim.later or claim.proof, claim.id
        if claim.id in checks and claim.figure:
            assert made.figure(claim.figure).part == checks[claim.id].part


def test_every_paper_has_claims_and_transports_that_run() -> None:
    known = {entry["name"] for entry in registry()["transports"]}
    for paper in papers().values():
        assert paper.claims
        assert set(paper.protocols) <= known


def test_an_unknown_paper_names_the_nearest() -> None:
    with pytest.raises(UsageError, match="did you mean muzha"):
        paper_named("muhza")


@pytest.mark.parametrize("name", ["fig6", "6", "Fig. 6", "figure-6", "figure 6"])
def test_a_figure_has_several_spellings(name: str) -> None:
    assert study().figure(name).name == "fig6"


@pytest.mark.parametrize("name", ["fig66", "throughput", "2", ""])
def test_unknown_figure_lists_the_known_ones(name: str) -> None:
    with pytest.raises(UsageError, match="expected fig3"):
        study().figure(name)


def test_a_figure_runs_what_it_shows_only() -> None:
    made = study()
    (part,) = made.narrowed(made.figure("fig4"))
    assert part.axes["topology.hops"] == (8,)
    assert [p.name for p in made.narrowed(None)] == ["chain", "cross", "loss"]
