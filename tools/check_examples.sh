#!/bin/sh
# Runs every command of README.md and of the manual pages that can be run from the repository: lines
# "$ zirve …" of README, and examples of the pages. Names in capitals or ./paths that are not there are
# replaced by files of tests/data. A command must not end with 64 (usage) or 70 (our bug).
set -u
cd "$(dirname "$0")/.." || exit 1
build=${ZIRVE_BUILD_DIR:-build}
[ -x "$build/src/cli/zirve" ] || ./dev build || exit 1
zirve=$(pwd)/$build/src/cli/zirve
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" && ln -s "$zirve" "$work/bin/zirve"
root=$(pwd)
mkdir "$work/files"
printf 'a 1 3000000 0\na 2 500 0\nf 1\na 3 2000000 0\n' >"$work/files/ops.txt"
printf 'id,lower,upper,size\na,0,4,512\nb,2,6,1024\n' >"$work/files/blocks.csv"
cp tests/data/logs/llamacpp-2026.log "$work/files/server.log"
cp tests/data/snapshots/gen6.pickle "$work/files/snapshot.pickle"
cp tests/data/snapshots/gen5.pickle "$work/files/before.pickle"
cp tests/data/snapshots/gen6.pickle "$work/files/after.pickle"
printf '%s\n' 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of' \
    '23.64 GiB of which 1.00 GiB is free. Of the allocated memory 20.00 GiB is allocated by PyTorch, and' \
    '1.50 GiB is reserved by PyTorch but unallocated.' | tr '\n' ' ' >"$work/files/error.txt"
"$zirve" estimate tests/data/models/llama-3.1-8b/config.json --context 4096 --json >"$work/files/estimate.json"
printf '%s' '{"traceEvents":[{"ph":"i","name":"[memory]","ts":1,"pid":1,"tid":1,"args":{"Addr":16,"Bytes":512,
"Total Allocated":512,"Total Reserved":2097152,"Device Type":1,"Device Id":0}}]}' | gzip >"$work/files/trace.json.gz"
for name in job.yaml offers.csv vms.csv; do cp "tests/data/decide/$name" "$work/files/"; done
cp tests/data/decide/proven.yaml "$work/files/runs.yaml"
sed s/8192/4096/ tests/data/decide/job.yaml >"$work/files/other-job.yaml"
mkdir -p "$work/files/golden/mixed-gc"
zstd -dcq tests/golden/mixed-gc.tar.zst | tar -x -C "$work/files/golden/mixed-gc" || exit 1
printf '#!/bin/sh\nexit 0\n' | tee "$work/bin/python" >"$work/files/server" # programs of the user's
chmod +x "$work/bin/python" "$work/files/server"
PATH=$work/bin:$PATH
export PATH NO_COLOR=1
{
    sed -n 's/^ *\$ \(zirve .*\)$/\1/p' README.md
    for verb in $("$build/src/cli/document" verbs); do
        "$build/src/cli/document" man "$verb" | sed -n '/^# EXAMPLES/,/^# EXIT/s/^\(zirve .*\)$/\1/p'
    done
} >"$work/commands"
bad=0
count=0
for verb in $("$build/src/cli/document" verbs); do
    if ! grep -q "'$verb'" docs/man/meson.build; then
        echo "docs/man/meson.build has no page for $verb"
        bad=1
    fi
done
while IFS= read -r command; do
    count=$((count + 1))
    run=$(printf '%s\n' "$command" | sed -f tools/example_names.sed | sed "s|@ROOT@|$root|g")
    (cd "$work/files" && sh -c "$run") >"$work/out" 2>&1 </dev/null
    code=$?
    case $code in
    0 | 1 | 2 | 6) ;;
    *)
        echo "exit $code: $run (written: $command)"
        cat "$work/out"
        bad=1
        ;;
    esac
done <"$work/commands"
echo "$count examples run"
[ $bad -eq 0 ] && [ $count -gt 5 ]
