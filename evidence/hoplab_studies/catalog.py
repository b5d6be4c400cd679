"""The studies that can be run, by the name of their paper."""

from __future__ import annotations

from types import ModuleType

from hoplab_studies.ho2014 import study as ho2014
from hoplab_studies.linux_over_hops import study as linux_over_hops
from hoplab_studies.muzha import study as muzha
from hoplab_studies.semi_tcp import study as semi_tcp
from hoplab_studies.shared.study import Study
from hoplab_studies.split_tcp import study as split_tcp
from hoplab_studies.variants import study as variants
from hoplab_studies.winf import study as winf

STUDIES: dict[str, ModuleType] = {
    "ho2014": ho2014,
    "linux-over-hops": linux_over_hops,
    "muzha": muzha,
    "semi-tcp": semi_tcp,
    "split-tcp": split_tcp,
    "variants": variants,
    "winf": winf,
}
"""One entry per study; its module has `study(quick=...)`."""


def study_of(paper: str, *, quick: bool) -> Study:
    """The study of a supported paper; a shorter one if `quick`."""
    found: Study = STUDIES[paper].study(quick=quick)
    return found
