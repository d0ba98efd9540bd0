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
for size in 4 100; do
    "$bench" --make $size "$work/$size.pickle" >/dev/null || exit 1
    echo "  synthetic, $size MB"
    # in turns, so that both meet the same neighbours on the machine
    for _ in 1 2 3; do
        "$bench" "$work/$size.pickle" | sed 's/^/    zirve    /'
        command -v python3 >/dev/null || continue
        python3 - "$work/$size.pickle" <<'END' | sed 's/^/    CPython  /'
import os, pickle, resource, sys, time
size = os.path.getsize(sys.argv[1])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.perf_counter()
with open(sys.argv[1], "rb") as file:
    whole = pickle.load(file)
took = time.perf_counter() - start
memory = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
print(f"{size / 1e6:.1f} MB, {len(whole['device_traces'][0])} events: {size / 1e6 / took:.1f} MB/s, "
      f"{memory / 1e6:.1f} MB resident")
END
    done
done
echo "  zirve explain, 4 MB, process start included"
"$build/tests/bench/bench_command" 20 "$build/src/cli/zirve" explain "$work/4.pickle"
if [ "$large" -ne 0 ]; then
    echo "  synthetic, $large MB"
    "$bench" --make "$large" "$work/large.pickle" >/dev/null || exit 1
    "$bench" "$work/large.pickle" | sed 's/^/    zirve    /'
fi
