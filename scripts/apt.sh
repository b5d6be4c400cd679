# For scripts that install packages of the system; read with `.`, not run.
# shellcheck shell=sh

# as_apt_needs NAME BY_HAND PACKAGES: set $root to what apt-get must be run with, or say what to do and end with 69
# (no apt-get here: do BY_HAND) or 77 (no root).
as_apt_needs() {
    if ! command -v apt-get >/dev/null 2>&1; then
        echo "$1: no apt-get here; $2" >&2
        exit 69
    fi
    if [ "$(id -u)" -eq 0 ]; then
        root=""
    elif command -v sudo >/dev/null 2>&1; then
        root="sudo"
    else
        echo "$1: needs root: run as root, or ask an administrator for: apt-get install $3" >&2
        exit 77
    fi
}
