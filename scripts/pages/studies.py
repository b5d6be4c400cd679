"""Write the counts and verdicts of studies on the pages, from `verdicts.json` files; nothing is copied by hand.

    python scripts/pages/studies.py results/muzha results/winf    # store these studies, then write the pages
    python scripts/pages/studies.py                               # write the pages from what is stored
    python scripts/pages/studies.py --check                       # exit with 1 if a page differs
    python scripts/pages/studies.py --before old/verdicts.json    # compare with these verdicts on the page

A stored study is `docs/judge/studies/verdicts/PAPER.json`: per claim its verdict, kind of evidence, sensitivity and
decisive condition, and the verdict before if `--before` names it. Series of the study that were not run are listed.
Text between `<!-- NAME -->` and `<!-- /NAME -->` is replaced; a page whose study is not stored stays as it is. Pages
with the marker `numbers` have tables of the report, with `notes` its notes, with `differs` what decides against claims.
"""

import argparse
import json
import math
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from hoplab.report.record import read_record
from hoplab_studies.shared.claims import KINDS, papers
from hoplab_studies.shared.verdict import FORMER_WORDS, UNEXPLAINED, WORDS
from hoplab_studies.stored import reopened

ROOT = Path(__file__).parents[2]
STORED = Path("docs/judge/studies/verdicts")
INDEX, README = Path("docs/judge/studies/index.md"), Path("README.md")
PAGES = {
    "ho2014": ("802.11n over hops", Path("docs/judge/studies/ho2014.md"), ""),
    "linux-over-hops": ("The kernel's TCP over hops", Path("docs/judge/studies/linux-over-hops.md"), ""),
    "muzha": ("TCP Muzha", Path("docs/protocols/muzha.md"), "#validation"),
    "semi-tcp": ("Semi-TCP", Path("docs/judge/studies/semi-tcp.md"), ""),
    "split-tcp": ("Split TCP", Path("docs/protocols/split_tcp.md"), "#validation"),
    "winf": ("XCP-Winf, RCP-Winf", Path("docs/judge/studies/winf.md"), ""),
    "variants": ("TCP variants", Path("docs/judge/studies/variants.md"), ""),
}
"""Title of each study, and the page with its verdicts."""

WITH_NUMBERS = {"linux-over-hops": "", "semi-tcp": "Throughput", "winf": ""}
"""Studies whose page has tables of the report, and how the titles of these begin."""

WITH_NOTES = ("semi-tcp",)
"""Studies whose page has the notes of the report."""

WITH_DIFFERENCES = ("semi-tcp", "winf")
"""Studies whose page has a table of the claims that differ."""

LONGEST = 12
"""Rows of a table that stands open on a page; a longer one is folded."""

KEPT = ("id", "outcome", "kind", "conclusive", "n", "tolerance")
"""What is stored of each claim, besides the assumptions under which it holds and its decisive condition."""

LEVELS = ("differs", "trend", "open", "holds")
"""Levels of conditions, the decisive ones first."""

FORMER = {former: word for word, former in FORMER_WORDS.items() if former not in WORDS}
"""Former verdict words."""

Study = dict[str, Any]


def stored_form(content: Study, command: str) -> Study:
    """What is stored of a `verdicts.json`."""
    if content.get("figure") is not None or content.get("mode") != "full":
        raise SystemExit(f"{content.get('paper')}: not a full study of the whole paper")
    rows = [
        {key: row[key] for key in KEPT}
        | {"holds_with": [one["assumption"] for one in row["others"] if one["level"] == "holds"]}
        | {"decisive": decisive(row["conditions"])}
        for row in content["verdicts"]
    ]
    kept = {key: content[key] for key in ("paper", "seeds", "runs", "engine")}
    return {**kept, "command": command, "not_run": content["not_run"], "verdicts": rows}


