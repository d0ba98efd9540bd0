#!/bin/sh
# A versioned source archive of what is committed, with its licence and guide: build/dist/zirve-VERSION.tar.gz
set -eu
cd "$(dirname "$0")/.."
version=$(sed -n "s/^project('zirve', 'c', version: '\([^']*\)'.*/\1/p" meson.build)
folder=$1/dist
archive=$folder/zirve-$version.tar.gz
mkdir -p "$folder"
[ ! -e "$archive" ] || rm "$archive"
git archive --format=tar --prefix="zirve-$version/" HEAD | gzip -n -9 >"$archive.part"
mv "$archive.part" "$archive"
(cd "$folder" && sha256sum "$(basename "$archive")" >"$(basename "$archive").sha256")
echo "$archive"
