"""Congestion control written in Python.

A controller is a class with `cwnd` and `ssthresh`, in segments; the engine calls a method for each event. A scenario
names it by file and class (``controller = "mine.py:MyReno"``); a program may pass the class itself. The sender of
the flow's `transport` decides what is retransmitted after a loss: that of a one-way agent (`new_reno`, `sack`, `reno`
or `tahoe`), or of a complete connection (`tcp_reno` or another `tcp_*`).
"""

from __future__ import annotations

import ctypes
import hashlib
import inspect
import os
import sys
import textwrap
import tomllib
import traceback
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

from hoplab.base.engine import transports as known_transports
from hoplab.base.errors import InputError, UsageError
from hoplab.base.suggest import by_likeness
from hoplab.base.transports import BASE, split_base
from hoplab.base.transports import transports as transport_rows
from hoplab.scenario.user_classes import MODULE, UserClass, uncalled_methods, warn_at_definition, warn_in_use

if TYPE_CHECKING:
    from hoplab._core import Ack, Loss, Sample, Setup
    from hoplab.scenario.model import Scenario

EVENTS = (
    "on_start",
    "on_established",
    "on_syn_lost",
    "on_ack",
    "on_duplicate",
    "on_loss",
    "on_timeout",
    "on_recovery_ack",
    "on_recovery_exit",
    "on_idle",
    "on_slow_start_exit",
    "on_sample",
)
"""Methods that the engine calls."""

HELD = "python:"
"""What the names of classes that this process holds begin with."""


Kind = TypeVar("Kind", bound=UserClass)

_STARTED, _PAUSE = "_hoplab_has_started", "_hoplab_pause_s"


class _Pause:
    """`Controller.pace_s` of an object: the engine has to know by the end of `on_start` that there is one."""

    def __get__(self, controller: Controller | None, _: type[Controller]) -> object:
        if controller is None or _PAUSE not in vars(controller):
            raise AttributeError("pace_s is not set")
        return vars(controller)[_PAUSE]

    def __set__(self, controller: Controller, seconds: object) -> None:
        if _STARTED in vars(controller):
            raise AttributeError(
                "pace_s is set for the first time after on_start: set it on the class or in on_start, 0 for no pause"
            )
        vars(controller)[_PAUSE] = seconds


class Controller(UserClass):
    """Base of controllers: Reno's connection setup, and no reaction to anything else.

    The engine reads `cwnd` and `ssthresh` after each call: a window above 0 and of at most 1e9 segments, a threshold
    from 0 to infinity; anything else ends the run with a `ControllerError`. In loss recovery, the recovery sets `cwnd`.

    Attributes
    ----------
    cwnd : float
        Congestion window, segments.
    ssthresh : float
        Slow-start threshold, segments; `math.inf` if unknown.
    setup : Setup
        What the flow is: `flow`, `segment` (bytes), `window` (rwnd, segments), `initial_window`,
        `initial_ssthresh`, `is_rfc`, `is_connection`.
    pace_s : float
        Least time between two segments, s, if the class defines it or `on_start` sets it. Any later call may change it.
    owns_window : bool
        Of complete connections: whether this class alone sets the window, in loss recovery and after timeouts and idle
        times, too. Then they call `on_sample` instead of `on_ack` and `on_recovery_ack`.
    """

    cwnd: float
    ssthresh: float
    setup: Setup
    initial_window: float
    owns_window: bool = False
    if TYPE_CHECKING:
        pace_s: float
    else:
        pace_s = _Pause()

    def __init_subclass__(cls, **options: Any) -> None:
        """Warn of methods that no event calls."""
        super().__init_subclass__(**options)
        warn_at_definition(cls)

    @classmethod
    def uncalled(cls) -> list[str]:
        """What is wrong with each method of this class that looks like an event's and is none."""
        return uncalled_methods(cls, Controller, "no event", EVENTS, "events")

    def on_start(self, setup: Setup) -> None:
        """Called before the SYN. An override must call it first."""
        self.setup = setup
        self.initial_window = setup.initial_window
        self.cwnd, self.ssthresh = 1.0, setup.initial_ssthresh

    def on_established(self, ack: Ack) -> None:  # noqa: ARG002 (for those that replace it)
        """The SYN was acknowledged: the connection is established."""
        self.cwnd = self.initial_window

    def on_syn_lost(self) -> None:
        """The SYN was lost."""
        self.initial_window = 1.0

    def on_ack(self, ack: Ack) -> None:
        """New data was acknowledged outside loss recovery; not called for duplicates.

        One-way agents call it once per acknowledgment. Complete connections call it once for each segment that an
        acknowledgment delivers, and only while the window is the limit.
        """

    def on_duplicate(self, now_s: float) -> None:
        """A duplicate acknowledgment. Called before recovery counts it."""

    def on_loss(self, loss: Loss) -> None:
        """Duplicate acknowledgments indicate a loss. Called once per loss recovery, before retransmissions."""

    def on_timeout(self, loss: Loss) -> None:
        """The RTO expired. Unless replaced: `on_loss`, and one segment."""
        self.on_loss(loss)
        self.cwnd = 1.0

    def on_recovery_ack(self, ack: Ack) -> None:
        """New data was acknowledged in loss recovery."""

    def on_recovery_exit(self, cwnd: float) -> None:
        """Loss recovery is over and leaves the window at `cwnd`."""
        self.cwnd = cwnd

    def on_idle(self, restart: float) -> None:
        """Called after an idle time of one RTO; the profile restarts with `restart` segments."""
        self.cwnd = min(self.cwnd, restart)

    def on_slow_start_exit(self) -> None:
        """Slow start ends without a loss, by `stream.slow_start`. Complete connections only."""
        self.ssthresh = self.cwnd

    def on_sample(self, sample: Sample) -> None:
        """An acknowledgment delivered something: in loss recovery, too. Complete connections only."""

    @classmethod
    def over(cls, base: str) -> str:
        """Name this class over the sender of a transport: ``transports=["tcp_reno", MyReno.over("tcp_reno")]``.

        Raises
        ------
        InputError
            If the transport cannot be a base.
        """
        return checked([f"{register(cls)}{BASE}{base}"])[0]


