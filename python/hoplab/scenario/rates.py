"""Rate control written in Python.

A rate control is a class that chooses the rate of each attempt to send a unicast data frame. A scenario names it by
file and class (``mac.rate_controller = "my_rates.py:MyRates"``); a program may register the class itself
(`hoplab.scenario.controllers.register`). Each node has an object of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hoplab.scenario.controllers import found_class
from hoplab.scenario.user_classes import UserClass, uncalled_methods, warn_at_definition

if TYPE_CHECKING:
    from hoplab._core import RateResult, RateSetup

METHODS = ("on_start", "rate", "on_result", "on_given_up")
"""Methods that the engine calls."""


class RateController(UserClass):
    """Base of rate controls in Python: the slowest rate for every frame.

    Attributes
    ----------
    setup : RateSetup
        What it chooses from: `rates_bps` (bit/s, the slowest first), `mcs`, `snr_db`, `frame_s` by index; `node`.
    """

    setup: RateSetup

    def __init_subclass__(cls, **options: Any) -> None:
        """Warn of methods that nothing calls."""
        super().__init_subclass__(**options)
        warn_at_definition(cls)

    @classmethod
    def uncalled(cls) -> list[str]:
        """What is wrong with each method of this class that looks like one that is called and is none."""
        return uncalled_methods(cls, RateController, "nothing", METHODS, "methods")

    def on_start(self, setup: RateSetup) -> None:
        """Called before the run. An override must call it first."""
        self.setup = setup

    def rate(self, neighbor: int, attempt: int, now_s: float) -> int:  # noqa: ARG002 (for those that replace it)
        """Index of the rate of the next attempt; `attempt` counts those without acknowledgment before it."""
        return 0

    def on_result(self, result: RateResult) -> None:
        """An attempt was acknowledged or not: MPDUs `acked` and `lost`, to `neighbor`, at `rate`."""

    def on_given_up(self, neighbor: int, now_s: float) -> None:
        """A packet to a neighbor has reached its retry limit."""


def make(name: str, class_name: str, path: str | None, text: str | None) -> tuple[RateController, list[str]]:
    """Make a rate control for one node, for the engine: the object, and the optional methods that it replaces.

    Raises
    ------
    InputError
        If there is no such class, or it is no rate control.
    Exception
        What the file or the class raises.
    """
    found = found_class(name, class_name, path, text, RateController)
    optional = ("on_result", "on_given_up")
    return found(), [one for one in optional if getattr(found, one) is not getattr(RateController, one)]
