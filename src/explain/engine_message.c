#include "explain/engine_message.h"

#include <string.h>

#include "base/checked.h"

enum { PIECE_BYTES = 1024 };
#define GIB (UINT64_C(1) << 30)

/* Cuts everything up to and with words; false when they are not there. */
static bool skip_past(struct zv_slice *rest, const char *words)
{
    const char *const found =
        rest->length == 0 ? NULL : memmem(rest->at, rest->length, words, strlen(words));
    if (found == NULL) {
        return false;
    }
    const size_t taken = (size_t)(found - rest->at) + strlen(words);
    rest->at += taken;
    rest->length -= taken;
    return true;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The number at the front in hundredths; decimals past the second are dropped. */
static bool hundredths_at(struct zv_slice *rest, uint64_t *to)
{
    size_t at = 0;
    unsigned decimals = 0;
    *to = 0;
    bool fits = true;
    for (; at < rest->length && is_digit(rest->at[at]) && fits; at++) {
        fits = zv_mul(*to, 10, to) && zv_add(*to, (uint64_t)(rest->at[at] - '0'), to);
    }
    const bool found = at != 0;
    if (at + 1 < rest->length && rest->at[at] == '.' && is_digit(rest->at[at + 1])) {
        for (at++; at < rest->length && is_digit(rest->at[at]); at++) {
            if (decimals < 2 && fits) {
                fits = zv_mul(*to, 10, to) && zv_add(*to, (uint64_t)(rest->at[at] - '0'), to);
                decimals++;
            }
        }
    }
    for (; decimals < 2 && fits; decimals++) {
        fits = zv_mul(*to, 10, to);
    }
    rest->at += at;
    rest->length -= at;
    return found && fits;
}

/* GiB after words, whatever the unit is called: vLLM divides by 2^30 and has written "GB". */
static struct zv_printed gib_after(struct zv_slice text, const char *words)
{
    struct zv_printed printed = {.within_bytes = GIB / 200};
    uint64_t hundredths;
    if (skip_past(&text, words) && hundredths_at(&text, &hundredths)) {
        printed.known = zv_mul_div(hundredths, GIB, 100, &printed.bytes);
    }
    return printed;
}

static struct zv_engine_count count_after(struct zv_slice text, const char *words)
{
    struct zv_engine_count count = {0};
    uint64_t hundredths;
    if (skip_past(&text, words) && hundredths_at(&text, &hundredths)) {
        count = (struct zv_engine_count){true, hundredths / 100};
    }
    return count;
}

static void note_missing(struct zv_engine_message *to, const struct zv_printed *there)
{
    if (to->needed.known && there->known && to->needed.bytes > there->bytes) {
        to->missing_bytes = to->needed.bytes - there->bytes;
    }
}

/* "Free memory on device cuda:0 (34.34/121.63 GiB) on startup is less than desired GPU memory
 * utilization (0.8, 97.3 GiB)" */
static bool read_share(struct zv_engine_message *to, struct zv_slice piece)
{
    struct zv_slice rest = piece;
    uint64_t share;
    if (!skip_past(&rest, "Free memory on device") || !skip_past(&rest, "(")) {
        return false;
    }
    to->device_free = gib_after(rest, "");
    to->device_total = gib_after(rest, "/");
    if (!skip_past(&rest, "desired GPU memory utilization")) {
        return false;
    }
    struct zv_slice fraction = rest;
    if (skip_past(&fraction, "(") && hundredths_at(&fraction, &share)) {
        to->share = (struct zv_engine_count){true, share};
        to->needed = gib_after(fraction, ", ");
    }
    note_missing(to, &to->device_free);
    return true;
}

/* "max seq len (131072), (4.00 GiB KV cache is needed, which is larger than the available KV cache
 * memory (0.65 GiB). ... the estimated maximum model length is 21440" */
static bool read_needed(struct zv_engine_message *to, struct zv_slice piece)
{
    to->context = count_after(piece, "max seq len (");
    struct zv_slice rest = piece;
    if (!to->context.known || !skip_past(&rest, "max seq len (") || !skip_past(&rest, "), ")) {
        return false;
    }
    rest.length = rest.length < 512 ? rest.length : 512;
    to->needed = rest.length != 0 && rest.at[0] == '(' ? gib_after(rest, "(") : gib_after(rest, "");
    to->available = gib_after(rest, "ache memory (");
    to->fits = count_after(rest, "estimated maximum model length is ");
    note_missing(to, &to->available);
    return zv_slice_contains(piece, "is larger than the available KV");
}

/* "The model's max seq len (32768) is larger than the maximum number of tokens that can be stored
 * in KV cache (22032)" */
static bool read_tokens(struct zv_engine_message *to, struct zv_slice piece)
{
    to->context = count_after(piece, "max seq len (");
    to->fits = count_after(piece, "stored in KV cache (");
    return to->context.known && zv_slice_contains(piece, "stored in KV cache");
}

static bool read_nothing(struct zv_engine_message *to, struct zv_slice piece)
{
    struct zv_slice rest = piece;
    uint64_t share;
    if (skip_past(&rest, "mem_fraction_static=") && hundredths_at(&rest, &share)) {
        to->share = (struct zv_engine_count){true, share};
    }
    return true;
}

/* "alloc_tensor_range: failed to allocate CUDA0 buffer of size 151851674624" */
static bool read_buffer(struct zv_engine_message *to, struct zv_slice piece)
{
    struct zv_slice rest = piece;
    if (!skip_past(&rest, "failed to allocate ")) {
        return false;
    }
    to->buffer = zv_slice_cut(&rest, ' ');
    const struct zv_engine_count bytes = count_after(rest, "buffer of size ");
    to->needed = (struct zv_printed){.known = bytes.known, .bytes = bytes.value};
    to->purpose = zv_slice_contains(piece, "alloc_tensor_range") ? "weights or cache"
                  : zv_slice_contains(piece, "gallocr")          ? "computation"
                                                                 : NULL;
    return bytes.known;
}

/* What a message is told by, and who reads the rest of it. */
static const struct {
    const char *words;
    enum zv_engine_stop stop;
    const char *engine;
    const char *option;
    bool (*read)(struct zv_engine_message *to, struct zv_slice piece);
} rows[] = {
    {"Free memory on device", ZV_ENGINE_SHARE, "vLLM", "--gpu-memory-utilization", read_share},
    {"No available memory for the cache blocks", ZV_ENGINE_NO_CACHE, "vLLM",
     "--gpu-memory-utilization", read_nothing},
    {"max seq len (", ZV_ENGINE_SMALL_CACHE, "vLLM", "--gpu-memory-utilization", read_needed},
    {"max seq len (", ZV_ENGINE_SMALL_CACHE, "vLLM", "--gpu-memory-utilization", read_tokens},
    {"Not enough memory. Please try to increase --mem-fraction-static", ZV_ENGINE_NO_CACHE,
     "SGLang", "--mem-fraction-static", read_nothing},
    {"failed to allocate ", ZV_ENGINE_BUFFER, "llama.cpp", NULL, read_buffer},
};

static uint64_t line_of(struct zv_slice text, const char *at)
{
    uint64_t line = 1;
    for (const char *c = text.at; c < at; c++) {
        line += *c == '\n';
    }
    return line;
}

/* The piece from the beginning of the line on, copied with its line ends as blanks. */
static struct zv_slice piece_at(struct zv_slice text, const char *at, char to[PIECE_BYTES])
{
    const char *from = at;
    while (from > text.at && from[-1] != '\n' && at - from < PIECE_BYTES / 4) {
        from--;
    }
    const size_t left = (size_t)(text.at + text.length - from);
    const size_t length = left < PIECE_BYTES ? left : PIECE_BYTES;
    for (size_t i = 0; i < length; i++) {
        to[i] = from[i] == '\n' || from[i] == '\r' ? ' ' : from[i];
    }
    return (struct zv_slice){to, length};
}

/* The piece is a copy: a name in it is the same bytes of the text. */
static struct zv_slice name_in(struct zv_slice text, const char *at, struct zv_slice name)
{
    struct zv_slice rest = {at, (size_t)(text.at + text.length - at)};
    return skip_past(&rest, "failed to allocate ") && name.length <= rest.length
               ? (struct zv_slice){rest.at, name.length}
               : (struct zv_slice){0};
}

bool zv_engine_message_find(struct zv_engine_message *message, struct zv_slice text)
{
    const char *last = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct zv_slice rest = text;
        while (skip_past(&rest, rows[i].words)) {
            char piece[PIECE_BYTES];
            const char *const at = rest.at - strlen(rows[i].words);
            struct zv_engine_message one = {
                .stop = rows[i].stop, .engine = rows[i].engine, .option = rows[i].option};
            if ((last == NULL || at > last) && rows[i].read(&one, piece_at(text, at, piece))) {
                one.buffer = name_in(text, at, one.buffer);
                *message = one;
                last = at;
            }
        }
    }
    if (last != NULL) {
        message->line = line_of(text, last);
    }
    return last != NULL;
}

const char *zv_engine_stop_name(enum zv_engine_stop stop)
{
    static const char *const names[ZV_ENGINE_STOPS] = {"share", "no_cache", "small_cache",
                                                       "buffer"};
    return names[stop];
}
