"""Write the table of RFCs in docs/specs/standards.md, from a folder of their texts and rfc-index.txt.

`rfc_sections.py FOLDER` reads FOLDER/rfcN.txt for each RFC that a comment cites. A section is a numbered heading, an
entry of the table of contents, or a numbered rule in parentheses, and its predecessor exists. Other numbers that begin
a line have none.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "specs" / "standards.md"
LINE = re.compile(
    r"^(?: {0,3}(?:Appendix |APPENDIX )?(\d{1,2}|[A-H])| {0,12}((?:\d{1,2}|[A-H])(?:\.\d{1,2})+))(?:\.|:| -)?\s{1,4}\S"
)
RULE = re.compile(r"^\s*\((\d\.\d{1,2})\)\s")
CITED = re.compile(r"\bRFCs?[ -](\d{3,5})\b")
ROOMS = ("crates", "python", "evidence", "fuzz", "tests")


def main() -> None:
    """Write the rows; those of RFCs whose text is missing stay."""
    folder = Path(sys.argv[1])
    index = (folder / "rfc-index.txt").read_text(encoding="utf-8", errors="replace")
    text = PAGE.read_text(encoding="utf-8")
    rows = [_row(number, folder, index) or _kept(number, text) for number in sorted(_cited())]
    head = "| RFC | title | sections |\n| --- | --- | --- |\n"
    start = text.index(head) + len(head)
    end = text.index("\n## ", start)
    PAGE.write_text(text[:start] + "".join(rows) + text[end:], encoding="utf-8")


def _cited() -> set[int]:
    files = (
        path for room in ROOMS for kind in ("rs", "py", "toml", "txt") for path in (ROOT / room).rglob(f"*.{kind}")
    )
    return {int(number) for path in files for number in CITED.findall(path.read_text(encoding="utf-8"))}


def _row(number: int, folder: Path, index: str) -> str | None:
    path = folder / f"rfc{number}.txt"
    found = re.search(rf"^{number:04} (.*?)\.\s+[A-Z]", index, re.MULTILINE | re.DOTALL)
    if not found or not path.is_file():
        return None
    text = path.read_text(encoding="utf-8", errors="replace")
    return f"| {number} | {' '.join(found[1].split())} | {compact(sections(text))} |\n"


def _kept(number: int, page: str) -> str:
    found = re.search(rf"^\| {number} \|.*\n", page, re.MULTILINE)
    if not found:
        sys.exit(f"RFC {number} is cited, but its text is neither in the folder nor on the page")
    return found[0]


def sections(text: str) -> list[tuple[str, ...]]:
    """Numbers of sections, in order; each follows one that exists."""
    matches = [match for line in text.splitlines() if (match := LINE.match(line) or RULE.match(line))]
    named = {tuple((match[1] or match[2]).split(".")) for match in matches}
    letters = set(re.findall(r"^\s*(?:Appendix|APPENDIX) ([A-H])\b", text, re.MULTILINE))
    kept: set[tuple[str, ...]] = set()
    for number in sorted(named, key=_order):
        *parent, last = number
        if not parent and not last.isdigit():
            is_next = last in letters or (*number, "1") in named
        else:
            is_next = not parent or tuple(parent) in kept
            is_next &= last == "1" or (*parent, str(int(last) - 1)) in kept
        if is_next:
            kept.add(number)
    return sorted(kept, key=_order)


def _order(number: tuple[str, ...]) -> tuple[tuple[bool, int, str], ...]:
    return tuple((not part.isdigit(), int(part) if part.isdigit() else 0, part) for part in number)


def compact(numbers: list[tuple[str, ...]]) -> str:
    """Neighbors as ranges: `1-9, 3.1-3.4`."""
    siblings: dict[tuple[str, ...], list[str]] = {}
    for number in numbers:
        siblings.setdefault(number[:-1], []).append(number[-1])
    parts = []
    for parent, last in siblings.items():
        digits, letters = [word for word in last if word.isdigit()], [word for word in last if not word.isdigit()]
        ends = [digits[0], digits[-1]] if digits else []
        named = [".".join((*parent, end)) for end in dict.fromkeys(ends)]
        parts += ["-".join(named)] if named else []
        parts += [".".join((*parent, word)) for word in letters]
    return ", ".join(parts)


if __name__ == "__main__":
    main()
