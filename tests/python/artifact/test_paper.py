"""A figure and its table come from one call, and from stored runs alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from fakes.command_line import CommandLine
from matplotlib import pyplot as plt

import hoplab as package

CHAIN = 'name = "a_b"\nduration = "2 s"\n[topology]\nkind = "chain"\nhops = 2\n[[flow]]\n'


@pytest.fixture
def stored(hoplab: CommandLine) -> Path:
    Path("chain.toml").write_text(CHAIN, encoding="utf-8")
    words = ["-t", "new_reno,vegas", "--over", "topology.hops=1,2", "--seeds", "2", "--out", "cmp"]
    assert hoplab("compare", "chain.toml", *words).code == 0
    return Path("cmp")


def test_a_figure_and_its_table_are_made_from_a_directory(stored: Path) -> None:
    made = package.paper_figure(stored, "goodput", out="figures/goodput")
    assert made.files == (Path("figures/goodput.pdf"), Path("figures/goodput.tex"))
    assert Path("figures/goodput.pdf").read_bytes().startswith(b"%PDF")
    text = Path("figures/goodput.tex").read_text(encoding="utf-8")
    caption = (
        r"Goodput (kb/s) against hops, a\_b. Mean and 95 \% Student-t interval of 2 runs; "
        "all transports run the same seeds."
    )
    assert text.count(f"\\caption{{{caption}}}") == 2
    for part in ("{goodput.pdf}", r"\label{fig:goodput}", r"\label{tab:goodput}", "{hops} & {NewReno} & {Vegas}"):
        assert part in text
    goodput = package.open_comparison(stored).interval("goodput", "vegas", hops=1)
    assert goodput is not None
    assert f"{goodput.mean / 1e3:.1f} +- " in made.table
    assert [line.get_label() for line in made.axes.get_lines()] == ["NewReno", "Vegas"]
    plt.close("all")


def test_the_files_have_the_same_bytes_each_time(stored: Path) -> None:
    for ending in ("pdf", "svg"):
        kept = []
        for name in ("one", "two"):
            package.paper_figure(stored, out=f"{name}/goodput.{ending}")
            kept.append(Path(f"{name}/goodput.{ending}").read_bytes())
        plt.close("all")
        assert kept[0] == kept[1] or ending == "svg", "identifiers in SVG are random"


def test_a_comparison_at_hand_is_as_good(stored: Path) -> None:
    comparison = package.open_comparison(stored)
    labels = {"vegas": "Vegas & more", "topology.hops": "h"}
    made = package.paper_figure(comparison, "delay", labels=labels, caption="All of it")
    assert made.files == ()
    assert r"{h} & {NewReno} & {Vegas \& more}" in made.table
    assert r"\caption{All of it}" in made.table
    long = package.paper_table(comparison, ["goodput", "delay"])
    assert "{hops} & {Transport} & {Goodput (kb/s)} & {Mean delay (ms)}" in long
    assert long.count(r"\addlinespace") == 1
    plain = package.paper_table(comparison.only(hops=2))
    assert "{Transport} & {Goodput (kb/s)}" in plain
    plt.close("all")


def test_what_has_no_comparison_is_refused(hoplab: CommandLine, stored: Path) -> None:
    assert hoplab("run", "chain.toml", "--out", "run").code == 0
    with pytest.raises(package.InputError, match="results of hoplab run, expected those of compare"):
        package.paper_figure("run")
    with pytest.raises(package.InputError, match="no results found"):
        package.paper_figure("absent")
    Path("file").write_text("", encoding="utf-8")
    with pytest.raises(package.OutputError, match="cannot be written"):
        package.paper_figure(stored, out="file/goodput")
    plt.close("all")
