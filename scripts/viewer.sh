#!/bin/sh
# The animation of reports is written in TypeScript (viewer/), and shipped as the bundle in python/hoplab/report/assets:
# who uses or builds hoplab needs no Node. `viewer.sh build` makes the bundle; `viewer.sh check` compares types and
# bundle with the sources and runs their tests, and says so and does nothing where there is no Node.
set -eu
cd "$(dirname "$0")/../viewer"

what=${1:-check}
if ! command -v node >/dev/null 2>&1 || ! command -v npm >/dev/null 2>&1; then
    echo "viewer: no Node with npm here: the bundle of viewer/ is not checked against its sources" >&2
    if [ "$what" = check ]; then exit 0; fi
    exit 69
fi
if [ ! -e node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
    npm ci --silent
    touch node_modules/.package-lock.json
fi
npm run --silent "$what"
