#!/bin/sh
# Each rule of src/runtime/versions.h has a reader: a row of data/runtimes.tsv that nothing asks for is a
# wrong answer that looks like a fact.
set -u
cd "$(dirname "$0")/.." || exit 1
unread=$(sed -n 's/^ *X(\([a-z_]*\)).*/\1/p' src/runtime/versions.h | while read -r rule; do
    grep -rqE --include='*.c' "(->|\.)$rule\>" src || echo "$rule: no reader in src"
done)
[ -z "$unread" ] || { echo "$unread"; exit 1; }
