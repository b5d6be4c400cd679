"""The command `hoplab`: one module per command, each with `register(app)`, loaded when the command runs.

Only `dispatch` turns errors into messages on stderr and exit codes. Heavy modules are imported when a command runs:
`hoplab --help` loads neither the engine nor numpy.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
import threading
import traceback
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Annotated, Any, NoReturn, Self

import typer

import hoplab
from hoplab.base.engine import described
from hoplab.base.errors import (
    EXIT_BROKEN,
    EXIT_INTERRUPTED,
    EXIT_IO,
    EXIT_OK,
    HoplabError,
    MissingPackageError,
    command_line,
    exit_code_of,
)
from hoplab.base.numbers import check_source_date
from hoplab.base.terminal import Closed, guarded, write_colored
from hoplab.cli.console import is_verbose, note_command_line, python_warnings, reset_verbosity, set_verbosity
from hoplab.cli.table import COMMANDS, Command, command_of, every_command

COMPLETE_VARIABLE = "_HOPLAB_COMPLETE"
"""Environment variable by which a shell's completion script asks for words."""


def asked_for(args: Sequence[str]) -> Command | None:
    """The command of a command line; None for help and unknown words."""
    word = next((arg for arg in args if not arg.startswith("-")), None)
    return None if word is None else command_of(word)


