"""Arithmetic of the 802.11 DCF: air times, durations, and Bianchi's model of a saturated cell.

Written from the standard and from Bianchi's paper, apart from the engine, which is held against it.
Times are in microseconds, sizes in bytes, rates in Mb/s (bits per microsecond).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

SLOT_US = 20.0
SIFS_US = 10.0
DIFS_US = 50.0
RTS_BYTES = 20
CTS_BYTES = 14
ACK_BYTES = 14
PLCP_US = {"long": 192.0, "short": 96.0}
"""Preamble and header (IEEE 802.11-2007 section 18.2.2): 144 + 48 bits at 1 Mb/s; 72 at 1 and 48 at 2 Mb/s."""

CW_MIN = 31
CW_MAX = 1023


@dataclass(frozen=True)
class Profile:
    """What differs between the standard and ns-2 in a saturated cell.

    Parameters
    ----------
    overhead : int
        MAC bytes around an IP packet.
    collision_wait_us : float
        Idle time after a collision before counting starts.
    windows : sequence of int, optional
        Number of backoff values at each attempt; None for Bianchi's unlimited retries.
    """

    overhead: int
    collision_wait_us: float
    windows: Sequence[int] | None


@dataclass(frozen=True)
class Link:
    """Rates in Mb/s and preamble of a cell."""

    data_mbps: float
    basic_mbps: float = 1.0
    preamble: str = "long"


def airtime_us(mac_bytes: int, rate_mbps: float, preamble: str = "long") -> float:
    """Air time of a frame of `mac_bytes`, not rounded."""
    return PLCP_US[preamble] + 8.0 * mac_bytes / rate_mbps


def rts_us(link: Link) -> float:
    """Air time of an RTS."""
    return airtime_us(RTS_BYTES, link.basic_mbps, link.preamble)


def cts_us(link: Link) -> float:
    """Air time of a CTS; an ACK takes as long."""
    return airtime_us(CTS_BYTES, link.basic_mbps, link.preamble)


def data_us(link: Link, ip_bytes: int, overhead: int = 34) -> float:
    """Air time of an IP packet."""
    return airtime_us(ip_bytes + overhead, link.data_mbps, link.preamble)


def durations_us(link: Link, ip_bytes: int, overhead: int = 34) -> tuple[int, int, int]:
    """Duration fields of RTS, CTS and DATA, each rounded half up to whole microseconds."""
    rest = 3 * SIFS_US + cts_us(link) + data_us(link, ip_bytes, overhead) + cts_us(link)
    rts = math.floor(rest + 0.5)
    cts = math.floor(rts - SIFS_US - cts_us(link) + 0.5)
    return rts, cts, math.floor(SIFS_US + cts_us(link) + 0.5)


def exchange_us(link: Link, ip_bytes: int, *, rts: bool, delta_us: float = 0.0, overhead: int = 34) -> float:
    """From the first bit of the exchange to the last bit of the ACK at the sender.

    Parameters
    ----------
    delta_us : float
        Propagation delay of one frame.
    """
    handshake = rts_us(link) + cts_us(link) + 2 * (SIFS_US + delta_us) if rts else 0.0
    return handshake + data_us(link, ip_bytes, overhead) + SIFS_US + cts_us(link) + 2 * delta_us


def cycle_us(link: Link, ip_bytes: int, *, rts: bool) -> float:
    """Mean time per packet of a lone saturated station that draws 0..30 slots; no propagation."""
    return DIFS_US + 15 * SLOT_US + exchange_us(link, ip_bytes, rts=rts)


def ns2_windows(retries: int = 7) -> list[int]:
    """Backoff values per attempt in ns-2, which draws 0..CW-1: 31, 63, 127, ..., 1023, 1023."""
    windows, cw = [], CW_MIN
    for _ in range(retries):
        windows.append(cw)
        cw = min(2 * cw + 1, CW_MAX)
    return windows


STD = Profile(overhead=28, collision_wait_us=DIFS_US, windows=None)
"""Bianchi 2000: unlimited retries, DIFS after a collision."""

EIFS_US = SIFS_US + DIFS_US + airtime_us(ACK_BYTES, 1.0)
"""364 us."""

NS2 = Profile(overhead=34, collision_wait_us=EIFS_US + DIFS_US, windows=ns2_windows())
"""ns-2.35: seven attempts, EIFS and then DIFS after a collision."""

STD_FINITE = Profile(overhead=36, collision_wait_us=EIFS_US, windows=[32, 64, 128, 256, 512, 1024, 1024])
"""IEEE 802.11-1999 with seven attempts and LLC/SNAP headers; EIFS after a collision, in place of DIFS."""

PROFILES = {"std": STD, "ns2": NS2}


def attempts(stations: int, windows: Sequence[int] | None) -> tuple[float, float]:
    """Attempt and collision probability per slot of a saturated station (Bianchi 2000).

    Parameters
    ----------
    stations : int
        At least 1.
    windows : sequence of int or None
        Number of backoff values per attempt; None for unlimited retries with 32 .. 1024.

    Returns
    -------
    tau, p : float
    """

    def attempt(p: float) -> float:
        return _unlimited(p) if windows is None else _limited(p, windows)

    def excess(p: float) -> float:
        return p - 1.0 + (1.0 - attempt(p)) ** (stations - 1)

    if stations == 1:
        return attempt(0.0), 0.0
    p, high = 0.0, 1.0 - 1e-12
    while (middle := (p + high) / 2.0) not in {p, high}:  # `excess` rises with p
        p, high = (middle, high) if excess(middle) < 0.0 else (p, middle)
    return attempt(p), p


def _unlimited(p: float) -> float:
    # Bianchi 2000, eq. 7, with W = 32 and m = 5; the sum avoids its removable pole at p = 1/2.
    w, m = CW_MIN + 1, 5
    return 2.0 / (1.0 + w + p * w * math.fsum((2.0 * p) ** k for k in range(m)))


def _limited(p: float, windows: Sequence[int]) -> float:
    tries = [p**i for i in range(len(windows))]
    slots = (t * ((w - 1) / 2.0 + 1.0) for t, w in zip(tries, windows, strict=True))
    return math.fsum(tries) / math.fsum(slots)


def saturation_kbps(stations: int, link: Link, ip_bytes: int, *, rts: bool, profile: Profile) -> float:
    """Saturation throughput of a cell in kb/s of IP bits, propagation 1 us (Bianchi 2000, eq. 13)."""
    tau, _ = attempts(stations, profile.windows)
    busy = 1.0 - (1.0 - tau) ** stations
    success = stations * tau * (1.0 - tau) ** (stations - 1) / busy
    delta = 1.0
    good = exchange_us(link, ip_bytes, rts=rts, delta_us=delta, overhead=profile.overhead) + DIFS_US
    first = rts_us(link) if rts else data_us(link, ip_bytes, profile.overhead)
    bad = first + profile.collision_wait_us + delta
    slot = (1.0 - busy) * SLOT_US + busy * (success * good + (1.0 - success) * bad)
    return 1000.0 * success * busy * 8.0 * ip_bytes / slot
