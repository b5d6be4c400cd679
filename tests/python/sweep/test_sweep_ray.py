"""The same sweep on Ray: equal tables, whatever happens to its workers."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from hoplab.base.errors import InputError, PartialError
from hoplab.sweeping import CoreRunner, backend_of, ray_backend
from sweep.kit import SCENARIO, merged, needs_ray, sweep_in

HERE = Path(__file__).parent.parent


def environment() -> dict[str, str]:
    """That of a process which finds the tests' own modules."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), *filter(None, sys.path)])}


def sweep_on_ray(root: Path, text: str, *, backend: str = "ray") -> dict[str, Any]:
    """Run a sweep on a Ray of its own, in another process."""
    file = root.with_suffix(".toml")
    file.write_text(text)
    process = subprocess.run(
        [sys.executable, "-m", "sweep.process", str(root), str(file), backend],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    answer: dict[str, Any] = json.loads(process.stdout)
    return answer


@pytest.mark.slow
@needs_ray
def test_a_killed_worker_costs_only_its_runs_in_flight(tmp_path: Path) -> None:
    """Six runs, one per point, kill their worker once; the tables are those of a local sweep."""
    text = with_fake(f'kill_once = 2\nmarks = "{tmp_path}"')
    answer = sweep_on_ray(tmp_path / "killed", text)
    assert answer == {"made": 24, "kept": 0, "damaged": 0, "failures": []}
    assert len([path for path in tmp_path.iterdir() if path.is_file() and not path.suffix]) == 6
    sweep_in(tmp_path / "local", text)  # the marks are there: nothing kills now
    assert merged(tmp_path / "killed") == merged(tmp_path / "local")


@pytest.mark.slow
@needs_ray
def test_run_that_ends_three_workers_is_quarantined(tmp_path: Path) -> None:
    text = with_fake("exit = [2]\nfail = [4]").replace("[1, 2, 4]", "[1]")
    answer = sweep_on_ray(tmp_path / "bad", text)
    assert answer["made"] == 4
    assert {(f["seed"], f["attempts"]) for f in answer["failures"]} == {(2, 3), (4, 1)}
    errors = {f["seed"]: f["error"] for f in answer["failures"]}
    assert "its worker died 3 times" in errors[2]
    assert errors[4].startswith("FakeEngineError: t=1.0 s, node 3: invariant broken by seed 4")
    again = sweep_on_ray(tmp_path / "bad", text)
    assert (again["made"], again["kept"]) == (0, 4)
    assert {(f["seed"], f["attempts"]) for f in again["failures"]} == {(2, 3), (4, 2)}


LISTENING = """
import os, re
from pathlib import Path
from hoplab.sweeping.ray_backend import _connected

def parent(pid):
    return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])

with _connected(None, 1) as ray:
    ray.get(ray.remote(lambda: 1).remote())
    ours, inodes = set(), set()
    pids = [int(p.name) for p in Path("/proc").iterdir() if p.name.isdigit()]
    parents = {}
    for pid in pids:
        try:
            parents[pid] = parent(pid)
        except OSError:
            pass
    for pid in parents:
        at = pid
        while at in parents and at != os.getpid():
            at = parents[at]
        if at == os.getpid():
            ours.add(pid)
    for pid in ours:
        for link in Path(f"/proc/{pid}/fd").iterdir():
            try:
                inodes.update(re.findall(r"socket:\\[(\\d+)\\]", os.readlink(link)))
            except OSError:
                pass
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and fields[9] in inodes:
                print(fields[1].split(":")[0])
"""


def wait_for(port: int, *, limit_s: float = 60.0) -> None:
    """Return once somebody listens on a port of this machine."""
    until = time.monotonic() + limit_s
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1.0).close()
        except OSError:
            assert time.monotonic() < until, "the head of the cluster has not come up"
            time.sleep(0.2)
        else:
            return


