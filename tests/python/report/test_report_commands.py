"""`hoplab report`, and the reports that commands leave, through the real engine and in a real browser."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from fakes.command_line import Answer, CommandLine

from hoplab.store import open_results
from hoplab_studies.muzha import study as muzha
from report.browser import WIDTHS, check_page, opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser

EVIL = "<script>alert(1)</script>"
SCENARIO = f"""\
name = "{EVIL}"
duration = "6 s"

[topology]
kind = "chain"
hops = 2

[queue]
limit = 20

[[flow]]
transport = "new_reno"
"""
SWEEP = (
    SCENARIO
    + '\n[sweep]\nseeds = 3\n\n[sweep.axes]\n"topology.hops" = [1, 2]\n"flow.transport" = ["new_reno", "vegas"]\n'
)
MOST_BYTES = 5_000_000


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with one directory of results per command; nothing in it is to be changed."""
    import contextlib
    import os

    from hoplab.cli import dispatch

    root = tmp_path_factory.mktemp("made")
    (root / "one.toml").write_text(SCENARIO)
    (root / "evil.toml").write_text(SWEEP)
    lines = [
        ["run", "one.toml", "--seeds", "3", "--out", "run"],
        ["run", "one.toml", "--out", "alone"],
        ["run", "one.toml", "-s", "flow.transport=semi_tcp", "--seeds", "2", "--trace", "--out", "traced"],
        [
            "compare",
            "one.toml",
            "-t",
            "new_reno,vegas",
            "--over",
            "topology.hops=1,2",
            "--seeds",
            "3",
            "--out",
            "compare",
        ],
        ["sweep", "evil.toml", "--out", "sweep"],
        ["reproduce", "muzha", "fig9", "--quick", "--out", "study"],
    ]
    back = Path.cwd()
    os.chdir(root)
    try:
        with (root / "out").open("w") as sink, contextlib.redirect_stdout(sink), contextlib.redirect_stderr(sink):
            codes = [dispatch(["-q", *line]) for line in lines]
    finally:
        os.chdir(back)
    assert codes == [0] * len(lines), (root / "out").read_text()
    return root


