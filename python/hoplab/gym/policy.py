"""A trained policy as a congestion control: the same windows at the same times as in its environment."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from hoplab.base.engine import core
from hoplab.base.errors import UsageError
from hoplab.gym.observation import Observed
from hoplab.scenario.controllers import Controller

if TYPE_CHECKING:
    from hoplab._core import Ack, Loss, Sample, Setup

Policy = Callable[[Observed], float]
"""Takes what an agent observes, and returns its action: by which power of two the window changes, from -1 to 1."""

NANOSECONDS = 1_000_000_000


def controller(policy: Policy, *, interval_s: float = 0.1, max_window: float = 1000.0) -> type[Controller]:
    """Make a congestion control of a policy, for `hoplab.compare`, `hoplab.run` and `flow.controller`.

    Parameters
    ----------
    policy : callable
        The action for an observation. With all that it refers to, it must be picklable: its pickle identifies results.
    interval_s, max_window : float
        As of the environment in which it was trained: s, and segments.

    Returns
    -------
    type
        A subclass of `hoplab.Controller`, with the name of the policy.

    Raises
    ------
    UsageError
        If the policy is no function, or the interval is not above 0.
    """
    import cloudpickle  # noqa: PLC0415 (comes with gymnasium)

    if not callable(policy):
        raise UsageError(f"policy: {policy!r} is no function", hint="pass a function of an observation")
    interval_ns = round(interval_s * NANOSECONDS)
    if interval_ns < 1:
        raise UsageError(f"interval_s is {interval_s}", hint="expected seconds above 0, such as 0.1")
    given = getattr(policy, "__name__", type(policy).__name__).strip("<>")
    name = "".join(part[:1].upper() + part[1:] for part in given.split("_"))
    identity = hashlib.sha256(cloudpickle.dumps((policy, interval_ns, max_window))).hexdigest()
    chosen = {
        "policy": staticmethod(policy),
        "interval_ns": interval_ns,
        "max_window": float(max_window),
        "__hoplab_identity__": identity,
    }
    return type(name, (PolicyController,), chosen)


class PolicyController(Controller):
    """Asks its policy for a window at every interval.

    The engine calls a controller at events only. So intervals that ended since the last event are caught up with before
    the next one: nothing else could have used the window meanwhile.
    """

    policy: ClassVar[Callable[[Observed], float]]
    interval_ns: ClassVar[int]
    max_window: ClassVar[float]
    owns_window = True

    def on_start(self, setup: Setup) -> None:
        """Begin the first interval at time 0."""
        self._window = min(float(setup.initial_window), self.max_window)
        self._is_established = False
        self._steps = 0
        self._last_ack_s = 0.0
        self._rtt_s = self._min_rtt_s = 0.0
        self._in_flight = 0
        self._begin()
        super().on_start(setup)
        self._act(0)

    def _begin(self) -> None:
        self._acked = self._losses = self._timeouts = self._rtts = 0
        self._rtt_sum = 0.0

    @property
    def cwnd(self) -> float:
        """The policy's window; one segment until the connection is established."""
        return self._window if self._is_established else 1.0

    @cwnd.setter
    def cwnd(self, value: float) -> None:
        """Leave the window to the policy."""

    def _catch_up(self, now_s: float) -> None:
        now_ns = round(now_s * NANOSECONDS)
        while (end_ns := (self._steps + 1) * self.interval_ns) < now_ns:
            self._steps += 1
            self._act(end_ns)

    def _act(self, now_ns: int) -> None:
        """Ask the policy at the end of an interval; at time 0, before the first."""
        if self._rtts:
            self._rtt_s = self._rtt_sum / self._rtts
        observed = Observed(
            acked_bps=self._acked * self.setup.segment * 8 / (self.interval_ns / NANOSECONDS),
            rtt_s=self._rtt_s,
            min_rtt_s=self._min_rtt_s,
            losses=float(self._losses),
            timeouts=float(self._timeouts),
            cwnd=self._window,
            in_flight=float(self._in_flight),
            silence_s=(now_ns - round(self._last_ack_s * NANOSECONDS)) / NANOSECONDS,
        )
        self._begin()
        action = float(type(self).policy(observed))
        self._window = core().scaled_window(self._window, action, self.max_window)

    def _acknowledged(self, ack: Ack | Sample, segments: int) -> None:
        self._catch_up(ack.now_s)
        self._is_established = True
        self._acked += segments
        self._in_flight = ack.in_flight
        self._last_ack_s = ack.now_s
        if ack.rtt_s is not None:
            self._rtt_sum += ack.rtt_s
            self._rtts += 1
            self._min_rtt_s = min(self._min_rtt_s, ack.rtt_s) if self._min_rtt_s else ack.rtt_s

    def on_established(self, ack: Ack) -> None:
        """Count a round-trip time, and no data."""
        self._acknowledged(ack, 0)

    def on_ack(self, ack: Ack) -> None:
        """Count what was acknowledged."""
        self._acknowledged(ack, ack.newly_acked)

    def on_recovery_ack(self, ack: Ack) -> None:
        """Count what was acknowledged."""
        self._acknowledged(ack, ack.newly_acked)

    def on_sample(self, sample: Sample) -> None:
        """Count what was delivered."""
        self._acknowledged(sample, sample.newly_delivered)

    def on_duplicate(self, now_s: float) -> None:
        """Let the interval end in time."""
        self._catch_up(now_s)

    def on_loss(self, loss: Loss) -> None:
        """Count the loss."""
        self._catch_up(loss.now_s)
        self._losses += 1

    def on_timeout(self, loss: Loss) -> None:
        """Count the timeout; the window is one segment until the interval ends."""
        self._catch_up(loss.now_s)
        self._timeouts += 1
        self._window = 1.0

    def on_recovery_exit(self, cwnd: float) -> None:
        """Leave the window to the policy."""

    def on_idle(self, restart: float) -> None:
        """Leave the window to the policy."""
