#!/bin/sh
# Installs the simulators that hoplab compares itself with: ns-2.35 (validate, crosscheck, bench), and ns-3.37 with a
# compiler for our program on top of it (crosscheck, bench) where the distribution has it.
set -eu

required="ns2"
optional="ns2-examples libns3-dev g++"

. "$(dirname "$0")/apt.sh"
as_apt_needs install-peers "install ns-2.35 (the program 'ns') by hand" "$required"

$root apt-get update -qq
# shellcheck disable=SC2086 # the lists are meant to be split
$root apt-get install -y --no-install-recommends $required
for package in $optional; do
    $root apt-get install -y --no-install-recommends "$package" ||
        echo "install-peers: $package is not available here; all but the comparison with it works" >&2
done
command -v ns
