"""Tables in LaTeX: braces balance, names are escaped, siunitx has room for every number, and pdfLaTeX takes them."""

from __future__ import annotations

import math
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from fakes.command_line import CommandLine

import hoplab as package
from hoplab.base.latex import MISSING, SPECIAL, Column, escaped, latex_table
from hoplab.base.table import Table

ODD = [r"50 % of a_b & c#d $e^2~{x}\y <z> |", "[first]", "*star", "é ± 3 µs", "two\nlines", "nul\x00"]
CHAIN = '[topology]\nkind = "chain"\nhops = 2\n[[flow]]\n'


def rows_of(text: str) -> list[list[str]]:
    body = text.split(r"\midrule", 1)[1].split(r"\bottomrule", 1)[0]
    return [line.strip().removesuffix(r" \\").split(" & ") for line in body.splitlines() if line.endswith(r"\\")]


def is_balanced(text: str) -> bool:
    depth = 0
    for brace in re.sub(r"\\[{}\\]", "", text):
        depth += (brace == "{") - (brace == "}")
        if depth < 0:
            return False
    return depth == 0


def every_table() -> dict[str, str]:
    numbers: list[object] = [1.5, -1234.25, None, math.nan, 3e-12, 2.5e20]
    means = [(1.5, 0.25), (-123.456, 10.5), (math.nan, None), (3.0, None), None, (0.0, 0.0)]
    columns = [Column("text_&", ODD), Column("number", numbers, None), Column("mean", means)]  # type: ignore[arg-type]
    summary = Table.from_rows(
        [{"transport": name, "hops": k, "mean": 1e5 / k, "half_width": 10.0**k, "low": 0.0, "high": 1.0, "n": 10}
         for k, name in enumerate(("new_reno", "a&b"), 1)]
    )  # fmt: skip
    return {
        "odd": latex_table(columns, caption=" ".join(ODD), label="tab:odd", grouped=True),
        "whole": latex_table([Column("n", [1, 20, -300])]),
        "summary": summary.to_latex(caption="50 %", label="tab:b"),
        "empty": latex_table([Column("nothing", []), Column("missing", [])]),
    }


@pytest.mark.parametrize("name", ["odd", "whole", "summary", "empty"])
def test_braces_balance_and_rows_have_all_columns(name: str) -> None:
    text = every_table()[name]
    assert is_balanced(text)
    columns = len(re.sub(r"\[[^]]*\]", "", text.split(r"\begin{tabular}{", 1)[1].split("}\n", 1)[0]).split())
    cells = [len(re.findall(r"(?<!\\)&", line)) + 1 for line in text.splitlines() if line.endswith(r"\\")]
    assert set(cells) == {columns}
    assert all(ord(character) < 0x250 for character in text)


def test_special_characters_are_escaped() -> None:
    assert escaped(ODD[0]) == (
        r"50 \% of a\_b \& c\#d \$e\textasciicircum{}2\textasciitilde{}\{x\}\textbackslash{}y "
        r"\textless{}z\textgreater{} \textbar{}"
    )
    assert [escaped(text) for text in ODD[4:]] == ["two lines", "nul"]
    for character in SPECIAL:
        assert is_balanced(escaped(character))


def test_a_row_is_no_argument_of_the_line_break_before() -> None:
    rows = rows_of(latex_table([Column("text", ["first", "[x]", "*y"])]))
    assert [row[0] for row in rows] == ["first", "{[x]}", "{*y}"]


def test_siunitx_has_room_for_every_number() -> None:
    text = every_table()["odd"]
    formats = re.findall(r"table-format=(-?)(\d+)\.(\d+)(?:\((\d+)\))?(e-?1+)?", text)
    assert len(formats) == 2
    for (sign, whole, decimals, uncertain, _), column in zip(formats, (1, 2), strict=True):
        for cell in (row[column] for row in rows_of(text)):
            if cell == MISSING:
                continue
            mean, _, half = cell.partition(" +- ")
            digits, _, rest = mean.partition("e")[0].partition(".")
            assert sign or not digits.startswith("-")
            assert len(digits.lstrip("-")) <= int(whole)
            assert len(rest) <= int(decimals)
            assert len(half.replace(".", "").lstrip("0")) <= int(uncertain or 0)


