#!/bin/sh
# Measures; never part of the timed tests. Ratios within one run and instruction counts are what to compare.
set -eu
build=$1
cd "$(dirname "$0")/../.."
for bench in "$build"/tests/bench/bench_*; do
    [ -x "$bench" ] && [ ! -d "$bench" ] || continue
    case $bench in *bench_command | *bench_snapshot | *bench_profiler | *bench_shards) continue ;; esac
    echo "== $(basename "$bench")"
    "$bench"
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "== bench_profiler (goal: 700 MB/s, 8 MiB)"
"$build/tests/bench/bench_profiler" --make 200 "$work/trace.json"
"$build/tests/bench/bench_profiler" "$work/trace.json"
echo "  of eight devices"
"$build/tests/bench/bench_profiler" --make 200 "$work/trace.json" 8
"$build/tests/bench/bench_profiler" "$work/trace.json"
echo "== bench_snapshot"
sh tests/bench/snapshot.sh "$build"
echo "== zirve estimate, process start included (goal: below 10 ms and 8 MiB)"
zirve=$build/src/cli/zirve
"$build/tests/bench/bench_command" 50 "$zirve" estimate tests/data/models/llama-3.1-8b/config.json
"$build/tests/bench/bench_command" 50 "$zirve" estimate tests/data/models/deepseek-v3/config.json --runtime vllm
"$build/tests/bench/bench_command" 50 "$zirve" estimate tests/data/models/deepseek-v3-fp8/config.json --runtime vllm
"$build/tests/bench/bench_command" 50 "$zirve" estimate --parameters 7e9 --bits 16
echo "== zirve choose, a SkyPilot catalog of 100,000 offers (goal: below 200 ms)"
sh tests/bench/catalog.sh 100000 >"$work/vms.csv"
"$build/tests/bench/bench_command" 10 "$zirve" choose tests/data/decide/job.yaml --offers "$work/vms.csv" --days 3
echo "== a folder of shards, process start included (goal: 500 MB of header a second)"
"$build/tests/bench/bench_shards" tests/data/models/deepseek-v3-fp8/config.json "$work/shards" >"$work/out"
sed '$d' "$work/out"
headers=$(sed -n 's/^headers \([0-9]*\) .*/\1/p' "$work/out")
index=$(sed -n 's/.* index \([0-9]*\)$/\1/p' "$work/out")
"$build/tests/bench/bench_command" 50 "$zirve" estimate "$work/shards" | tee "$work/out"
awk -v headers="$headers" -v index_bytes="$index" '{
    printf "  %.1f MB of headers: %.0f MB/s; with the index of %.1f MB, which is read too: %.0f MB/s\n",
        headers / 1e6, headers / 1e3 / $1, index_bytes / 1e6, (headers + index_bytes) / 1e3 / $1
}' "$work/out"
echo "== zirve view, a million events: 10 runs under other settings, then the page in a browser"
echo "   (goals: everything there within 2,000 ms; 95th percentile of frames at most 33 ms, that is two of 60 a second)"
awk 'BEGIN {
    for (i = 1; i <= 333400; i++) {
        print "a", i, 512 * (1 + i * 7919 % 9973), 0
        if (i > 3000) print "f", i - 3000
    }
}' >"$work/ops.txt"
"$build/tests/bench/bench_command" 3 "$zirve" view "$work/ops.txt"
if command -v "${ZIRVE_CHROMIUM:-chromium}" >/dev/null 2>&1; then
    "$zirve" view "$work/ops.txt" -o "$work/page.html"
    "$build/tests/browser/browse" "$work/page.html" tests/browser/frames.steps
else
    echo "   no chromium: the page is not measured"
fi
