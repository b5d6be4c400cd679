"""The links of a scenario as a list: what every node receives of every other, for `topology.kind = "links"`."""

from __future__ import annotations

import csv
import io
import json
import tomllib
from typing import TYPE_CHECKING, Any

from hoplab.base.engine import core
from hoplab.base.errors import InputError
from hoplab.base.numbers import seed_of
from hoplab.scenario.channels import Channels
from hoplab.scenario.tomltext import document

if TYPE_CHECKING:
    from hoplab.scenario.model import Scenario


def as_links(scenario: Scenario, *, file: str, seed: int | None = None) -> tuple[str, str]:
    """A scenario whose links are listed, and the list: runs are equal to those of the places.

    Powers and delays are those of the run with this seed at its start, down to the least power that counts. Powers are
    in watts as shortest decimals that read back as the same number.

    Parameters
    ----------
    scenario : Scenario
        A scenario with positions.
    file : str
        Name of the list, as the new scenario names it.
    seed : int, optional
        Of which run; by default that of the scenario.

    Returns
    -------
    scenario, list : str
        TOML and CSV.

    Raises
    ------
    InputError
        If the scenario has a list of links, nodes that move, or no radio.
    """
    data = scenario.resolve().data
    if data["topology"]["kind"] == "links":
        raise InputError(f'{scenario.path}: topology.kind is "links": its links are listed already')
    if "mobility" in data:
        raise InputError(f"{scenario.path}: nodes move, so that one list of links does not describe the run")
    if not data["topology"]["positions"]:
        raise InputError(f"{scenario.path}: no node has a radio: there are no links to list")
    chosen = scenario.seed if seed is None else seed_of(seed)
    job = core().Job(scenario.text, scenario.path, [*scenario.overrides], chosen)
    rows = json.loads(core().bound_inputs(job, [0.0]))["sensed"][0]
    names = data["topology"].get("names") or [str(node) for node in range(len(data["topology"]["positions"]))]
    radios = Channels.of(data).radios(len(names))
    has_several = len(radios) > len(names)
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(["from", "to", *(["channel"] if has_several else []), "power_w", "delay_ns"])
    for a, b, power, delay in rows:
        (sender, channel), (receiver, _) = radios[a], radios[b]
        on = [channel] if has_several else []
        writer.writerow([names[sender], names[receiver], *on, repr(power), max(1, round(delay * 1e9))])
    tables: dict[str, Any] = tomllib.loads(scenario.resolve().toml)
    tables["topology"] = {"kind": "links", "file": file, "names": names}
    # Received powers contain the transmit power.
    tables["radio"].pop("tx_power", None)
    for node in tables.get("node", ()):
        node.pop("radio", None)
    return document(tables), buffer.getvalue()
