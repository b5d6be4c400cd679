"""What a release states in several places agrees: versions, sizes of pages, pictures of guides, the container."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
CARGO = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["package"]
USE = ROOT / "docs" / "use"
WITHOUT_PICTURES = {"glossary.md", "artifacts.md"}


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_version_and_its_date_are_the_same_everywhere() -> None:
    released = re.findall(r"^## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)$", text_of("CHANGELOG.md"), re.MULTILINE)
    citation = re.findall(r"^(?:version|date-released): (.+)$", text_of("CITATION.cff"), re.MULTILINE)
    assert released[0] == (CARGO["version"], citation[1])
    assert citation[0] == CARGO["version"]
    assert text_of("CHANGELOG.md").index("## [Unreleased]") < text_of("CHANGELOG.md").index(f"## [{CARGO['version']}]")


def test_cargo_lock_has_the_version() -> None:
    locked = {package["name"]: package["version"] for package in tomllib.loads(text_of("Cargo.lock"))["package"]}
    names = {name for name in locked if name.startswith("hoplab") and name != "hoplab-mutants"}
    assert len(names) > 4
    assert {locked[name] for name in names} == {CARGO["version"]}


def test_the_readme_has_at_most_700_words() -> None:
    assert len(text_of("README.md").split()) <= 700


def test_every_guide_has_a_picture_that_a_script_draws() -> None:
    scripts = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "scripts" / "pages").glob("*.py"))
    guides = [*USE.glob("*.md"), *(USE / "what-if").glob("*.md"), *(USE / "concepts").glob("*.md")]
    assert len(guides) > 30
    for guide in (guide for guide in guides if guide.name not in WITHOUT_PICTURES):
        pictures = re.findall(r"^!\[[^\]]{10,}\]\(([^)]+)\)$", guide.read_text(encoding="utf-8"), re.MULTILINE)
        assert pictures, f"{guide.relative_to(ROOT)}: no picture"
        for picture in pictures:
            assert (guide.parent / picture).is_file(), f"{guide.relative_to(ROOT)}: {picture}"
            stem = Path(picture).stem
            page = str(guide.relative_to(USE).with_suffix(""))
            drawn = f'"{page}":' if "guides/" in picture else stem
            known = [drawn, re.sub(r"-(light|dark)-\d+$", "", drawn).removeprefix("lab-")]
            assert any(name in scripts for name in known), f"{picture}: no script of scripts/pages draws it"


def test_every_drawn_guide_is_shown_by_its_page() -> None:
    for picture in (ROOT / "docs" / "images" / "guides").glob("*.svg"):
        shown = [page for page in USE.rglob("*.md") if f"images/guides/{picture.name}" in page.read_text("utf-8")]
        assert len(shown) == 1, picture.name


def test_the_container_builds_from_what_is_there() -> None:
    text = text_of("Containerfile")
    rust = re.search(r"FROM rust:(\d+\.\d+)-", text)
    assert rust is not None
    assert rust[1] == CARGO["rust-version"]
    kept_out = set(text_of(".containerignore").split())
    copied = [word for line in re.findall(r"^COPY (?!--)(.+)$", text, re.MULTILINE) for word in line.split()[:-1]]
    assert copied
    for source in copied:
        assert (ROOT / source).exists(), source
        assert source not in kept_out