def decisive(conditions: list[dict[str, Any]]) -> str:
    """The condition that the report names: of the least level the one with the smallest margin."""
    if not conditions:
        return ""
    worst = min(conditions, key=lambda one: (LEVELS.index(one["level"]), room(one)))
    number = "unbounded" if worst["value"] is None else f"{worst['value']:.3g}"
    if worst["value"] is not None and worst["low"] is not None and worst["high"] is not None:
        number += f" ({worst['low']:.3g} to {worst['high']:.3g})"
    return f"{worst['what']}: {number}, limit {worst['limit']}"


def room(condition: dict[str, Any]) -> float:
    """The margin of a condition, in half-widths; what is not stored has no bound."""
    stored = condition.get("room")
    if stored is not None:
        return float(stored)
    return math.inf if condition["level"] in {"holds", "open"} else -math.inf


def moved_from(found: Study, before: Study) -> dict[str, Any]:
    """Counts of earlier verdicts on the same paper, and the claims whose verdict is another one now."""
    earlier = {row["id"]: row for row in before["verdicts"]}
    words = {key: FORMER.get(word := row.get("outcome", row["verdict"]), word) for key, row in earlier.items()}
    rows = []
    for row in found["verdicts"]:
        word = words.get(row["id"])
        if word == row["outcome"]:
            continue
        changed = word is not None and earlier[row["id"]]["tolerance"] != row["tolerance"]
        has_lost = word is not None and word.startswith("not reproduced (explained") and row["outcome"] == UNEXPLAINED
        reason = [
            *(["a new claim"] if word is None else []),
            *([f"the criterion is now: {row['tolerance']}"] if changed else []),
            *(["no series was run that could explain it"] if has_lost and found["not_run"] else []),
            row["decisive"],
        ]
        rows.append({"id": row["id"], "before": word, "reason": ". ".join(filter(None, reason))})
    return {"counts": dict(Counter(words.values())), "rows": rows}


def command_of(folder: Path, paper: str) -> str:
    """The command of a study, without its output directory."""
    place = folder / "provenance.json"
    found = json.loads(place.read_text(encoding="utf-8")).get("command") if place.is_file() else None
    return re.sub(r" --out \S+", "", str(found)) if found else f"hoplab reproduce {paper} --full"


def store(root: Path, places: list[Path], before: list[Path]) -> None:
    """Store the verdicts of finished studies, and what has moved since those of `before`."""
    earlier = {
        content["paper"]: content for place in before for content in [json.loads(place.read_text(encoding="utf-8"))]
    }
    for place in places:
        folder = place if place.is_dir() else place.parent
        content = json.loads((folder / "verdicts.json").read_text(encoding="utf-8"))
        found = stored_form(content, command_of(folder, content["paper"]))
        if found["paper"] in WITH_NUMBERS and (folder / "runs").is_dir():
            found |= report_of(folder, WITH_NUMBERS[found["paper"]])
        target = root / STORED / f"{found['paper']}.json"
        if found["paper"] in earlier:
            found["moved"] = moved_from(found, earlier[found["paper"]])
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def report_of(folder: Path, beginning: str) -> dict[str, Any]:
    """The study's own tables whose title begins so, and its notes, from its stored runs."""
    record = read_record(folder)
    if record is None:
        return {}
    done = reopened(folder, record)
    tables = [
        {"title": one.title, "header": one.header, "rows": one.rows, "note": one.note}
        for one in done.study.tables(done.grids)
        if one.title.startswith(beginning)
    ]
    notes = [] if done.study.notes is None else list(done.study.notes(done.grids))
    return {"tables": tables, "notes": notes}


def numbers(study: Study) -> str:
    """These tables as the page has them; long ones are folded."""
    lines = [""]
    for table in study.get("tables", ()):
        folded = len(table["rows"]) > LONGEST
        lines += ["<details markdown>", f"<summary>{table['title']}</summary>"] if folded else [f"### {table['title']}"]
        lines += ["", in_row(*table["header"])]
        lines += ["| --- |" + " --- |" * (len(table["header"]) - 1)]
        lines += [in_row(*row) for row in table["rows"]]
        lines += ["", table["note"], ""]
        lines += ["</details>", ""] if folded else []
    return "\n".join([*lines, ""])


