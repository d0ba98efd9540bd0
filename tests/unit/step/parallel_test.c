/*
 * Two steps of one rank of a data-parallel job, event by event: every birth, resize and death of a
 * storage as PyTorch's own wrappers make them (tests/tooling/step_parallel.py), with its size, its
 * stream, and each death of the same storage. What kernels take for themselves is not compared.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/step_peak.h"
#include "support/step_rows.h"
#include "support/test.h"

enum { MANY = 16384, MARK = 12345, STREAMS = 16, WORDS = 512 };

struct said {
    bool is_free;
    bool is_use;
    uint64_t id;
    uint64_t bytes;
    uint32_t stream;
};

/* What the engine says, from where the model is wrapped. */
struct heard {
    struct said *events;
    size_t count;
    bool told;
};

static void note(void *context, const struct step_event *event)
{
    struct heard *const heard = context;
    if (event->bytes == MARK) {
        heard->told = event->is_free;
    } else if (heard->told && !event->of_kernel) {
        assert_true(heard->count < MANY);
        heard->events[heard->count++] =
            (struct said){event->is_free, event->is_use, event->id, event->bytes, event->stream};
    }
}

/* Which storage of the engine is which birth of the record. */
struct pairing {
    const char *what;
    uint64_t ids[MANY]; /* of births */
    size_t births;
    bool stream_known[STREAMS];
    uint32_t stream[STREAMS];
};

static void differs(const struct pairing *with, size_t at, struct zv_slice word,
                    const struct said *event, const char *instant)
{
    fail_msg("%s: event %zu (after \"%s\"): recorded %.*s, the step %s %llu bytes in stream %u",
             with->what, at, instant, (int)word.length, word.at,
             event->is_use    ? "uses"
             : event->is_free ? "frees"
                              : "allocates",
             (unsigned long long)event->bytes, event->stream);
}

/* "4096@1" is 4096 and whether the event is in stream 1. */
static bool same_stream(struct pairing *with, struct zv_slice word, const struct said *event,
                        uint64_t *number)
{
    uint64_t stream = 0;
    const struct zv_slice first = zv_slice_cut(&word, '@');
    assert_true(zv_slice_u64(first, number));
    assert_true(word.length == 0 || zv_slice_u64(word, &stream));
    assert_true(stream < STREAMS);
    if (!with->stream_known[stream]) {
        with->stream_known[stream] = true;
        with->stream[stream] = event->stream;
    }
    return event->stream == with->stream[stream];
}

/* "4096@1": a birth of 4096 bytes in stream 1. */
static bool same_birth(struct pairing *with, struct zv_slice word, const struct said *event)
{
    uint64_t bytes;
    assert_true(with->births < MANY);
    const bool there = same_stream(with, word, event, &bytes);
    with->ids[with->births++] = event->id;
    return there && !event->is_free && !event->is_use && event->bytes == bytes;
}

/* "&7@1": birth 7 is used in stream 1, too: record_stream(). */
static bool same_use(struct pairing *with, struct zv_slice word, const struct said *event)
{
    uint64_t number;
    const struct zv_slice rest = {word.at + 1, word.length - 1};
    const bool there = same_stream(with, rest, event, &number);
    assert_true(number < with->births);
    return there && event->is_use && with->ids[number] == event->id;
}

/* "-7": birth 7 dies; "--7": one before the record began, of which only that is known. */
static bool same_death(const struct pairing *with, struct zv_slice word, const struct said *event)
{
    uint64_t number;
    if (word.length > 1 && word.at[1] == '-') {
        for (size_t i = 0; i < with->births; i++) {
            if (with->ids[i] == event->id) {
                return false;
            }
        }
        return event->is_free;
    }
    assert_true(zv_slice_u64((struct zv_slice){word.at + 1, word.length - 1}, &number));
    assert_true(number < with->births);
    return event->is_free && with->ids[number] == event->id;
}

static void compare(const char *what, struct zv_slice record, const struct heard *heard)
{
    static struct pairing with;
    char instant[32] = "wrap";
    struct zv_slice word;
    size_t at = 0;
    with = (struct pairing){.what = what};
    while (zv_slice_word(&record, &word)) {
        const bool dies = word.at[0] == '-';
        const bool is_use = word.at[0] == '&';
        if (!dies && !is_use && (word.at[0] < '0' || word.at[0] > '9')) {
            (void)snprintf(instant, sizeof instant, "%.*s", (int)word.length, word.at);
            continue;
        }
        if (at == heard->count) {
            fail_msg("%s: the step has %zu events, the record more", what, heard->count);
        }
        const struct said *const event = &heard->events[at++];
        if (!(dies     ? same_death(&with, word, event)
              : is_use ? same_use(&with, word, event)
                       : same_birth(&with, word, event))) {
            differs(&with, at, word, event, instant);
        }
    }
    print_message("# %s: %zu events\n", what, at);
    assert_true(at > 500);
    /* the program's end: its variables die */
    for (; at < heard->count; at++) {
        assert_true(heard->events[at].is_free);
    }
}

/* config, class, settings, events */
static void check_row(struct zv_slice line)
{
    static struct said events[MANY];
    char config[256];
    char habit[256];
    char settings[WORDS];
    struct heard heard = {.events = events};
    const struct zv_slice name = zv_slice_cut(&line, '\t');
    (void)zv_slice_cut(&line, '\t');
    const struct zv_slice stated = zv_slice_cut(&line, '\t');
    (void)snprintf(config, sizeof config, "tests/data/steps/parallel/%.*s.json", (int)name.length,
                   name.at);
    (void)snprintf(habit, sizeof habit, "ranked_%.*s", (int)name.length, name.at);
    (void)snprintf(settings, sizeof settings,
                   "attention=eager use_cache=false checkpoint=false optimizer=adamw_foreach "
                   "shards_from=card accumulation=1 card_lags=false %.*s",
                   (int)stated.length, stated.at);
    const struct step_case of = {.config = config,
                                 .habit = habit,
                                 .settings = settings,
                                 .no_workspace = true,
                                 .on_event = note,
                                 .context = &heard};
    struct zv_step_result result;
    struct zv_error err = {0};
    if (step_case_run(&of, &result, &err) != ZV_OK) {
        fail_msg("%s: %s:%llu: %s", settings, err.where, (unsigned long long)err.line, err.text);
    }
    assert_true(result.outside_count >= 1); /* NCCL */
    (void)snprintf(settings, sizeof settings, "%.*s %.*s", (int)name.length, name.at,
                   (int)stated.length, stated.at);
    compare(settings, line, &heard);
}

static void test_parallel(void **state)
{
    (void)state;
    const size_t rows = step_rows_each("parallel", "/events.tsv.gz", check_row);
    assert_int_equal(rows, 41);
}

int main(void)
{
    step_rows_use("parallel");
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_parallel)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
