"""The kernel of virtual time: user-mode Linux with time travel, built once from the sources that Debian packages.

It is a program that hoplab starts, as it starts ns-2: never linked, and no part of hoplab.
Source: the kernel's Documentation/virt/uml/user_mode_linux_howto_v2.rst and arch/um/kernel/time.c.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from importlib import resources
from pathlib import Path

from hoplab.base.errors import HoplabError, OutputError, UsageError
from hoplab.base.progress import progress_bar
from hoplab.running.live.system import UnavailableError

KERNEL_VARIABLE = "HOPLAB_KERNEL"
"""Environment variable that names a kernel to use in place of that in the cache."""

SOURCE_VARIABLE = "HOPLAB_KERNEL_SOURCE"
"""Environment variable that names the archive of sources to build from."""

TOOLS = {
    "make": "make",
    "gcc": "gcc",
    "flex": "flex",
    "bison": "bison",
    "bc": "bc",
    "perl": "perl",
    "tar": "tar",
    "xz": "xz-utils",
}
"""Programs of the build, and the packages of Debian that have them."""

CONFIG = "kernel.config"

CHANGES = (
    ("arch/um/Kconfig", "config HZ\n\tint\n\tdefault 100", "config HZ\n\tint\n\tdefault 250"),
    ("arch/um/os-Linux/util.c", "return getrandom(buf, len, flags);", "return -ENOSYS;"),
)
"""File, text, and its replacement: timers as fine as those of Debian's kernels, and no randomness of the host."""

FIXED_STATE = ("arch/x86/um/user-offsets.c", "DEFINE_LONGS(HOST_FP_SIZE, 2696)")
"""File and text of sources that keep a fixed number of bytes of a process's floating-point state."""

WHOLE_STATE = (
    "arch/x86/um/os-Linux/registers.c",
    """\
		if (ptrace(PTRACE_SETREGSET, pid, NT_X86_XSTATE, &iov) < 0)
			return -errno;
""",
    """\
		static char whole[1 << 16];
		static unsigned long size;

		if (size == 0) {
			struct iovec all = { whole, sizeof(whole) };

			if (ptrace(PTRACE_SETREGSET, pid, NT_X86_XSTATE, &iov) == 0)
				return 0;
			if (ptrace(PTRACE_GETREGSET, pid, NT_X86_XSTATE, &all) < 0)
				return -errno;
			size = all.iov_len;
		}
		__builtin_memcpy(whole, fp_regs, iov.iov_len);
		iov.iov_base = whole;
		iov.iov_len = size;
		if (ptrace(PTRACE_SETREGSET, pid, NT_X86_XSTATE, &iov) < 0)
			return -errno;
""",
)
"""A change to those: a host whose processes have more state (AMX: 11,008 bytes) accepts the whole of it only. What the
kernel does not keep, nothing in it can use."""

_ARCHIVE = re.compile(r"linux-source-(6)\.(\d+)\.tar\.(xz|bz2|gz)")
_LEAST_MINOR = 6
"""Version 6.6 is the oldest whose sources have the texts of `CHANGES`."""

STEPS = 1240
"""Commands of the build, a line each, for the progress bar alone."""

BUILD_TIME = "some 8 minutes of CPU time"
"""Of the build with Debian's gcc 12 on a core of 2020, as messages have it."""

SOURCE_PACKAGE = "linux-source-6.12"


class KernelMissingError(UnavailableError):
    """There is no kernel of virtual time, or what its build requires is missing."""


def cache() -> Path:
    """Folder for programs built here: `$XDG_CACHE_HOME/hoplab`, or `~/.cache/hoplab`."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "hoplab"


@functools.cache
def config() -> str:
    """The kernel's configuration, beyond the default one of its architecture."""
    return resources.files("hoplab.running.real").joinpath(CONFIG).read_text(encoding="utf-8")


def cached() -> Path:
    """Where the build leaves the kernel: another configuration has another name."""
    recipe = json.dumps([config(), CHANGES, WHOLE_STATE]).encode()
    return cache() / f"linux-{hashlib.blake2b(recipe, digest_size=8).hexdigest()}"


def find() -> Path:
    """The kernel of virtual time.

    Raises
    ------
    KernelMissingError
        If there is none.
    UsageError
        If `HOPLAB_KERNEL` names no program.
    """
    named = os.environ.get(KERNEL_VARIABLE)
    path = Path(named) if named else cached()
    if path.is_file() and os.access(path, os.X_OK):
        return path.absolute()
    if named:
        raise UsageError(
            f"{KERNEL_VARIABLE}: {named}: not a program", hint=f"unset it, or name a kernel that {BUILD} has built"
        )
    raise KernelMissingError(
        f"virtual time requires a kernel of its own, and {path} does not exist",
        hint=f"{BUILD} builds it once, in {BUILD_TIME}; hoplab live works without it",
    )


BUILD = "hoplab real --build"


def label() -> str:
    """What names the kernel in the versions of results: another kernel has another label."""
    named = os.environ.get(KERNEL_VARIABLE)
    if named and Path(named).is_file():
        return f"linux-{hashlib.blake2b(Path(named).read_bytes(), digest_size=8).hexdigest()}"
    return cached().name


