"""Every citation in a comment leads to a place that a reader can open: a page, an RFC, a standard, a reference."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = ("crates", "python", "evidence", "fuzz", "scenarios", "tests/python", "docs/specs", "docs/protocols")
EXAMPLES = {Path(__file__).name, "test_joining.py"}
"""Files with citations of what does not exist."""
KINDS = {".rs", ".py", ".toml", ".txt", ".md"}
STANDARDS = ROOT / "docs" / "specs" / "standards.md"
REFERENCES = ROOT / "docs" / "judge" / "references.md"

PAGE = re.compile(
    r"(?<![\w/.-])(docs/[\w/-]+\.md)(?: (sections?) ([\d.]+(?:(?:,| and| to) [\d.]+)*)|, ([A-Z][\w -]+?)(?=[).;:,]))?"
)
ITEM = r"(?:\d+|[A-Z])(?:\.\d+)*(?: \([^()]{0,60}\))?"
MORE = r"(?:(?:,| and|, and| to| or) (?!802)(?:\d+|[A-Z])(?:\.\d+)+(?: \([^()]{0,60}\))?)*"
RFC = re.compile(rf"\bRFCs?[ -](\d{{3,5}})(?:,? (?:sections?|appendix) ({ITEM}{MORE}))?")
IEEE = re.compile(
    rf"\b(802(?:\.\d+[a-z]*)?-\d{{4}})(?:,? (?:sections?|clauses?) ({ITEM}{MORE})"
    r"|,? tables? ([\d-]+(?:(?:,| and) \d+-\d+)*)|,? [Aa]nnex ([A-Z]))?"
)
NAME = r"(?:(?:De|Le) )?[A-ZÀ-Þ][\w'-]*[a-zà-þA-Z]"
PAPER = re.compile(
    rf"\b({NAME}(?:(?:, | and ){NAME})*)(?: et al\.)?(?: ((?:19[4-9]|20[0-4])\d)|, (undated))\b(?!\.\d|-\d|:\d)"
)
DRAFT = re.compile(r"\bdraft-[a-z][\w-]*\w|\bITU-T [A-Z]\.\d+")
NO_NAME = re.compile(
    r"\b(?:January|February|March|April|May|June|July|August|September|October|November|December|RFC|RFCs|UTC|Python|MPDU|DS)$"
)


@dataclass(frozen=True)
class Citation:
    """What a comment cites, and where it does."""

    where: str
    document: str
    place: str | None = None


def flat(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The text in one line, without marks of comments; and where in it which line begins."""
    parts, starts, length = [], [], 0
    for number, line in enumerate(text.splitlines(), 1):
        part = re.sub(r"\s+", " ", re.sub(r"^\s*(?://[/!]?|#)?\s*", "", line)).rstrip() + " "
        starts.append((length, number))
        parts.append(part)
        length += len(part)
    return "".join(parts), starts


def numbers(words: str | None) -> list[str]:
    """`5.1 (SYN), 5.2 and 6 to 8` as its numbers."""
    plain = re.sub(r"\([^()]*\)", "", words or "")
    return re.findall(r"(?:\d+|[A-Z])(?:[.-]\d+)*", plain)


def citations(name: str, text: str) -> Iterator[Citation]:
    """All citations of a file."""
    words, starts = flat(text)

    def where(match: re.Match[str]) -> str:
        return f"{name}:{starts[bisect_right(starts, (match.start(), len(starts))) - 1][1]}"

    for match in PAGE.finditer(words):
        yield from (Citation(where(match), match[1], place) for place in numbers(match[3]) or [match[4]])
    for match in RFC.finditer(words):
        yield from (Citation(where(match), f"RFC {match[1]}", place) for place in numbers(match[2]) or (None,))
    for match in IEEE.finditer(words):
        places: list[str | None] = [
            *numbers(match[2]),
            *(f"table {table}" for table in numbers(match[3])),
            *(match[4] or ""),
        ]
        yield from (Citation(where(match), match[1], place) for place in (places or [None]))
    for match in PAPER.finditer(words):
        if not NO_NAME.search(match[1]):
            yield Citation(where(match), "paper", match[0])
    for match in DRAFT.finditer(words):
        yield Citation(where(match), "reference", match[0])


