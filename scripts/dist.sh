#!/bin/sh
# Builds the source distribution and the wheel into dist/, and tries the wheel with each Python from 3.11 to 3.14 that is
# here (scripts/wheel_smoke.sh).
#
# With the package ziglang in .venv, zig links the wheel for manylinux2014: it runs on any Linux with glibc 2.17. Without
# it the platform's own linker does, and the wheel's name has the glibc that it needs.
set -eu
cd "$(dirname "$0")/.."

PATH=$PWD/.venv/bin:$PATH
mkdir -p dist
rm -f dist/hoplab-*

maturin sdist --quiet --out dist
if .venv/bin/python -c 'import ziglang' 2>/dev/null; then
    maturin build --quiet --release --locked --out dist --zig --compatibility manylinux2014
else
    maturin build --quiet --release --locked --out dist
fi
wheel=$(ls dist/hoplab-*.whl)

tried=0
for version in 3.11 3.12 3.13 3.14; do
    python=$(command -v "python$version") || continue
    echo "== Python $version"
    PYTHON=$python scripts/wheel_smoke.sh "$wheel"
    tried=$((tried + 1))
done
[ "$tried" -gt 0 ] || { echo "dist: no Python 3.11 to 3.14 on the path to try the wheel with" >&2; exit 69; }
ls -l dist
