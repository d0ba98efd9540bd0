/*
 * What happens around a model in a step (backward, gradient scaler, clipping, the optimizer, what
 * zero_grad frees): every allocation and free in order, as PyTorch's own code makes them
 * (tests/tooling/step_optimizer.py).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "step/program_run.h"
#include "support/step_peak.h"
#include "support/step_rows.h"
#include "support/test.h"

enum { MANY = 4096 };

struct recorded {
    bool is_free;
    bool scratch; /* a kernel's own, which no record of PyTorch's operators shows */
    uint64_t id;
    uint64_t bytes;
};

struct heard {
    struct recorded events[MANY];
    size_t count;
};

static void note(void *context, const struct step_event *event)
{
    struct heard *const heard = context;
    assert_true(heard->count < MANY);
    heard->events[heard->count++] =
        (struct recorded){event->is_free, zv_slice_equal(step_label_name(event->label), "scratch"),
                          event->id, event->bytes};
}

/* "+BYTES", or "-N" for the Nth that was allocated. */
static void spell(char to[32], const struct heard *heard, size_t from, size_t at)
{
    const struct recorded *const event = &heard->events[at];
    uint64_t number = 0;
    if (!event->is_free) {
        (void)snprintf(to, 32, "+%" PRIu64, event->bytes);
        return;
    }
    for (size_t i = from; i < at && heard->events[i].id <= event->id; i++) {
        number += !heard->events[i].is_free && !heard->events[i].scratch;
    }
    (void)snprintf(to, 32, "-%" PRIu64, number);
}

/* A scratch buffer is freed under another operation's label. */
static bool is_scratch(const struct heard *heard, const struct recorded *event)
{
    for (size_t i = 0; i < heard->count; i++) {
        if (heard->events[i].id == event->id && heard->events[i].scratch &&
            !heard->events[i].is_free) {
            return true;
        }
    }
    return false;
}

static void check_events(const struct heard *heard, size_t from, size_t end, struct zv_slice text,
                         const char *what)
{
    size_t at = 0;
    struct zv_slice word;
    for (size_t i = from; i < end; i++) {
        char ours[32];
        if (is_scratch(heard, &heard->events[i])) {
            continue;
        }
        spell(ours, heard, from, i);
        at++;
        if (!zv_slice_word(&text, &word)) {
            fail_msg("%s: event %zu is %s, PyTorch's run is over", what, at, ours);
        }
        if (!zv_slice_equal(word, ours)) {
            fail_msg("%s: event %zu is %s, PyTorch's %.*s", what, at, ours, (int)word.length,
                     word.at);
        }
    }
    if (zv_slice_word(&text, &word)) {
        fail_msg("%s: %zu events, PyTorch goes on with %.*s", what, at, (int)word.length, word.at);
    }
}

static void check_row(struct zv_slice line)
{
    static struct heard heard;
    char settings[256];
    const struct zv_slice stated = zv_slice_cut(&line, '\t');
    (void)snprintf(settings, sizeof settings, "%.*s", (int)stated.length, stated.at);
    heard.count = 0;
    const struct step_case of = {.config = "tests/data/steps/saved/llama.json",
                                 .habit = "optim",
                                 .settings = settings,
                                 .processors = 1, /* no kernel shares a sum among blocks */
                                 .threads = 1,
                                 .no_workspace = true,
                                 .on_event = note,
                                 .context = &heard};
    struct zv_step_result result;
    struct zv_error err = {0};
    if (step_case_run(&of, &result, &err) != ZV_OK) {
        fail_msg("%s: %s:%llu: %s", settings, err.where, (unsigned long long)err.line, err.text);
    }
    check_events(&heard, (size_t)result.marks[1], (size_t)result.marks[2], line, settings);
}

static void test_events(void **state)
{
    (void)state;
    const size_t rows = step_rows_each("optim", "/events.tsv", check_row);
    print_message("# %zu runs of two steps\n", rows);
    assert_true(rows >= 59);
}

int main(void)
{
    step_rows_use("optim");
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_events)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
