#!/bin/sh
# Runs a test of the Python helper: run.sh FILE.py [zirve]. Skips, with the reason, without Python 3.8.
ZIRVE=${2:+$(realpath "$2")}
cd "$(dirname "$0")" || exit 1
export ZIRVE PYTHONDONTWRITEBYTECODE=1
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 8))' 2>/dev/null; then
    echo "1..0 # SKIP no Python 3.8 or newer"
    exit 0
fi
exec python3 "$1"
