"""Features that a peer does not support."""

from __future__ import annotations

from hoplab.base.errors import InputError

NS2 = "ns-2.35"
"""The peer that refuses unless another is named."""


class UnsupportedError(InputError):
    """A scenario needs a feature that a peer does not support.

    Attributes
    ----------
    key : str
        The scenario key, e.g. `mac.profile`.
    value : object
        What it is set to.
    """

    def __init__(self, key: str, value: object, reason: str, *, peer: str = NS2, hint: str | None = None) -> None:
        super().__init__(f"{peer} does not support {key} = {value!r}: {reason}", hint=hint)
        self.key = key
        self.value = value


def need(key: str, value: object, only: object, reason: str, *, peer: str = NS2) -> None:
    """Refuse any value but one."""
    if value != only:
        raise UnsupportedError(key, value, f"{reason}, only {only}", peer=peer)


def need_one(key: str, value: object, known: tuple[str, ...], *, peer: str = NS2, says: str = "only") -> None:
    """Refuse any value but some."""
    if value not in known:
        raise UnsupportedError(key, value, f"{says} {', '.join(known)}", peer=peer)
