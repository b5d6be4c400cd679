#!/bin/sh
# Installs what tests look at results with, from the system's packages: Chromium for reports, tshark and
# tcpdump for captures, valgrind for counts of instructions, strace for what a command asks the system for.
set -eu

missing=""
found=""
for name in chromium chromium-browser google-chrome; do
    if command -v "$name" >/dev/null 2>&1; then found="$name"; fi
done
if [ -z "$found" ]; then missing="chromium"; fi
for name in tshark tcpdump valgrind strace; do
    if ! command -v "$name" >/dev/null 2>&1; then missing="$missing $name"; fi
done
if [ -z "$missing" ]; then exit 0; fi

if ! command -v apt-get >/dev/null 2>&1; then
    echo "install-browser: no apt-get here; install by hand: $missing" >&2
    exit 69
fi
if [ "$(id -u)" -eq 0 ]; then
    root=""
elif command -v sudo >/dev/null 2>&1; then
    root="sudo"
else
    echo "install-browser: needs root: run as root, or ask an administrator for: apt-get install $missing" >&2
    exit 77
fi
$root apt-get update -qq
# shellcheck disable=SC2086 # the list is meant to be split
$root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
