#!/bin/sh
# Makes .venv with hoplab and hoplab-evidence (evidence/) in it, or brings it up to date: checks what must be there,
# installs the pinned Python packages, and builds the engine with optimization. `setup.sh EXTRA ...` adds the packages of extras of pyproject.toml
# instead: `setup.sh dev ray docs` has all that `make check` needs. `setup.sh fast` builds the engine guided by a profile of
# its runs. HOPLAB_PROFILE is the profile of Cargo.toml that it is built with, release by default.
#
# PYTHON=/path/to/python3.x chooses the interpreter.
set -eu
cd "$(dirname "$0")/.."

extras=$*
venv=.venv
PATH=$PWD/$venv/bin:$PATH   # maturin, run by pip, is found there

fail() {
    printf 'hoplab setup: %s\n' "$1" >&2
    shift
    for line in "$@"; do printf '  %s\n' "$line" >&2; done
    exit 1
}

# ---- what must be there -------------------------------------------------------------------------------------------

python_is_new_enough() {
    "$1" -c 'import sys; raise SystemExit(sys.version_info < (3, 11))' 2>/dev/null
}

find_python() {
    if [ -n "${PYTHON:-}" ]; then
        python_is_new_enough "$PYTHON" || fail "PYTHON=$PYTHON is not Python 3.11 or newer"
        echo "$PYTHON"
        return
    fi
    for candidate in python3 python3.14 python3.13 python3.12 python3.11 python; do
        if command -v "$candidate" >/dev/null 2>&1 && python_is_new_enough "$candidate"; then
            echo "$candidate"
            return
        fi
    done
    fail "Python 3.11 or newer is needed, and none was found" \
        "found: $(python3 --version 2>&1 || echo 'no python3')" \
        "get it: Debian 12 and Ubuntu 24.04 have it as python3 with python3-venv; or set PYTHON=/path/to/python3.11"
}

wanted_rust=$(sed -n 's/^rust-version *= *"\([0-9.]*\)".*/\1/p' Cargo.toml)

check_rust() {
    if ! command -v cargo >/dev/null 2>&1 || ! command -v rustc >/dev/null 2>&1; then
        fail "Rust $wanted_rust or newer is needed to build the engine, and there is none" \
            "get it: https://rustup.rs, then open a new shell (or run: . \"\$HOME/.cargo/env\")"
    fi
    found=$(rustc --version | sed 's/^rustc \([0-9.]*\).*/\1/')
    oldest=$(printf '%s\n%s\n' "$wanted_rust" "$found" | sort -t. -k1,1n -k2,2n -k3,3n | head -n 1)
    if [ "$oldest" != "$wanted_rust" ]; then
        fail "Rust $wanted_rust or newer is needed to build the engine, and rustc is $found" \
            "get it: rustup update stable; a distribution's own rustc is often too old, https://rustup.rs has the newest"
    fi
}

check_profiler() {
    if [ -x "$(rustc --print target-libdir)/../bin/llvm-profdata" ]; then return; fi
    # One of another LLVM does not know the format of what the engine leaves, and says so after minutes.
    wanted=$(rustc --version --verbose | sed -n 's/^LLVM version: *\([0-9]*\).*/\1/p')
    found=$(llvm-profdata merge --version 2>/dev/null | sed -n 's/.*LLVM version \([0-9]*\).*/\1/p')
    if [ -z "$found" ] || [ "$found" != "$wanted" ]; then
        fail "llvm-profdata${wanted:+ of LLVM $wanted, which is that of rustc,} is needed to read what the engine did" \
            "found: $(if [ -n "$found" ]; then echo "that of LLVM $found"; else echo none; fi)" \
            "get it: rustup component add llvm-tools"
    fi
}

check_venv_module() {
    "$1" -c 'import ensurepip, venv' 2>/dev/null ||
        fail "this Python cannot make virtual environments" "get it: Debian and Ubuntu have it as python3-venv"
}

# ---- the environment ----------------------------------------------------------------------------------------------

check_rust
if [ "$extras" = fast ]; then
    check_profiler
    # maturin builds twice, and takes the profile in an environment of its own, with the same versions of packages.
    export MATURIN_PGO=1 MATURIN_PEP517_ARGS="--profile dist" HOPLAB_TRAINED=1 PIP_CONSTRAINT="$PWD/constraints.txt"
    extras=
fi
if [ -n "${HOPLAB_PROFILE:-}" ]; then export MATURIN_PEP517_ARGS="--profile $HOPLAB_PROFILE"; fi
if [ ! -x "$venv/bin/python" ] || ! python_is_new_enough "$venv/bin/python"; then
    python=$(find_python)
    check_venv_module "$python"
    echo "hoplab setup: making $venv with $("$python" --version)" >&2
    "$python" -m venv --clear "$venv"
fi

pip() {
    "$venv/bin/python" -m pip --disable-pip-version-check --quiet "$@" ||
        fail "pip could not install what is needed (see above)" \
            "a package index must be reachable, directly or by pip's own configuration"
}

if [ -z "$extras" ] || ! "$venv/bin/python" -c 'import hoplab._core' 2>/dev/null; then
    echo "hoplab setup: installing Python packages" >&2
    pip install --constraint constraints.txt maturin hatchling
    echo "hoplab setup: building the engine${MATURIN_PGO:+, watching it run, and building it anew}; the first time it takes two to three minutes on two cores" >&2
    pip install --constraint constraints.txt --no-build-isolation --editable . --editable ./evidence
    touch "$venv/.engine"
fi
if [ -n "$extras" ]; then
    echo "hoplab setup: installing the extras $extras; the first time it takes about a minute" >&2
    # shellcheck disable=SC2086 (a list of names)
    "$venv/bin/python" scripts/extra_requirements.py $extras >"$venv/extras.txt" || fail "no such extra: $extras"
    pip install --constraint constraints.txt --requirement "$venv/extras.txt"
    case " $extras " in *" dev "*) touch "$venv/.dev" ;; esac
fi
