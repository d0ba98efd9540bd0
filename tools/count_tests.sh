#!/bin/sh
# The sum over Meson's junit file: single test cases where a program speaks TAP, else one a program.
set -eu
awk '
function number(line, name) { return match(line, name "=\"[0-9]+\"") ? substr(line, RSTART + length(name) + 2, RLENGTH - length(name) - 3) + 0 : 0 }
/<testsuite / { tests += number($0, "tests"); bad += number($0, "failures") + number($0, "errors"); skipped += number($0, "skipped") }
END { printf "%d passed, %d failed", tests - bad - skipped, bad; if (skipped) printf ", %d skipped", skipped; print "" }
' "$1/meson-logs/testlog.junit.xml"