def source() -> Path:
    """The archive of the kernel's sources.

    Raises
    ------
    KernelMissingError
        If there is none.
    """
    if named := os.environ.get(SOURCE_VARIABLE):
        if not Path(named).is_file():
            raise KernelMissingError(f"{SOURCE_VARIABLE}: {named}: file not found", hint="name an archive of Linux")
        return Path(named)
    found = [(int(match[2]), path) for path in Path("/usr/src").glob("linux-source-*") if (match := _version(path))]
    new = [one for one in found if one[0] >= _LEAST_MINOR]
    if not new:
        raise KernelMissingError(
            f"no sources of Linux 6.{_LEAST_MINOR} or later in /usr/src",
            hint=f"apt-get install {SOURCE_PACKAGE}, or name an archive of sources in {SOURCE_VARIABLE}",
        )
    return max(new)[1]


def _version(path: Path) -> re.Match[str] | None:
    return _ARCHIVE.fullmatch(path.name)


def build(say: Callable[[str], None], *, show: bool | None = None) -> Path:
    """Build the kernel into the cache and return it; `say` gets a line for each step.

    Raises
    ------
    KernelMissingError
        If a tool or the sources are missing.
    HoplabError
        If the build fails.
    """
    archive, kernel = required(), cached()
    try:
        kernel.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="linux-build-", dir=kernel.parent) as folder:
            say(f"building Linux in {kernel.parent}: {BUILD_TIME}, 2 GB of disk space for as long")
            say(f"1/3 extract {archive}")
            _done(["tar", "xf", str(archive), "-C", folder, "--strip-components=1"], Path(folder))
            change(Path(folder))
            say("2/3 configure")
            make = ["make", "ARCH=um"]
            _done([*make, "defconfig"], Path(folder))
            with Path(folder, ".config").open("a", encoding="utf-8") as settings:
                settings.write(config())
            _done([*make, "olddefconfig"], Path(folder))
            check(Path(folder, ".config").read_text(encoding="utf-8"))
            say("3/3 compile")
            _compile([*make, f"-j{os.cpu_count() or 1}", "linux"], Path(folder), show=show)
            # Into a name of its own, then renamed: two builds at a time do not disturb each other.
            Path(folder, "linux").chmod(0o755)
            Path(folder, "linux").replace(kernel)
    except OSError as error:
        raise OutputError(f"{kernel.parent}: cannot be written: {error.strerror or error}") from error
    return kernel


def required() -> Path:
    """The archive of the kernel's sources, once all that the build requires is there.

    Raises
    ------
    KernelMissingError
        If tools, the sources or both are missing: one message names all of them.
    """
    missing = [package for tool, package in TOOLS.items() if shutil.which(tool) is None]
    try:
        archive = source()
    except KernelMissingError:
        if not missing or os.environ.get(SOURCE_VARIABLE):
            raise
        missing.append(SOURCE_PACKAGE)
    if missing:
        raise KernelMissingError(
            f"the build of the kernel requires {', '.join(missing)}", hint=f"apt-get install {' '.join(missing)}"
        )
    return archive


def change(folder: Path) -> None:
    """Make the changes to extracted sources.

    Raises
    ------
    HoplabError
        If these sources have other texts.
    """
    name, text = FIXED_STATE
    has_fixed_state = (folder / name).is_file() and text in (folder / name).read_text(encoding="utf-8")
    for name, old, new in (*CHANGES, *([WHOLE_STATE] if has_fixed_state else [])):
        path = folder / name
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        if old not in text:
            raise HoplabError(
                f"{name} of these sources has no text {old!r}",
                hint=f"use the sources of Linux 6.12: apt-get install {SOURCE_PACKAGE}",
            )
        path.write_text(text.replace(old, new), encoding="utf-8")


def check(settings: str) -> None:
    """Compare a complete configuration with what hoplab asks for.

    Raises
    ------
    HoplabError
        If these sources lack an option.
    """
    have = {*settings.splitlines()}
    lacking = [line for line in config().splitlines() if line and not line.endswith("=n") and line not in have]
    if lacking:
        raise HoplabError(
            f"these sources have no {', '.join(lacking)}",
            hint=f"use the sources of Linux 6.12: apt-get install {SOURCE_PACKAGE}",
        )


def _done(command: list[str], folder: Path) -> None:
    done = subprocess.run(  # noqa: S603 (tools that were found)
        command, cwd=folder, capture_output=True, text=True, errors="replace", check=False
    )
    if done.returncode != 0:
        raise HoplabError(f"{' '.join(command)}: status {done.returncode}: {_end(done.stderr.splitlines())}")


def _compile(command: list[str], folder: Path, *, show: bool | None) -> None:
    """Run `make` with a bar for the lines that it prints."""
    lines: list[str] = []
    with (
        progress_bar(STEPS, "compiling Linux", show=show) as tick,
        subprocess.Popen(  # noqa: S603 (tools that were found)
            command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
        ) as process,
    ):
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line.rstrip())
            tick(min(len(lines), STEPS))
    if process.returncode != 0:
        raise HoplabError(f"the kernel cannot be built: {_end(lines)}")


def _end(lines: list[str]) -> str:
    """The last lines of an output."""
    return "\n".join(lines[-10:])
