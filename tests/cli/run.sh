#!/bin/sh
# Runs every tests/cli/*.t: lines "$ COMMAND" followed by what it prints, "? N" for its exit status when
# that is not 0. Standard output and error are compared together. --accept writes what comes out now.
# Each file has a folder of its own in $TMP, printed as TMP, and $M is tests/data/models.
set -u
accept=
[ "${1:-}" = --accept ] && { accept=1; shift; }
zirve=$(cd "$(dirname "$1")" && pwd)/$(basename "$1") || exit 1
shift
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" && ln -s "$zirve" "$work/bin/zirve"
PATH=$work/bin:$PATH
# the fake vendor libraries and the emulated driver of the same build
ZIRVE_FAKE_DIR=${ZIRVE_FAKE_DIR:-$(dirname "$zirve")/../../tests/unit/probe}
ZIRVE_EMULATE_DIR=${ZIRVE_EMULATE_DIR:-$(dirname "$zirve")/../emulate}
export PATH ZIRVE_FAKE_DIR ZIRVE_EMULATE_DIR M=tests/data/models LC_ALL=C NO_COLOR=1
failed=0
count=0
[ $# -ne 0 ] || set -- tests/cli/*.t
echo "1..$#"
for file in "$@"; do
    count=$((count + 1))
    name=$(basename "$file" .t)
    TMP=$work/$name XDG_CONFIG_HOME=$work/$name/none
    export TMP XDG_CONFIG_HOME
    mkdir "$TMP"
    : >"$work/out"
    while IFS= read -r line || [ -n "$line" ]; do
        case $line in
        '$ '*)
            printf '%s\n' "$line" >>"$work/out"
            sh -c "${line#\$ }" >"$work/one" 2>&1 </dev/null
            code=$?
            sed -e "s|$TMP|TMP|g" -e "s|$work|TMP|g" "$work/one" >>"$work/out"
            [ $code -eq 0 ] || printf '? %d\n' "$code" >>"$work/out"
            ;;
        '#'*) printf '%s\n' "$line" >>"$work/out" ;;
        esac
    done <"$file"
    if [ -n "$accept" ]; then
        cp "$work/out" "$file"
        echo "ok $count - $name (accepted)"
    elif diff -u "$file" "$work/out" >"$work/diff"; then
        echo "ok $count - $name"
    else
        sed 's/^/# /' "$work/diff"
        echo "not ok $count - $name"
        failed=1
    fi
done
exit $failed
