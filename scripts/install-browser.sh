#!/bin/sh
# Installs what tests look at results with, from the system's packages: Chromium for reports, tshark and
# tcpdump for captures, valgrind for counts of instructions, strace for system calls, groff for the man page.
set -eu

missing=""
found=""
for name in chromium chromium-browser google-chrome; do
    if command -v "$name" >/dev/null 2>&1; then found="$name"; fi
done
if [ -z "$found" ]; then missing="chromium"; fi
for name in tshark tcpdump valgrind strace groff; do
    if ! command -v "$name" >/dev/null 2>&1; then missing="$missing $name"; fi
done
# A routing daemon for a test of live networks. Elsewhere its package would start it as a service of the machine.
if [ "${CI:-}" = true ] && ! command -v babeld >/dev/null 2>&1; then missing="$missing babeld"; fi
if [ -z "$missing" ]; then exit 0; fi

. "$(dirname "$0")/apt.sh"
as_apt_needs install-browser "install by hand: $missing" "$missing"

$root apt-get update -qq
# shellcheck disable=SC2086 # the list is meant to be split
$root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
