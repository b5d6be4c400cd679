"""What users write in Python for the engine, and warnings of methods that nothing calls."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from difflib import get_close_matches

from hoplab.base.errors import HoplabWarning

MODULE = "hoplab_controller_"
"""Start of the names of modules that are made of users' files; a digest of the text follows."""


class UserClass:
    """Base of what users write in Python for the engine; a direct subclass is the base of one kind."""

    @classmethod
    def uncalled(cls) -> list[str]:
        """What is wrong with each method of this class that nothing calls."""
        return []


def uncalled_methods(
    defined: type[UserClass], base: type[UserClass], caller: str, known: Sequence[str], what: str
) -> list[str]:
    """Methods of a class that look like those of its base and are none, each with the nearest of the `known` ones."""
    found = [name for name in vars(defined) if name.startswith("on_") and not hasattr(base, name)]
    return [f"{defined.__name__}.{name}: {caller} calls this method; {_nearest(name, known, what)}" for name in found]


def warn_at_definition(defined: type[UserClass]) -> None:
    """Warn of methods that nothing calls; of a user's file only the class in use is checked, when it is found."""
    if not defined.__module__.startswith(MODULE):
        for text in defined.uncalled():
            warnings.warn(text, HoplabWarning, 3)


def warn_in_use(found: type[UserClass]) -> None:
    """Warn, once, of such methods of a class of a user's file and of its bases in that file."""
    for base in found.__mro__:
        key = base.__module__, base.__qualname__
        if base.__module__ == found.__module__ and issubclass(base, UserClass) and key not in _in_use:
            _in_use.add(key)
            for text in base.uncalled():
                warnings.warn(text, HoplabWarning, 2)


_in_use: set[tuple[str, str]] = set()


def _nearest(name: str, known: Sequence[str], what: str) -> str:
    """The known name most like this one as a question, or all of them."""
    near = get_close_matches(name, known, n=1)
    return f"did you mean {near[0]}?" if near else f"{what} are {', '.join(known)}"
