"""Pages of studies are written from stored verdicts."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hoplab_studies.shared.claims import papers

ROOT = Path(__file__).parents[3]
SCRIPT = ROOT / "scripts" / "pages" / "studies.py"
MARKED = {
    "README.md": "studies",
    "docs/judge/studies/index.md": "counts",
    "docs/judge/studies/ho2014.md": "verdicts",
    "docs/judge/studies/linux-over-hops.md": "verdicts",
    "docs/judge/studies/semi-tcp.md": "verdicts",
    "docs/judge/studies/winf.md": "verdicts",
    "docs/judge/studies/variants.md": "verdicts",
    "docs/protocols/muzha.md": "verdicts",
    "docs/protocols/split_tcp.md": "verdicts",
}


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    """A copy of the pages, without stored studies."""
    for name in MARKED:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def written(root: Path, *given: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), "--root", str(root), *given]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def finished(root: Path, paper: str, **other: Any) -> str:
    """A directory of a finished study in which the first claim that runs decide differs, and the others hold."""
    first, *_ = (claim.id for claim in papers()[paper].claims if claim.kind == "run")
    ratio = {"low": 0.5, "high": 1.5, "limit": ">= 2", "level": "differs"}
    rows = [
        {
            "id": claim.id,
            "outcome": "not reproduced (explained)" if claim.id == first else "reproduced",
            "kind": claim.kind,
            "conclusive": claim.id != first,
            "n": 20,
            "tolerance": "at least 2",
            "conditions": [
                ratio | {"what": "a ratio", "value": 3.0, "low": 2.5, "high": 3.5, "level": "holds", "room": -9.0},
                ratio | {"what": "c ratio", "value": 1.2, "room": -1.6},
                ratio | {"what": "b ratio", "value": 1.0, "room": -2.0},
            ][: 3 if claim.id == first else 1],
            "others": [{"assumption": "another ground", "level": "holds"}, {"assumption": "a third", "level": "open"}],
        }
        for claim in papers()[paper].claims
    ]
    content: dict[str, Any] = {
        "paper": paper,
        "figure": None,
        "mode": "full",
        "seeds": 20,
        "runs": 1234,
        "engine": "1.2.3",
        "not_run": [],
    }
    folder = root / "results" / paper
    folder.mkdir(parents=True)
    (folder / "verdicts.json").write_text(json.dumps({**content, "verdicts": rows, **other}))
    (folder / "provenance.json").write_text(json.dumps({"command": f"hoplab reproduce {paper} --full --out {folder}"}))
    return str(folder)


def test_pages_follow_stored_verdicts(pages: Path) -> None:
    done = written(pages, *(finished(pages, paper) for paper in papers()))
    assert done.returncode == 0, done.stderr
    for name, marker in MARKED.items():
        before, after = (root / name for root in (ROOT, pages))
        outside = [place.read_text().split(f"<!-- {marker} -->")[0] for place in (before, after)]
        assert outside[0] == outside[1]
        assert before.read_text() != after.read_text()
    muzha = (pages / "docs/protocols/muzha.md").read_text()
    assert "`hoplab reproduce muzha --full`: 20 seeds, 1,234 runs, engine 1.2.3. " in muzha
    assert (
        "Of 20 claims decided by runs: 19 reproduced, 1 not reproduced (explained); 19 verdicts are conclusive."
        in muzha
    )
    assert "| not reproduced (explained) | M1 (inconclusive, holds with another ground) |" in muzha
    assert "| shown by tests | 3 reproduced | M19; M20; M21 |" in muzha
    index = (pages / "docs/judge/studies/index.md").read_text()
    counts = "20 seeds, 1,234 runs | 20 | 19 | 0 | 1 | 0 | 0 | 19 | 3 |"
    assert (
        f"| TCP Muzha | `hoplab reproduce muzha --full` | {counts} [TCP Muzha](../../protocols/muzha.md#validation) |"
        in index
    )
    decided = sum(claim.kind == "run" for paper in papers().values() for claim in paper.claims)
    assert (
        f"{decided} claims decided by runs, {decided - len(papers())} reproduced." in (pages / "README.md").read_text()
    )


def test_pages_have_notes_differences_and_folded_tables(pages: Path) -> None:
    assert written(pages, finished(pages, "semi-tcp")).returncode == 0
    place = pages / "docs/judge/studies/verdicts/semi-tcp.json"
    study = json.loads(place.read_text())
    first = next(row for row in study["verdicts"] if row["kind"] == "run")
    first |= {"outcome": "trend only", "decisive": "a|b: 2, limit < 1"}
    tables = [{"title": f"{n} rows", "header": ["x", "y"], "rows": [["1", "2"]] * n, "note": "Means."} for n in (2, 30)]
    place.write_text(json.dumps({**study, "notes": ["Gain 1.4.", "Gain 0.9."], "tables": tables}))
    assert written(pages).returncode == 0
    page = (pages / "docs/judge/studies/semi-tcp.md").read_text()
    said = papers()["semi-tcp"].claim(first["id"]).statement
    assert f"| {first['id']} | {said} | a\\|b: 2, limit < 1 | trend only |" in page
    assert "<!-- notes -->\n- Gain 1.4.\n- Gain 0.9.\n<!-- /notes -->" in page
    short, long = page.index("### 2 rows"), page.index("<summary>30 rows</summary>")
    assert short < long
    assert page.count("</details>") == page.count("<details markdown>") == 1


def test_second_time_nothing_changes_and_check_notices(pages: Path) -> None:
    assert written(pages, finished(pages, "muzha")).returncode == 0
    again = written(pages)
    assert (again.returncode, again.stdout) == (0, "")
    assert written(pages, "--check").returncode == 0
    place = pages / "docs/protocols/muzha.md"
    place.write_text(place.read_text().replace("19 reproduced", "23 reproduced"))
    checked = written(pages, "--check")
    assert checked.returncode == 1
    assert "docs/protocols/muzha.md differs" in checked.stderr


def test_series_that_were_not_run_are_named(pages: Path) -> None:
    folder = finished(pages, "muzha", not_run=["busier", "winf"])
    assert written(pages, folder).returncode == 0
    text = (pages / "docs/protocols/muzha.md").read_text()
    assert "Series not run with 20 seeds, which cannot explain a difference here: `busier`, `winf`." in text
    index = (pages / "docs/judge/studies/index.md").read_text()
    assert "| TCP variants | not run in full since intervals decide |" in index


def test_verdicts_that_moved_have_their_reason(pages: Path) -> None:
    folder = finished(pages, "muzha")
    content = json.loads((Path(folder) / "verdicts.json").read_text())
    rows = {row["id"]: {**row, "verdict": "reproduced"} for row in content["verdicts"]}
    for row in rows.values():
        del row["outcome"]  # as former versions wrote it
    rows["M2"] |= {"verdict": "same trend", "tolerance": "at least 1"}
    del rows["M3"]
    before = pages / "before.json"
    before.write_text(json.dumps({**content, "verdicts": [*rows.values()]}))
    assert written(pages, folder, "--before", str(before)).returncode == 0
    text = (pages / "docs/protocols/muzha.md").read_text()
    assert "Before, when means decided, of 22 rows: 21 reproduced, 1 trend only. Now, of 23: " in text
    assert "| M1 | reproduced | not reproduced (explained) | b ratio: 1 (0.5 to 1.5), limit >= 2 |" in text
    assert "| M2 | trend only | reproduced | the criterion is now: at least 2. a ratio: 3 (2.5 to 3.5), " in text
    assert "| M3 | - | reproduced | a new claim. a ratio: " in text
    assert "| M4 |" not in text


@pytest.mark.parametrize("other", [{"figure": "fig6"}, {"mode": "quick"}])
def test_parts_of_a_study_are_refused(pages: Path, other: dict[str, str]) -> None:
    done = written(pages, finished(pages, "muzha", **other))
    assert done.returncode == 1
    assert "not a full study of the whole paper" in done.stderr


def test_pages_of_the_repository_are_those_of_the_stored_verdicts() -> None:
    done = written(ROOT, "--check")
    assert done.returncode == 0, done.stderr
