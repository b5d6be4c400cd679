"""What a peer cannot be told."""

from __future__ import annotations

from hoplab.errors import InputError


class InexpressibleError(InputError):
    """A scenario asks for something that a peer does not have.

    Attributes
    ----------
    key : str
        The scenario key, e.g. `mac.profile`.
    value : object
        What it is set to.
    """

    def __init__(self, key: str, value: object, reason: str, *, peer: str = "ns-2.35", hint: str | None = None) -> None:
        super().__init__(f"{peer} cannot express {key} = {value!r}: {reason}", hint=hint)
        self.key = key
        self.value = value
