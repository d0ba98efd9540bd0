#!/bin/sh
# Runs every tests/cli/*.t: lines "$ COMMAND" followed by what it prints, "? N" for its exit status when
# that is not 0. Standard output and error are compared together. --accept writes what comes out now, but
# not where the exit status of a command that was there is another one: --outcomes takes that as well.
# Each file has a folder of its own in $TMP, printed as TMP, and $M is tests/data/models.
set -u
accept=
outcomes=
[ "${1:-}" = --accept ] && { accept=1; shift; }
[ "${1:-}" = --outcomes ] && { outcomes=1; shift; }
zirve=$(cd "$(dirname "$1")" && pwd)/$(basename "$1") || exit 1
[ -x "$zirve" ] || { echo "$1: no program" >&2; exit 64; }
shift
for file in "$@"; do
    case $file in
    *.t) [ -f "$file" ] && continue ;;
    esac
    echo "$file: no file NAME.t with expected output" >&2
    exit 64
done
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

# Each command of a file with its exit status, a line each; of a command that is there twice, all of them.
statuses() {
    awk '/^\$ /{ if (command != "") print command "\t" status; command = $0; status = 0 }
         /^\? [0-9]+$/{ status = $2 }
         END { if (command != "") print command "\t" status }' "$1" | sort
}

# Commands of both files that ended otherwise in the first.
changed() {
    statuses "$1" >"$work/was"
    statuses "$2" >"$work/is"
    comm -23 "$work/was" "$work/is" | cut -f 1 | sort -u >"$work/gone"
    comm -13 "$work/was" "$work/is" | cut -f 1 | sort -u | comm -12 - "$work/gone"
}

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
    if [ -n "$accept" ] && [ -z "$outcomes" ] && [ -n "$(changed "$file" "$work/out")" ]; then
        changed "$file" "$work/out" | sed 's/^/# another exit status: /'
        echo "not ok $count - $name (look, then accept with --outcomes)"
        failed=1
    elif [ -n "$accept" ]; then
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
