#!/bin/sh
# Builds the source distribution into dist/, the wheel from what the source distribution has, both of hoplab-evidence
# (evidence/), and tries the wheels with each Python from 3.11 to 3.14 that is here (scripts/wheel_smoke.sh).
#
# With the package ziglang in .venv, zig links the wheel for manylinux2014: it runs on any Linux with glibc 2.17. Without
# it the platform's own linker does, and the wheel's name has the glibc that it needs.
set -eu
cd "$(dirname "$0")/.."

here=$PWD
export PATH="$here/.venv/bin:$PATH" CARGO_TARGET_DIR="$here/target"
mkdir -p dist
rm -f dist/hoplab-* dist/hoplab_evidence-*
unpacked=$(mktemp -d)
trap 'rm -rf "$unpacked"' EXIT

maturin sdist --out dist 2>"$unpacked/log" || { cat "$unpacked/log" >&2; exit 1; }
tar xzf dist/hoplab-*.tar.gz -C "$unpacked"
zig=
if .venv/bin/python -c 'import ziglang' 2>/dev/null; then zig="--zig --compatibility manylinux2014"; fi
# shellcheck disable=SC2086 (words)
(cd "$unpacked"/hoplab-* && maturin build --profile dist --locked --strip --out "$here/dist" $zig)
wheel=$(ls dist/hoplab-*.whl)
(cd evidence && ../.venv/bin/hatchling build --directory "$here/dist")
evidence=$(ls dist/hoplab_evidence-*.whl)

tried=0
for version in 3.11 3.12 3.13 3.14; do
    python=$(command -v "python$version") || continue
    "$python" -c '' 2>/dev/null || continue   # a stand-in of a version manager
    echo "== Python $version"
    PYTHON=$python scripts/wheel_smoke.sh "$wheel" "$evidence"
    tried=$((tried + 1))
done
[ "$tried" -gt 0 ] || { echo "dist: no Python 3.11 to 3.14 on the path to try the wheel with" >&2; exit 69; }
ls -l dist
