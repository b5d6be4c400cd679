"""Write the counts and verdicts of studies on the pages, from `verdicts.json` files; nothing is copied by hand.

    python scripts/pages/studies.py results/muzha results/winf    # store these studies, then write the pages
    python scripts/pages/studies.py                               # write the pages from what is stored
    python scripts/pages/studies.py --check                       # exit with 1 if a page differs

A stored study is `docs/judge/studies/verdicts/PAPER.json`: per claim its verdict, kind of evidence and sensitivity.
Text between `<!-- NAME -->` and `<!-- /NAME -->` is replaced; a page whose study is not stored stays as it is.
"""

import argparse
import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from hoplab.studies.shared.claims import KINDS, papers
from hoplab.studies.shared.verdict import WORDS

ROOT = Path(__file__).parents[2]
STORED = Path("docs/judge/studies/verdicts")
INDEX, README = Path("docs/judge/studies/index.md"), Path("README.md")
PAGES = {
    "muzha": ("TCP Muzha", Path("docs/protocols/muzha.md"), "#validation"),
    "semi-tcp": ("Semi-TCP", Path("docs/judge/studies/semi-tcp.md"), ""),
    "split-tcp": ("Split TCP", Path("docs/protocols/split_tcp.md"), "#validation"),
    "winf": ("XCP-Winf, RCP-Winf", Path("docs/judge/studies/winf.md"), ""),
    "variants": ("TCP variants", Path("docs/judge/studies/variants.md"), ""),
}
"""Title of each study, and the page with its verdicts."""

KEPT = ("id", "outcome", "kind", "conclusive", "n")
"""What is stored of each claim, besides the assumptions under which it holds."""

Study = dict[str, Any]


def stored_form(content: Study, command: str) -> Study:
    """What is stored of a `verdicts.json`."""
    if content.get("figure") is not None or content.get("mode") != "full":
        raise SystemExit(f"{content.get('paper')}: not a full study of the whole paper")
    rows = [
        {key: row[key] for key in KEPT}
        | {"holds_with": [one["assumption"] for one in row["others"] if one["level"] == "holds"]}
        for row in content["verdicts"]
    ]
    kept = {key: content[key] for key in ("paper", "seeds", "runs", "engine")}
    return {**kept, "command": command, "verdicts": rows}


def command_of(folder: Path, paper: str) -> str:
    """The command of a study, without its output directory."""
    place = folder / "provenance.json"
    found = json.loads(place.read_text(encoding="utf-8")).get("command") if place.is_file() else None
    return re.sub(r" --out \S+", "", str(found)) if found else f"hoplab reproduce {paper} --full"


def store(root: Path, places: list[Path]) -> None:
    """Store the verdicts of finished studies."""
    for place in places:
        folder = place if place.is_dir() else place.parent
        content = json.loads((folder / "verdicts.json").read_text(encoding="utf-8"))
        found = stored_form(content, command_of(folder, content["paper"]))
        target = root / STORED / f"{found['paper']}.json"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def pages(root: Path) -> dict[Path, str]:
    """Every page with the present text."""
    studies = {
        name: json.loads((root / STORED / f"{name}.json").read_text(encoding="utf-8"))
        for name in PAGES
        if (root / STORED / f"{name}.json").is_file()
    }
    texts: dict[Path, str] = {}

    def put(path: Path, marker: str, text: str) -> None:
        before = texts.get(path) or (root / path).read_text(encoding="utf-8")
        texts[path] = replaced(before, marker, text, path)

    for name, study in studies.items():
        put(PAGES[name][1], "verdicts", verdicts(study))
    if studies:
        put(INDEX, "counts", counts(studies))
        put(README, "studies", readme(studies))
    return texts


def replaced(text: str, marker: str, new: str, path: Path) -> str:
    """A page with new text between two markers."""
    pattern = re.compile(rf"(<!-- {marker} -->)(.*?)(<!-- /{marker} -->)", re.DOTALL)
    if len(pattern.findall(text)) != 1:
        raise SystemExit(f"{path}: expected one pair of markers <!-- {marker} --> and <!-- /{marker} -->")
    return pattern.sub(lambda found: f"{found[1]}{new}{found[3]}", text)


def tally(study: Study, kind: str = "run") -> Counter[str]:
    """Verdicts of the claims of one kind."""
    return Counter(row["outcome"] for row in study["verdicts"] if row["kind"] == kind)


