#include "explain/oom_message.h"

#include <string.h>

#include "base/checked.h"
#include "base/units.h"

enum { MESSAGE_BYTES = 4096 };

/* Cuts everything up to and with text; false when it is not there. */
static bool skip_past(struct zv_slice *rest, const char *text)
{
    const char *const found =
        rest->length == 0 ? NULL : memmem(rest->at, rest->length, text, strlen(text));
    if (found == NULL) {
        return false;
    }
    const size_t taken = (size_t)(found - rest->at) + strlen(text);
    rest->at += taken;
    rest->length -= taken;
    return true;
}

static size_t letters(struct zv_slice text)
{
    size_t length = 0;
    while (length < text.length && (unsigned)((text.at[length] | 32) - 'a') < 26) {
        length++;
    }
    return length;
}

/* "2.26 GiB" at the front; "0 bytes" too. */
static struct zv_printed figure_at(struct zv_slice text)
{
    struct zv_printed printed = {0};
    struct zv_slice number;
    struct zv_slice unit;
    struct zv_slice rest = text;
    uint64_t hundredths;
    if (!zv_slice_word(&rest, &number) || !zv_slice_word(&rest, &unit)) {
        return printed;
    }
    unit.length = letters(unit); /* a point may follow, or the quote of a string of JSON */
    enum zv_unit scale;
    if (!zv_unit_parse(unit, &scale) || !zv_slice_fixed(number, 2, &hundredths)) {
        return printed;
    }
    printed.known = zv_mul_div(hundredths, zv_unit_bytes(scale), 100, &printed.bytes);
    printed.within_bytes = scale == ZV_UNIT_B ? 0 : zv_unit_bytes(scale) / 200;
    return printed;
}

/* The figure after words. */
static struct zv_printed after(struct zv_slice text, const char *words)
{
    return skip_past(&text, words) ? figure_at(text) : (struct zv_printed){0};
}

/* The figure before words: two words back. */
static struct zv_printed before(struct zv_slice text, const char *words)
{
    struct zv_slice rest = text;
    if (!skip_past(&rest, words)) {
        return (struct zv_printed){0};
    }
    size_t at = (size_t)(rest.at - text.at) - strlen(words);
    for (int word = 0; word < 2; word++) {
        while (at != 0 && text.at[at - 1] == ' ') {
            at--;
        }
        while (at != 0 && text.at[at - 1] != ' ' && text.at[at - 1] != '(') {
            at--;
        }
    }
    return figure_at((struct zv_slice){text.at + at, text.length - at});
}

static struct zv_printed sum(struct zv_printed a, struct zv_printed b)
{
    struct zv_printed to = {.within_bytes = a.within_bytes + b.within_bytes};
    to.known = zv_add(a.bytes, b.bytes, &to.bytes) && a.known && b.known;
    return to;
}

static void read_old(struct zv_oom_message *to, struct zv_slice text)
{
    to->capacity = before(text, " total capacity");
    to->allocated = before(text, " already allocated");
    to->device_free = before(text, " free;");
    to->allowed = before(text, " allowed");
    to->reserved = before(text, " reserved in total by PyTorch");
    const struct zv_printed cached = before(text, " cached)");
    if (cached.known) {
        to->unallocated = cached;
        to->reserved = sum(to->allocated, cached);
    } else if (to->reserved.known && to->allocated.known &&
               to->reserved.bytes >= to->allocated.bytes) {
        to->unallocated =
            (struct zv_printed){true, to->reserved.bytes - to->allocated.bytes,
                                to->reserved.within_bytes + to->allocated.within_bytes};
    }
}

static void read_new(struct zv_oom_message *to, struct zv_slice text)
{
    to->capacity = after(text, "total capacity of ");
    if (!to->capacity.known) {
        to->capacity = after(text, "total capacty of "); /* as 2.1 wrote it */
    }
    to->device_free = after(text, "of which ");
    to->allowed = before(text, " allowed;");
    to->this_process = after(text, "this process has ");
    to->allocated = after(text, "Of the allocated memory ");
    to->private_pools = before(text, " allocated in private pools");
    to->unallocated = before(text, " is reserved by PyTorch but unallocated");
    to->reserved = sum(to->allocated, to->unallocated);
}

/* More than the card has is more than anybody could get, whatever was free. */
static bool exceeds_card(struct zv_oom_message *to)
{
    const struct zv_printed needed = sum(to->allocated, to->requested);
    if (!needed.known || !to->capacity.known ||
        needed.bytes <= to->capacity.bytes + needed.within_bytes + to->capacity.within_bytes) {
        return false;
    }
    to->kind = ZV_CAUSE_CAPACITY;
    to->kind_known = true;
    to->missing_bytes = needed.bytes - to->capacity.bytes;
    return true;
}

