#!/bin/sh
# Checks besides the tests. Prints "pass: NAME" or "FAIL: NAME" with the output of what failed.
# ZIRVE_FUZZ_SECONDS (20): how long each fuzz target runs, from the same seed each time.
# shellcheck disable=SC2317 # the functions are called by check
set -u
cd "$(dirname "$0")/.." || exit 1
sh tools/deps.sh --check || exit 1
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
bad=0
jobs=$(nproc)

check() { # check NAME COMMAND...
    name=$1
    shift
    if "$@" >"$out/log" 2>&1; then
        echo "pass: $name"
    else
        tail -n 60 "$out/log"
        echo "FAIL: $name"
        bad=1
    fi
}

build() { # build FOLDER [meson options]: warnings are errors
    folder=$1
    shift
    if [ ! -f "$folder/build.ninja" ]; then
        meson setup "$folder" --werror "$@" || return 1
    fi
    ninja -C "$folder"
}

sources() { git ls-files 'src/*.[ch]' 'include/*.h' 'tests/*.[ch]' 'tools/*.c' 'docs/*.c'; }

format() { sources | xargs clang-format --dry-run --Werror; }

layers() { sh tools/check_layers.sh; }

headers() { # each header compiles alone
    for header in $(git ls-files 'src/*.h' 'include/*.h'); do
        gcc -std=c17 -D_GNU_SOURCE -Iinclude -Isrc -Wall -Wextra -Werror -fsyntax-only -x c "$header" || return 1
    done
}

clang_build() { CC=clang build build-clang; }

sanitized() {
    CC=clang build build-sanitize -Db_sanitize=address,undefined -Db_lundef=false || return 1
    meson test -C build-sanitize --no-rebuild --print-errorlogs -t 5
}

threads() { # what runs in several threads, and the library it opens
    [ -f build-thread/build.ninja ] ||
        CC=clang meson setup build-thread --werror -Db_sanitize=thread -Db_lundef=false || return 1
    ninja -C build-thread tests/measure_measure_run_test src/emulate/libzirve-emulate.so &&
        meson test -C build-thread --no-rebuild --print-errorlogs -t 5 measure/measure_run
}

tidy() { # one file a process: clang-tidy 14 mixes up va_list between files
    [ -f build-clang/compile_commands.json ] || return 1
    git ls-files 'src/*.c' | xargs -P "$jobs" -n 1 clang-tidy --quiet -p build-clang
}

# cppcheck 2.10 stumbles over compound literals and arrays in structs: three of its checks are off.
analyse() {
    cppcheck --std=c11 --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
        --quiet -j "$jobs" -Iinclude -Isrc --suppress=missingIncludeSystem \
        --suppress=internalAstError --suppress=uninitStructMember --suppress=returnDanglingLifetime src
}

shell() { git ls-files | xargs grep -lE '^#!/bin/sh' | xargs shellcheck -s sh -e SC2015; }

fuzz_one() { # fuzz_one TARGET: findings and its log under $out
    fuzzed=${1##*/fuzz_}
    mkdir -p "$out/corpus-$fuzzed"
    "$1" -max_total_time="${ZIRVE_FUZZ_SECONDS:-20}" -rss_limit_mb=2048 -timeout=10 -print_final_stats=0 -seed=1 \
        -artifact_prefix="$out/" "$out/corpus-$fuzzed" "tests/fuzz/corpus/$fuzzed" >"$out/fuzz-$fuzzed.log" 2>&1 || {
        echo "fuzz_$fuzzed:"
        tail -n 40 "$out/fuzz-$fuzzed.log"
        return 1
    }
    rm -rf "$out/corpus-$fuzzed"
}

fuzz() { # as many targets at once as there are cores
    CC=clang build build-fuzz -Dfuzz=true -Db_sanitize=address,undefined -Db_lundef=false || return 1
    found=0
    running=
    for target in build-fuzz/tests/fuzz/fuzz_*; do
        if [ ! -x "$target" ] || [ -d "$target" ]; then continue; fi
        fuzz_one "$target" &
        running="$running $!"
        if [ "$(echo "$running" | wc -w)" -ge "$jobs" ]; then
            for one in $running; do wait "$one" || found=1; done
            running=
        fi
    done
    for one in $running; do wait "$one" || found=1; done
    return "$found"
}

check 'clang-format' format
check 'layers' layers
check 'a reader for each rule of a runtime' sh tools/check_rules.sh
check 'each header alone' headers
check 'gcc, warnings as errors' build build-gcc -Dbuildtype=release
check 'clang, warnings as errors' clang_build
check 'address and undefined-behaviour sanitizers' sanitized
check 'thread sanitizer' threads
check 'kernels for CUDA' sh tools/lab_kernels.sh --check
check 'clang-tidy' tidy
check 'cppcheck' analyse
check 'shellcheck' shell
check 'examples of README and man pages' sh tools/check_examples.sh
check 'fuzz targets' fuzz
exit $bad
