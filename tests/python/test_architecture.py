"""Rooms of the Python packages: which may use which, no ring of imports, no long file, no crowded folder.

Imports are read from the sources, those inside functions included. An import for types alone (`TYPE_CHECKING`) makes no
edge between files, since it does not run; between rooms it counts.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = {
    "hoplab": ROOT / "python" / "hoplab",
    "hoplab_studies": ROOT / "evidence" / "hoplab_studies",
    "hoplab_validation": ROOT / "evidence" / "hoplab_validation",
}

PRODUCT = {
    "base": set(),
    "stats": set(),
    "scenario": {"base", "figures"},
    "store": {"base", "scenario", "stats"},
    # A figure is drawn from results; a result draws itself on request.
    "figures": {"base", "running", "stats", "store"},
    # Runs say on request why a flow of theirs carries nothing.
    "diagnosis": {"base", "running", "scenario"},
    "running": {"base", "diagnosis", "figures", "scenario", "stats", "store"},
    "sweeping": {"base", "bounding", "running", "scenario", "stats", "store"},
    "bounding": {"base", "running", "scenario", "stats", "store"},
    "gym": {"base", "running", "scenario"},
    "explain": {"base", "figures", "running", "scenario", "store"},
    "report": {"base", "explain", "figures", "running", "scenario", "stats", "store"},
    "artifact": {"base", "figures", "report", "running", "scenario", "store"},
    "demo": {"base", "figures", "report", "running", "scenario", "stats"},
    "cli": {
        "artifact",
        "base",
        "bounding",
        "demo",
        "diagnosis",
        "explain",
        "report",
        "running",
        "scenario",
        "stats",
        "store",
        "sweeping",
    },
}
"""Rooms of the product, and the rooms that each may use."""
EVIDENCE = {"hoplab_studies": {"hoplab_validation"}, "hoplab_validation": set()}
"""Packages of the second distribution: each may use all of the product, and what is named here."""
LINES, MOST_LINES, SIBLINGS = 450, 600, 14
"""Above the first and the last a line is printed at the end of the tests; above the second they fail."""


@dataclass(frozen=True)
class Import:
    """One import of a module of the package, and whether it is for types alone."""

    source: str
    target: str
    is_typing: bool


@cache
def modules() -> dict[str, Path]:
    found = {}
    for package in PACKAGES.values():
        for path in sorted(package.rglob("*.py")):
            if path.parent.name == "examples":  # programs of users, no modules
                continue
            parts = path.relative_to(package.parent).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
        for alias in node.names:
            full = f"{node.module}.{alias.name}"
            yield full if full in modules() else node.module


def imports_of(module: str, tree: ast.AST, *, is_typing: bool = False) -> Iterator[Import]:
    for child in ast.iter_child_nodes(tree):
        inside = is_typing or (isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING")
        for name in names(child):
            if name in modules() and name != module:
                yield Import(module, name, inside)
        yield from imports_of(module, child, is_typing=inside)


@cache
def imports() -> tuple[Import, ...]:
    trees = ((name, ast.parse(path.read_text(encoding="utf-8"))) for name, path in modules().items())
    return tuple(found for name, tree in trees for found in imports_of(name, tree))


def room(module: str) -> str:
    """The package of a module of evidence, or else the room of the product; "" for the product's package itself."""
    package, _, inside = module.partition(".")
    return package if package in EVIDENCE else inside.partition(".")[0]


def test_every_module_lies_in_a_room() -> None:
    assert {room(name) for name in modules()} == {"", "__main__", *PRODUCT, *EVIDENCE}


def test_the_product_imports_no_evidence() -> None:
    assert [found for found in imports() if room(found.source) not in EVIDENCE and room(found.target) in EVIDENCE] == []


def test_rooms_use_the_rooms_they_may() -> None:
    allowed = {**PRODUCT, **{name: {*PRODUCT, *more} for name, more in EVIDENCE.items()}}
    used = {(room(found.source), room(found.target)) for found in imports() if room(found.target)}
    edges = {(a, b) for a, b in used if a in allowed and a != b}
    assert {(a, b) for a, b in edges if b not in allowed[a]} == set()
    unused = {(a, b) for a, others in PRODUCT.items() for b in others} - edges
    assert unused == set(), "edges that nothing uses any more: take them out of the list"


def test_no_ring_of_imports_between_files() -> None:
    graph: dict[str, set[str]] = {name: set() for name in modules()}
    for found in imports():
        if not found.is_typing:
            graph[found.source].add(found.target)
    assert [ring for ring in rings(graph) if len(ring) > 1] == []


def test_files_are_short(record_property: Callable[[str, object], None]) -> None:
    lengths = {
        path.relative_to(ROOT).as_posix(): len(path.read_text(encoding="utf-8").splitlines())
        for path in modules().values()
    }
    for name, lines in lengths.items():
        if lines > LINES:
            record_property("alarm", f"{name} has {lines} lines; above {LINES}, see whether it has two subjects")
    assert {name for name, lines in lengths.items() if lines > MOST_LINES} == set()


def test_crowded_folders_are_named(record_property: Callable[[str, object], None]) -> None:
    siblings: dict[str, set[str]] = {}
    for path in modules().values():
        if path.name == "__main__.py":
            continue
        if path.name != "__init__.py":
            siblings.setdefault(path.parent.relative_to(ROOT).as_posix(), set()).add(path.name)
        elif path.parent not in PACKAGES.values():
            siblings.setdefault(path.parent.parent.relative_to(ROOT).as_posix(), set()).add(path.parent.name)
    assert len(siblings) > 20, "the package has folders"
    for folder, names in siblings.items():
        if len(names) > SIBLINGS:
            record_property(
                "alarm", f"{folder} has {len(names)} modules; see whether some belong into a folder of their own"
            )


def rings(graph: dict[str, set[str]]) -> list[list[str]]:
    """Strongly connected components (Tarjan 1972)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for after in graph[node]:
            if after not in index:
                visit(after)
                low[node] = min(low[node], low[after])
            elif after in stack:
                low[node] = min(low[node], index[after])
        if low[node] == index[node]:
            ring = [stack.pop()]
            while ring[-1] != node:
                ring.append(stack.pop())
            found.append(ring)

    for node in graph:
        if node not in index:
            visit(node)
    return found


def test_a_ring_is_found() -> None:
    assert [sorted(ring) for ring in rings({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) if len(ring) > 1] == [
        ["a", "b", "c"]
    ]
