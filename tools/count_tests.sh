#!/bin/sh
# The sum over Meson's junit file: test cases where a program speaks TAP, else one a program. A test that
# has nothing to test against says "# SKIP: why" and counts as skipped (cmocka's own skip fails in TAP).
set -eu
tr '<' '\n' <"$1/meson-logs/testlog.junit.xml" | awk '
function number(line, name) { return match(line, " " name "=\"[0-9]+\"") ? substr(line, RSTART + length(name) + 3, RLENGTH - length(name) - 4) + 0 : 0 }
/^testsuite / { tests += number($0, "tests"); bad += number($0, "failures") + number($0, "errors"); skipped += number($0, "skipped")
    if (!number($0, "tests")) tests++ }
/^# SKIP/ { skipped++ }
END { printf "%d passed, %d failed", tests - bad - skipped, bad; if (skipped) printf ", %d skipped", skipped; print "" }'
