#!/bin/sh
# Measures; never part of the timed tests. Ratios within one run and instruction counts are what to compare.
set -eu
build=$1
cd "$(dirname "$0")/../.."
for bench in "$build"/tests/bench/bench_*; do
    [ -x "$bench" ] && [ ! -d "$bench" ] || continue
    case $bench in *bench_command | *bench_snapshot) continue ;; esac
    echo "== $(basename "$bench")"
    "$bench"
done
echo "== bench_snapshot"
sh tests/bench/snapshot.sh "$build"
echo "== zirve estimate, process start included (goal: below 10 ms and 8 MiB)"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
zirve=$build/src/cli/zirve
"$build/tests/bench/bench_command" 50 "$zirve" estimate tests/data/models/llama-3.1-8b/config.json
"$build/tests/bench/bench_command" 50 "$zirve" estimate tests/data/models/deepseek-v3/config.json --runtime vllm
"$build/tests/bench/bench_command" 50 "$zirve" estimate tests/data/models/deepseek-v3-fp8/config.json --runtime vllm
"$build/tests/bench/bench_command" 50 "$zirve" estimate --parameters 7e9 --bits 16
