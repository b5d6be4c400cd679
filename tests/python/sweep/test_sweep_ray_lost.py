"""A Ray cluster of two nodes, each in a network of its own, that loses its head in the middle of a sweep."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from fakes.tools import needs

from hoplab.base.errors import EXIT_INPUT, EXIT_OK, EXIT_PARTIAL
from sweep.kit import merged, needs_ray

HEAD, WORKER, UNUSED = "10.213.77.1", "10.213.77.2", "10.213.77.9"
PORT, CLIENT_PORT = 26_379, 28_501
START_S = 180.0
"""Real time that a node may take to start on a busy machine."""

SWEEP = """\
duration = "400 s"
[topology]
kind = "chain"
hops = 2
[[flow]]
[sweep]
seeds = 40
[sweep.axes]
"flow.transport" = ["new_reno", "vegas"]
"""


@dataclass
class Networks:
    """Two network namespaces with a link between them."""

    names: tuple[str, str]
    home: Path
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def command(self, which: int, *command: str) -> list[str]:
        """A command inside of one of them."""
        return ["ip", "netns", "exec", self.names[which], *command]

    def environment(self, **more: str) -> dict[str, str]:
        """That of a user whose home has the cluster's token."""
        plain = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
        path = os.pathsep.join(filter(None, sys.path))
        return {**plain, "HOME": str(self.home), "PYTHONPATH": path, "RAY_USAGE_STATS_ENABLED": "0", **more}

    def start_ray(self, which: int, *options: str) -> None:
        """Start a node of Ray that asks for the token."""
        ray = str(Path(sys.executable).parent / "ray")
        command = self.command(which, ray, "start", "--block", "--num-cpus=1", "--disable-usage-stats", *options)
        process = subprocess.Popen(
            command,
            env=self.environment(RAY_AUTH_MODE="token"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self.processes.append(process)

    def kill(self, which: int) -> None:
        """Kill everything inside, as if the machine lost its power."""
        pids = subprocess.run(["ip", "netns", "pids", self.names[which]], capture_output=True, text=True, check=False)
        for pid in pids.stdout.split():
            with suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)

    def wait_for(self, which: int, address: str, port: int) -> None:
        """Return once a server listens there."""
        probe = f"import socket; socket.create_connection(({address!r}, {port}), timeout=1.0).close()"
        until = time.monotonic() + START_S
        while subprocess.run(
            self.command(which, sys.executable, "-c", probe), stderr=subprocess.DEVNULL, check=False
        ).returncode:
            assert time.monotonic() < until, f"no server listens at {address}:{port}"
            time.sleep(0.5)


@pytest.fixture
def networks(ray_installed: None) -> Iterator[Networks]:
    """Two namespaces, where the system allows them."""
    needs("ip", "apt-get install iproute2")
    names = (f"hoplab-head-{os.getpid()}", f"hoplab-work-{os.getpid()}")
    made = subprocess.run(["ip", "netns", "add", names[0]], capture_output=True, text=True, check=False)
    if made.returncode:
        pytest.skip(f"no network namespaces here, which need root: {made.stderr.strip()}")
    home = Path(tempfile.mkdtemp(prefix="hl-", dir="/tmp"))
    token = home / ".ray" / "auth_token"
    token.parent.mkdir()
    token.write_text(secrets.token_hex(32))
    networks = Networks(names, home)
    try:
        steps = [f"netns add {names[1]}", f"link add hl{os.getpid()}a type veth peer name hl{os.getpid()}b"]
        for name, end, address in zip(names, "ab", (HEAD, WORKER), strict=True):
            link = f"hl{os.getpid()}{end}"
            steps += [f"link set {link} netns {name}", f"-n {name} addr add {address}/24 dev {link}"]
            steps += [f"-n {name} link set {link} up", f"-n {name} link set lo up"]
        for step in steps:
            subprocess.run(["ip", *step.split()], check=True, capture_output=True)
        yield networks
    finally:
        for which, name in enumerate(names):
            networks.kill(which)
            subprocess.run(["ip", "netns", "del", name], check=False, capture_output=True)
        for process in networks.processes:
            process.wait(timeout=30)
        shutil.rmtree(home, ignore_errors=True)


def stored(folder: Path) -> int:
    """Runs that a sweep has stored."""
    return len(list((folder / "runs").glob("*"))) if (folder / "runs").is_dir() else 0


@pytest.mark.slow
@needs_ray
def test_a_lost_head_ends_a_sweep_that_goes_on_later(networks: Networks, tmp_path: Path) -> None:
    """Its driver says so soon, joins nothing in its place, and leaves runs from which a local sweep goes on."""
    networks.start_ray(
        0,
        *("--head", f"--node-ip-address={HEAD}", f"--port={PORT}", f"--ray-client-server-port={CLIENT_PORT}"),
        *("--include-dashboard=false", f"--temp-dir={networks.home}/t"),
    )
    networks.wait_for(1, HEAD, CLIENT_PORT)
    networks.start_ray(1, f"--address={HEAD}:{PORT}", f"--node-ip-address={WORKER}")
    file, out = tmp_path / "sweep.toml", tmp_path / "out"
    file.write_text(SWEEP)
    sweep = [sys.executable, "-m", "hoplab", "sweep", str(file)]
    # What Ray would join by itself, once it has no connection.
    tempting = networks.environment(RAY_ADDRESS=f"ray://{UNUSED}:{CLIENT_PORT}")
    on_cluster = [*sweep, "--out", str(out), "--backend", f"ray://{HEAD}:{CLIENT_PORT}"]
    driver = subprocess.Popen(
        networks.command(1, *on_cluster), env=tempting, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    until = time.monotonic() + START_S
    while stored(out) < 3 and driver.poll() is None:
        assert time.monotonic() < until, "no run comes back from the cluster"
        time.sleep(0.1)
    assert driver.poll() is None, driver.communicate()[1]
    networks.kill(0)
    lost = time.monotonic()
    _, error = driver.communicate(timeout=120)
    assert driver.returncode == EXIT_PARTIAL, error
    assert f"backend ray://{HEAD}:{CLIENT_PORT}: the cluster is lost" in error
    assert "bug" not in error
    assert UNUSED not in error
    assert time.monotonic() < lost + 60.0
    assert not (networks.home / ".ray" / "auth_token.lock").exists()
    kept = stored(out)
    assert 3 <= kept < 80
    for folder in (out, tmp_path / "local"):
        done = subprocess.run([*sweep, "--out", str(folder)], capture_output=True, text=True, check=False, timeout=300)
        assert done.returncode == EXIT_OK, done.stderr
    assert merged(out) == merged(tmp_path / "local")


@pytest.mark.slow
@needs_ray
def test_a_cluster_that_is_not_there_is_named_soon(tmp_path: Path) -> None:
    file = tmp_path / "sweep.toml"
    file.write_text(SWEEP)
    command = [sys.executable, "-m", "hoplab", "sweep", str(file), "--out", str(tmp_path / "out")]
    done = subprocess.run(
        [*command, "--backend", "ray://127.0.0.1:9"], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == EXIT_INPUT, done.stderr
    assert "no Ray cluster responds" in done.stderr
