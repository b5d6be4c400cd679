"""Reno's window, written as a controller of your own: `controller = "my_reno.py:MyReno"`."""

import math

from hoplab import Ack, Controller, Loss


class MyReno(Controller):
    """Slow start, congestion avoidance, half the window at a loss (ns-2's `opencwnd` and `slowdown`)."""

    def on_ack(self, ack: Ack) -> None:
        """Grow by a segment per acknowledgment below the threshold, by one per window above it."""
        self.cwnd += 1.0 if self.cwnd < self.ssthresh else 1.0 / self.cwnd

    def on_loss(self, loss: Loss) -> None:
        """Halve what was in use."""
        half = loss.window / 2.0
        self.ssthresh = max(math.floor(half), 2.0)
        self.cwnd = max(half, 1.0)


class Gentle(MyReno):
    """An idea: grow a quarter as fast, and keep three quarters at a loss."""

    def on_ack(self, ack: Ack) -> None:
        """A quarter of Reno's growth once the start is over."""
        self.cwnd += 1.0 if self.cwnd < self.ssthresh else 0.25 / self.cwnd

    def on_loss(self, loss: Loss) -> None:
        """Keep three quarters of what was in use."""
        self.ssthresh = max(math.floor(0.75 * loss.window), 2.0)
        self.cwnd = max(0.75 * loss.window, 1.0)
