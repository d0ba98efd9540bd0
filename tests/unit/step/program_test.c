#include "step/program.h"

#include <stdio.h>
#include <string.h>

#include "step/program_run.h"
#include "support/fail_memory.h"
#include "support/test.h"

/* Runs `run` of a text and gives the events as "+512 -512", or the error. */
struct log {
    char text[4096];
    size_t length;
};

static void note(void *context, const struct step_event *event)
{
    struct log *const log = context;
    if (log->length < sizeof log->text - 32) {
        log->length +=
            (size_t)snprintf(log->text + log->length, sizeof log->text - log->length, "%s%c%llu",
                             log->length != 0 ? " " : "", event->is_free ? '-' : '+',
                             (unsigned long long)event->bytes);
    }
}

static void run_text(const char *text, struct log *log)
{
    struct zv_arena arena = {0};
    struct zv_error err = {0};
    struct step_program program;
    struct step_link link = {.program_count = 0};
    const struct zv_allocator_options options = {.capacity_bytes = 1 << 30};
    static struct step_run run;
    run = (struct step_run){.link = &link, .arena = &arena, .err = &err};
    *log = (struct log){.length = 0};
    enum zv_status status =
        step_program_parse(&program, zv_slice_of(text), zv_slice_of("t.step"), &arena, &err);
    if (status == ZV_OK) {
        status = step_link_add(&link, &program, &err);
    }
    if (status == ZV_OK) {
        status = step_link_finish(&link, &err);
    }
    if (status == ZV_OK) {
        status = zv_allocator_open(&run.engine.allocator, &options, &err);
    }
    if (status == ZV_OK) {
        run.engine.on_event = note;
        run.engine.context = log;
        run.engine.card.processors = 108;
        run.engine.card.threads_per_processor = 2048;
        status = step_run_begin(&run, NULL);
    }
    if (status == ZV_OK) {
        status = step_run_call(&run, "run");
        step_run_end(&run);
    }
    zv_allocator_close(run.engine.allocator);
    if (status != ZV_OK) {
        (void)snprintf(log->text, sizeof log->text, "%s:%llu: %s", err.where,
                       (unsigned long long)err.line, err.text);
    }
    zv_arena_free(&arena);
}

