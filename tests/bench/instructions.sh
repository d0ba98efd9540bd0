#!/bin/sh
# Instructions per event of the allocator, counted by callgrind, against a budget: what the clock says
# depends on the machine, this does not. Usage: instructions.sh BENCH_ALLOCATOR
set -u
bench=$1
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

count() { # count LIVE EVENTS: instructions of a whole run
    valgrind --tool=callgrind --callgrind-out-file="$out/callgrind" "$bench" "$1" "$2" 2>&1 |
        sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

echo "1..2"
number=0
failed=0
for row in 2000:280 20000:297; do
    live=${row%:*}
    budget=${row#*:}
    number=$((number + 1))
    few=$(count "$live" 20000)
    many=$(count "$live" 120000)
    each=$(((many - few) / 100000))
    echo "# $live live blocks: $each instructions per event, budget $budget"
    if [ "$each" -le "$budget" ] && [ "$each" -gt 0 ]; then
        echo "ok $number - $live live blocks"
    else
        echo "not ok $number - $live live blocks"
        failed=1
    fi
done
exit $failed