class Interrupted(BaseException):
    """Raised in a controller's call that lasts longer than a run may take; no `except Exception` catches it."""


def interrupt(thread: int) -> None:
    """Raise `Interrupted` in another thread of this process, for the engine: as soon as it runs Python code."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(Interrupted))


_held: dict[str, type[UserClass]] = {}
_files: dict[tuple[str, str], ModuleType] = {}


def register(controller: type[UserClass]) -> str:
    """Hold a class ready and return the name by which scenarios know it.

    The name carries a digest of the class's source, so that results of another version are not taken for its own.

    Parameters
    ----------
    controller : type
        A subclass of `Controller` or `RateController`, written in a file or a notebook.

    Returns
    -------
    str
        Such as ``"python:MyReno@1f0c..."``: a value of the key `flow.controller` or `mac.rate_controller`.

    Raises
    ------
    UsageError
        If it is no controller, or its source cannot be found.
    """
    if not issubclass(controller, UserClass):
        raise UsageError(f"{controller!r} is not a subclass of hoplab.Controller or hoplab.RateController")
    source = []
    for base in controller.__mro__:
        if UserClass in base.__bases__:
            break
        try:
            source.append(_source_of(base))
        except (OSError, TypeError) as error:
            raise UsageError(
                f"{base.__name__}: source not found, required to identify results",
                hint="define the class in a file or in a notebook cell",
            ) from error
    digest = hashlib.sha256("\n".join(source).encode()).hexdigest()[:16]
    name = f"{HELD}{controller.__name__}@{digest}"
    _held[name] = controller
    return name


def _source_of(base: type) -> str:
    """The source of a class; of one in a notebook, whose module has no file, that of its methods, and its values.

    A class that a program has put together has no source, but an identity.
    """
    if "__hoplab_identity__" in vars(base):
        return str(vars(base)["__hoplab_identity__"])
    if hasattr(sys.modules.get(base.__module__), "__file__"):
        return textwrap.dedent(inspect.getsource(base))
    parts = [base.__qualname__, *(parent.__qualname__ for parent in base.__bases__)]
    for name, value in vars(base).items():
        wrapped = getattr(value, "fget", None) or getattr(value, "__func__", value)
        if inspect.isfunction(wrapped):
            parts.append(textwrap.dedent(inspect.getsource(wrapped)))
        elif not name.startswith("__"):
            parts.append(f"{name} = {value!r}")
    return "\n".join(parts)


def held() -> dict[str, type[UserClass]]:
    """The classes that this process holds ready, by name."""
    return dict(_held)


def hold(classes: dict[str, type[UserClass]]) -> None:
    """Take over what another process holds: workers are sent the classes with the engine."""
    _held.update(classes)


def make(name: str, class_name: str, path: str | None, text: str | None) -> tuple[Controller, list[str]]:
    """Make a controller for one flow, for the engine: the object, and the optional methods that it replaces.

    Raises
    ------
    InputError
        If there is no such class, or it is no controller.
    Exception
        What the file or the class raises.
    """
    found = found_class(name, class_name, path, text, Controller)
    optional = ("on_ack", "on_duplicate", "on_recovery_ack", "on_recovery_exit", "on_idle", "on_sample")
    own = [key for key in optional if _replaces(found, key)]
    if found.owns_window:
        own.append("owns_window")
    return found(), own


def started(controller: Controller, own: list[str]) -> list[str]:
    """What `make` has found and whether there is a pause, for the engine: `on_start` has returned."""
    if hasattr(controller, "pace_s"):
        return [*own, "pace_s"]
    vars(controller)[_STARTED] = True
    return own


def _replaces(found: type[Controller], method: str) -> bool:
    return getattr(found, method) is not getattr(Controller, method)


def found_class(name: str, class_name: str, path: str | None, text: str | None, kind: type[Kind]) -> type[Kind]:
    """The class that a scenario names, of one kind: of a file, or one that this process holds ready.

    Raises
    ------
    InputError
        If there is no such class.
    Exception
        What the file raises.
    """
    if path is not None and text is not None:
        return _of_file(path, text, class_name, kind)
    found = _of_process(name)
    if not issubclass(found, kind):
        raise InputError(f"{name} is not a subclass of hoplab.{kind.__name__}")
    return found


def _of_process(name: str) -> type[UserClass]:
    if name not in _held:
        raise InputError(
            f"controller {name} is not registered in this process",
            hint="register the class; on the command line name its file, such as mine.py:MyReno",
        )
    return _held[name]


def classes_of(path: Path) -> dict[str, type[Controller]]:
    """The controllers that a Python file defines, by name.

    Raises
    ------
    Exception
        What the file raises.
    """
    return _classes(_module(str(path), path.read_text(encoding="utf-8")), Controller)


def _classes(module: ModuleType, kind: type[Kind]) -> dict[str, type[Kind]]:
    return {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, kind) and value.__module__ == module.__name__
    }


def _module(path: str, text: str) -> ModuleType:
    key = (path, hashlib.sha256(text.encode()).hexdigest())
    module = _files.get(key)
    if module is None:
        module = ModuleType(f"{MODULE}{key[1][:12]}")
        module.__file__ = path
        sys.modules[module.__name__] = module  # dataclasses and pickles look there
        try:
            exec(compile(text, path, "exec"), module.__dict__)  # noqa: S102 (the user's own file)
        except BaseException:
            del sys.modules[module.__name__]
            raise
        _files[key] = module
    return module


def _of_file(path: str, text: str, class_name: str, kind: type[Kind]) -> type[Kind]:
    module = _module(path, text)
    found = getattr(module, class_name, None)
    if not (isinstance(found, type) and issubclass(found, kind)):
        classes = list(_classes(module, kind))
        near = get_close_matches(class_name, classes, n=1)
        what = "has no class" if found is None else f"has no subclass of hoplab.{kind.__name__} named"
        offered = f", expected {' or '.join(classes)}" if classes else ""
        raise InputError(f"{path} {what} {class_name}{offered}", hint=f"did you mean {near[0]}?" if near else None)
    warn_in_use(found)
    return found


def describe_exception(error: BaseException) -> str:
    """An exception in one line: type, message, and the last line of the user's code that it passed."""
    try:
        message = str(error)
    except Exception:  # noqa: BLE001 (the user's own class)
        message = "its message cannot be read"
    kind = type(error).__name__
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename != __file__]
    where = f" ({frames[-1].filename}, line {frames[-1].lineno})" if frames else ""
    if isinstance(error, SyntaxError) and error.lineno is not None:
        where = f" ({error.filename}, line {error.lineno})"
        message = error.msg
    shown = message if isinstance(error, InputError) else f"{kind}: {message}" if message else kind
    return f"{shown}{where}"


