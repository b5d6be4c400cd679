"""Calls of Linux: namespaces, TUN and TAP devices and their settings. Nothing here touches the host's network.

Source: unshare(2), setns(2), prctl(2), netdevice(7), packet(7), and the kernel's Documentation/networking/tuntap.rst
and linux/ethtool.h.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import os
import signal
import socket
import struct
from dataclasses import dataclass
from pathlib import Path

from hoplab.base.errors import EXIT_PEER_MISSING, HoplabError

CLONE_NEWNS = 0x00020000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

DEVICE = "hop0"
"""Name of the device in each namespace."""

TUN = Path("/dev/net/tun")

_PR_SET_PDEATHSIG = 1
_MS_REC, _MS_PRIVATE = 16384, 1 << 18
_MCL_CURRENT, _MCL_FUTURE = 1, 2

_TUNSETIFF = 0x400454CA
_IFF_TUN, _IFF_TAP, _IFF_NO_PI = 0x0001, 0x0002, 0x1000
_SIOCGIFFLAGS, _SIOCSIFFLAGS = 0x8913, 0x8914
_SIOCSIFADDR, _SIOCSIFNETMASK, _SIOCSIFMTU = 0x8916, 0x891C, 0x8922
_SIOCSIFHWADDR, _ARPHRD_ETHER = 0x8924, 1
_SIOCETHTOOL = 0x8946
_IFF_UP = 0x1
_OFFLOADS = {0x16: "TX checksums", 0x1E: "TSO", 0x21: "UFO"}
"""Commands of ethtool that read whether a device takes work off the kernel."""


class UnavailableError(HoplabError):
    """The system does not permit a live network."""

    exit_code = EXIT_PEER_MISSING


def _call(name: str, *args: object) -> None:
    """Call a function of the C library, which returns 0 or sets `errno`."""
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, name)(*args) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), name)


def die_with_parent() -> None:
    """Kill this process once its parent ends, for whatever reason."""
    _call("prctl", _PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)


def unshare(flags: int) -> None:
    """Give this thread namespaces of its own."""
    _call("unshare", flags)


def enter(descriptor: int, flags: int = 0) -> None:
    """Move this thread to the namespace of a descriptor."""
    _call("setns", descriptor, flags)


def lock_memory() -> None:
    """Keep the pages of this process in memory."""
    _call("mlockall", _MCL_CURRENT | _MCL_FUTURE)


def leave_host() -> None:
    """Give this process, which has one thread, its own network and process numbers; without root its own users, too.

    Raises
    ------
    UnavailableError
        If the system refuses.
    """
    flags = CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET
    uid, gid = os.geteuid(), os.getegid()
    try:
        if uid == 0:
            try:
                unshare(flags)
            except PermissionError:  # root of a container without CAP_SYS_ADMIN
                pass
            else:
                return
        unshare(flags | CLONE_NEWUSER)
        Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
        Path("/proc/self/uid_map").write_text(f"0 {uid} 1", encoding="ascii")
        Path("/proc/self/gid_map").write_text(f"0 {gid} 1", encoding="ascii")
    except OSError as error:
        raise UnavailableError(
            f"network namespaces cannot be created: {error.strerror}",
            hint="run as root, or enable user namespaces (sysctl user.max_user_namespaces, "
            "kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns)",
        ) from None


def mount_own_proc() -> None:
    """Show the processes of this namespace alone in `/proc`, where the system permits it."""
    with contextlib.suppress(OSError):  # refused in some containers: programs then see the processes of the host
        _call("mount", None, b"/", None, _MS_REC | _MS_PRIVATE, None)
        _call("mount", b"proc", b"/proc", b"proc", 0, None)


@dataclass(frozen=True)
class Device:
    """The device of a node.

    Attributes
    ----------
    address : str
        IPv4 address.
    mtu : int
        Longest IP packet, in bytes.
    mac : str, optional
        MAC address of a TAP device; without one it is a TUN device.
    has_ipv6, forwards : bool
        Whether it has IPv6, and whether its host forwards packets.
    """

    address: str
    mtu: int
    mac: str | None = None
    has_ipv6: bool = False
    forwards: bool = False


def open_device(wanted: Device) -> int:
    """Create a device in the namespace of this thread, and return its descriptor, which does not block.

    Raises
    ------
    UnavailableError
        If there are no TUN devices, or the device segments packets itself.
    """
    try:
        device = os.open(TUN, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        remedy = "modprobe tun; in a container: --device /dev/net/tun"
        if error.errno in {errno.EACCES, errno.EPERM}:
            remedy = f"run as root, or chmod 666 {TUN}; in a container: --device {TUN}"
        raise UnavailableError(f"{TUN}: cannot be opened: {error.strerror}", hint=remedy) from None
    try:
        kind = _IFF_TUN if wanted.mac is None else _IFF_TAP
        fcntl.ioctl(device, _TUNSETIFF, struct.pack("16sH22x", DEVICE.encode(), kind | _IFF_NO_PI))
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
            set_up(control, "lo")
            if wanted.mac is not None:
                mac = bytes.fromhex(wanted.mac.replace(":", ""))
                fcntl.ioctl(control, _SIOCSIFHWADDR, struct.pack("16sH6s16x", DEVICE.encode(), _ARPHRD_ETHER, mac))
            fcntl.ioctl(control, _SIOCSIFADDR, _with_address(wanted.address))
            fcntl.ioctl(control, _SIOCSIFNETMASK, _with_address("255.0.0.0"))
            fcntl.ioctl(control, _SIOCSIFMTU, struct.pack("16si20x", DEVICE.encode(), wanted.mtu))
            if not wanted.has_ipv6:
                _without_ipv6()
            if wanted.forwards:
                _forward(has_ipv6=wanted.has_ipv6)
            set_up(control, DEVICE)
            _check_offloads(control)
    except OSError as error:
        os.close(device)
        raise UnavailableError(
            f"device {DEVICE} cannot be set up: {error.strerror}", hint="run as root, or with CAP_NET_ADMIN"
        ) from None
    return device


def set_up(control: socket.socket, name: str) -> None:
    """Switch a device on."""
    named = struct.pack("16sH22x", name.encode(), 0)
    flags = struct.unpack_from("H", fcntl.ioctl(control, _SIOCGIFFLAGS, named), 16)[0]
    fcntl.ioctl(control, _SIOCSIFFLAGS, struct.pack("16sH22x", name.encode(), flags | _IFF_UP))


def _with_address(address: str) -> bytes:
    return struct.pack("16sHH4s16x", DEVICE.encode(), socket.AF_INET, 0, socket.inet_aton(address))


def _without_ipv6() -> None:
    """Idle IPv6 hosts send broadcasts that have no place in the network."""
    setting = Path(f"/proc/sys/net/ipv6/conf/{DEVICE}/disable_ipv6")
    with contextlib.suppress(
        OSError
    ):  # no IPv6, or a read-only /proc: the network then counts these packets as refused
        setting.write_text("1", encoding="ascii")


def _forward(*, has_ipv6: bool) -> None:
    """Let the host of this namespace forward packets, without redirects: relays send by the device they receive by."""
    net = Path("/proc/sys/net")
    settings = {"ipv4/conf/all/send_redirects": "0", f"ipv4/conf/{DEVICE}/send_redirects": "0", "ipv4/ip_forward": "1"}
    if has_ipv6:
        settings["ipv6/conf/all/forwarding"] = "1"
    for name, value in settings.items():
        (net / name).write_text(value, encoding="ascii")


def _check_offloads(control: socket.socket) -> None:
    """Packets longer than the MTU must not reach the network: the kernel segments and sums before the device."""
    for command, name in _OFFLOADS.items():
        value = bytearray(struct.pack("II", command, 0))
        block = (ctypes.c_char * len(value)).from_buffer(value)
        request = struct.pack("16sP16x", DEVICE.encode(), ctypes.addressof(block))
        try:
            fcntl.ioctl(control, _SIOCETHTOOL, request)
        except OSError as error:
            if error.errno == errno.EOPNOTSUPP:
                continue
            raise
        if struct.unpack("II", bytes(block))[1]:
            raise UnavailableError(
                f"device {DEVICE} has {name} on, which brings packets longer than the MTU into the network",
                hint="report this kernel: hoplab asks for no offload",
            )


def device_counts() -> dict[str, int]:
    """Counters of the device in the namespace of this thread: `dropped` are those that its ring had no room for."""
    text = Path("/proc/thread-self/net/dev").read_text(encoding="ascii")
    for line in text.splitlines():
        name, colon, numbers = line.partition(":")
        if colon and name.strip() == DEVICE:
            fields = [int(number) for number in numbers.split()]
            # The device transmits what programs send, and receives what they get.
            return {"sent": fields[9], "sent_bytes": fields[8], "dropped": fields[11], "received": fields[1]}
    return {}
