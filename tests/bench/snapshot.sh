#!/bin/sh
# Snapshots: reading beside CPython's pickle.load in one run (goal: ten times its bytes per second, a tenth of
# its memory beside the file), a large one (goal: 2 GB within 1 GiB of heap), explain of 4 MB (goal: below 50 ms).
# Usage: snapshot.sh BUILD. ZIRVE_BENCH_LARGE_MB (2000): size of the large one, 0: none.
set -u
build=$1
large=${ZIRVE_BENCH_LARGE_MB:-2000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bench=$build/tests/bench/bench_snapshot

# in turns, so that both meet the same neighbours on the machine; both: the best of nine, and the first
beside() { # beside FILE
    for _ in 1 2 3; do
        "$bench" "$1" | sed 's/^/    zirve    /'
        command -v python3 >/dev/null || continue
        python3 - "$1" <<'END' | sed 's/^/    CPython  /'
import os, pickle, sys, time, tracemalloc
size = os.path.getsize(sys.argv[1])
times = []
def load():
    start = time.perf_counter()
    with open(sys.argv[1], "rb") as file:
        whole = pickle.load(file)
    times.append(time.perf_counter() - start)
while len(times) < 9 and (len(times) < 2 or sum(times) < 4):
    load()
tracemalloc.start()
load()
print(f"{size / 1e6:.2f} MB: {size / 1e6 / min(times[:-1]):.1f} MB/s (first {size / 1e6 / times[0]:.1f}), "
      f"{tracemalloc.get_traced_memory()[1] / 1e6:.2f} MB of objects")
END
    done
}

for size in 4 100; do
    "$bench" --make $size "$work/$size.pickle" >/dev/null || exit 1
    echo "  synthetic, $size MB"
    beside "$work/$size.pickle"
done
for file in "${ZIRVE_TRUTH_DIR:-/nowhere}"/data/snapshots/*.pickle; do
    [ -f "$file" ] || continue
    echo "  $(basename "$file")"
    beside "$file"
done
echo "  zirve explain, 4 MB, process start included"
"$build/tests/bench/bench_command" 20 "$build/src/cli/zirve" explain "$work/4.pickle"
real=${ZIRVE_TRUTH_DIR:-/nowhere}/data/snapshots/g6-train-fragmented.pickle # 3.7 MB
[ ! -f "$real" ] || "$build/tests/bench/bench_command" 20 "$build/src/cli/zirve" explain "$real"
if [ "$large" -ne 0 ]; then
    echo "  synthetic, $large MB"
    "$bench" --make "$large" "$work/large.pickle" >/dev/null || exit 1
    "$bench" "$work/large.pickle" | sed 's/^/    zirve    /'
fi
