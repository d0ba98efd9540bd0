#!/bin/sh
# What zirve choose costs an offer of a SkyPilot catalog: instructions counted by callgrind, against a budget, and
# whether that grows with the catalog. The goal is 100,000 offers in under 0.2 s. Usage: choose_budget.sh ZIRVE
set -u
zirve=$1
here=$(dirname "$0")
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
BUDGET=13500 # instructions an offer
GROWTH=110   # percent, of a catalog twice as long

count() { # count ROWS
    sh "$here/catalog.sh" "$1" >"$out/vms.csv"
    valgrind --tool=callgrind --callgrind-out-file="$out/callgrind" "$zirve" choose "$here/../data/decide/job.yaml" \
        --offers "$out/vms.csv" --days 3 --today 2026-11-29 2>&1 >/dev/null |
        sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

judge() { # judge NUMBER NAME VALUE LIMIT
    echo "# $2: $3, at most $4"
    if [ "$3" -gt 0 ] && [ "$3" -le "$4" ]; then
        echo "ok $1 - $2"
    else
        echo "not ok $1 - $2"
        failed=1
    fi
}

echo "1..2"
failed=0
small=$(count 2000)
middle=$(count 4000)
large=$(count 8000)
first=$(((${middle:-0} - ${small:-0}) / 2000))
second=$(((${large:-0} - ${middle:-0}) / 4000))
judge 1 "instructions an offer" "$second" $BUDGET
judge 2 "percent of that an offer in half the catalog" $((first > 0 ? second * 100 / first : 0)) $GROWTH
exit $failed
