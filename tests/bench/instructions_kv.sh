#!/bin/sh
# Instructions of the page pool and of the serving simulation, counted by callgrind, against budgets.
# Usage: instructions_kv.sh BENCH_KV
set -u
bench=$1
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

count() { # count MODE N: instructions of a whole run
    valgrind --tool=callgrind --callgrind-out-file="$out/callgrind" "$bench" "$1" "$2" 2>&1 |
        sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

echo "1..3"
number=0
failed=0
for row in one:200000:160:pair batch:200000:55:pair replay:2000:7500:request; do
    mode=${row%%:*}
    rest=${row#*:}
    many=${rest%%:*}
    rest=${rest#*:}
    budget=${rest%%:*}
    unit=${rest#*:}
    number=$((number + 1))
    each=$((($(count "$mode" $((2 * many))) - $(count "$mode" "$many")) / many))
    echo "# $mode: $each instructions per $unit, budget $budget"
    if [ "$each" -le "$budget" ] && [ "$each" -gt 0 ]; then
        echo "ok $number - $mode"
    else
        echo "not ok $number - $mode"
        failed=1
    fi
done
exit $failed
