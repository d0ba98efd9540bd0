#!/bin/sh
# Heights and nodes of placements, against budgets: the same on every machine. The benchmark files of
# the field when ZIRVE_TRUTH_DIR has them; boxes that were cut up, whose optimum is known; a million
# blocks of repeated training steps and a million random ones with heavy tails. Usage: place.sh BENCH_PLACE
set -u
unset MALLOC_PERTURB_ # Meson has malloc fill memory, which costs time
bench=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
files=${ZIRVE_TRUTH_DIR:-/nonexistent}/data/minimalloc
number=0
failed=0

judge() { # judge NAME NODES PER_MILLION ARGUMENT...: nodes of all rows, the worst height over the load
    name=$1
    nodes=$2
    most=$3
    shift 3
    number=$((number + 1))
    row=$("$bench" "$@" | awk '{ nodes += $2; over = ($3 - $4) / $4 * 1e6; if (over > worst) worst = over; rows++; ms += $5 }
        END { printf "%d %d %d %d", rows, nodes, worst + 0.999999, ms }')
    # shellcheck disable=SC2086
    set -- $row
    echo "# $name: $1 placed in $4 ms, $2 nodes of at most $nodes, $3 millionths above the load of at most $most"
    if [ "$1" -gt 0 ] && [ "$2" -le "$nodes" ] && [ "$3" -le "$most" ]; then
        echo "ok $number - $name"
    else
        echo "not ok $number - $name"
        failed=1
    fi
}

echo "1..5"
if [ -f "$files/A.1048576.csv" ]; then
    judge "files of the field" 450000 0 files "$files"
else
    number=1
    echo "ok 1 - files of the field # SKIP no ZIRVE_TRUTH_DIR with them"
fi
judge "boxes that were cut up" 350000 0 cut
judge "a million of repeated steps" 0 1000 repeated 1000000
judge "a million with heavy tails" 0 20000 random 1000000 1
judge "another million with heavy tails" 0 20000 random 1000000 5
exit $failed
