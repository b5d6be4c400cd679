"""Print the requirements of extras of pyproject.toml, one per line: they can be had without building anything."""

import sys
import tomllib
from pathlib import Path

project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
for extra in sys.argv[1:]:
    print("\n".join(project["optional-dependencies"][extra]))