@pytest.fixture
def copied(made: Path, hoplab: CommandLine, tmp_path: Path) -> Path:
    """A copy of all that, in the directory where commands run."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("kind", ["run", "alone", "traced", "compare", "sweep", "study"])
def test_every_report_in_a_browser(kind: str, width: int, made: Path, browser: Browser) -> None:
    path = made / kind / "report.html"
    assert path.stat().st_size < MOST_BYTES
    with opened(browser, path, width) as visit:
        assert visit.page.locator(".plot canvas").count() >= 1
        what = "verdicts" if kind == "study" else "tables"
        for section in ("summary", "figures", what, "assumptions", "again", "environment", "cite"):
            assert visit.page.locator(f"#{section}").count() == 1, section
        if kind != "study":
            assert EVIL in visit.page.locator("h1").inner_text()
        check_page(visit, path)


@pytest.mark.parametrize("kind", ["run", "alone", "traced", "compare", "sweep", "study"])
def test_rebuilt_report_is_that_of_the_command(kind: str, copied: Path, hoplab: CommandLine) -> None:
    first = (copied / kind / "report.html").read_text()
    answer = hoplab("report", kind)
    assert answer.code == 0, answer.err
    assert answer.out == f"report: {kind}/report.html\n"
    again = (copied / kind / "report.html").read_text()
    if kind == "study":  # it says how long the study took only where it was run
        first = first.replace("stored ones not made again", "").split("<th>study</th>")[0]
        again = again.split("<th>study</th>")[0]
    assert again == first


def test_sweep_report_has_points_and_differences(made: Path) -> None:
    page = (made / "sweep" / "report.html").read_text()
    assert "12 of 12 runs are stored, 4 points planned." in page
    assert "Goodput of vegas against new_reno, paired by seed: " in page
    assert '<figure id="goodput-bps-over-topology-hops">' in page
    assert page.count("3 of 3</td>") == 4
    assert '<tr><th>queue.limit</th><td class="breakable">20</td><td>50</td></tr>' in page
    assert '<tr><th>topology.hops</th><td class="breakable">1, 2 <span class="tag">axis</span></td>' in page
    assert "<tr><th>mac.ssrl</th>" in page  # among all settings
    assert "hoplab -q sweep evil.toml --out sweep" in page


def test_one_run_is_called_no_evidence(made: Path) -> None:
    alone, several = ((made / kind / "report.html").read_text() for kind in ("alone", "run"))
    assert '<p class="evidence alone">n = 1: one run per point, no interval.' in alone
    assert "evidence alone" not in several.split("</style>")[1].split("<script")[0]
    assert "n = 3 per point, with intervals" in several


def test_a_partial_sweep_is_reported_as_partial(copied: Path, hoplab: CommandLine) -> None:
    results = open_results(copied / "sweep")
    shutil.rmtree(copied / "sweep" / "runs" / results.done[0])
    failed = copied / "sweep" / "failed" / results.done[1]
    shutil.rmtree(copied / "sweep" / "runs" / results.done[1])
    failed.mkdir(parents=True)
    content = {
        "id": failed.name,
        "seed": 2,
        "error": f"t=1 s: {EVIL}",
        "attempts": 3,
        "replay": "hoplab run again.toml",
    }
    (failed / "failure.json").write_text(json.dumps(content))
    answer = hoplab("report", "sweep")
    assert answer.code == 4
    assert "Partial: 2 of 12 runs are missing (1 failed, 1 not executed)." in answer.err
    assert "To continue: hoplab -q sweep evil.toml --out sweep" in answer.err
    page = (copied / "sweep" / "report.html").read_text()
    assert "10 of 12 runs are stored" in page
    assert "quarantined after 3 attempts" in page
    assert "hoplab run again.toml" in page
    assert EVIL not in page.replace("report-data", "").split("<script")[0]
    assert "1 of 3</td>" in page
    assert "n = 1 to 3 per point, with intervals but for single runs, which have none" in page


def test_a_sweep_without_a_run_has_no_report(copied: Path, hoplab: CommandLine) -> None:
    shutil.rmtree(copied / "sweep" / "runs")
    refused(
        hoplab("report", "sweep"), 3, "0 of 12 runs are stored", "execute them: hoplab -q sweep evil.toml --out sweep"
    )


def test_a_study_without_all_its_runs_gives_no_verdict(copied: Path, hoplab: CommandLine) -> None:
    runs = copied / "study" / "runs" / "cross-default" / "runs"
    shutil.rmtree(next(runs.iterdir()))
    answer = hoplab("report", "study")
    refused(
        answer,
        4,
        "80 of 81 runs are stored",
        "to continue: hoplab reproduce muzha fig9 --quick --out study --resume",
    )


def test_one_stored_run_has_a_report(copied: Path, hoplab: CommandLine) -> None:
    run = next((copied / "sweep" / "runs").iterdir())
    answer = hoplab("report", run.relative_to(copied), "--out", "page.html")
    assert answer.code == 0, answer.err
    assert "n = 1: one run per point" in (copied / "page.html").read_text()
    (run / "flows.parquet").write_bytes(b"")
    refused(hoplab("report", run), 3, "checksum mismatch in a stored run", "rerun the sweep")


def test_wrong_paths_say_where_results_are(copied: Path, hoplab: CommandLine) -> None:
    refused(hoplab("report", "nowhere"), 3, "nowhere: directory not found", "write directories of results")
    refused(hoplab("report", "swep"), 3, "directory not found", "did you mean sweep?")
    refused(hoplab("report", "."), 3, "no results found", "results are in alone, compare, run, study, sweep")
    refused(hoplab("report", "one.toml"), 3, "not a directory, expected a directory of results", "results are in alone")


@pytest.mark.parametrize(
    ("file", "content", "words"),
    [
        ("provenance.json", "{", "provenance.json: cannot be read"),
        ("provenance.json", "[]", "provenance.json: cannot be read"),
        ("provenance.json", '{"format": 9, "kind": "run"}', "provenance.json: format 9"),
        ("runs.jsonl", "", "runs.jsonl: file is empty"),
        ("runs.jsonl", '{"seed": 1}\n', "runs.jsonl:1: not a run"),
        ("runs.jsonl", "\xff", "runs.jsonl"),
    ],
)
@pytest.mark.parametrize("kind", ["run", "compare"])
def test_broken_files_are_named(
    kind: str, file: str, content: str, words: str, *, copied: Path, hoplab: CommandLine
) -> None:
    (copied / kind / file).write_text(content, encoding="latin-1")
    refused(hoplab("report", kind), 3, words)


def test_a_comparison_cut_short_is_refused(copied: Path, hoplab: CommandLine) -> None:
    place = copied / "compare" / "runs.jsonl"
    lines = place.read_text().splitlines(keepends=True)
    place.write_text("".join(lines[:-1]))
    refused(hoplab("report", "compare"), 3, "11 runs of 4 points, expected 4 points on the same seeds")


def test_foreign_page_is_not_replaced(copied: Path, hoplab: CommandLine) -> None:
    (copied / "mine.html").write_text("<p>mine</p>")
    refused(hoplab("report", "run", "--out", "mine.html"), 74, "file exists and is not a report of hoplab", "--force")
    assert (copied / "mine.html").read_text() == "<p>mine</p>"
    assert hoplab("report", "run", "--out", "mine.html", "--force").code == 0
    assert hoplab("report", "run", "--out", "mine.html").code == 0
    refused(hoplab("report", "run", "--out", "one.toml/page.html"), 74, "one.toml/page.html: cannot be written")


def test_study_is_identified_by_its_record(copied: Path, hoplab: CommandLine) -> None:
    record = json.loads((copied / "study" / "provenance.json").read_text())
    assert record["study"] == {"paper": "muzha", "figure": "fig9", "quick": True, "seeds": 3}
    assert muzha.study().figure("fig9").part == "cross"
    record["study"] = {}
    (copied / "study" / "provenance.json").write_text(json.dumps(record))
    refused(hoplab("report", "study"), 3, "study is missing")


def refused(answer: Answer, code: int, *words: str) -> None:
    assert answer.code == code, answer.err
    for word in words:
        assert word in answer.err
    assert "Traceback" not in answer.err