def test_means_and_half_widths_are_one_column() -> None:
    table = Table.from_rows(
        [{"transport": "vegas", "mean": 1234.567, "half_width": 12.3, "low": 1.0, "high": 2.0, "n": 5}]
    )
    text = table.to_latex(headings={"mean": "Goodput (kb/s)"}, digits={"mean": 1})
    assert rows_of(text) == [["vegas", "1234.6 +- 12.3", "5"]]
    assert "{transport} & {Goodput (kb/s)} & {n}" in text
    assert rows_of(table.to_latex()) == [["vegas", "1235 +- 12", "5"]], "two digits of the half-width"
    paired = Table.from_rows([{"difference": 3.0, "difference_half_width": 0.25}])
    assert rows_of(paired.to_latex()) == [["3.00 +- 0.25"]]


def test_a_table_is_written(tmp_path: Path) -> None:
    table = Table.from_rows([{"a": 1}])
    text = table.to_latex(tmp_path / "a.tex")
    assert (tmp_path / "a.tex").read_text(encoding="utf-8") == text
    with pytest.raises(package.OutputError, match="cannot be written"):
        table.to_latex(tmp_path / "no" / "a.tex")
    with pytest.raises(package.InputError, match="without columns"):
        Table({}).to_latex()


def test_compare_prints_latex(hoplab: CommandLine) -> None:
    Path("chain.toml").write_text(f'duration = "2 s"\n{CHAIN}', encoding="utf-8")
    words = ["compare", "chain.toml", "-t", "new_reno,vegas", "--over", "topology.hops=1,2", "--seeds", "2", "--latex"]
    answer = hoplab(*words, "--metrics", "goodput", "--out", "out")
    assert answer.code == 0, answer.err
    assert is_balanced(answer.out)
    assert [row[0] for row in rows_of(answer.out)] == ["1", "2"]
    assert "{hops} & {NewReno} & {Vegas}" in answer.out
    assert Path("out/table.tex").read_text(encoding="utf-8") == answer.out
    goodput = package.open_comparison("out").interval("goodput", "vegas", hops=2)
    assert goodput is not None
    assert rows_of(answer.out)[1][2].startswith(f"{goodput.mean / 1e3:.1f} +- ")
    several = hoplab(*words, "--metrics", "goodput,delay_mean_s")
    assert [row[:2] for row in rows_of(several.out)] == [
        ["1", "NewReno"],
        ["1", "Vegas"],
        ["2", "NewReno"],
        ["2", "Vegas"],
    ]
    for other in ("--json", "--pairs"):
        refused = hoplab(*words, other)
        assert (refused.code, f"--latex and {other}: both print" in refused.err) == (2, True)
        both = hoplab(*words, other, "--out", f"out{other}")
        assert (both.code, "\\toprule" in both.out) == (0, False), both.err
        assert rows_of(Path(f"out{other}/table.tex").read_text(encoding="utf-8"))


PDFLATEX = shutil.which("pdflatex")
"""Not in continuous integration: TeX with siunitx is some 500 MB. Tests above count braces and cells of the tables."""


@pytest.mark.skipif(PDFLATEX is None, reason="pdflatex is not installed (Debian: texlive-science)")
def test_pdflatex_takes_every_table(tmp_path: Path) -> None:
    text = "\n\n".join(every_table().values())
    page = (
        "\\documentclass{article}\n\\usepackage[T1]{fontenc}\n\\usepackage{lmodern, booktabs, siunitx}\n"
        f"\\begin{{document}}\n{text}\n\\end{{document}}\n"
    )
    (tmp_path / "page.tex").write_text(page, encoding="utf-8")
    command = [str(PDFLATEX), "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace", check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "page.pdf").stat().st_size > 1000
