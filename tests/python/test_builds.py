"""How the engine was built: it knows its profile, and its version names what is not the distributed build."""

from __future__ import annotations

import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

from hoplab.base import engine

ROOT = Path(__file__).parents[2]


def test_the_engine_knows_its_profile() -> None:
    profiles = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["profile"]
    assert engine.core().profile() in {"debug", *profiles}


@pytest.mark.parametrize(
    ("profile", "is_trained", "note"),
    [
        ("dist", False, ""),
        ("release", False, " (source build)"),
        ("ci", False, " (profile ci)"),
        ("dist", True, " (built by `make fast`)"),
    ],
)
def test_the_version_names_the_build(
    profile: str, is_trained: bool, note: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = SimpleNamespace(version=lambda: "1.0.0+t2", profile=lambda: profile, is_trained=lambda: is_trained)
    monkeypatch.setattr(engine, "core", lambda: fake)
    assert engine.described() == f"1.0.0+t2{note}"
