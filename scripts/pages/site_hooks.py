"""What mkdocs does to the pages of docs/ beside rendering them: the site of `make docs` (mkdocs.yml names this file).

The pages are written to be read in the source tree as well. So links that leave docs/ become words, the marks that
tests put on code blocks go, and notebooks become pages with their stored outputs: nothing is run here.
"""

from __future__ import annotations

import base64
import json
import re
import shutil
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

FENCE = re.compile(r"^(```\w+) sweep$", re.MULTILINE)
"""How tests/python/sweep/test_sweep_docs.py marks its blocks."""

LAB = Path(__file__).parents[2] / "viewer" / "dist" / "hoplab-lab.html"

LINK = re.compile(r"\[([^\]]*)\]\(([^)\s]+)\)")
TERMINAL_COLOR = re.compile(r"\x1b\[[0-9;]*m")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Put a page beside each notebook, and its pictures beside that."""
    from mkdocs.structure.files import File  # noqa: PLC0415 (tests load this module without mkdocs)

    for notebook in [file for file in files if file.src_uri.endswith(".ipynb")]:
        text, pictures = page_of(notebook.content_string, PurePosixPath(notebook.src_uri).stem)
        files.append(File.generated(config, notebook.src_uri.replace(".ipynb", ".md"), content=text))
        for name, content in pictures.items():
            uri = str(PurePosixPath(notebook.src_uri).with_name(name))
            files.append(File.generated(config, uri, content=content))
    return files


def on_post_build(config: MkDocsConfig) -> None:
    """Put the laboratory into the site, if `make lab` has built it."""
    if LAB.is_file():
        shutil.copy(LAB, config.site_dir)


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001 (mkdocs's)
    """Take the tests' marks off code blocks, and mend links that are right in the source tree only."""
    return LINK.sub(lambda link: _link(link, page.file.src_uri), FENCE.sub(r"\1", markdown))


def _link(link: re.Match[str], page: str) -> str:
    words, target = link[1], link[2]
    path, _, anchor = target.partition("#")
    if ":" in path or not path:
        return link[0]
    if _leaves(page, path):
        return words
    if path.endswith(".ipynb"):
        return f"[{words}]({path.removesuffix('.ipynb')}.md{'#' + anchor if anchor else ''})"
    return link[0]


def _leaves(page: str, target: str) -> bool:
    """Whether a relative link leads out of docs/."""
    depth = len(PurePosixPath(page).parts) - 1
    for part in PurePosixPath(target).parts:
        depth += -1 if part == ".." else 1
        if depth < 0:
            return True
    return False


def page_of(notebook: str, stem: str) -> tuple[str, dict[str, bytes]]:
    """A notebook as Markdown, and the pictures that it names.

    Parameters
    ----------
    notebook : str
        Content of an `.ipynb` file.
    stem : str
        What the names of its pictures begin with.
    """
    parts, pictures = [], dict[str, bytes]()
    for number, cell in enumerate(json.loads(notebook)["cells"]):
        source = _joined(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        for place, output in enumerate(cell["outputs"]):
            name = f"{stem}-{number}-{place}.png"
            shown, picture = _output(output, name)
            parts.append(shown)
            if picture is not None:
                pictures[name] = picture
    return "\n\n".join(part for part in parts if part) + "\n", pictures


def _output(output: dict[str, Any], name: str) -> tuple[str, bytes | None]:
    """One output: a picture, a table, or text, whichever says most."""
    if output["output_type"] == "stream":
        return _text(_joined(output["text"])), None
    if output["output_type"] == "error":
        return _text(TERMINAL_COLOR.sub("", "\n".join(output["traceback"]))), None
    data = output["data"]
    if "image/png" in data:
        return f"![figure]({name})", base64.b64decode(_joined(data["image/png"]))
    if "text/html" in data:
        return f'<div class="output">{_joined(data["text/html"])}</div>', None
    return _text(_joined(data.get("text/plain", ""))), None


def _text(text: str) -> str:
    return f"```text\n{text.rstrip()}\n```" if text.strip() else ""


def _joined(lines: str | list[str]) -> str:
    """Notebooks keep texts as one string or as a list of lines."""
    return lines if isinstance(lines, str) else "".join(lines)
