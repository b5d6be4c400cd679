#!/bin/sh
# Resolves the newest versions of everything hoplab can use, and writes them to constraints.txt: names and versions
# only, whatever index they came from. Run it with the oldest Python that hoplab takes (PYTHON=/path/to/python3.11):
# a newer one may choose versions that the older cannot install.
set -eu
cd "$(dirname "$0")/.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python=${PYTHON:-python3}
"$python" -m venv "$folder/venv"
"$python" - >"$folder/all.txt" <<'PYTHON'
import tomllib

wanted = []
for name in ("pyproject.toml", "evidence/pyproject.toml"):
    project = tomllib.load(open(name, "rb"))
    wanted += project["build-system"]["requires"] + project["project"]["dependencies"]
    for extra in project["project"].get("optional-dependencies", {}).values():
        wanted += extra
print("\n".join(one for one in wanted if not one.startswith("hoplab")))  # ours: no index has them
PYTHON
"$folder/venv/bin/pip" install --quiet --requirement "$folder/all.txt"
{
    echo "# Versions that are tested together. Made by scripts/constraints.sh; change pyproject.toml, then run it."
    "$folder/venv/bin/pip" freeze --exclude pip --exclude setuptools
} >constraints.txt