@cache
def headings(page: Path) -> frozenset[str]:
    """Numbers and words of a page's headings."""
    lines = re.findall(r"^#{1,4} (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    numbered = {match[1] for line in lines if (match := re.match(r"(\d+(?:\.\d+)*)\.? ", line))}
    return frozenset(numbered | {line.strip("`") for line in lines})


@cache
def sections() -> dict[str, frozenset[str]]:
    """Sections of each RFC and standard of the table."""
    rows: dict[str, set[str]] = {}
    for line in STANDARDS.read_text(encoding="utf-8").splitlines():
        if match := re.match(r"\| (\d+) \| [^|]* \| ?([^|]*?) ?\|$", line):
            rows.setdefault(f"RFC {match[1]}", set()).update(spread(match[2]))
        elif match := re.match(r"\| (802[\w.-]+) \| (table |annex )?([^|]*?) \|", line):
            names = (numbers(match[3]) if match[2] else spread(match[3].replace(" to ", "-"))) or []
            kind = "table " if match[2] == "table " else ""
            rows.setdefault(match[1], set()).update(f"{kind}{name}" for name in names)
    return {name: frozenset(places) for name, places in rows.items()}


def spread(ranges: str) -> list[str]:
    """`1-3, 5.1-5.2, A` as its numbers."""
    all_of = []
    for word in filter(None, ranges.split(", ")):
        first, _, last = word.partition("-")
        *parent, low = first.split(".")
        high = (last or first).split(".")[-1]
        ends = range(int(low), int(high) + 1) if low.isdigit() else [low]
        all_of += [".".join((*parent, str(end))) for end in ends]
    return all_of


@cache
def entries() -> tuple[str, ...]:
    """The entries of the list of references."""
    return tuple(re.split(r"\n- ", REFERENCES.read_text(encoding="utf-8"))[1:])


def problem(citation: Citation) -> str | None:
    """What is wrong with a citation."""
    document, place = citation.document, citation.place
    if document.startswith("docs/"):
        page = ROOT / document
        if not page.is_file():
            return f"{document} is no page"
        return None if place is None or place in headings(page) else f"{document} has no section {place}"
    if document == "reference":
        return None if any(str(place) in " ".join(entry.split()) for entry in entries()) else f"{place} is no reference"
    if document == "paper":
        match = PAPER.fullmatch(str(place))
        assert match
        names = re.split(r", | and ", match[1])
        year = match[2] or match[3]
        is_known = any(all(word in entry for word in (year, *names)) for entry in entries())
        return None if is_known else f"{place} is not in docs/judge/references.md"
    if document not in sections():
        return f"{document} is not in docs/specs/standards.md"
    return None if place is None or place in sections()[document] else f"{document} has no section {place}"


def problems(name: str, text: str) -> list[str]:
    return [f"{citation.where}: {wrong}" for citation in citations(name, text) if (wrong := problem(citation))]


def files() -> list[Path]:
    paths = (path for room in ROOMS for path in sorted((ROOT / room).rglob("*")) if path.suffix in KINDS)
    return [path for path in paths if path.is_file() and "ns2" not in path.parts and path.name not in EXAMPLES]


def test_every_citation_leads_somewhere() -> None:
    seen = [(str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")) for path in files()]
    assert sum(len(list(citations(*file))) for file in seen) > 1000
    wrong = [line for file in seen for line in problems(*file)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("comment", "wrong"),
    [
        ("// docs/specs/rcp.md section 3", None),
        ("// docs/specs/rcp.md sections 3 and 99", "docs/specs/rcp.md has no section 99"),
        ("// (docs/protocols/xcp.md, Deviations)", None),
        ("// (docs/protocols/xcp.md, Omissions)", "docs/protocols/xcp.md has no section Omissions"),
        ("// docs/specs/nothing.md", "docs/specs/nothing.md is no page"),
        ("// RFC 6298\n    // section 5.7, rule 3", None),
        ("/// RFC 5681 sections 3.1 (SYN) and 7.9", "RFC 5681 has no section 7.9"),
        ("# RFC 4242", "RFC 4242 is not in docs/specs/standards.md"),
        ("// IEEE 802.11-2016 tables 19-27 and 9-2", "802.11-2016 has no section table 9-2"),
        ("// IEEE 802.11-1999 sections 9.2.3.4 (EIFS), 9.2.5.4 (NAV) and 9.2.99", "802.11-1999 has no section 9.2.99"),
        ("// IEEE 802.11-1899", "802.11-1899 is not in docs/specs/standards.md"),
        ("//! Fu, Liew 2003; Le Boudec and Vojnovic 2005, August 2026", None),
        ("//! Cai, Turing 2013", "Cai, Turing 2013 is not in docs/judge/references.md"),
        ("//! draft-unknown-nothing", "draft-unknown-nothing is no reference"),
    ],
)
def test_citation_of_nothing_is_found(comment: str, wrong: str | None) -> None:
    assert problems("x.rs", f"fn f() {{}}\n{comment}\n") == ([] if wrong is None else [f"x.rs:2: {wrong}"])
