#include "launch/launch.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/test.h"

/* What a shell command line ends with. */
struct end {
    struct zv_launched launched;
    struct zv_arena arena;
    enum zv_status status;
};

static void start(struct end *end, const char *script, uint64_t timeout_ms, bool alone)
{
    char words[3][600] = {"/bin/sh", "-c", ""};
    char *command[] = {words[0], words[1], words[2], NULL};
    struct zv_error err = {0};
    const struct zv_launch launch = {.command = command,
                                     .timeout_ms = timeout_ms,
                                     .kept_lines = 10,
                                     .output_to_stderr = true,
                                     .alone = alone};
    (void)snprintf(words[2], sizeof words[2], "%s", script);
    memset(end, 0, sizeof *end);
    end->status = zv_launch_run(&end->launched, &launch, &end->arena, &err);
}

static const struct {
    const char *script;
    enum zv_launch_outcome outcome;
    int code;
} rows[] = {
    {"exit 0", ZV_LAUNCH_PASSED, 0},
    {"exit 77", ZV_LAUNCH_FAILED, 77},
    {"kill -SEGV $$", ZV_LAUNCH_FAILED, 128 + SIGSEGV},
    {"kill -KILL $$", ZV_LAUNCH_FAILED, 128 + SIGKILL},
    {"echo 'CUDA out of memory. Tried' >&2; exit 1", ZV_LAUNCH_OUT_OF_MEMORY, 1},
    {"echo 'CUDA out of memory. Tried'; kill -ABRT $$", ZV_LAUNCH_OUT_OF_MEMORY, 128 + SIGABRT},
    {"echo 'WARNING: CUDA out of memory, batch skipped' >&2", ZV_LAUNCH_PARTIAL, 0},
    {"echo std::bad_alloc; exit 3", ZV_LAUNCH_OUT_OF_MEMORY, 3},
    {"printf 'CUDA out of memory'; exit 1", ZV_LAUNCH_OUT_OF_MEMORY, 1},
};

static void outcomes(void **state)
{
    (void)state;
    struct end end;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        print_message("# %s\n", rows[i].script);
        start(&end, rows[i].script, 0, i % 2 == 0);
        assert_int_equal(end.status, ZV_OK);
        if (end.launched.kernel_kills == 0) { /* another process may have run out meanwhile */
            assert_int_equal(end.launched.outcome, rows[i].outcome);
        }
        assert_int_equal(zv_launched_code(&end.launched), rows[i].code);
        assert_false(end.launched.left_running);
        zv_arena_free(&end.arena);
    }
    start(&end, "echo std::bad_alloc; exit 3", 0, false);
    assert_int_equal(end.launched.memory, ZV_OOM_HOST);
    zv_arena_free(&end.arena);
}

/* SIGTERM ends it and what it started; it may end as it likes, the time was over. */
static void time_is_over(void **state)
{
    (void)state;
    struct end end;
    start(&end, "trap 'echo bye; exit 0' TERM; sleep 30 & wait", 300, false);
    assert_int_equal(end.status, ZV_OK);
    assert_int_equal(end.launched.outcome, ZV_LAUNCH_TIMED_OUT);
    assert_int_equal(zv_launched_code(&end.launched), 124);
    assert_true(end.launched.exited);
    assert_true(end.launched.wall_ms >= 300 && end.launched.wall_ms < 20000);
    assert_false(end.launched.left_running);
    assert_int_equal(zv_tail_count(&end.launched.tail), 1);
    zv_arena_free(&end.arena);
}

/* A process left behind does not hold us up, is said, and is ended before another try. */
static void left_behind(void **state)
{
    (void)state;
    struct end end;
    start(&end, "sleep 20 & echo $!", 0, false);
    assert_int_equal(end.launched.outcome, ZV_LAUNCH_PASSED);
    assert_true(end.launched.left_running);
    char number[32] = "";
    const struct zv_tail_line *const line = zv_tail_at(&end.launched.tail, 0);
    memcpy(number, line->text, line->length < 31 ? line->length : 31);
    assert_int_equal(kill((pid_t)strtol(number, NULL, 10), SIGKILL), 0);
    zv_arena_free(&end.arena);
    start(&end, "sleep 20 & (sleep 20 &) ; exit 5", 0, true);
    assert_int_equal(zv_launched_code(&end.launched), 5);
    assert_false(end.launched.left_running);
    assert_true(end.launched.wall_ms < 15000);
    zv_arena_free(&end.arena);
}

/* What was ignored or blocked for us is no business of the child's, and is ours again after. */
static void signals_around(void **state)
{
    (void)state;
    sigset_t before;
    sigset_t after;
    struct end end;
    (void)signal(SIGPIPE, SIG_IGN);
    (void)sigprocmask(SIG_SETMASK, NULL, &before);
    start(&end, "kill -PIPE $$; exit 0", 0, false);
    assert_int_equal(zv_launched_code(&end.launched), 128 + SIGPIPE);
    zv_arena_free(&end.arena);
    (void)sigprocmask(SIG_SETMASK, NULL, &after);
    assert_int_equal(sigismember(&before, SIGTERM), sigismember(&after, SIGTERM));
    assert_int_equal(sigismember(&before, SIGCHLD), sigismember(&after, SIGCHLD));
}

/* A signal to us goes on to the child, which ends by it. */
static void forwarded(void **state)
{
    (void)state;
    struct end end;
    start(&end, "kill -TERM $PPID; sleep 20; exit 1", 0, false);
    assert_int_equal(end.launched.outcome, ZV_LAUNCH_STOPPED);
    assert_int_equal(zv_launched_code(&end.launched), 128 + SIGTERM);
    assert_true(end.launched.wall_ms < 15000);
    zv_arena_free(&end.arena);
    start(&end, "trap 'exit 9' USR1; kill -USR1 $PPID; sleep 20 & wait", 0, true);
    assert_int_equal(end.launched.outcome, ZV_LAUNCH_FAILED);
    assert_int_equal(zv_launched_code(&end.launched), 9);
    zv_arena_free(&end.arena);
}

static void not_started(void **state)
{
    (void)state;
    char name[] = "/nonexistent/command";
    char *command[] = {name, NULL};
    const struct zv_launch launch = {.command = command, .kept_lines = 1};
    struct zv_launched launched;
    struct zv_arena arena = {0};
    struct zv_error err = {0};
    assert_int_equal(zv_launch_run(&launched, &launch, &arena, &err), ZV_E_NOT_FOUND);
    assert_string_equal(err.where, name);
    zv_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outcomes),    cmocka_unit_test(time_is_over),
        cmocka_unit_test(left_behind), cmocka_unit_test(signals_around),
        cmocka_unit_test(forwarded),   cmocka_unit_test(not_started)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
