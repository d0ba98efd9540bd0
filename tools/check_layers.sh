#!/bin/sh
# Fails when a file under src/ROOM includes a header of a room that tools/layers.txt does not allow.
set -eu
cd "$(dirname "$0")/.."
# shellcheck disable=SC2046 # file names without white space
awk '
FILENAME == "tools/layers.txt" { if ($0 ~ /^#/ || NF == 0) next
    room = $1; sub(":", "", room); known[room] = 1; may[room, room] = 1; may[room, "zirve"] = 1
    for (i = 2; i <= NF; i++) may[room, $i] = 1; next }
{ split(FILENAME, part, "/"); from = part[2] }
!(from in known) { print FILENAME ": room " from " is not in tools/layers.txt"; bad = 1; nextfile }
/^#include "/ { split($0, q, "\""); n = split(q[2], p, "/"); to = n > 1 ? p[1] : from
    if (!((from, to) in may)) { print FILENAME ":" FNR ": " from " may not use " to; bad = 1 } }
END { exit bad }' tools/layers.txt $(find src -name '*.[ch]')