def name_of(transport: str | type[Controller]) -> str:
    """A transport as users give it: its name, or a class of theirs."""
    return transport if isinstance(transport, str) else register(transport)


def is_controller(transport: str) -> bool:
    """Whether a name is that of a controller outside the engine."""
    return transport.startswith(HELD) or ".py:" in transport


def checked(transports: Sequence[str | type[Controller]]) -> tuple[str, ...]:
    """Names of transports and controllers to compare.

    Raises
    ------
    InputError
        If one is unknown.
    UsageError
        If there is none, or one is named twice.
    """
    if isinstance(transports, str):
        transports = [transports]
    names = tuple(map(name_of, transports))
    if not names:
        raise UsageError("transports: no names", hint="such as new_reno,vegas")
    known = known_transports()
    for name in names:
        if name not in known and not is_controller(name):
            raise _without_class(name) if name.endswith(".py") else _unknown(name, known)
        if is_controller(name):
            _check_base(split_base(name)[1])
        if names.count(name) > 1:
            raise UsageError(f"transports: duplicate name {name}")
    return names


AGENTS = ("new_reno", "sack", "reno", "tahoe")
"""One-way agents whose sender can be a controller's."""


def bases() -> tuple[str, ...]:
    """Transports whose sender can be a controller's: one-way agents, and complete connections of the engine."""
    connections = [row.name for row in transport_rows().values() if row.conversation == "connection"]
    return (*AGENTS, *(name for name in connections if name.startswith("tcp_")))


