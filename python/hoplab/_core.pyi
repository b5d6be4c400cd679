"""The compiled engine: values in, values out. Strings are JSON where a docstring says so."""

from collections.abc import Callable
from typing import Any, Self, final

import numpy as np

__all__ = [
    "Ack",
    "Agents",
    "ControllerError",
    "EngineError",
    "Job",
    "LimitError",
    "Loss",
    "RateResult",
    "RateSetup",
    "RouteAgent",
    "Sample",
    "ScenarioError",
    "Setup",
    "bound_inputs",
    "defaults",
    "estimates",
    "is_trained",
    "join_tables",
    "memory_left",
    "profile",
    "registry",
    "replay",
    "report_schema",
    "resolve",
    "run_live",
    "run_many",
    "scaled_window",
    "schema",
    "setdest",
    "survival",
    "trajectories",
    "version",
]

class ScenarioError(Exception):
    """A scenario that cannot be run; ``str(error)`` is the whole message, with file and line."""

    path: str
    line: int | None
    key: str | None
    value: str | None
    expected: str | None
    hint: str | None

class EngineError(Exception):
    """A broken invariant, or a limit that ended a run; never the user's fault alone."""

class LimitError(EngineError):
    """A run that met a limit its caller had set: `limit` is "events" or "wall", `time_s` the simulated time reached."""

    limit: str
    time_s: float
    events: int
    seed: int

class ControllerError(EngineError):
    """A controller written in Python that failed; what it raised is the cause."""

    controller: str
    flow: int | None
    node: int | None
    time_s: float | None
    seed: int

@final
class Ack:
    """An acknowledgment of new data, as controllers see it. Times in s, lengths in segments."""

    @property
    def now_s(self) -> float: ...
    @property
    def acked(self) -> int: ...
    @property
    def newly_acked(self) -> int: ...
    @property
    def next(self) -> int: ...
    @property
    def in_flight(self) -> int: ...
    @property
    def rtt_s(self) -> float | None: ...
    @property
    def srtt_s(self) -> float | None: ...
    @property
    def is_cwnd_limited(self) -> bool: ...

@final
class Loss:
    """A loss, as controllers see it. Times in s, lengths in segments."""

    @property
    def now_s(self) -> float: ...
    @property
    def is_timeout(self) -> bool: ...
    @property
    def window(self) -> float: ...
    @property
    def in_flight(self) -> int: ...
    @property
    def is_retransmission(self) -> bool: ...

@final
class Sample:
    """A sample of the delivery rate of a complete connection: rate in bit/s, times in s, counts in segments."""

    @property
    def now_s(self) -> float: ...
    @property
    def rate_bps(self) -> float | None: ...
    @property
    def rtt_s(self) -> float | None: ...
    @property
    def srtt_s(self) -> float | None: ...
    @property
    def newly_delivered(self) -> int: ...
    @property
    def newly_lost(self) -> int: ...
    @property
    def in_flight(self) -> int: ...
    @property
    def in_recovery(self) -> bool: ...
    @property
    def is_app_limited(self) -> bool: ...
    @property
    def is_cwnd_limited(self) -> bool: ...
    @property
    def has_echo(self) -> bool: ...

@final
class Setup:
    """Parameters of a connection before anything is sent. Lengths in segments, `segment` in bytes."""

    @property
    def flow(self) -> int: ...
    @property
    def initial_window(self) -> float: ...
    @property
    def initial_ssthresh(self) -> float: ...
    @property
    def segment(self) -> int: ...
    @property
    def window(self) -> int: ...
    @property
    def is_rfc(self) -> bool: ...
    @property
    def is_connection(self) -> bool: ...

@final
class RateSetup:
    """What a rate control chooses from, by index, the slowest first: rates in bit/s, times of 1200 bytes in s."""

    @property
    def node(self) -> int: ...
    @property
    def rates_bps(self) -> list[float]: ...
    @property
    def mcs(self) -> list[int | None]: ...
    @property
    def snr_db(self) -> list[float]: ...
    @property
    def frame_s(self) -> list[float]: ...

@final
class RateResult:
    """The result of one attempt to send a frame, or an A-MPDU."""

    @property
    def now_s(self) -> float: ...
    @property
    def neighbor(self) -> int: ...
    @property
    def rate(self) -> int: ...
    @property
    def acked(self) -> int: ...
    @property
    def lost(self) -> int: ...
    @property
    def snr_db(self) -> float | None: ...

@final
class Job:
    """One replication to run: a scenario, its overrides and a seed, checked when it is made."""

    def __new__(
        cls,
        text: str,
        path: str,
        overrides: list[tuple[str, str]],
        seed: int,
        series_interval_s: float | None = None,
        trace: str | None = None,
        airtime: bool = False,
        capture: str | None = None,
        max_events: int | None = None,
        max_wall_s: float | None = None,
    ) -> Job: ...
    @property
    def text(self) -> str: ...
    @property
    def path(self) -> str: ...
    @property
    def overrides(self) -> list[tuple[str, str]]: ...
    @property
    def seed(self) -> int: ...
    @property
    def series_interval_s(self) -> float | None: ...
    @property
    def trace(self) -> str | None: ...
    @property
    def airtime(self) -> bool: ...
    @property
    def capture(self) -> str | None: ...
    @property
    def max_events(self) -> int | None: ...
    @property
    def max_wall_s(self) -> float | None: ...