def listed(counted: Counter[str]) -> str:
    """Counts in the order of the verdict words."""
    return ", ".join(f"{counted[word]} {word}" for word in WORDS if counted[word])


def verdicts(study: Study) -> str:
    """The verdicts of one study: findings of runs, then what is tallied apart."""
    rows = study["verdicts"]
    runs = [row for row in rows if row["kind"] == "run"]
    conclusive = sum(row["conclusive"] is True for row in runs)
    rested = f"`{study['command']}`: {study['seeds']} seeds, {study['runs']:,} runs, engine {study['engine']}."
    counted = f"Of {len(runs)} claims decided by runs: {listed(tally(study))}; {conclusive} verdicts are conclusive."
    lines = [
        "",
        f"{rested} {counted}",
        "",
        "| verdict | claims |",
        "| --- | --- |",
    ]
    for word in WORDS:
        chosen = [row for row in runs if row["outcome"] == word]
        if chosen:
            lines.append(f"| {word} | {'; '.join(map(named, chosen))} |")
    apart = [kind for kind in KINDS if kind != "run" and tally(study, kind)]
    if apart:
        lines += ["", "Tallied apart:", "", "| evidence | verdicts | claims |", "| --- | --- | --- |"]
    for kind in apart:
        chosen = [row for row in rows if row["kind"] == kind]
        lines.append(f"| {KINDS[kind]} | {listed(tally(study, kind))} | {'; '.join(map(named, chosen))} |")
    return "\n".join(["", *lines, "", ""])


def named(row: dict[str, Any]) -> str:
    """A claim, whether its verdict is open, and with what it holds."""
    marks = ["inconclusive"] if row["conclusive"] is False and row["outcome"] != "not contradicted" else []
    if row["outcome"].startswith("not reproduced") and row["holds_with"]:
        marks.append(f"holds with {'; '.join(row['holds_with'])}")
    return f"{row['id']} ({', '.join(marks)})" if marks else str(row["id"])


def counts(studies: dict[str, Study]) -> str:
    """The table of the index."""
    header = ("reproduced", "trend only", "not reproduced", "not contradicted", "cannot be tested")
    columns = ("study", "command", "rested on", "decided by runs", *header, "conclusive", "tallied apart", "page")
    lines = [
        "",
        f"| {' | '.join(columns)} |",
        f"| {' | '.join(['---'] * len(columns))} |",
    ]
    for name, (title, page, anchor) in PAGES.items():
        if name not in studies:
            continue
        study, counted = studies[name], tally(studies[name])
        runs = [row for row in study["verdicts"] if row["kind"] == "run"]
        cells = [sum(count for word, count in counted.items() if word.startswith(column)) for column in header]
        inside = "studies" in page.parts
        link = page.relative_to("docs/judge/studies") if inside else f"../../{page.relative_to('docs')}"
        row = (
            title,
            f"`{study['command']}`",
            f"{study['seeds']} seeds, {study['runs']:,} runs",
            len(runs),
            *cells,
            sum(one["conclusive"] is True for one in runs),
            len(study["verdicts"]) - len(runs),
            f"[{title}]({link}{anchor})",
        )
        lines.append(f"| {' | '.join(map(str, row))} |")
    return "\n".join(["", *lines, "", ""])


def readme(studies: dict[str, Study]) -> str:
    """The sentence of the README."""
    runs = [row for study in studies.values() for row in study["verdicts"] if row["kind"] == "run"]
    judged, held = sum(row["n"] > 0 for row in runs), sum(row["outcome"] == "reproduced" for row in runs)
    link = f"[{len(studies)} published studies](docs/judge/studies/index.md)"
    return f"{link} repeated: {judged} claims decided by runs, {held} reproduced."


def main() -> int:
    """Store, then write or compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("studies", nargs="*", type=Path, help="directories of finished studies")
    parser.add_argument("--check", action="store_true", help="compare only")
    parser.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    given = parser.parse_args()
    assert set(PAGES) == set(papers())
    store(given.root, given.studies)
    differing = [path for path, text in pages(given.root).items() if (given.root / path).read_text("utf-8") != text]
    for path in differing:
        if given.check:
            print(f"{path} differs from the stored verdicts: run scripts/pages/studies.py", file=sys.stderr)
        else:
            (given.root / path).write_text(pages(given.root)[path], encoding="utf-8")
            print(path)
    return 1 if given.check and differing else 0


if __name__ == "__main__":
    sys.exit(main())
