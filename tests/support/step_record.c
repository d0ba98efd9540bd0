#include "support/step_record.h"

#include <stdio.h>

#include "support/test.h"

enum { MANY = 16384, STREAMS = 16 };

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
    uint64_t from_bytes;
    uint64_t from_id; /* of the first storage of so many bytes */
    bool told;
};

static void note(void *context, const struct step_event *event)
{
    struct heard *const heard = context;
    if (!heard->told) {
        heard->told = event->bytes == heard->from_bytes;
        heard->from_id = event->id;
    } else if (event->id != heard->from_id && !event->of_kernel) {
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

void step_record_meet(const char *what, struct step_case of, uint64_t from_bytes,
                      struct zv_slice record, struct zv_step_result *result)
{
    static struct said events[MANY];
    struct heard heard = {.events = events, .from_bytes = from_bytes};
    struct zv_error err = {0};
    of.on_event = note;
    of.context = &heard;
    if (step_case_run(&of, result, &err) != ZV_OK) {
        fail_msg("%s: %s:%llu: %s", what, err.where, (unsigned long long)err.line, err.text);
    }
    compare(what, record, &heard);
}
