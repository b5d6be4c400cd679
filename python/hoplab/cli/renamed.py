"""Former names of commands and options: accepted until 0.3, hidden from help."""

from __future__ import annotations

from collections.abc import Sequence

from hoplab.base.renamed import REMOVED_IN

COMMANDS = {"oracle": "crosscheck"}

OPTIONS = {
    "export": {"--form": "--trace-format"},
    "reproduce": {
        "--on": "--backend",
        "--series": "--sensitivity",
        "--no-series": "--no-sensitivity",
    },
    "sweep": {"--on": "--backend", "--until": "--precision"},
}
"""Command to former and present names of its options."""

QUIET = {"-q", "--quiet"}


def present(args: Sequence[str]) -> tuple[list[str], list[str]]:
    """A command line in present names, and a sentence for each former name in it; none where it asks for quiet."""
    words, renamed = list(args), {}
    at = next((index for index, word in enumerate(words) if not word.startswith("-")), len(words))
    if at == len(words):
        return words, []
    if words[at] in COMMANDS:
        renamed[words[at]] = COMMANDS[words[at]]
        words[at] = COMMANDS[words[at]]
    options = OPTIONS.get(words[at], {})
    for index in range(at + 1, len(words)):
        if words[index] == "--":
            break
        name, equals, value = words[index].partition("=")
        if name in options:
            renamed[name] = options[name]
            words[index] = f"{options[name]}{equals}{value}"
    is_quiet = not QUIET.isdisjoint(words)
    sentences = [
        f"{old} is deprecated: write {new}; the old name works until {REMOVED_IN}" for old, new in renamed.items()
    ]
    return words, [] if is_quiet else sentences
