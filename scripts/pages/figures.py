"""Draw the pictures that Python blocks of pages save, by running the page's own scenarios and blocks.

    python scripts/pages/figures.py

The pictures lie in docs/images; the same engine gives the same files.
"""

import os
import re
import tempfile
from pathlib import Path

import matplotlib as mpl
from svg import compact

mpl.use("Agg")

ROOT = Path(__file__).parents[2]
PICTURES = {
    "gateway-mesh.svg": "docs/use/compare.md",
    "paper-delay.svg": "docs/use/pictures.md",
    "paper-goodput.svg": "docs/use/pictures.md",
    "plots.svg": "docs/use/python.md",
    "seeds.svg": "docs/use/concepts/intervals.md",
    "windows.svg": "docs/use/cookbook.md",
}
"""File of each picture, and the page whose blocks save it."""

FENCE = re.compile(r"^```(python|toml)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def main() -> None:
    """Draw every picture."""
    mpl.rcParams["svg.hashsalt"] = "hoplab"
    os.environ["SOURCE_DATE_EPOCH"] = "0"  # the date in a picture
    for name, page in PICTURES.items():
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            Path("scenarios").symlink_to(ROOT / "scenarios")
            names: dict[str, object] = {}
            for language, text in FENCE.findall((ROOT / page).read_text(encoding="utf-8")):
                file = re.match(r"# (\S+\.toml)\n", text)
                if language == "toml" and file:
                    Path(file[1]).write_text(text, encoding="utf-8")
                elif language == "python" and not Path(name).exists():
                    exec(compile(text, page, "exec"), names)  # noqa: S102 (the page's own code)
            target = ROOT / "docs" / "images" / name
            target.write_text(compact(Path(name).read_text(encoding="utf-8")), encoding="utf-8")
            print(target.relative_to(ROOT))
            os.chdir(ROOT)


if __name__ == "__main__":
    main()
