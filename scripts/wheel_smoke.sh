#!/bin/sh
# Builds the wheel and tries it where users might: in a bare environment without Rust, in a path with spaces, from a
# read-only installation, as a user without a home directory, with NO_COLOR, and without a terminal.
#
# `wheel_smoke.sh [WHEEL EVIDENCE]` tries wheels that are there already, of hoplab and of hoplab-evidence. HOPLAB_SMOKE_DIR keeps what it makes; PYTHON is the
# interpreter of the environment, by default that of .venv.
set -eu
cd "$(dirname "$0")/.."

fail() {
    printf 'wheel smoke: %s\n' "$1" >&2
    exit 1
}

root=${HOPLAB_SMOKE_DIR:-$(mktemp -d)}
[ -n "${HOPLAB_SMOKE_DIR:-}" ] || trap 'chmod -R u+w "$root"; rm -rf "$root"' EXIT
mkdir -p "$root"

# ---- the wheel ----------------------------------------------------------------------------------------------------

wheel=${1:-}
if [ -z "$wheel" ]; then
    PATH=$PWD/.venv/bin:$PATH .venv/bin/python -m pip wheel --quiet --no-deps --no-build-isolation \
        --wheel-dir "$root/wheel" .
    .venv/bin/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir "$root/wheel" ./evidence
    wheel=$(ls "$root"/wheel/hoplab-*.whl)
    set -- "$wheel" "$root"/wheel/hoplab_evidence-*.whl
fi
evidence=${2:-}
[ -n "$evidence" ] || fail "the wheel of hoplab-evidence is not given"
case $wheel in
*-cp311-abi3-*) ;;
*) fail "$wheel is bound to one version of Python" ;;
esac
for one in "$wheel" "$evidence"; do echo "wheel: $(basename "$one"), $(($(wc -c <"$one") / 1024)) KiB"; done

# ---- a bare environment, in a path with spaces ----------------------------------------------------------------------

place="$root/a path with spaces"
work="$place/my work"
bare=/usr/bin:/bin
mkdir -p "$work"
env PATH=$bare sh -c 'command -v cargo || command -v rustc' && fail "there is a Rust in $bare: nothing would be shown"
python=${PYTHON:-$(.venv/bin/python -c 'import sys; print(sys._base_executable)')}
"$python" -m venv "$place/venv"
begin=$(date +%s)
"$place/venv/bin/python" -m pip install --quiet --constraint constraints.txt "$wheel"
echo "installed: $(du -sm "$place/venv" | cut -f1) MB in $(($(date +%s) - begin)) s"
chmod -R a-w "$place/venv"
cat >"$work/chain.toml" <<'TOML'
duration = "5 s"
[topology]
kind = "chain"
hops = 2
[[flow]]
TOML

# Root may write in spite of permissions: for root the folders are mounted read-only, where its processes alone see it.
guard() {
    if [ "$(id -u)" != 0 ]; then
        "$@"
        return
    fi
    # shellcheck disable=SC2016 (the inner shell's variables)
    unshare --mount sh -c '
        for folder in "$1" "$2"; do
            [ -z "$folder" ] || { mount --bind "$folder" "$folder" && mount -o remount,bind,ro "$folder"; } || exit 99
        done
        cd "$3" && shift 3 && exec "$@"' sh "$place/venv" "${read_only:-}" "$work" "$@"
}

# Without HOME, without a terminal, in an empty environment: name of the case, wanted exit code, command.
try() {
    name=$1 wanted=$2
    shift 2
    code=0
    # shellcheck disable=SC2086 (words)
    (cd "$work" && guard env -i PATH="$place/venv/bin:$bare" LANG=C.UTF-8 ${more:-} setsid --wait "$@" \
        </dev/null >"$root/out" 2>"$root/err") || code=$?
    if [ "$code" != "$wanted" ]; then
        cat "$root/out" "$root/err" >&2
        fail "$name: exit code $code, expected $wanted"
    fi
    if LC_ALL=C grep -q "$(printf '\033')" "$root/out" "$root/err"; then
        fail "$name: colors where there is no terminal"
    fi
    echo "$name: ok"
}

try "no Rust, no home, no terminal" 0 hoplab --version
try "a run" 0 hoplab run chain.toml --seeds 2 --json
grep -q '"goodput_bps"' "$root/out" || fail "a run: no goodput in its results"
more="NO_COLOR=1 TERM=xterm-256color" try "NO_COLOR" 0 hoplab run chain.toml --seeds 2
begin=$(date +%s)
try "a first figure" 0 hoplab compare chain.toml -t new_reno,vegas --seeds 5 --out first
echo "first figure: $(($(date +%s) - begin)) s after installation"
try "example scenarios" 0 hoplab new scenarios
try "a package that is not installed" 69 hoplab bound chain.toml
try "a command of another distribution" 69 hoplab reproduce muzha
grep -q "hoplab-evidence" "$root/err" || fail "a command of another distribution: which one is not said"
try "a sweep" 0 hoplab sweep chain.toml --over topology.hops=1,2 --seeds 2 --out results
try "a report" 0 hoplab report results
try "wrong input" 3 hoplab run chain.toml --set topology.hops=0
"$place/venv/bin/python" -m pip install --quiet --no-deps --target "$root/evidence" "$evidence"
more="PYTHONPATH=$root/evidence" try "hoplab-evidence beside it" 0 hoplab reproduce muzha fig9 --seeds 3 --out fig9
try "from Python" 0 python -c 'import hoplab; print(hoplab.run(hoplab.Scenario.from_toml("chain.toml")))'
chmod 555 "$work"
read_only=$work
try "a folder that cannot be written to" 0 hoplab run chain.toml --json
try "results where nothing can be written" 74 hoplab sweep chain.toml --over topology.hops=1,2 --out other
echo "the wheel works"
