/*
 * How fast a memory snapshot is read: MB/s, and heap bytes beside the mapped file.
 *     bench_snapshot FILE             reads it several times, prints the best
 *     bench_snapshot --make MB FILE   writes one as PyTorch 2.10 would: a stack of 24 frames for
 *                                     two of three events, about 165 bytes an event
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read_speed.h"
#include "trace/snapshot.h"

enum { FRAMES = 600, DEPTH = 24, SHARED = 12, STACKS = 250, BATCH = 1000, MEMO_WORDS = 32 };
#define SEGMENT UINT64_C(0x7f0000000000)

/* ---- a snapshot as CPython's pickler writes it ---- */

struct writer {
    FILE *to;
    uint64_t written;
    uint32_t memo;
    uint32_t words[MEMO_WORDS]; /* memo entries of texts that occur more than once */
    uint32_t frames[FRAMES];
};

static void put(struct writer *w, const void *bytes, size_t size)
{
    (void)fwrite(bytes, 1, size, w->to);
    w->written += size;
}

static void put_byte(struct writer *w, int byte)
{
    (void)putc(byte, w->to);
    w->written++;
}

static void put_le(struct writer *w, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        put_byte(w, (int)(value >> (8 * i) & 255));
    }
}

static uint32_t memoize(struct writer *w)
{
    put_byte(w, 0x94);
    return w->memo++;
}

static void put_get(struct writer *w, uint32_t index)
{
    put_byte(w, index < 256 ? 'h' : 'j');
    put_le(w, index, index < 256 ? 1 : 4);
}

static void put_text(struct writer *w, const char *text)
{
    put_byte(w, 0x8c);
    put_byte(w, (int)strlen(text));
    put(w, text, strlen(text));
    (void)memoize(w);
}

static const char *const words[] = {"action",
                                    "alloc",
                                    "free_requested",
                                    "free_completed",
                                    "addr",
                                    "size",
                                    "stream",
                                    "time_us",
                                    "compile_context",
                                    "N/A",
                                    "user_metadata",
                                    "frames",
                                    "filename",
                                    "/app/lib/model.py",
                                    "name",
                                    "forward_of_layer",
                                    "line"};

static void put_word(struct writer *w, const char *word)
{
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(words[i], word) == 0) {
            if (w->words[i] != 0) {
                put_get(w, w->words[i] - 1);
            } else {
                put_text(w, word);
                w->words[i] = w->memo;
            }
            return;
        }
    }
    put_text(w, word);
}

static void put_number(struct writer *w, uint64_t value)
{
    unsigned bytes = 1;
    if (value < UINT64_C(1) << 31) {
        const bool small = value < 256;
        put_byte(w, small ? 'K' : 'J');
        put_le(w, value, small ? 1 : 4);
        return;
    }
    while (bytes < 8 && value >> (8 * bytes - 1) != 0) {
        bytes++;
    }
    put_byte(w, 0x8a);
    put_byte(w, (int)bytes);
    put_le(w, value, bytes);
}

static void put_frame(struct writer *w, uint32_t frame)
{
    if (w->frames[frame] != 0) {
        put_get(w, w->frames[frame] - 1);
        return;
    }
    put_byte(w, '}');
    (void)memoize(w);
    w->frames[frame] = w->memo;
    put_byte(w, '(');
    put_word(w, "filename");
    put_word(w, "/app/lib/model.py");
    put_word(w, "name");
    put_word(w, "forward_of_layer");
    put_word(w, "line");
    put_number(w, 1 + frame);
    put_byte(w, 'u');
}

static uint32_t put_stack(struct writer *w, uint32_t stack)
{
    put_byte(w, ']');
    const uint32_t memo = memoize(w);
    put_byte(w, '(');
    for (uint32_t i = 0; i < DEPTH - SHARED; i++) {
        put_frame(w, SHARED + (stack * 7 + i * 41) % (FRAMES - SHARED));
    }
    for (uint32_t i = 0; i < SHARED; i++) {
        put_frame(w, i);
    }
    put_byte(w, 'e');
    return memo;
}

/* Allocation, free and its completion in turn, at one address; *list is the stack of the free. */
static void put_event(struct writer *w, uint64_t number, uint32_t *list)
{
    static const char *const actions[] = {"alloc", "free_requested", "free_completed"};
    put_byte(w, '}');
    (void)memoize(w);
    put_byte(w, '(');
    put_word(w, "action");
    put_word(w, actions[number % 3]);
    put_word(w, "addr");
    put_number(w, SEGMENT);
    put_word(w, "size");
    put_number(w, 512 + number / 3 % 1000);
    put_word(w, "stream");
    put_number(w, 0);
    put_word(w, "time_us");
    put_number(w, UINT64_C(1700000000000000) + 3 * number);
    put_word(w, "compile_context");
    put_word(w, "N/A");
    put_word(w, "user_metadata");
    put_word(w, "N/A");
    put_word(w, "frames");
    if (number % 3 == 2) {
        put_get(w, *list);
    } else {
        *list = put_stack(w, (uint32_t)(number % STACKS));
    }
    put_byte(w, 'u');
}

static void put_segment(struct writer *w)
{
    static const struct {
        const char *key;
        uint64_t value;
    } members[] = {{"device", 0},        {"address", SEGMENT},  {"total_size", 2 << 20},
                   {"stream", 0},        {"allocated_size", 0}, {"active_size", 0},
                   {"requested_size", 0}};
    put_byte(w, '}');
    (void)memoize(w);
    put_byte(w, '(');
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        put_text(w, members[i].key);
        put_number(w, members[i].value);
    }
    put_text(w, "segment_type");
    put_text(w, "small");
    put_text(w, "blocks");
    put_byte(w, ']');
    put_byte(w, '}');
    put_byte(w, '(');
    put_text(w, "address");
    put_number(w, SEGMENT);
    put_word(w, "size");
    put_number(w, 2 << 20);
    put_text(w, "state");
    put_text(w, "inactive");
    put(w, "uau", 3);
}

static int make(uint64_t bytes, const char *path)
{
    static struct writer w;
    uint32_t list = 0;
    uint64_t events = 0;
    w.to = fopen(path, "wb");
    if (w.to == NULL) {
        perror(path);
        return EXIT_FAILURE;
    }
    put(&w, "\x80\x04}(", 4);
    put_text(&w, "segments");
    put_byte(&w, ']');
    put_segment(&w);
    put_byte(&w, 'a');
    put_text(&w, "device_traces");
    put_byte(&w, ']');
    put_byte(&w, ']');
    while (w.written < bytes) {
        put_byte(&w, '(');
        for (int i = 0; i < BATCH; i++) {
            put_event(&w, events++, &list);
        }
        put_byte(&w, 'e');
    }
    put(&w, "au.", 3);
    (void)printf("%" PRIu64 " events, %.1f bytes each\n", events,
                 (double)w.written / (double)events);
    return fclose(w.to) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "--make") == 0) {
        return make(strtoull(argv[2], NULL, 10) * 1000000, argv[3]);
    }
    return argc == 2 ? print_read_speed("bench_snapshot", argv[1], zv_snapshot_read)
                     : EXIT_SUCCESS; /* nothing to measure */
}