def _check_base(base: str | None) -> None:
    if base is not None and base not in bases():
        raise InputError(f"unknown base {base!r}", hint=f"expected {', '.join(by_likeness(base, bases()))}")


def _unknown(name: str, known: Sequence[str]) -> InputError:
    near = get_close_matches(name, known, n=1)
    expected = "" if near else f", expected {', '.join(by_likeness(name, known))}"
    listed = "hoplab list transports prints all names"
    hint = f"did you mean {near[0]}? {listed}" if near else listed
    return InputError(f"unknown transport {name!r}{expected}", hint=hint)


def _without_class(file: str) -> InputError:
    """The error of a controller's file that is given without its class; the hint names those that it defines."""
    try:
        names = list(classes_of(Path(file)))
    except FileNotFoundError:
        return InputError(f"{file}: file not found", hint="expected a Python file and a class, such as mine.py:MyReno")
    except Exception as error:  # noqa: BLE001 (what the user's file raises)
        return InputError(f"{file}: {describe_exception(error)}")
    if not names:
        return InputError(f"{file}: no class name, and no subclass of hoplab.Controller in the file")
    return InputError(f"{file}: no class name", hint=f"add it: {' or '.join(f'{file}:{name}' for name in names)}")


def overrides_of(transport: str, scenario: Scenario, *, keep_workloads: bool = False) -> dict[str, object]:
    """Keys that make every flow of a scenario use a transport: one of the engine's, or a controller.

    A controller is over the base that its name ends with (``mine.py:MyReno+tcp_reno``), else over `new_reno`. Its file
    is looked for in the scenario's folder, then in the current one. Flows of `[traffic]` take part, unless they are
    datagrams beside flows that the scenario lists. With `keep_workloads`, workloads do not. Where a relay joins
    connections (`relays`), those that end or begin at a host keep their transport.
    """
    tables = [table for table in _tables_of_flows(scenario) if not (keep_workloads and table == "workload")]
    tables = [each for table in tables for each in (_flows_of_radios(scenario) if table == "flow" else [table])]
    if not is_controller(transport):
        data = scenario.resolve().data
        has_controller = any("controller" in flow for flow in [*data["flows"], *data.get("workloads", ())])
        changes = {"transport": transport, **({"controller": "none"} if has_controller else {})}
    else:
        name = transport
        transport, base = split_base(name)
        if "workload" in tables and base in {None, *AGENTS}:
            raise InputError(
                f"{name}: [[workload]] requires a complete connection as the base of a controller",
                hint=f"use {transport}{BASE}tcp_reno, or --keep-workloads",
            )
        file, _, name = transport.rpartition(":")
        folder = Path(scenario.path).parent
        if not transport.startswith(HELD) and not (folder / file).exists() and Path(file).exists():
            transport = f"{os.path.relpath(file, folder)}:{name}"
        changes = {"transport": base or AGENTS[0], "controller": transport}
    return {f"{table}.{key}": value for table in tables for key, value in changes.items()}


def _flows_of_radios(scenario: Scenario) -> list[str]:
    """The table of all flows; where relays join flows, those of flows between nodes with a radio."""
    if "relays" not in scenario.text:
        return ["flow"]
    data = scenario.resolve().data
    if not any("relays" in flow for flow in data["flows"]):
        return ["flow"]
    hosts = {node["id"] for node in data["nodes"] if node.get("kind") == "host"}
    return [f"flow.{flow['id']}" for flow in data["flows"] if hosts.isdisjoint((flow["from"], flow["to"]))]


def _tables_of_flows(scenario: Scenario) -> list[str]:
    """The tables of a scenario that define the transport of flows."""
    written = tomllib.loads(scenario.text)
    others = ["workload"] if "workload" in written else []
    if "flow" not in written:
        return [*others, *(["traffic"] if "traffic" in written or not others else [])]
    is_drawn = "traffic" in written or any(key.partition(".")[0] == "traffic" for key, _ in scenario.overrides)
    if not is_drawn:
        return ["flow", *others]
    drawn = scenario.resolve().data.get("traffic", {"kind": "tcp"})  # a file has no table once it is read
    is_datagrams = drawn["kind"] == "cbr" and drawn.get("transport", "udp") == "udp"
    return [*(["flow"] if is_datagrams else ["flow", "traffic"]), *others]
