#!/bin/sh
# Installs the Debian packages that building and testing need. Silent when nothing is missing.
set -eu
packages='gcc libc6-dev meson ninja-build pkg-config libcmocka-dev zlib1g-dev libzstd-dev libyaml-dev libssl-dev scdoc'
[ "${1:-}" != --check ] || packages="$packages clang clang-format clang-tidy cppcheck libclang-rt-14-dev
man-db mandoc valgrind shellcheck zstd chromium"

missing=
for package in $packages; do
    state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$state" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null 2>&1; then
    echo "zirve: needs these Debian packages or their like:$missing" >&2
    exit 1
fi
root=
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null 2>&1; then
        echo "zirve: as root, please: apt-get install$missing" >&2
        exit 1
    fi
    root=sudo
fi
echo "Installing:$missing" >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
install() {
    # shellcheck disable=SC2086 # a list of packages
    $root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing >"$log" 2>&1
}
install || { $root apt-get update >"$log" 2>&1 && install; } || {
    cat "$log" >&2
    exit 1
}
