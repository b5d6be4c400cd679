#!/bin/sh
# The laboratory in a browser: the engine as WebAssembly, and the page of viewer/src/lab around it. `lab.sh build` writes
# viewer/dist/hoplab-lab.html, one file; `lab.sh check` tests a module of a quick build in Node, and `lab.sh full` the
# distributed one, its size too. Where Rust's target or Node is
# missing, it says so; everything else of hoplab builds without.
set -eu
cd "$(dirname "$0")/.."

what=${1:-build}
target=wasm32-unknown-unknown

without() {
    printf 'lab: %s\n' "$1" >&2
    printf '  get it: %s; everything else of hoplab builds without\n' "$2" >&2
    if [ "$what" != build ] && [ -z "${HOPLAB_CI:-}" ]; then exit 0; fi
    exit 69
}

if ! [ -d "$(rustc --print sysroot)/lib/rustlib/$target/lib" ]; then
    # Rust's distribution may be out of reach where registries are not: a check passes then, on CI, too.
    rustup target add "$target" >&2 ||
        HOPLAB_CI='' without "Rust's target $target is missing, and rustup could not add it" "rustup target add $target"
fi
command -v node >/dev/null 2>&1 && command -v npm >/dev/null 2>&1 ||
    without "no Node with npm here, which bundles the page" "Node 20 or newer, https://nodejs.org"

# What is tested is what the module does: a quick build does, beside which the compiler's own parts are there already.
profile=lab
if [ "$what" = check ]; then
    profile=release
    set -- --config profile.release.package.hoplab.opt-level=1
else
    set --
fi
cargo build --quiet --profile "$profile" "$@" --target "$target" -p hoplab-wasm
HOPLAB_WASM=$(realpath "${CARGO_TARGET_DIR:-target}/$target/$profile/hoplab_wasm.wasm")
export HOPLAB_WASM
scripts/viewer.sh lab
if [ "$what" != build ]; then scripts/viewer.sh lab-check; fi