@pytest.mark.slow
@needs_ray
def test_a_cluster_that_runs_already_gives_the_same_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its head is started as users start one, with the token that `ray start` makes, and ended by its own handle."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("RAY_AUTH_MODE", raising=False)
    port, client = 26379 + os.getpid() % 1000, 28501 + os.getpid() % 1000
    command = [
        *(str(Path(sys.executable).parent / "ray"), "start", "--head", "--block", "--disable-usage-stats"),
        *("--node-ip-address=127.0.0.1", f"--port={port}", f"--ray-client-server-port={client}"),
        *("--include-dashboard=false", "--num-cpus=2"),
    ]
    with subprocess.Popen(command, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as head:
        try:
            wait_for(client)
            text = with_fake("")
            answer = sweep_on_ray(tmp_path / "cluster", text, backend=f"ray://127.0.0.1:{client}")
        finally:
            head.terminate()
    assert answer["failures"] == []
    sweep_in(tmp_path / "local", text)
    assert merged(tmp_path / "cluster") == merged(tmp_path / "local")


@pytest.mark.slow
@needs_ray
@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="reads Linux's list of sockets")
def test_our_own_ray_listens_on_the_loopback_interface_alone() -> None:
    process = subprocess.run(
        [sys.executable, "-c", LISTENING],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    addresses = set(process.stdout.split())
    assert addresses, "Ray listens somewhere"
    assert addresses <= {"0100007F", "0000000000000000FFFF00000100007F"}  # 127.0.0.1, and the same mapped to IPv6


class AbortingRay:
    """Joins a cluster whose client server fails to start a server a number of times."""

    def __init__(self, failures: int) -> None:
        self.left = failures
        self.calls: list[str] = []

    def init(self, **_: object) -> None:
        self.calls.append("init")
        if self.left:
            self.left -= 1
            raise ConnectionAbortedError("Initialization failure from server:\nStarting Ray client server failed.")

    def shutdown(self) -> None:
        self.calls.append("shutdown")


def test_a_cluster_that_fails_to_start_its_server_is_asked_again() -> None:
    ray = AbortingRay(2)
    with contextmanager(ray_backend._started)(ray, "ray://here:10001", None):
        assert ray.calls == ["init", "shutdown", "init", "shutdown", "init"]


def test_a_cluster_that_never_starts_its_server_is_named() -> None:
    ray = AbortingRay(9)
    entering = contextmanager(ray_backend._started)(ray, "ray://here:10001", None)
    with pytest.raises(
        InputError, match=r"ray://here:10001: no Ray cluster responds \(Starting Ray client server failed"
    ):
        entering.__enter__()
    assert ray.calls.count("init") == 3


def test_without_ray_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(InputError, match=r"\[ray\]"):
        ray_backend.RayBackend(CoreRunner()).execute([], lambda *_: None, lambda *_: None)


def test_another_place_is_refused() -> None:
    with pytest.raises(ValueError, match="expected local, ray or ray://"):
        backend_of("slurm", CoreRunner(), None)


def with_fake(keys: str) -> str:
    return SCENARIO.replace("[[flow]]", f"[fake]\n{keys}\n\n[[flow]]", 1)


class Reference:
    """A reference of Ray's client: its hash waits for the answer of the cluster."""

    def __init__(self, error: Exception | None) -> None:
        self.error = error

    def __hash__(self) -> int:
        if self.error is not None:
            raise self.error
        return id(self)


class BreakingRay:
    """A Ray that raises an error at one of its uses; afterwards it is connected, or is not, or does not know."""

    class exceptions:  # noqa: N801 (as Ray names it)
        """Errors of Ray."""

        class RayError(Exception):
            """Of a run, a worker or a node."""

        class RayTaskError(RayError):
            """Of a run."""

    def __init__(self, at: str, error: Exception, *, connected: bool | Exception) -> None:
        self.at, self.error, self.connected = at, error, connected

    def _use(self, name: str, value: Any) -> Any:
        if name == self.at:
            raise self.error
        return value

    def is_initialized(self) -> bool:
        if isinstance(self.connected, Exception):
            raise self.connected
        return self.connected

    def put(self, value: Any) -> Any:
        return self._use("put", value)

    def remote(self, **_: Any) -> Any:
        def decorate(function: Any) -> Any:
            def remote(*_: Any) -> Any:
                if function is ray_backend.worker_version:
                    return "version"
                return Reference(self.error if self.at == "hash" else None)

            function.remote = remote
            return function

        return decorate

    def cluster_resources(self) -> dict[str, float]:
        answer: dict[str, float] = self._use("cluster_resources", {"CPU": 1.0})
        return answer

    def wait(self, references: list[Any], **_: Any) -> tuple[list[Any], list[Any]]:
        answer: tuple[list[Any], list[Any]] = self._use("wait", (references[:1], references[1:]))
        return answer

    def get(self, reference: Any) -> Any:
        return "version" if reference == "version" else self._use("get", ("{}", None))

    def cancel(self, *_: Any, **__: Any) -> None:
        raise self.error


class Versioned:
    version = "version"


def distribute(ray: BreakingRay, on_finished: Any = lambda *_: None) -> None:
    tasks: Any = ["task"]
    runner: Any = Versioned()
    ray_backend._Distribution(ray, "ray://there:1", runner, on_finished, lambda *_: None).run(tasks)


@pytest.mark.parametrize("at", ["put", "cluster_resources", "hash", "wait", "get"])
@pytest.mark.parametrize(
    ("error", "connected"),
    [
        (ConnectionError("gone"), True),
        (ValueError("Cannot invoke RPC on closed channel!"), False),
        (RuntimeError("UNAVAILABLE"), RuntimeError("UNAVAILABLE")),
    ],
)
def test_a_lost_cluster_is_named_wherever_it_shows(at: str, error: Exception, connected: bool | Exception) -> None:
    with pytest.raises(
        PartialError, match=r"backend ray://there:1: the cluster is lost \(.+\); finished runs are stored"
    ):
        distribute(BreakingRay(at, error, connected=connected))


@pytest.mark.parametrize("at", ["put", "cluster_resources", "hash", "wait", "get"])
def test_an_error_of_a_connected_cluster_stays_what_it_is(at: str) -> None:
    with pytest.raises(ValueError, match="a bug"):
        distribute(BreakingRay(at, ValueError("a bug"), connected=True))


@pytest.mark.parametrize("connected", [True, False])
def test_a_disk_error_is_none_of_the_cluster(connected: bool) -> None:
    def on_finished(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        distribute(BreakingRay("nowhere", OSError(), connected=connected), on_finished)
