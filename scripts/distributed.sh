#!/bin/sh
# Runs a command with the engine as it is distributed (profile dist) in place of that of .venv: for what counts its
# instructions or times it. `distributed.sh .venv/bin/python -m hoplab --version` names no source build.
set -eu
cd "$(dirname "$0")/.."

target=${CARGO_TARGET_DIR:-$PWD/target}
PATH=$PWD/.venv/bin:$PATH   # the Python that the module is built for
PYO3_BUILD_EXTENSION_MODULE=1 cargo build --quiet --locked --profile dist -p hoplab-py

# The package as it is, but for the engine.
package=$target/dist/package
rm -rf "$package"
mkdir -p "$package/hoplab"
for file in "$PWD"/python/hoplab/*; do
    case $file in
    *_core*.so | *__pycache__) ;;
    *) ln -s "$file" "$package/hoplab/" ;;
    esac
done
for library in "$target"/dist/lib_core.so "$target"/dist/lib_core.dylib; do
    if [ -e "$library" ]; then cp "$library" "$package/hoplab/_core.abi3.so"; fi
done
PYTHONPATH=$package${PYTHONPATH:+:$PYTHONPATH} exec "$@"
