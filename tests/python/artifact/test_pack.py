"""Archives of results: the same bytes each time, and a script in them that repeats the runs."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from fakes.command_line import CommandLine

CONTROLLER = "import hoplab\n\n\nclass Mine(hoplab.Controller):\n    pass\n"


@pytest.fixture
def results(hoplab: CommandLine) -> Path:
    Path("chain.toml").write_text(
        'duration = "2 s"\n[topology]\nkind = "chain"\nhops = 2\n[[flow]]\n', encoding="utf-8"
    )
    Path("mine.py").write_text(CONTROLLER, encoding="utf-8")
    answer = hoplab("compare", "chain.toml", "-t", "vegas,mine.py:Mine", "--seeds", "2", "--out", "cmp")
    assert answer.code == 0, answer.err
    return Path("cmp")


def unpack(archive: Path, target: Path) -> Path:
    if archive.suffix == ".zip":
        with zipfile.ZipFile(archive) as file:
            for info in file.infolist():
                Path(file.extract(info, target)).chmod(info.external_attr >> 16 & 0o777)
    else:
        with tarfile.open(archive) as file:
            file.extractall(target, filter="data")
    (top,) = target.iterdir()
    return top


@pytest.mark.parametrize("name", ["paper.zip", "paper.tar.gz", "paper.tgz"])
def test_the_script_in_an_archive_repeats_its_runs(
    name: str, results: Path, hoplab: CommandLine, tmp_path: Path
) -> None:
    answer = hoplab("export", results, "--artifact", name)
    assert (answer.code, answer.out) == (0, f"{name}\n")
    top = unpack(Path(name), tmp_path / "away")
    assert top.name == "paper"
    assert sorted(path.name for path in top.iterdir()) == ["README.txt", "rerun.sh", "results"]
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "hoplab").write_text(f'#!/bin/sh\nexec {sys.executable} -m hoplab "$@"\n', encoding="utf-8")
    (programs / "hoplab").chmod(0o755)
    environment = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    script = [str(top / "rerun.sh"), "--run-controllers"]
    done = subprocess.run(script, cwd="/", env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "results: 4 of 4 runs of hoplab compare have the stored fingerprint\n"
    refused = subprocess.run(script[:1], cwd="/", env=environment, capture_output=True, text=True, check=False)
    assert (refused.returncode, "--run-controllers" in refused.stderr) == (3, True)


def test_the_text_has_versions_command_and_what_is_executed(results: Path, hoplab: CommandLine, tmp_path: Path) -> None:
    assert hoplab("export", results, "--artifact", "paper.zip").code == 0
    text = (unpack(Path("paper.zip"), tmp_path / "away") / "README.txt").read_text(encoding="utf-8")
    (copy,) = results.glob("files/*/mine.py")
    from hoplab._core import version

    for part in (
        "hoplab compare chain.toml -t vegas,mine.py:Mine --seeds 2 --out cmp",
        "sh rerun.sh --run-controllers",
        f"results/files/{copy.parent.name}/mine.py",
        f"Engine: {version()}",
        "CPython" if sys.implementation.name == "cpython" else "",
    ):
        assert part in text


@pytest.mark.parametrize("name", ["a.zip", "a.tar.gz"])
def test_an_archive_has_the_same_bytes_each_time(
    name: str, results: Path, hoplab: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert hoplab("export", results, "--artifact", name).code == 0
    first = Path(name).read_bytes()
    for place in results.rglob("*"):
        os.utime(place, (1e9, 1e9))
        place.chmod(0o700)
    assert hoplab("export", "--artifact", results, name, "--force").code == 0, "in either order"
    assert Path(name).read_bytes() == first
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    assert hoplab("export", results, "--artifact", name, "--force").code == 0
    assert Path(name).read_bytes() != first
    top = unpack(Path(name), tmp_path / "away")
    assert stat.S_IMODE((top / "rerun.sh").stat().st_mode) == 0o755
    assert stat.S_IMODE((top / "README.txt").stat().st_mode) == 0o644


def test_what_cannot_be_packed_is_refused(results: Path, hoplab: CommandLine) -> None:
    for words, code, says in (
        (["export", results, "--artifact", "a.rar"], 2, "expected a name that ends in .zip, .tar.gz, .tgz"),
        (["export", "--artifact", "a.zip"], 2, "requires a directory of results"),
        (["export", "chain.toml", "--artifact", "a.zip"], 3, "chain.toml: not a directory"),
    ):
        answer = hoplab(*words)
        assert (answer.code, says in answer.err) == (code, True), answer.err
    (results / "link").symlink_to("/etc/passwd")
    answer = hoplab("export", results, "--artifact", "a.zip")
    assert (answer.code, "cmp/link: is a symbolic link" in answer.err) == (3, True)
    assert not Path("a.zip").exists()


def test_a_directory_that_names_files_elsewhere_is_not_packed(results: Path, hoplab: CommandLine) -> None:
    """Up to 0.2 a comparison named its controllers where they were."""
    (copy,) = results.glob("files/*/mine.py")
    for name in ("provenance.json", "runs.jsonl"):
        text = (results / name).read_text(encoding="utf-8")
        (results / name).write_text(text.replace(f"files/{copy.parent.name}/mine.py", "mine.py"), encoding="utf-8")
    from hoplab.store.checksums import write_checksums

    write_checksums(results)
    answer = hoplab("export", results, "--artifact", "a.zip")
    assert (answer.code, "cmp: mine.py is not in the directory" in answer.err) == (3, True)