static const struct {
    const char *text;
    const char *events;
} programs[] = {
    /* an operand without a name dies after the operation that uses it */
    {"[step function run()]\nx = empty([4], f32)\ny = -x + 1\n", "+16 +16 +16 -16 -16 -16"},
    /* the old value dies after the new one is there; variables die in order of appearance */
    {"[step function run()]\na = empty([4])\nb = empty([8])\na = empty([2])\n",
     "+16 +32 +8 -16 -8 -32"},
    {"[step function run()]\na = empty([4])\ndel a\nb = empty([8])\n", "+16 -16 +32 -32"},
    /* a function's argument is its own, a module's lives until it returns */
    {"[step function run()]\ny = f(empty([4]))\n[step function f(x)]\nx = to(x, f64)\nx = -x\n"
     "return x\n",
     "+16 +32 -16 +32 -32 -32"},
    {"[step function run()]\ny = f(empty([4]))\n[step module f(x)]\nx = to(x, f64)\nx = -x\n"
     "return x\n",
     "+16 +32 +32 -32 -16 -32"},
    /* lists go from the end */
    {"[step function run()]\na = [empty([1]), empty([2])]\n", "+4 +8 -8 -4"},
    /* views hold storages */
    {"[step function run()]\na = reshape(empty([4, 2]), [2, 4])\nb = slice(a, 0, 0, 1)\ndel a\n"
     "c = empty([1])\n",
     "+32 +4 -32 -4"},
    {"[step function run()]\nb = reshape(transpose(empty([4, 2]), 0, 1), [8])\n",
     "+32 +32 -32 -32"},
    /* numbers */
    {"[step function run()]\nn = 7\nx = empty([n // 2 * (n % 4) + (n > 6 && n != 8 ? 1 : 0)], "
     "u8)\n",
     "+10 -10"},
    {"[step function run()]\nx = empty([2], u8) if 1 == 2\ny = x ?? empty([3], u8)\n", "+3 -3"},
    {"[step function run()]\nfor k < 3\nx = empty([k + 1], u8)\nend\nfor y in [x]\nz = y\nend\n",
     "+1 +2 -1 +3 -2 -3"},
    /* settings */
    {"[step settings]\nn = 5\n[step function run()]\nx = empty([$n], u8)\n", "+5 -5"},
    {"[step function run()]\nx = empty([$n], u8)\n",
     "t.step:2: column 12: the step needs n: state it"},
    /* objects */
    {"[step function run()]\no = object()\no.a = empty([1])\nb = o.a\no.a = none\n"
     "c = empty([2])\ndel b\nd = o.a ?? empty([3], u8)\n",
     "+4 +8 -4 +3 -8 -3"},
    {"[step function run()]\no = object()\no.in = object()\no.in.n = 3\np = [o]\n"
     "x = empty([p[0].in.n], u8)\n",
     "+3 -3"},
    /* a storage without its memory */
    {"[step function run()]\nx = empty([4])\ny = as_strided(x, [2])\nrelease(x)\nrelease(x)\n"
     "refill(y)\ndel x\nz = empty([1])\n",
     "+16 -16 +16 +4 -16 -4"},
    {"[step function run()]\nwith host()\nx = empty([4])\nend\ny = empty([2])\n", "+8 -8"},
    /* hooks: around a module, whose arguments live until its call is over */
    {"[step function run()]\naround(procedure(f), before, after, 3)\ny = f(empty([1]))\n"
     "[step module f(x)]\nreturn to(x, f64)\n[step function before(n, args)]\n"
     "z = empty([n], u8)\nreturn args\n[step function after(n, y)]\nreturn to(y, f16)\n",
     "+4 +3 -3 +8 +2 -8 -4 -2"},
    /* in backward: before what made y, in the node, when the leaf has its gradient, at the end */
    {"[step function run()]\nw = leaf(empty([1]), 1)\nwhen_grad(w, call, 5)\n"
     "y = passed([w, 1], call, 6)[0] * 2.0\nbefore_backward([y, 1], call, 7)\n"
     "after_backward(call, 8)\nbackward(y)\n[step function call(n)]\nx = empty([n], u8)\n",
     "+4 +4 +4 +7 -7 +4 +6 -6 +5 -5 +8 -8 -4 -4 -4 -4"},
    {"[step function run()]\nx = 1\nx.y = 2\n",
     "t.step:3: column 1: x.y cannot be assigned to: a number is no object"},
    {"[step function run()]\nl = []\nappend(l, l)\nx = cast(l, f32)\n",
     "t.step:4: column 5: lists in each other, more than 16"},
    {"[step function run()]\naround(procedure(f), run, run, 1)\n",
     "t.step:2: column 1: no program says what a layer is: none can be wrapped"},
    {"[step function run()]\nrefuse(\"not this\") if 1\n", "t.step:2: column 1: not this"},
    /* errors name line and column */
    {"[step function run()]\nx = nothing(3)\n",
     "t.step:2: column 5: nothing: no operation and no procedure has this name"},
    {"[step function run()]\nx = y + 1\n",
     "t.step:2: column 5: y is no variable, no value of the family, and no tensor begins with y"},
    {"[step function run()]\nx = empty([2]) + empty([3])\n",
     "t.step:2: column 16: shapes do not fit each other"},
    {"[step function run()]\nx = matmul(empty([2, 3]), empty([4, 5]))\n",
     "t.step:2: column 5: a product of 3 columns with 4 rows"},
    {"[step function run()]\nf()\n[step function f()]\nrun()\n",
     "t.step:4: column 1: run calls itself"},
    {"[step function run()]\nf(1)\n[step function f()]\nreturn 1\n",
     "t.step:2: column 1: f takes 0 arguments, not 1"},
    {"[step function run()]\nx = view(3, [1])\n",
     "t.step:2: column 5: view: argument 1 must be a tensor, it is a number"},
    {"[step function run()]\nx = empty([4611686018427387904, 8])\n",
     "t.step:2: column 5: a tensor of more than 2^63 bytes"},
    {"[step function run()]\nx = 7 / 2\n", "t.step:2: column 7: 7 / 2 leaves a remainder"},
    {"[step function run()]\na, b = [1]\n", "t.step:2: column 8: 2 variables for a list of 1"},
    {"[step function run()]\nif 1\nx = 2\n", "t.step:2: column 1: this has no end"},
    {"[step function run()]\nx = (1\n", "t.step:2: column 7: expected )"},
    {"[step function run()]\n3 = x\n", "t.step:2: column 1: this cannot be assigned to"},
    {"[step function run()]\nx = 1 1\n", "t.step:2: column 7: something follows a complete line"},
    {"[step function run()]\nend\n", "t.step:2: column 1: an end without its if, for or with"},
    {"[step sing]\n", "t.step:1: column 7: expected function, module, settings or uses"},
    {"[step function run()]\nx = 1 @ 2\n", "t.step:2: column 7: something follows a complete line"},
    {"[step function linear(x)]\nreturn x\n",
     "t.step:1: column 16: linear: an operation has this name"},
    {"garbage\n[step function run()]\n", "t.step:1: column 1: this is in no [step …] section"},
    {"[step uses usual]\nx = 1\n", "t.step:2: column 1: this is in no [step …] section"},
    {"[values]\nx = 1\n", "t.step:1: column 2: expected [step …]"},
    {"[step settings]\na = 1\na = 2\n", "t.step:3: column 1: this setting was there before"},
    /* nobody waits for its end */
    {"[step function run()]\nfor k < 9000000000000\nend\n",
     "t.step:2: column 1: more than 33554432 statements are run: fewer steps, micro-batches or "
     "rounds"},
};

