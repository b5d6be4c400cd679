"""Write the pages of studies from stored verdicts: cards with their charts, counts, and the sentence of the README.

    python scripts/pages/studies.py results/muzha results/winf    # store these studies, then write the pages
    python scripts/pages/studies.py                               # write the pages from what is stored
    python scripts/pages/studies.py --check                       # exit with 1 if a page or a chart differs
    python scripts/pages/studies.py results/winf --before old/verdicts.json    # print what moved, for the changelog

A stored study is `docs/judge/studies/verdicts/PAPER.json` (hoplab_studies.pages.stored). Text between `<!-- NAME -->`
and `<!-- /NAME -->` is replaced; the page of a study that is not stored stays as it is.
"""

import argparse
import json
import re
import sys
from pathlib import Path

from hoplab.base.errors import HoplabError
from hoplab_studies.pages import stored, text
from hoplab_studies.pages.cards import Judged, deck_of
from hoplab_studies.shared.claims import papers

ROOT = Path(__file__).parents[2]
FOLDER = Path("docs/judge/studies")
STORED = FOLDER / "verdicts"
INDEX, README, RULES = FOLDER / "index.md", Path("README.md"), Path("docs/judge/reproduce.md")

WITH_NUMBERS = {"ho2014": ("A channel for each hop", "One channel"), "semi-tcp": ("Throughput",)}
"""How titles of tables begin that are stored; of other studies all are."""


def store(root: Path, places: list[Path], before: list[Path]) -> None:
    """Store the verdicts of finished studies, and print what has moved since those of `before`."""
    earlier = {
        content["paper"]: content for place in before for content in [json.loads(place.read_text(encoding="utf-8"))]
    }
    for place in places:
        folder = place if place.is_dir() else place.parent
        content = json.loads((folder / "verdicts.json").read_text(encoding="utf-8"))
        paper = content["paper"]
        found = stored.stored_form(content, stored.command_of(folder, paper))
        if (folder / "runs").is_dir():
            found |= stored.report_of(folder, WITH_NUMBERS.get(paper, ("",)))
        if paper in earlier:
            print("\n".join(stored.moved(found, earlier[paper])))
        target = root / STORED / f"{paper}.json"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def judged(root: Path) -> dict[str, Judged]:
    """The stored studies, by paper."""
    return {
        name: Judged(paper, deck_of(name), stored.load(place))
        for name, paper in papers().items()
        if (place := root / STORED / f"{name}.json").is_file()
    }


def written(root: Path) -> dict[Path, str]:
    """Every page and chart with the present text."""
    studies = judged(root)
    texts: dict[Path, str] = {}

    def put(path: Path, marker: str, new: str) -> None:
        before = texts.get(path) or (root / path).read_text(encoding="utf-8")
        texts[path] = replaced(before, marker, new, path)

    for name, study in studies.items():
        page = FOLDER / f"{name}.md"
        put(page, "summary", text.summary(study))
        put(page, "cards", text.cards(study))
        put(page, "numbers", text.numbers(study))
        if study.stored.notes:
            put(page, "notes", text.notes(study))
        for card in study.deck.cards:
            texts |= {FOLDER / text.FIGURES / file: chart for file, chart in study.pictures(card).items()}
    if studies:
        put(INDEX, "counts", text.counts(studies))
        put(INDEX, "words", text.words())
        put(README, "studies", text.readme(studies))
    put(RULES, "meanings", text.meanings())
    return texts


def replaced(page: str, marker: str, new: str, path: Path) -> str:
    """A page with new text between two markers."""
    pattern = re.compile(rf"(<!-- {marker} -->)(.*?)(<!-- /{marker} -->)", re.DOTALL)
    if len(pattern.findall(page)) != 1:
        raise SystemExit(f"{path}: expected one pair of markers <!-- {marker} --> and <!-- /{marker} -->")
    return pattern.sub(lambda found: f"{found[1]}{new}{found[3]}", page)


def left_over(root: Path, texts: dict[Path, str]) -> list[Path]:
    """Charts that no card has."""
    charts = (root / FOLDER / text.FIGURES).glob("*.svg")
    return sorted(path.relative_to(root) for path in charts if path.relative_to(root) not in texts)


def main() -> int:
    """Store, then write or compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("studies", nargs="*", type=Path, help="directories of finished studies")
    parser.add_argument("--before", action="append", type=Path, default=[], help="an earlier verdicts.json")
    parser.add_argument("--check", action="store_true", help="compare only")
    parser.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    given = parser.parse_args()
    root: Path = given.root
    try:
        store(root, given.studies, given.before)
        texts = written(root)
    except HoplabError as error:
        sys.exit(str(error))
    differing = [
        path for path, new in texts.items() if not (root / path).is_file() or (root / path).read_text("utf-8") != new
    ]
    spare = left_over(root, texts)
    for path in differing + spare:
        if given.check:
            print(f"{path} differs from the stored verdicts: run scripts/pages/studies.py", file=sys.stderr)
        elif path in spare:
            (root / path).unlink()
        else:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(texts[path], encoding="utf-8")
            print(path)
    return 1 if given.check and differing + spare else 0


if __name__ == "__main__":
    sys.exit(main())
