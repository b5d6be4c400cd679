"""Write matplotlib's pictures as small SVG files: text as text, short numbers, few lines.

    python scripts/pages/svg.py docs/images/*.svg

Matplotlib draws each letter as a path, so that a picture looks alike everywhere. Here a text is a `<text>` whose
`textLength` is the width of those letters: with another font it has the same place and width. Formulas stay paths.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET
from xml.sax.saxutils import unescape

from matplotlib import font_manager, ft2font

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
HREF = f"{{{XLINK}}}href"
DIGITS = 2
"""Decimals of coordinates, which are in points: a hundredth of a point is not seen."""
LINE = 1000
"""Characters up to which a line is filled; a line ends between two elements."""
GLYPH_SIZE = 100.0
"""Font size at which matplotlib places letters, before it scales them."""

_COMMENT: object = ET.Comment
"""The tag of comments."""
_NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
_SPACES = re.compile(r"\s+")
_STYLES = {"Bold": ("weight", "bold"), "Oblique": ("style", "italic")}


def save(figure: Figure, path: Path) -> None:
    """Write a figure; the same figure gives the same file."""
    figure.savefig(path, metadata={"Date": None})
    path.write_text(compact(path.read_text(encoding="utf-8")), encoding="utf-8")


def compact(text: str) -> str:
    """The picture in a smaller file; one that is compact already stays as it is."""
    ET.register_namespace("", SVG)
    ET.register_namespace("xlink", XLINK)
    root = ET.fromstring(text, ET.XMLParser(target=ET.TreeBuilder(insert_comments=True)))  # noqa: S314 (our own files)
    for metadata in root.findall(f"{{{SVG}}}metadata"):
        root.remove(metadata)
    root.insert(0, ET.Element(f"{{{SVG}}}defs"))
    for group in list(root.iter(f"{{{SVG}}}g")):
        _write_texts(group, root[0])
    _drop_unused(root)
    _shorten(root)
    return _filled(ET.tostring(root, encoding="unicode"))


def _write_texts(group: ET.Element, shapes: ET.Element) -> None:
    """Replace letters by their text, which a comment in front of them has; formulas use the `shapes` of letters."""
    children = list(group)
    for comment, letters in pairwise(children):
        if comment.tag is not _COMMENT or letters.tag != f"{{{SVG}}}g":
            continue
        said = unescape(comment.text or "").strip()
        uses = letters.findall(f".//{{{SVG}}}use")
        scale = re.search(r"scale\((\S+) ", letters.get("transform", ""))
        # A letter is a glyph each, but for ligatures such as fl and ff.
        if "$" in said or not 0 <= len(said) - len(uses) <= said.count("f") or scale is None:
            continue
        face, size = uses[-1].get(HREF, "")[1:].rpartition("-")[0], float(scale[1]) * GLYPH_SIZE
        offset = re.search(r"translate\((\S+)", uses[-1].get("transform", "translate(0 0)"))
        width = (float(offset[1] if offset else 0.0) + _advance(face, said[-1])) * float(scale[1])
        style = {"family": "DejaVu Sans,Verdana,sans-serif", **dict(_STYLES[s] for s in face.split("-")[1:])}
        element = ET.Element(f"{{{SVG}}}text", {f"font-{key}": value for key, value in style.items()})
        element.set("font-size", f"{size:g}")
        element.set("textLength", f"{width:.6f}")
        element.set("lengthAdjust", "spacingAndGlyphs")
        element.set("transform", letters.get("transform", "").replace(scale[0] + "-" + scale[1] + ")", "").strip())
        if letters.get("style"):
            element.set("style", letters.get("style", ""))
        element.text = said
        shapes.extend(letters.findall(f"{{{SVG}}}defs/*"))
        group.insert(list(group).index(letters), element)
        group.remove(letters)


@cache
def _advance(face: str, letter: str) -> float:
    """Width of a letter at `GLYPH_SIZE`."""
    name, *styles = face.split("-")
    assert name == "DejaVuSans", face
    properties = font_manager.FontProperties(
        family="DejaVu Sans",
        weight="bold" if "Bold" in styles else "normal",
        style="italic" if "Oblique" in styles else "normal",
    )
    font = ft2font.FT2Font(font_manager.findfont(properties))
    font.set_size(GLYPH_SIZE, 72)
    return font.load_char(ord(letter), flags=ft2font.LoadFlags.NO_HINTING).linearHoriAdvance / 65536.0


def _drop_unused(root: ET.Element) -> None:
    """Remove comments, definitions and names that nothing refers to, and groups that say nothing."""
    used = set(re.findall(r"(?:url\(#|href=\"#)([^)\"]+)", ET.tostring(root, encoding="unicode")))
    changed = True
    while changed:
        changed = False
        for parent in list(root.iter()):
            for child in list(parent):
                is_group = child.tag in {f"{{{SVG}}}g", f"{{{SVG}}}defs"}
                if child.tag is _COMMENT or (is_group and not len(child)):
                    parent.remove(child)
                elif child.get("id") and child.get("id") not in used:
                    if parent.tag == f"{{{SVG}}}defs":
                        parent.remove(child)
                    else:
                        del child.attrib["id"]
                elif child.tag == f"{{{SVG}}}g" and not child.attrib:
                    at = list(parent).index(child)
                    parent.remove(child)
                    for offset, inner in enumerate(list(child)):
                        parent.insert(at + offset, inner)
                else:
                    continue
                changed = True


def _shorten(root: ET.Element) -> None:
    """Short numbers and names; no spaces but between words."""
    names = {one.get("id", ""): f"i{k}" for k, one in enumerate(one for one in root.iter() if one.get("id"))}
    for element in root.iter():
        element.tail = None
        if element.text and not element.text.strip():
            element.text = None
        # Letters of formulas are in units of a font, and become smaller by a factor.
        is_scaled = "transform" in element.attrib and element.tag == f"{{{SVG}}}path"
        for key, value in element.attrib.items():
            element.set(key, _value(key, value, names, is_scaled=is_scaled))


def _value(key: str, value: str, names: dict[str, str], *, is_scaled: bool) -> str:
    if key == "id":
        return names[value]
    if key == HREF:
        return f"#{names[value[1:]]}" if value.startswith("#") else value.replace("\n", "")
    value = re.sub(r"url\(#([^)]+)\)", lambda found: f"url(#{names[found[1]]})", value)
    value = _SPACES.sub(" ", value.strip())
    if key == "style":
        return re.sub(r"([:;,]) ", r"\1", value)
    if key == "d":
        value = re.sub(r" ?([a-zA-Z]) ?", r"\1", value)
    if key in {"class", "viewBox"} or is_scaled or "scale(" in value:
        return value
    return _NUMBER.sub(lambda number: f"{round(float(number[0]), DIGITS):.{DIGITS}f}".rstrip("0").rstrip("."), value)


def _filled(text: str) -> str:
    """Elements in lines of about `LINE` characters; a text keeps its spaces."""
    return "\n".join(_lines(re.split(r"(?<=>)(?=<(?!/text))", text))) + "\n"


def _lines(pieces: list[str]) -> Iterator[str]:
    line = ""
    for piece in pieces:
        if line and len(line) + len(piece) > LINE:
            yield line
            line = ""
        line += piece
    yield line


if __name__ == "__main__":
    for name in sys.argv[1:]:
        place = Path(name)
        place.write_text(compact(place.read_text(encoding="utf-8")), encoding="utf-8")
        print(f"{name}: {place.stat().st_size} bytes")