def notes(study: Study) -> str:
    """The notes of the report."""
    return "\n".join(["", *(f"- {note}" for note in study.get("notes", ())), ""])


def differences(study: Study) -> str:
    """What the paper says and what decides, of each claim that runs do not reproduce."""
    said = {claim.id: claim.statement for claim in papers()[study["paper"]].claims}
    lines = ["", "| claim | the paper | what decides | verdict |", "| --- | --- | --- | --- |"]
    lines += [
        in_row(row["id"], said[row["id"]], row["decisive"], row["outcome"])
        for row in study["verdicts"]
        if row["kind"] == "run" and row["outcome"].startswith(("trend only", "not reproduced"))
    ]
    return "\n".join([*lines, ""])


def in_row(*cells: str) -> str:
    """A row of a table."""
    escaped = (cell.replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(escaped)} |"


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
        for marker, names, made in (
            ("numbers", WITH_NUMBERS, numbers),
            ("notes", WITH_NOTES, notes),
            ("differs", WITH_DIFFERENCES, differences),
        ):
            if name in names:
                put(PAGES[name][1], marker, made(study))
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
    if study["not_run"]:
        names = ", ".join(f"`{name}`" for name in study["not_run"])
        lines += [
            "",
            f"Series not run with {study['seeds']} seeds, which cannot explain a difference here: {names}.",
        ]
    if "moved" in study:
        lines += moved(study)
    return "\n".join(["", *lines, "", ""])


def moved(study: Study) -> list[str]:
    """Counts before and after, and each verdict that is another one."""
    now = Counter(row["outcome"] for row in study["verdicts"])
    then = Counter(study["moved"]["counts"])
    since = f"Before, when means decided, of {then.total()} rows: {listed(then)}. Now, of {now.total()}: {listed(now)}."
    lines = [
        "",
        f"{since} Rows that moved, with the condition that decides:",
        "",
        "| claim | before | now | reason |",
        "| --- | --- | --- | --- |",
    ]
    outcomes = {row["id"]: row["outcome"] for row in study["verdicts"]}
    rows = study["moved"]["rows"]
    return lines + [in_row(row["id"], row["before"] or "-", outcomes[row["id"]], row["reason"]) for row in rows]


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
        inside = "studies" in page.parts
        link = page.relative_to("docs/judge/studies") if inside else f"../../{page.relative_to('docs')}"
        last = f"[{title}]({link}{anchor})"
        if name not in studies:
            lines.append(f"| {title} | not run in full since intervals decide |{' |' * (len(columns) - 3)} {last} |")
            continue
        study, counted = studies[name], tally(studies[name])
        runs = [row for row in study["verdicts"] if row["kind"] == "run"]
        cells = [sum(count for word, count in counted.items() if word.startswith(column)) for column in header]
        row = (
            title,
            f"`{study['command']}`",
            f"{study['seeds']} seeds, {study['runs']:,} runs",
            len(runs),
            *cells,
            sum(one["conclusive"] is True for one in runs),
            len(study["verdicts"]) - len(runs),
            last,
        )
        lines.append(f"| {' | '.join(map(str, row))} |")
    return "\n".join(["", *lines, "", ""])


def readme(studies: dict[str, Study]) -> str:
    """The sentence of the README."""
    runs = [row for study in studies.values() for row in study["verdicts"] if row["kind"] == "run"]
    judged, held = sum(row["n"] > 0 for row in runs), sum(row["outcome"] == "reproduced" for row in runs)
    link = f"[{len(PAGES)} studies](docs/judge/studies/index.md)"
    some = "" if len(studies) == len(PAGES) else f" of {len(studies)} of them"
    return f"{link} repeated: {judged} claims{some} decided by runs, {held} reproduced."


def main() -> int:
    """Store, then write or compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("studies", nargs="*", type=Path, help="directories of finished studies")
    parser.add_argument("--before", action="append", type=Path, default=[], help="an earlier verdicts.json")
    parser.add_argument("--check", action="store_true", help="compare only")
    parser.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    given = parser.parse_args()
    assert set(PAGES) == set(papers())
    store(given.root, given.studies, given.before)
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
