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
FOLDER = "docs/judge/studies"
PAGES = ["README.md", "docs/judge/reproduce.md", f"{FOLDER}/index.md", *(f"{FOLDER}/{paper}.md" for paper in papers())]


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    """A copy of the pages, without stored studies and charts."""
    for name in PAGES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def written(root: Path, *given: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), "--root", str(root), *given]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def finished(root: Path, paper: str, **other: Any) -> str:
    """A directory of a finished study in which the first claim that runs decide differs, and the others hold."""
    first, *_ = (claim.id for claim in papers()[paper].claims if claim.kind == "run")
    ratio = {"low": 0.5, "high": 1.5, "limit": ">= 2", "level": "differs", "band": [2.0, None], "or_band": None}
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
    done = written(pages, finished(pages, "muzha"))
    assert done.returncode == 0, done.stderr
    before, after = ((root / f"{FOLDER}/muzha.md").read_text() for root in (ROOT, pages))
    assert before.split("<!-- summary -->")[0] == after.split("<!-- summary -->")[0]
    assert "`hoplab reproduce muzha --full`: 20 seeds, 1,234 runs, engine 1.2.3." in after
    assert "Of 20 claims decided by runs: 19 reproduced, 1 undecided." in after
    kept = "| M1 | NewReno's and SACK's windows are saw-teeth; Vegas's and Muzha's are much steadier | at least 2 | "
    decides = (
        "b ratio: 1 (0.5 to 1.5), limit >= 2 | not reproduced (explained), inconclusive; holds with another ground |"
    )
    assert kept + decides in after
    assert "<summary>Tallied apart, of no figure: 3 shown by tests</summary>" in after
    index = (pages / FOLDER / "index.md").read_text()
    assert "| [TCP Muzha (Lien, Hsiao)](muzha.md) | 20 | 19 | 0 | 1 | 0 | 0 | 0 |" in index
    readme = (pages / "README.md").read_text()
    assert "[1 papers](docs/judge/studies/index.md): 19 of 20 claims reproduced, 0 trend, 1 undecided" in readme
    for other in set(papers()) - {"muzha"}:
        assert (ROOT / f"{FOLDER}/{other}.md").read_text() == (pages / f"{FOLDER}/{other}.md").read_text()


def test_tables_are_folded_and_notes_stand_open(pages: Path) -> None:
    (pages / FOLDER / "verdicts").mkdir()
    stored = json.loads((ROOT / FOLDER / "verdicts/semi-tcp.json").read_text())
    stored["tables"].append({"title": "A|B", "header": ["x", "y"], "rows": [["1", "a|b"]], "note": "Means."})
    (pages / FOLDER / "verdicts/semi-tcp.json").write_text(json.dumps({**stored, "notes": ["Gain 1.4.", "Gain 0.9."]}))
    done = written(pages)
    assert done.returncode == 0, done.stderr
    page = (pages / FOLDER / "semi-tcp.md").read_text()
    assert "<!-- notes -->\n- Gain 1.4.\n- Gain 0.9.\n<!-- /notes -->" in page
    assert "<summary>A|B</summary>\n\n| x | y |\n| --- | --- |\n| 1 | a\\|b |\n\nMeans.\n\n</details>" in page
    assert page.count("</details>") == page.count("<details markdown>")


def test_check_notices_pages_and_charts_that_differ(pages: Path) -> None:
    assert written(pages, finished(pages, "muzha")).returncode == 0
    again = written(pages)
    assert (again.returncode, again.stdout) == (0, "")
    assert written(pages, "--check").returncode == 0
    page, chart = pages / FOLDER / "muzha.md", pages / FOLDER / "figures/muzha-fig3.svg"
    spare = chart.with_name("muzha-fig99.svg")
    page.write_text(page.read_text().replace("19 reproduced", "23 reproduced"))
    chart.write_text(chart.read_text().replace("0.5", "0.6"))
    spare.write_text("<svg/>")
    checked = written(pages, "--check")
    assert checked.returncode == 1
    for path in (page, chart, spare):
        assert f"{path.relative_to(pages)} differs" in checked.stderr
    assert written(pages).returncode == 0
    assert written(pages, "--check").returncode == 0
    assert not spare.exists()


def test_series_that_were_not_run_are_named(pages: Path) -> None:
    folder = finished(pages, "muzha", not_run=["busier", "winf"])
    assert written(pages, folder).returncode == 0
    text = (pages / FOLDER / "muzha.md").read_text()
    assert "They cannot explain a difference here: `busier`, `winf`." in text


def test_verdicts_that_moved_are_lines_for_the_changelog(pages: Path) -> None:
    folder = finished(pages, "muzha")
    content = json.loads((Path(folder) / "verdicts.json").read_text())
    rows = {row["id"]: {**row, "verdict": "reproduced"} for row in content["verdicts"]}
    for row in rows.values():
        del row["outcome"]  # as versions before format 2 wrote it first
    rows["M2"] |= {"verdict": "same trend", "tolerance": "at least 1"}
    del rows["M3"]
    before = pages / "before.json"
    before.write_text(json.dumps({**content, "verdicts": [*rows.values()]}))
    done = written(pages, folder, "--before", str(before))
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == (
        "- muzha: of 22 claims 21 reproduced, 1 trend only; now, of 23, 22 reproduced, 1 not reproduced (explained)."
    )
    assert lines[1] == ("  - M1: reproduced, now not reproduced (explained). b ratio: 1 (0.5 to 1.5), limit >= 2.")
    assert lines[2].startswith("  - M2: trend only, now reproduced. the criterion is now: at least 2. a ratio: 3 ")
    assert lines[3].startswith("  - M3: none, now reproduced. a new claim. a ratio: ")
    assert "M4" not in done.stdout
    assert "now reproduced" not in (pages / FOLDER / "muzha.md").read_text()


@pytest.mark.parametrize("other", [{"figure": "fig6"}, {"mode": "quick"}])
def test_parts_of_a_study_are_refused(pages: Path, other: dict[str, str]) -> None:
    done = written(pages, finished(pages, "muzha", **other))
    assert done.returncode == 1
    assert "not a full study of the whole paper" in done.stderr
    assert not (pages / FOLDER / "verdicts").exists()


def test_a_table_that_a_card_draws_has_to_be_stored(pages: Path) -> None:
    done = written(pages, finished(pages, "ho2014"))
    assert done.returncode == 1
    assert "ho2014: no table 'A channel for each hop' is stored, which a card draws" in done.stderr


def test_pages_of_the_repository_are_those_of_the_stored_verdicts() -> None:
    done = written(ROOT, "--check")
    assert done.returncode == 0, done.stderr
