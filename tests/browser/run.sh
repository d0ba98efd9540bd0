#!/bin/sh
# run.sh ZIRVE BROWSE MAKE_BOXES: pages in a headless Chromium (ZIRVE_CHROMIUM, or chromium on the path). TAP.
set -u
zirve=$(cd "$(dirname "$1")" && pwd)/$(basename "$1") || exit 1
browse=$(cd "$(dirname "$2")" && pwd)/$(basename "$2") || exit 1
make_boxes=$(cd "$(dirname "$3")" && pwd)/$(basename "$3") || exit 1
cd "$(dirname "$0")/../.." || exit 1
if ! command -v "${ZIRVE_CHROMIUM:-chromium}" >/dev/null 2>&1; then
    echo '1..0 # SKIP no chromium: pages are not looked at in a browser'
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
count=0

look() { # look NAME: the page of this name does what its steps say
    count=$((count + 1))
    if "$browse" "$work/$1.html" "tests/browser/$1.steps" >"$work/out" 2>&1; then
        echo "ok $count - $1: $(grep -c '^ok' "$work/out") steps"
    else
        grep -v '^ok' "$work/out" | sed 's/^not ok/# failed/; s/^[^#]/# &/'
        echo "not ok $count - $1"
        failed=1
    fi
}

echo '1..7'
"$zirve" view tests/data/snapshots/gen6.pickle -o "$work/view.html" || exit 1
look view
LC_ALL=C sed 's|/home/user/train\.py|</script><img src=>|' tests/data/snapshots/gen6.pickle >"$work/hostile.pickle"
"$zirve" view "$work/hostile.pickle" -o "$work/hostile.html" || exit 1
look hostile
LC_ALL=C sed 's|C:\\users\\user\\model\.py|/a/b/torch/optim/sg.py|' tests/data/snapshots/gen6.pickle >"$work/roles.pickle"
"$zirve" view "$work/roles.pickle" -o "$work/roles.html" || exit 1
look roles
awk 'BEGIN {
    for (i = 1; i <= 8000; i++) {
        print "a", i, 512 * (1 + i * 7919 % 9973), i % 3
        if (i > 600) print "f", i - 600
    }
    print "a 9999 7000000000 0"
}' >"$work/ops.txt"
"$zirve" view "$work/ops.txt" --capacity 4GB -o "$work/many.html" || exit 1
look many
"$zirve" kv tests/data/kv/mini.jsonl --pages 60 --block-size 512,128 --html "$work/kv.html" >"$work/out" || exit 1
look kv
"$make_boxes" >"$work/boxes.html" || exit 1
look boxes
awk -v OFS=, 'BEGIN {
    print "id,lower,upper,size"
    for (i = 0; i < 300; i++) print i, i * 7 % 500, i * 7 % 500 + 1 + i * i % 90, 512 * (1 + i * 31 % 64)
}' >"$work/blocks.csv"
"$zirve" place "$work/blocks.csv" --html "$work/place.html" >"$work/out" || exit 1
look place
exit $failed