/* Everything is compared with the printed precision kept beside it. */
static void judge(struct zv_oom_message *to)
{
    if (!to->requested.known || !to->allocated.known || !to->device_free.known ||
        !to->reserved.known) {
        (void)exceeds_card(to);
        return;
    }
    const struct zv_printed within_reach = sum(to->reserved, to->device_free);
    const struct zv_printed needed = sum(to->allocated, to->requested);
    if (!within_reach.known || !needed.known) {
        return;
    }
    const uint64_t slack = within_reach.within_bytes + needed.within_bytes;
    const uint64_t gap = needed.bytes > within_reach.bytes ? needed.bytes - within_reach.bytes
                                                           : within_reach.bytes - needed.bytes;
    to->kind_known = true;
    to->close = gap <= slack;
    if (to->capacity.known && to->capacity.bytes > within_reach.bytes) {
        to->outside = (struct zv_printed){true, to->capacity.bytes - within_reach.bytes,
                                          to->capacity.within_bytes + within_reach.within_bytes};
    }
    if (to->requested.bytes <= to->device_free.bytes) {
        to->kind = ZV_CAUSE_LIMIT;
        to->close = to->device_free.bytes - to->requested.bytes <=
                    to->device_free.within_bytes + to->requested.within_bytes;
        return;
    }
    if (needed.bytes <= within_reach.bytes) {
        to->kind = ZV_CAUSE_FRAGMENTATION;
        return;
    }
    to->missing_bytes = gap;
    to->kind = to->capacity.known && needed.bytes <= to->capacity.bytes ? ZV_CAUSE_OUTSIDE
                                                                        : ZV_CAUSE_CAPACITY;
}

static uint64_t line_of(struct zv_slice text, const char *at)
{
    uint64_t line = 1;
    for (const char *c = text.at; c < at; c++) {
        line += *c == '\n';
    }
    return line;
}

/* The length of a colour or another CSI sequence of a terminal at the front; 0: there is none. */
static size_t escape_length(struct zv_slice text)
{
    if (text.length < 2 || text.at[0] != '\x1b' || text.at[1] != '[') {
        return 0;
    }
    size_t length = 2;
    while (length < text.length && (unsigned char)text.at[length] >= 0x20 &&
           (unsigned char)text.at[length] < 0x40) {
        length++;
    }
    return length < text.length ? length + 1 : length;
}

/* A bounded piece of what a terminal or a log has wrapped, indented and coloured, as one line. */
static struct zv_slice one_line(struct zv_slice text, char piece[MESSAGE_BYTES])
{
    size_t length = 0;
    while (text.length != 0 && length < MESSAGE_BYTES) {
        const size_t escape = escape_length(text);
        const unsigned char c = (unsigned char)text.at[0];
        const bool blank = c <= ' ';
        if (escape == 0 && !(blank && length != 0 && piece[length - 1] == ' ')) {
            piece[length++] = blank ? ' ' : (char)c;
        }
        text.at += escape != 0 ? escape : 1;
        text.length -= escape != 0 ? escape : 1;
    }
    return (struct zv_slice){piece, length};
}

/* The last message of those that say how much was asked for. */
static bool read_pytorch(struct zv_oom_message *to, struct zv_slice text)
{
    static const char begin[] = "Tried to allocate ";
    char piece[MESSAGE_BYTES];
    struct zv_slice rest = text;
    struct zv_slice last = {0};
    while (skip_past(&rest, begin)) {
        struct zv_slice head = rest;
        head.length = head.length < 64 ? head.length : 64;
        last = figure_at(one_line(head, piece)).known ? rest : last;
    }
    if (last.at == NULL) {
        return false;
    }
    const struct zv_slice message = one_line(last, piece);
    to->line = line_of(text, last.at);
    to->is_pytorch = true;
    to->requested = figure_at(message);
    if (zv_slice_contains(message, "has a total capac")) {
        read_new(to, message);
    } else {
        read_old(to, message);
    }
    return to->requested.known;
}

static bool read_llamacpp(struct zv_oom_message *to, struct zv_slice text)
{
    struct zv_slice rest = text;
    const char *last = NULL;
    while (skip_past(&rest, "allocating ")) {
        struct zv_slice look = {rest.at, rest.length < MESSAGE_BYTES ? rest.length : MESSAGE_BYTES};
        struct zv_slice line;
        if (zv_slice_line(&look, &line) && zv_slice_contains(line, "out of memory")) {
            const struct zv_printed requested = figure_at(line);
            if (requested.known) {
                *to = (struct zv_oom_message){.requested = requested};
                last = line.at;
            }
        }
    }
    to->line = last != NULL ? line_of(text, last) : 0;
    return last != NULL;
}

bool zv_oom_message_find(struct zv_oom_message *message, struct zv_slice text)
{
    *message = (struct zv_oom_message){0};
    if (read_pytorch(message, text)) {
        judge(message);
        return true;
    }
    *message = (struct zv_oom_message){0};
    return read_llamacpp(message, text);
}

bool zv_oom_words_find(struct zv_oom_message *message, struct zv_slice text)
{
    struct zv_slice line;
    *message = (struct zv_oom_message){0};
    for (uint64_t number = 1; zv_slice_line(&text, &line); number++) {
        const struct zv_oom_sign *const sign = zv_oom_sign_find(line);
        if (sign != NULL) {
            message->sign = sign;
            message->line = number;
        }
    }
    return message->sign != NULL;
}