/* What a setting takes beside what its line says, and what it answers a wrong value with. */
static const struct {
    const char *line;
    const char *value;
    const char *known; /* NULL: the value is taken */
} values[] = {
    {"a = false", "true", NULL},
    {"a = false", "1", "false, true"},
    {"a = true", "yes", "false, true"},
    {"a = 2", "3", NULL},
    {"a = 2", "9223372036854775807", NULL},
    {"a = 2", "9223372036854775808", "whole numbers below 2^63"},
    {"a = 2", "18446744073709551616", "whole numbers below 2^63"},
    {"a = 2", "-1", "whole numbers below 2^63"},
    {"a = 2", "1.5", "whole numbers below 2^63"},
    {"a = 2", "two", "whole numbers below 2^63"},
    {"a = 2", "1|2", NULL},
    {"a = 2", "1|two", "whole numbers below 2^63"},
    {"a = 2", "1|", "values between |"},
    {"a = 2", "|1", "whole numbers below 2^63"},
    {"a = 0.1", "0", NULL},
    {"a = 0.1", "0.5", NULL},
    {"a = 0.1", "-0.5", "numbers from 0 on"},
    {"a = 0.1", "much", "numbers from 0 on"},
    {"a = bf16", "f32", NULL},
    {"a = bf16", "i8", "bf16, f16, f32"},
    {"a = none", "word", NULL},
    {"a = none", "-1", "whole numbers below 2^63"},
    {"a = 0 or decimal", "0.5", NULL},
    {"a = 0 or decimal", "-0.5", "0, decimal"},
    {"a = 1 | 2 or number", "7", NULL},
    {"a = 1 | 2 or number", "9223372036854775808", "1 | 2, number"},
    {"a = 1 | 2 or number", "1|", "1 | 2, number"},
    {"b = 1", "7", NULL}, /* to be stated */
    {"b = 1", "-7", "whole numbers below 2^63"},
};

static void test_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct zv_arena arena = {0};
        struct zv_error err = {0};
        struct step_program program;
        struct step_link link = {.program_count = 0};
        char text[128];
        char known[128];
        (void)snprintf(text, sizeof text, "[step settings]\n%s\n[step function run()]\nx = $a\n",
                       values[i].line);
        assert_int_equal(
            step_program_parse(&program, zv_slice_of(text), zv_slice_of("t.step"), &arena, &err),
            ZV_OK);
        assert_int_equal(step_link_add(&link, &program, &err), ZV_OK);
        assert_int_equal(step_link_finish(&link, &err), ZV_OK);
        const int setting = step_link_setting(&link, zv_slice_of("a"));
        assert_true(setting >= 0);
        const bool taken = step_link_allows(&link, (size_t)setting, zv_slice_of(values[i].value),
                                            known, sizeof known);
        assert_string_equal(taken ? "" : known, values[i].known != NULL ? values[i].known : "");
        assert_int_equal(taken, values[i].known == NULL);
        zv_arena_free(&arena);
    }
}

/* More settings than a word has bits: each is asked for by itself. */
static void test_many_settings(void **state)
{
    (void)state;
    struct step_setting_set set = {{0}};
    for (size_t i = 0; i < STEP_MAX_SETTINGS; i += 3) {
        step_setting_put(&set, i);
    }
    for (size_t i = 0; i < STEP_MAX_SETTINGS; i++) {
        assert_int_equal(step_setting_is_in(&set, i), i % 3 == 0);
    }
}

static void test_programs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        struct log log;
        run_text(programs[i].text, &log);
        assert_string_equal(log.text, programs[i].events);
    }
}

/* Every prefix of a program parses or is refused with its line. */
static void test_prefixes(void **state)
{
    (void)state;
    static const char text[] = "[step uses usual]\n[step settings]\na = 1 # one\n"
                               "[step module f(x, y) at h.{i}.]\nfor i < 3\n"
                               "x = $a ? [x, -y][0] : h.w.weight ?? \"t\"\nend\nreturn x, y if x\n";
    for (size_t length = 0; length < sizeof text; length++) {
        struct zv_arena arena = {0};
        struct zv_error err = {0};
        struct step_program program;
        const enum zv_status status = step_program_parse(&program, (struct zv_slice){text, length},
                                                         zv_slice_of("t.step"), &arena, &err);
        assert_true(status == ZV_OK || (status == ZV_E_SYNTAX && err.line != 0));
        zv_arena_free(&arena);
    }
}

static void test_memory_runs_out(void **state)
{
    (void)state;
    size_t failed = 1;
    for (size_t n = 1; failed != 0; n++) {
        struct log log;
        fail_memory_start(n);
        run_text(programs[4].text, &log);
        failed = fail_memory.failed;
        assert_int_equal(fail_memory.blocks, 0);
        fail_memory_stop();
        assert_true(failed == 0 || strstr(log.text, "memory") != NULL);
        assert_true(n < 10000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_programs), cmocka_unit_test(test_values),
        cmocka_unit_test(test_many_settings), cmocka_unit_test(test_prefixes),
        cmocka_unit_test(test_memory_runs_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
