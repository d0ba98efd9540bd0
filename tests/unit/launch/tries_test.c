#include "launch/tries.h"

#include <stdio.h>
#include <string.h>

#include "support/test.h"

static const struct {
    const char *text;
    uint64_t from; /* 0: refused */
    uint64_t to;
} parses[] = {
    {"batch=1..64", 1, 64}, {"context=1k..32k", 1024, 32768},
    {"n=7..7", 7, 7},       {"batch", 0, 0},
    {"batch=", 0, 0},       {"=1..2", 0, 0},
    {"b=0..2", 0, 0},       {"b=3..2", 0, 0},
    {"b=1..", 0, 0},        {"b=..2", 0, 0},
    {"b=1.2", 0, 0},        {"b=1...2", 0, 0},
    {"b=-1..2", 0, 0},      {"b=1..1e30", 0, 0},
};

static void ranges(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof parses / sizeof parses[0]; i++) {
        struct zv_tries tries = {0};
        const enum zv_status status = zv_tries_parse(&tries, parses[i].text, NULL);
        print_message("# %s\n", parses[i].text);
        assert_int_equal(status == ZV_OK, parses[i].from != 0);
        if (status == ZV_OK) {
            assert_int_equal(tries.bisect.from, parses[i].from);
            assert_int_equal(tries.bisect.to, parses[i].to);
        }
    }
}

/* Runs sh -c script over a range; the value stands where the script has the mark. */
static enum zv_status search(struct zv_tries *tries, struct zv_arena *arena, const char *range,
                             char *script)
{
    static char shell[] = "sh";
    static char flag[] = "-c";
    static char *command[4];
    command[0] = shell;
    command[1] = flag;
    command[2] = script;
    *tries = (struct zv_tries){.launch = {.command = command, .kept_lines = 3}, .arena = arena};
    tries->launch.output_to_stderr = true;
    assert_int_equal(zv_tries_parse(tries, range, NULL), ZV_OK);
    return zv_tries_run(tries, NULL);
}

static void expect_line(const struct zv_tries *tries, uint64_t value, const char *text)
{
    const struct zv_try *const one = zv_tries_find(tries, value);
    assert_non_null(one);
    const struct zv_tail_line *const line = zv_tail_at(&one->launched.tail, 0);
    assert_int_equal(line->length, strlen(text));
    assert_memory_equal(line->text, text, line->length);
}

/* {name} is the value's place wherever it stands; {} is one only where there is no {name}. */
static void placeholders(void **state)
{
    (void)state;
    struct zv_arena arena = {0};
    struct zv_tries tries;
    char both[] = "echo {n}-{n} '{}'";
    char plain[] = "echo {}{m}{}";
    char none[] = "echo n";
    assert_int_equal(search(&tries, &arena, "n=12..12", both), ZV_OK);
    expect_line(&tries, 12, "12-12 {}");
    assert_int_equal(search(&tries, &arena, "n=3..3", plain), ZV_OK);
    expect_line(&tries, 3, "3{m}3");
    assert_int_equal(search(&tries, &arena, "n=3..3", none), ZV_E_USAGE);
    zv_arena_free(&arena);
}

static void boundary(void **state)
{
    (void)state;
    struct zv_arena arena = {0};
    struct zv_tries tries;
    char script[] = "[ {} -le 5 ] || { echo 'HIP out of memory'; exit 1; }";
    assert_int_equal(search(&tries, &arena, "n=1..9", script), ZV_OK);
    assert_true(tries.bisect.found && !tries.bisect.stopped);
    assert_int_equal(tries.bisect.value, 5);
    assert_int_equal(zv_tries_find(&tries, 6)->trial, ZV_TRIAL_PASSES_NOT);
    assert_null(zv_tries_find(&tries, 9));
    char skips[] =
        "[ {} -le 2 ] || echo 'HIP out of memory, skipped'"; /* passed, but not all of it */
    assert_int_equal(search(&tries, &arena, "n=1..9", skips), ZV_OK);
    assert_int_equal(tries.bisect.value, 2);
    char breaks[] = "[ {} -le 2 ] || exit 1";
    assert_int_equal(search(&tries, &arena, "n=1..9", breaks), ZV_OK);
    assert_true(tries.bisect.stopped);
    assert_int_equal(tries.bisect.asked_count, 3);
    zv_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ranges), cmocka_unit_test(placeholders),
                                       cmocka_unit_test(boundary)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