def build_app(loaded: Collection[str] | None = None) -> typer.Typer:
    """The command line. Commands outside `loaded` have a name and a help line, but no options; None loads all.

    Commands of other distributions are left out where `loaded` names the product's alone.
    """
    commands = COMMANDS if loaded and COMMANDS.keys() >= set(loaded) else every_command()
    app = typer.Typer(
        name="hoplab",
        help="A laboratory for transport protocols over multi-hop 802.11.",
        epilog="Exit codes: 0 ok, 2 usage, 3 invalid input, 4 partial, 5 verdict failed, 70 internal, 74 I/O, "
        "130 interrupted.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,  # plain help: loading rich would double the time of `hoplab --help`
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    for command in commands.values():
        if loaded is None or command.name in loaded:
            importlib.import_module(command.module).register(app)
        else:
            app.command(command.name, help=command.summary)(_not_loaded)
    return app


def _not_loaded() -> NoReturn:
    """Stands for a command on the page of help: `asked_for` finds the module of every command that runs."""
    raise AssertionError("a command runs whose module is not loaded")


def dispatch(args: Sequence[str]) -> int:
    """Run one command line and return its exit code."""
    with Interrupts() as interrupts, guarded_streams(), python_warnings(), command_line():
        try:
            code = _run(args)
            return _interrupted(interrupts) if code == EXIT_INTERRUPTED else _told_of_loss(code)
        except BaseException as error:
            # A library may raise an error of its own after Ctrl-C (DuckDB), or fail during import (NumPy).
            if not interrupts.seen and isinstance(error, Exception):
                code = _report(error)
                _flush_or_discard()
                return code
            if not interrupts.seen:
                raise
            return _interrupted(interrupts)


def _interrupted(interrupts: Interrupts) -> int:
    """Report that Ctrl-C ended the command, and the cause of a delay."""
    notes = getattr(interrupts.error, "__notes__", [])
    _complain("; ".join(["interrupted", *map(str, notes)]))
    return EXIT_INTERRUPTED


@contextmanager
def guarded_streams() -> Iterator[None]:
    """Replace standard streams by ones that pass plain text only, and closed ones by `Closed`."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = guarded(sys.stdout), guarded(sys.stderr)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def _told_of_loss(code: int) -> int:
    """Exit code of a successful command whose standard output may be closed."""
    if not (isinstance(sys.stdout, Closed) and sys.stdout.lost):
        return code
    _complain("standard output is closed: the output is lost")
    return code or EXIT_IO


class Interrupts:
    """Records Ctrl-C even if a library replaces the `KeyboardInterrupt`. SIGTERM is the same."""

    def __init__(self) -> None:
        self.seen = False
        self.error: KeyboardInterrupt | None = None
        self._set = False
        self._before: Any = signal.SIG_DFL

    def __enter__(self) -> Self:
        ours = threading.current_thread() is threading.main_thread()
        if ours and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._note)
            self._before = signal.signal(signal.SIGTERM, self._note)
            self._set = True
        return self

    def __exit__(self, *error: object) -> None:
        if self._set:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            signal.signal(signal.SIGTERM, self._before)

    def _note(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002 (as signal handlers are called)
        self.seen = True
        self.error = KeyboardInterrupt()
        raise self.error


def _run(args: Sequence[str]) -> int:
    """Run one command line; returns exit codes of usage errors and interrupts, `dispatch` those of other errors."""
    reset_verbosity()
    note_command_line(args)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without the plus-minus sign shows a question mark
    try:
        is_completing = COMPLETE_VARIABLE in os.environ
        if is_completing:
            args = _words_to_complete()
        try:
            command = asked_for(args)
        except MissingPackageError:
            if not is_completing:
                raise
            command = None
        if command is not None:
            check_source_date()
        app = build_app(loaded=() if command is None else (command.name,))
        result = app([*args], prog_name="hoplab", standalone_mode=False)
        sys.stdout.flush()
    except BrokenPipeError:
        return _broken_pipe()
    except SystemExit as error:  # typer turns a broken pipe into one
        if isinstance(error.__context__, BrokenPipeError):
            return _broken_pipe()
        raise
    except (KeyboardInterrupt, typer.Abort):
        return EXIT_INTERRUPTED
    except typer.TyperException as error:
        return _usage(error)
    return result if isinstance(result, int) else EXIT_OK


def _words_to_complete() -> list[str]:
    """The words after `hoplab` on a command line that a shell completes, as its script passes them."""
    from typer.completion import completion_init  # type: ignore[attr-defined]  # noqa: PLC0415 (only for completion)

    completion_init()
    line = os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS") or ""
    return line.split()[1:]


def _print_version(wanted: bool) -> None:
    if wanted:
        try:
            engine = f" (engine {described()})"
        except HoplabError:  # no engine; `hoplab doctor` reports why
            engine = ""
        print(f"hoplab {hoplab.__version__}{engine}")
        raise typer.Exit(EXIT_OK)


def _root(
    *,
    version: Annotated[  # noqa: ARG001 (its callback runs before the command)
        bool, typer.Option("--version", help="Print the version and exit.", is_eager=True, callback=_print_version)
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Suppress warnings and progress.")] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Print details, and tracebacks of internal errors.")
    ] = False,
) -> None:
    set_verbosity(quiet=quiet, verbose=verbose)


def _report(error: Exception) -> int:
    """Print the error and return its exit code."""
    code = exit_code_of(error)
    if shortage := _shortage(error):
        code = EXIT_IO
        _complain(shortage)
    elif isinstance(error, RecursionError):
        _complain("the input is nested too deeply")
        if is_verbose():
            traceback.print_exception(error)
    elif code == EXIT_BROKEN and not isinstance(error, HoplabError) and type(error).__name__ != "EngineError":
        _complain(f"internal error: {type(error).__name__}: {error}")
        if is_verbose():
            traceback.print_exception(error)
        else:
            _complain("this is a bug in hoplab; rerun with --verbose for the traceback", label="  ")
    elif isinstance(error, OSError) and not isinstance(error, HoplabError):
        where = f"{error.filename}: " if error.filename else ""
        _complain(f"{where}{error.strerror or error}")
    else:
        _complain(str(error), label="" if type(error).__name__ == "ScenarioError" else "hoplab: ")  # starts file:line
    return code


def _shortage(error: Exception) -> str | None:
    """The resource that the machine or a limit of this process (`ulimit -a`) lacks; None for other errors."""
    text = str(error)
    if isinstance(error, MemoryError) or any(
        words in text for words in ("failed to map segment", "allocate memory", "Out of Memory")
    ):
        return "out of memory (ulimit -v); use fewer threads, nodes, flows, seeds or samples"
    if "can't start new thread" in text or "Resource temporarily unavailable" in text:
        return "the system starts no more threads (ulimit -u); use fewer with --threads"
    return None


def _usage(error: typer.TyperException) -> int:
    context = getattr(error, "ctx", None)
    message = error.format_message()
    if not message or (context is not None and message == context.get_help()):
        print(message)
        return error.exit_code
    _complain(message)
    if (remedy := REMEDIES.get(getattr(error, "option_name", ""))) is not None:
        _complain(f"hint: {remedy}", label="  ")
    elif context is not None:
        _complain(f"hint: {context.command_path} --help", label="  ")
    return error.exit_code


REMEDIES = {"--seed": "seed 5 alone is --seeds 5..5; seeds 5 to 9 are --seeds 5..9"}
"""What to write for an option that a command does not have, where its likeness alone misleads."""


def _broken_pipe() -> int:
    """The reader closed the pipe, as `head` does, because it has what it wants."""
    _discard_output()
    return EXIT_OK


def _flush_or_discard() -> None:
    """Flush standard output; errors have been reported."""
    try:
        sys.stdout.flush()
    except OSError:
        _discard_output()


def _discard_output() -> None:
    """Prevent a flush at exit, which would fail again with another exit code."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno() if sys.__stdout__ else 1)


def _complain(message: str, *, label: str = "hoplab: ") -> None:
    """Print an error on stderr, its first line in red on a terminal."""
    text = f"{label}{message}"
    first = text.split("\n", 1)[0].strip()
    write_colored(f"{text}\n", {first: "red"} if first else {}, sys.stderr)
