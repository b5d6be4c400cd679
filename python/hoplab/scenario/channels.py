"""Channels of nodes' radios: which link is on which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hoplab.base.errors import InputError

RESPONSES = {"cts", "ack", "block_ack"}
"""Frames on the channel of the frame that they answer."""


@dataclass(frozen=True)
class Channels:
    """Channels of all radios.

    Attributes
    ----------
    usual : int
        Channel of nodes without a list.
    lists : mapping
        By node: the channels of its radios, in order.
    is_fixed : bool
        Whether a link's channel follows from the lists. Otherwise the routing protocol, or a list of links, chooses
        among those in common.
    """

    usual: int
    lists: Mapping[int, Sequence[int]]
    is_fixed: bool = True

    @classmethod
    def of(cls, resolved: Mapping[str, Any]) -> Channels:
        """Channels of a resolved scenario."""
        usual = int(resolved["radio"].get("channel", 1))
        lists = {
            int(node["id"]): [int(radio["channel"]) for radio in node["radios"]]
            for node in resolved["nodes"]
            if "radios" in node
        }
        is_listed = resolved["topology"].get("kind") == "links"
        return cls(usual, lists, resolved["routing"]["protocol"] == "static" and not is_listed)

    def radios(self, nodes: int) -> list[tuple[int, int]]:
        """Node and channel of each radio by number: first ones of all nodes, then further ones in order of node."""
        lists = [self.lists.get(node, (self.usual,)) for node in range(nodes)]
        first = [(node, channels[0]) for node, channels in enumerate(lists)]
        return [*first, *((node, channel) for node, channels in enumerate(lists) for channel in channels[1:])]

    def numbers(self, nodes: int) -> tuple[int, ...]:
        """The channels of the first nodes, ascending; none where all of them share one."""
        found = {channel for node in range(nodes) for channel in self.lists.get(node, (self.usual,))}
        return tuple(sorted(found)) if len(found) > 1 else ()

    def of_link(self, sender: int, addressee: int) -> int | None:
        """Channel of packets to a neighbor: the first of the sender that the addressee has.

        None for broadcasts, and where a routing protocol chooses among several.
        """
        if not self.lists:
            return self.usual
        theirs = self.lists.get(addressee, (self.usual,))
        common = [one for one in self.lists.get(sender, (self.usual,)) if addressee >= 0 and one in theirs]
        return common[0] if common and (self.is_fixed or len(common) == 1) else None

    def of_frame(self, sender: int, addressee: int, frame: str) -> int | None:
        """Channel of a frame; None if it is not known."""
        return self.of_link(addressee, sender) if frame in RESPONSES else self.of_link(sender, addressee)


def may_meet(first: int | None, second: int | None) -> bool:
    """Whether frames on two channels can disturb each other."""
    return first is None or second is None or first == second


def need_one_radio(resolved: Mapping[str, Any], feature: str) -> None:
    """Raise `InputError` for a node with several radios."""
    several = next((node for node in resolved["nodes"] if len(node.get("radios", ())) > 1), None)
    if several is not None:
        raise InputError(
            f"node.{several['id']}.radios: not supported by {feature}", hint="use one radio per node, on any channel"
        )
