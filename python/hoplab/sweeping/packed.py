"""Resolved scenarios in little memory: the points of a sweep differ in a few values."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hoplab.store.run_store import canonical


@dataclass(frozen=True, slots=True)
class Packed:
    """A scenario as compressed JSON."""

    data: bytes
    like: bytes = field(repr=False)

    def unpacked(self) -> Mapping[str, Any]:
        """The scenario."""
        opened = zlib.decompressobj(zdict=self.like) if self.like else zlib.decompressobj()
        scenario: Mapping[str, Any] = json.loads(opened.decompress(self.data) + opened.flush())
        return scenario


class Packer:
    """Packs scenarios, each as what differs from the first."""

    def __init__(self) -> None:
        self._like = b""

    def pack(self, scenario: Mapping[str, Any]) -> Packed:
        """A scenario in little memory."""
        text = canonical(scenario)
        self._like = self._like or text[:32_768]  # the window of zlib
        pressed = zlib.compressobj(zdict=self._like)
        return Packed(pressed.compress(text) + pressed.flush(), self._like)
