#!/bin/sh
# What an estimate costs: instructions counted by callgrind, process start included, and memory, against
# budgets. The goal is 10 ms and 8 MiB beyond the mapped header, process start included; the binary's own
# pages grow with every verb, so what the estimate itself takes is judged beyond the same binary's
# --version, with room of its own (17 to 21 tenths of a MiB when it was set). The models are those
# whose checkpoints list most tensors. The last row is a folder of shards, of a model small enough to be
# mapped whole under valgrind: 18,867 tensors, their mapped headers counted.
# Usage: estimate_budget.sh BENCH_COMMAND ZIRVE BENCH_SHARDS
set -u
bench=$1
zirve=$2
shards=$3
models=$(dirname "$0")/../data/models
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

echo "1..11"
number=0
failed=0

judge() { # judge NAME VALUE BUDGET UNIT
    number=$((number + 1))
    echo "# $1: $2 $4, budget $3"
    if [ "${2:-0}" -gt 0 ] && [ "$2" -le "$3" ]; then
        echo "ok $number - $1, $4"
    else
        echo "not ok $number - $1, $4"
        failed=1
    fi
}

resident() { # resident ARGUMENT...: tenths of a MiB, of the largest of three runs
    "$bench" 3 "$zirve" "$@" | sed -n 's/.* \([0-9]*\)\.\([0-9]\) MiB resident.*/\1\2/p'
}

measure() { # measure NAME PATH MILLIONS TENTHS_BEYOND_START
    count=$(valgrind --tool=callgrind --callgrind-out-file="$out/callgrind" "$zirve" estimate "$2" \
        --context 4096 2>&1 >/dev/null | sed -n 's/.*Collected : \([0-9]*\).*/\1/p')
    judge "$1" "${count:-0}" "${3}000000" instructions
    whole=$(resident estimate "$2" --context 4096)
    judge "$1" "$((${whole:-0} - ${start:-0}))" "$4" "tenths of a MiB beyond the start"
}

start=$(resident --version)
for row in deepseek-v3:16 deepseek-v3-fp8:19 qwen3-next-80b-a3b:17; do
    measure "${row%:*}" "$models/${row%:*}/config.json" "${row#*:}" 40
    judge "${row%:*}" "${whole:-0}" 80 "tenths of a MiB"
done
"$shards" "$models/qwen3-30b-a3b/config.json" "$out/shards" >/dev/null
measure "folder of qwen3-30b-a3b" "$out/shards" 60 75
exit $failed
