/*
 * What is alive after the forward pass of a transformers model, storage by storage, and the
 * gradients after backward: recorded from PyTorch (tests/tooling/step_saved.py), exactly.
 */
#include <stdio.h>
#include <stdlib.h>

#include "support/step_peak.h"
#include "support/step_rows.h"
#include "support/test.h"

enum { MANY = 8192, MARK = 12345 };

enum { COUNT = ROW_COLUMNS, BYTES, SIZES, COLUMNS };

struct live {
    uint64_t ids[MANY];
    uint64_t bytes[MANY];
    size_t count;
    size_t marks;
    uint64_t sizes[MANY]; /* sorted, when the forward pass was over */
    size_t size_count;
    size_t grads;
    uint64_t grad_bytes;
};

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void reach_mark(struct live *live)
{
    live->marks++;
    if (live->marks == 1) { /* weights are not asked about */
        live->count = 0;
    }
    for (size_t i = 0; i < live->count; i++) {
        if (live->marks == 2 && live->bytes[i] != 0) {
            live->sizes[live->size_count++] = live->bytes[i];
        }
        live->grads += live->marks == 4;
        live->grad_bytes += live->marks == 4 ? live->bytes[i] : 0;
    }
}

static void note(void *context, const struct step_event *event)
{
    struct live *const live = context;
    if (!event->is_free && event->bytes == MARK) {
        reach_mark(live);
    }
    if (!event->is_free) {
        assert_true(live->count < MANY);
        live->ids[live->count] = event->id;
        live->bytes[live->count++] = event->bytes;
        return;
    }
    for (size_t i = live->count; i-- > 0;) {
        if (live->ids[i] == event->id) {
            live->count--;
            live->ids[i] = live->ids[live->count];
            live->bytes[i] = live->bytes[live->count];
            return;
        }
    }
}

/* "2*4 5*384": two storages of 4 bytes, five of 384, in ascending order. */
static void check_sizes(const struct live *live, struct zv_slice text, const char *what)
{
    size_t at = 0;
    struct zv_slice word;
    while (zv_slice_word(&text, &word)) {
        uint64_t count;
        uint64_t bytes;
        const struct zv_slice number = zv_slice_cut(&word, '*');
        assert_true(zv_slice_u64(number, &count) && zv_slice_u64(word, &bytes));
        for (uint64_t i = 0; i < count; i++, at++) {
            if (at >= live->size_count || live->sizes[at] != bytes) {
                fail_msg("%s: storage %zu has %llu bytes, PyTorch's %llu", what, at + 1,
                         (unsigned long long)(at < live->size_count ? live->sizes[at] : 0),
                         (unsigned long long)bytes);
            }
        }
    }
    if (at != live->size_count) {
        fail_msg("%s: %zu storages, PyTorch has %zu", what, live->size_count, at);
    }
}

static void run_settings(const char *config, const char *settings, struct live *live)
{
    *live = (struct live){.count = 0};
    const struct step_case of = {.config = config,
                                 .habit = "saved",
                                 .settings = settings,
                                 .no_workspace = true,
                                 .on_event = note,
                                 .context = live};
    struct zv_step_result result;
    struct zv_error err = {0};
    if (step_case_run(&of, &result, &err) != ZV_OK) {
        fail_msg("%s: %s:%llu: %s", config, err.where, (unsigned long long)err.line, err.text);
    }
}

static void check_row(struct zv_slice line)
{
    struct zv_slice cell[COLUMNS];
    static struct live live;
    char config[ROW_TEXT];
    char settings[ROW_TEXT];
    char what[2 * ROW_TEXT];
    step_rows_cells(line, cell, COLUMNS);
    step_rows_case(cell, config, settings);
    (void)snprintf(what, sizeof what, "%s %s", config, settings);
    run_settings(config, settings, &live);
    qsort(live.sizes, live.size_count, sizeof *live.sizes, ascending);
    check_sizes(&live, cell[SIZES], what);
    uint64_t grads;
    uint64_t bytes;
    assert_true(zv_slice_u64(cell[COUNT], &grads) && zv_slice_u64(cell[BYTES], &bytes));
    if (live.grads != grads || live.grad_bytes != bytes) {
        fail_msg("%s: %zu gradients of %llu bytes, PyTorch has %llu of %llu", what, live.grads,
                 (unsigned long long)live.grad_bytes, (unsigned long long)grads,
                 (unsigned long long)bytes);
    }
}

static void test_saved(void **state)
{
    (void)state;
    const size_t rows = step_rows_each("saved", "/saved.tsv", check_row);
    print_message("# %zu forward passes\n", rows);
    assert_true(rows >= 310);
}

/* A layer that gives a list (its output, its weights) trains when it is run again, as one that does
 * not. */
static void test_checkpointed(void **state)
{
    (void)state;
    static struct live plain;
    static struct live again;
    static const char *const configs[] = {
        "tests/data/steps/saved/bert.json", "tests/data/steps/saved/falcon.json",
        "tests/data/steps/saved/gptj.json", "tests/data/steps/saved/llama.json",
        "tests/data/steps/saved/roberta.json"};
    for (size_t i = 0; i < sizeof configs / sizeof *configs; i++) {
        run_settings(configs[i], "batch=2 tokens=48 attention=eager", &plain);
        run_settings(configs[i], "batch=2 tokens=48 attention=eager checkpoint=true", &again);
        assert_true(plain.grads > 10);
        assert_int_equal(plain.grads, again.grads);
        assert_int_equal(plain.grad_bytes, again.grad_bytes);
        assert_true(again.size_count < plain.size_count);
    }
}

int main(void)
{
    step_rows_use("saved");
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_saved),
                                       cmocka_unit_test(test_checkpointed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
