"""All parts of the validation, in the order of the report."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hoplab.base.errors import UsageError
from hoplab_validation.validate.checks import (
    cell,
    chains,
    datagrams,
    exchange,
    live,
    moving,
    ns3,
    radio,
    settings,
    spacing,
    traffic,
    wifi,
)
from hoplab_validation.validate.checks.features import (
    aodv,
    controls,
    dsr,
    edca,
    end_to_end,
    forms,
    gilbert,
    hwmp,
    olsr,
    stations,
)
from hoplab_validation.validate.checks.grids import delivery, lone
from hoplab_validation.validate.plan import Depth, Plan

PARTS: dict[str, Callable[[Depth], Plan]] = {
    radio.PART: radio.plan,
    exchange.PART: exchange.plan,
    cell.MODEL: cell.plan_model,
    cell.MODEL_STD: cell.plan_std,
    cell.TABLE: cell.plan_table,
    "chain-static": chains.plan_static,
    "chain-aodv": chains.plan_aodv,
    "linux": chains.plan_linux,
    forms.PART: forms.plan,
    "xcp": settings.plan_xcp,
    "window": settings.plan_window,
    "settings": settings.plan_other,
    datagrams.PART: datagrams.plan,
    spacing.PART: spacing.plan,
    traffic.PART: traffic.plan,
    moving.PART: moving.plan,
    gilbert.PART: gilbert.plan,
    stations.PREAMBLE: stations.plan_preamble,
    stations.PROFILES: stations.plan_profiles,
    aodv.RFC: aodv.plan_rfc,
    aodv.HELLO_PART: aodv.plan_hello,
    dsr.PART: dsr.plan,
    olsr.PART: olsr.plan,
    hwmp.PART: hwmp.plan,
    ns3.LOSS: ns3.plan_loss,
    ns3.CHAIN: ns3.plan_chain,
    controls.PART: controls.plan,
    end_to_end.PART: end_to_end.plan,
    lone.PART: lone.plan,
    delivery.PART: delivery.plan,
    **{wifi.name_of(part): wifi.plan_of(part) for part in wifi.TITLES},
    edca.PART: edca.plan,
    live.PART: live.plan,
}
"""Name on the command line to the function that prepares the part."""


CHAIN_TABLES = (
    chains.TCP,
    chains.LINUX,
    settings.WINDOW,
    settings.OTHER,
    settings.XCP,
    datagrams.SATURATED,
    datagrams.OFFERED,
)
"""Tables that `scripts/tables/chain_ns2.py` makes."""


def plans(names: Sequence[str], depth: Depth) -> list[Plan]:
    """The named parts; all if none is named.

    Parameters
    ----------
    names : sequence of str
        Names of parts, or what several begin with: ``chain`` means ``chain-static`` and ``chain-aodv``.

    Raises
    ------
    UsageError
        If there is no such part.
    """
    chosen: set[str] = set()
    for name in names:
        meant = {part for part in PARTS if part == name or part.startswith(f"{name}-")}
        if not meant:
            raise UsageError(f"unknown part {name!r}", hint=f"expected {', '.join(PARTS)}")
        chosen |= meant
    return [PARTS[part](depth) for part in PARTS if not names or part in chosen]
