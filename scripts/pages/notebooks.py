"""Run the notebooks of docs/use/notebooks and store what comes out; `--check` only compares the texts.

What is stored depends on the cells and the engine's trajectories alone: execution counts start at one, and times of the
run are left out.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from traitlets.config import Config

FOLDER = Path(__file__).parents[2] / "docs" / "use" / "notebooks"
LIMIT_S = 300
ADDRESS = re.compile(r"0x[0-9a-f]{6,}")


def main() -> None:
    """Run every notebook, or those that are named."""
    names = [word for word in sys.argv[1:] if not word.startswith("-")]
    wrong = []
    for path in [FOLDER / f"{name}.ipynb" for name in names] or sorted(FOLDER.glob("*.ipynb")):
        stored = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
        made = executed(path)
        if "--check" not in sys.argv[1:]:
            nbformat.write(made, path)  # type: ignore[no-untyped-call]
        elif list(texts(made)) != list(texts(stored)):
            wrong.append(path.name)
    if wrong:
        sys.exit(f"{', '.join(wrong)}: not what the cells give: run `make docs-generated`, and read the difference")


def executed(path: Path) -> Any:
    """The notebook with the outputs that its cells give, run in an empty directory."""
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    with tempfile.TemporaryDirectory() as folder:
        os.environ.pop("MPLBACKEND", None)  # figures go into the notebook
        # Through sockets of the file system: no port is opened.
        config = Config({"KernelManager": {"transport": "ipc", "ip": f"{folder}/kernel"}})
        where = {"metadata": {"path": folder}}
        NotebookClient(
            notebook, kernel_name="python3", timeout=LIMIT_S, coalesce_streams=True, resources=where, config=config
        ).execute()
    notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"
        cell.metadata = {}
        for output in cell.get("outputs", ()):
            output.get("metadata", {}).clear()
            for kind, text in output.get("data", {}).items():
                if kind == "text/plain":
                    output["data"][kind] = ADDRESS.sub("0x...", text)
    return notebook


def texts(notebook: Any) -> Iterator[str]:
    """Source and printed outputs of each cell; pictures differ by the fonts of a machine, and only count."""
    for cell in notebook.cells:
        yield cell.source
        for output in cell.get("outputs", ()):
            if "image/png" in output.get("data", {}):
                yield "a picture"
            else:
                yield output.get("text") or output.get("data", {}).get("text/plain", "")


if __name__ == "__main__":
    main()