@final
class Agents:
    """Networks of one scenario, one lane and seed each, that pause at every interval while agents choose windows.

    `hoplab.gym` is its interface for users.
    """

    CONTROLLER: str
    """What `flow.controller` is for a flow with an agent."""
    FIELDS: list[str]
    """Fields of an observation, in order."""

    def __new__(
        cls, job: Job, agents: int, interval_s: float, max_window: float, lanes: int, threads: int
    ) -> Agents: ...
    def reset(self, lanes: list[int], seeds: list[int], out: np.ndarray[Any, Any]) -> None:
        """Start runs; observations go to `out`, of shape (lanes, agents, fields)."""
    def step(self, actions: np.ndarray[Any, Any], active: list[bool], out: np.ndarray[Any, Any]) -> list[bool]:
        """Run active lanes for an interval after actions of shape (lanes, agents); which have reached their end."""
    def report(self, lane: int) -> str:
        """Report of a lane's run, as JSON."""
    def time_s(self, lane: int) -> float: ...

@final
class RouteAgent:
    """A scenario whose next hops an agent chooses at every interval: one run at a time.

    `hoplab.gym.RoutingEnv` is its interface for users.
    """

    PROTOCOL: str
    """What `routing.protocol` is for routes of an agent."""
    NODE_FIELDS: list[str]
    FLOW_FIELDS: list[str]

    def __new__(cls, job: Job, interval_s: float, detour: int) -> Self: ...
    def reset(self, seed: int) -> list[tuple[int, int, list[int]]]:
        """Start the run of a seed; node, destination and next hops of every choice."""
    def step(self, actions: list[int]) -> bool:
        """Take next hops by number, and run for an interval; whether the run has ended."""
    def observe(self) -> tuple[list[list[float]], list[list[float]]]:
        """What the interval since the last observation has shown, of nodes and of flows."""
    def report(self) -> str:
        """Report of the run, as JSON."""
    def time_s(self) -> float: ...

def scaled_window(window: float, action: float, most: float) -> float:
    """A window, in segments, changed by a power of two from -1 to 1, within 1 and `most`."""

def version() -> str: ...
def is_trained() -> bool:
    """Whether the compiler had watched an engine run before it built this one (`make fast`)."""

def profile() -> str:
    """The profile of Cargo.toml that the engine was built with: `dist` in a wheel, `release` from the sources."""

def bound_inputs(job: Job, times_s: list[float]) -> str:
    """JSON: times of frames, received powers at each time, and what each flow sends."""

def replay(job: Job, slots: list[list[tuple[int, int, int]]]) -> list[tuple[list[bool], float]]:
    """Plays slots of exchanges (sender, receiver, bytes) on the radios: which succeed, and the seconds of each slot."""

def survival(job: Job, exchanges: list[tuple[int, int, int]], time_s: float) -> list[tuple[int, int, int, list[float]]]:
    """Survival of frames by interfering node: index of the exchange, place of the frame, and of its modulation."""

def defaults() -> str:
    """Default values of a scenario's tables of constants, in SI units, as JSON."""

def schema() -> str:
    """JSON Schema of a scenario."""

def report_schema() -> str:
    """JSON Schema of the report of a run."""

def registry() -> str:
    """JSON: what a scenario can name."""

def resolve(text: str, path: str, overrides: list[tuple[str, str]], *, as_options: bool = True) -> str:
    """JSON: the scenario with every default filled in, warnings and facts.

    Errors name overrides as options of the command line, or as arguments.
    """

def estimates(job: Job, interval_s: float, flow: int, paths: bool) -> str:
    """JSON: estimators of links at every node, and along the path of a flow, over time, in bit/s."""

def setdest(text: str, path: str, overrides: list[tuple[str, str]], seed: int) -> tuple[str, tuple[float, float]]:
    """Movements of the run with this seed as a movement file of ns-2."""

def trajectories(text: str, path: str, overrides: list[tuple[str, str]], seed: int) -> str:
    """JSON: of each node its `start` [x, y] and `legs` [t0, x0, y0, t1, x1, y1], in s and m."""

def memory_left() -> float:
    """Bytes that this process may still take, at most what a run may take."""

def join_tables(parts: list[str], path: str) -> None:
    """Write Parquet files with the same columns into one, in their order."""

def run_live(
    job: Job,
    ports: list[tuple[int, int]],
    stop: int,
    record: str,
    *,
    bound_s: float,
    clock: str,
) -> str:
    """Run a job in real time, with devices by node as descriptors; a report of its pace as JSON.

    It ends early once the descriptor `stop` is readable. Packets that enter are recorded in the file `record`.
    """

def run_many(
    jobs: list[Job],
    threads: int,
    on_result: Callable[[int, str, dict[str, np.ndarray[Any, Any]]], None],
    on_failure: Callable[[int, Exception], None] | None = None,
) -> None:
    """Run all jobs; calls `on_result(index, json, series)` in this thread as each finishes, in no fixed order.

    `on_failure(index, error)` is called for a run that fails, and the others go on; without it the error ends all runs.

    `series` has no columns unless the job has a `series_interval_s`.

    A job with `trace` leaves the tables of its trace in files, whose names begin with that.
    """
