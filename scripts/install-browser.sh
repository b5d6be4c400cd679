#!/bin/sh
# Installs Chromium from the system's packages, for the tests that look at reports in a real browser.
set -eu

for name in chromium chromium-browser google-chrome; do
    if command -v "$name" >/dev/null 2>&1; then exit 0; fi
done
if ! command -v apt-get >/dev/null 2>&1; then
    echo "install-browser: no apt-get here; install Chromium by hand" >&2
    exit 69
fi
if [ "$(id -u)" -eq 0 ]; then
    root=""
elif command -v sudo >/dev/null 2>&1; then
    root="sudo"
else
    echo "install-browser: needs root: run as root, or ask an administrator for: apt-get install chromium" >&2
    exit 77
fi
$root apt-get update -qq
$root apt-get install -y -qq --no-install-recommends chromium >/dev/null
command -v chromium
