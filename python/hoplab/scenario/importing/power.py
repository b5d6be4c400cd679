"""Received powers in dBm with the default radio, which an imported scenario has."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hoplab.base.engine import scenario_defaults

if TYPE_CHECKING:
    from hoplab.scenario.importing.mesh import Link

_KELVIN = 290.0
_BOLTZMANN = 1.380649e-23

LEAST_DBM = -250.0
"""Weakest power that is read: far below the noise of any receiver."""


def level(link: Link) -> float | None:
    """Received power of a link, if it is known."""
    if link.power_dbm is not None:
        return link.power_dbm
    if link.snr_db is not None:
        return noise_dbm() + link.snr_db
    return None if link.path_loss_db is None else most_dbm() - link.path_loss_db


def most_dbm() -> float:
    """The transmit power: no received power exceeds it."""
    return _dbm(scenario_defaults()["radio"]["tx_power_w"])


def noise_dbm() -> float:
    """Thermal noise: k T B F."""
    radio = scenario_defaults()["radio"]
    return _dbm(_BOLTZMANN * _KELVIN * float(radio["bandwidth_hz"])) + float(radio["noise_figure_db"])


def sense_db() -> float:
    """Signals are sensed this much below those that are decoded."""
    radio = scenario_defaults()["radio"]
    return _dbm(radio["rx_threshold_w"]) - _dbm(radio["cs_threshold_w"])


def _dbm(watts: float) -> float:
    return 10.0 * math.log10(watts) + 30.0
