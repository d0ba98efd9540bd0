#!/bin/sh
# What an estimate from a config.json costs, process start included: instructions counted by callgrind and
# memory, against budgets. The goal is 10 ms and 8 MiB beyond the mapped header; the models are those
# whose checkpoints list most tensors. Usage: estimate_budget.sh BENCH_COMMAND ZIRVE
set -u
bench=$1
zirve=$2
models=$(dirname "$0")/../data/models
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

echo "1..6"
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

for row in deepseek-v3:16 deepseek-v3-fp8:19 qwen3-next-80b-a3b:17; do
    model=${row%:*}
    config=$models/$model/config.json
    count=$(valgrind --tool=callgrind --callgrind-out-file="$out/callgrind" "$zirve" estimate "$config" \
        --context 4096 2>&1 >/dev/null | sed -n 's/.*Collected : \([0-9]*\).*/\1/p')
    judge "$model" "${count:-0}" "${row#*:}000000" instructions
    resident=$("$bench" 3 "$zirve" estimate "$config" --context 4096 |
        sed -n 's/.* \([0-9]*\)\.\([0-9]\) MiB resident.*/\1\2/p')
    judge "$model" "${resident:-0}" 60 "tenths of a MiB"
done
exit $failed
