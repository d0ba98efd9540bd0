#!/bin/sh
# Instructions of a step and of a search over some 23 steps, counted by callgrind, against budgets;
# reading and linking the program is part of them. Usage: instructions_step.sh BENCH_STEP
set -u
unset MALLOC_PERTURB_ # Meson has malloc fill memory, which counts
bench=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cd "${ZIRVE_SOURCE_DIR:-.}" || exit 1
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

count() { # count MODE N: instructions of a whole run
    valgrind --tool=callgrind --callgrind-out-file="$out/callgrind" "$bench" "$1" "$2" 2>&1 |
        sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

echo "1..3"
number=0
failed=0
for row in lora:38000000 full:94000000 search:420000000; do
    mode=${row%%:*}
    budget=${row#*:}
    number=$((number + 1))
    each=$(($(count "$mode" 2) - $(count "$mode" 1)))
    echo "# $mode: $each instructions each, budget $budget"
    if [ "$each" -le "$budget" ] && [ "$each" -gt 0 ]; then
        echo "ok $number - $mode"
    else
        echo "not ok $number - $mode"
        failed=1
    fi
done
exit $failed
