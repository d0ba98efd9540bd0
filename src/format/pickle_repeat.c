#include "format/pickle_repeat.h"

#include <string.h>

#include "base/little_endian.h"
#include "base/memory.h"
#include "format/pickle_opcodes.h"
#include "format/pickle_stack.h"

enum {
    LEAST_SETS = 16,
    MOST_SETS = 1024,
    CONTEXTS = 4096, /* a power of two: what followed three lists */
    BYTES_A_SET = 4096,
    WAYS = 4,
    SHORTEST = 16
}; /* bytes of the shortest list that is kept */

struct repeat {
    uint64_t at; /* byte behind the MARK; 0: none */
    uint32_t length;
    uint32_t handle;
    uint16_t next; /* entry that followed it last time */
};

struct pickle_repeats {
    bool off;
    uint8_t oldest[MOST_SETS];
    uint16_t last;    /* entry that was met last */
    uint64_t context; /* the last three, the newest lowest */
    uint16_t after[CONTEXTS];
    size_t sets; /* a power of two, more in a larger file */
    struct repeat entries[];
};

/* What followed the last three lists when they were met like this before; entry 0 when not. */
static uint16_t *after(struct pickle_repeats *repeats)
{
    return &repeats->after[repeats->context * UINT64_C(0x9e3779b97f4a7c15) >> 52];
}

static uint64_t mix(uint64_t hash, const unsigned char *at)
{
    hash = (hash ^ zv_le64(at)) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

/* Of at least SHORTEST bytes: most of them, spread, so that stacks which begin alike differ. The
 * first entry of the set. */
static size_t set_of(const struct pickle_repeats *repeats, const unsigned char *at, size_t length)
{
    uint64_t hash = mix(length, at + length - 8);
    const size_t step = length < 128 ? 8 : (length / 16) | 1;
    for (size_t i = 0; i + 8 <= length; i += step) {
        hash = mix(hash, at + i);
    }
    return (hash & (repeats->sets - 1)) * WAYS;
}

/* Behind a run of fetches: BINGET and LONG_BINGET differ in one bit, so that no branch asks which.
 */
static const unsigned char *skip_fetches(const unsigned char *at, const unsigned char *end)
{
    _Static_assert(OP_LONG_BINGET == (OP_BINGET | 2), "one bit");
    while (end - at > 5 && (*at & ~2) == OP_BINGET) {
        at += 2 + 3 * (*at >> 1 & 1);
    }
    return at;
}

/* This entry is met: it follows the one before, and the three before. */
static void meet(struct pickle_repeats *repeats, size_t entry)
{
    repeats->entries[repeats->last].next = (uint16_t)entry;
    *after(repeats) = (uint16_t)entry;
    repeats->last = (uint16_t)entry;
    repeats->context = (repeats->context << 16 | entry) & ((UINT64_C(1) << 48) - 1);
}

/* The list whose items are at hand is this one. */
static bool is_entry(struct zv_pickle *p, size_t entry, const unsigned char *from, size_t most)
{
    const struct repeat *const known = &p->repeats->entries[entry];
    if (known->at == 0 || known->length > most ||
        memcmp(pickle_start(p) + known->at, from, known->length) != 0) {
        return false;
    }
    meet(p->repeats, entry);
    return true;
}

static bool find(struct zv_pickle *p, const unsigned char *from, size_t most)
{
    /* a program that does the same again leaves the same stacks in the same order */
    const size_t guess = *after(p->repeats);
    const size_t other = p->repeats->entries[p->repeats->last].next;
    if (is_entry(p, guess, from, most) || (other != guess && is_entry(p, other, from, most))) {
        return true;
    }
    const unsigned char *const end = skip_fetches(from, pickle_start(p) + p->input.length);
    const size_t length = (size_t)(end - from) + 1;
    if (length < SHORTEST || length > most || *end != OP_APPENDS) {
        return false;
    }
    const size_t set = set_of(p->repeats, from, length);
    for (size_t way = 0; way < WAYS; way++) {
        if (p->repeats->entries[set + way].length == length && is_entry(p, set + way, from, most)) {
            return true;
        }
    }
    return false;
}

size_t pickle_repeat(struct zv_pickle *p, const unsigned char *from, uint32_t *payload)
{
    p->repeat_from = (uint64_t)(from - pickle_start(p));
    if (p->repeats == NULL || p->repeats->off ||
        !find(p, from, p->input.length - (size_t)p->repeat_from)) {
        return 0;
    }
    const struct repeat *const known = &p->repeats->entries[p->repeats->last];
    *payload = known->handle;
    return known->length;
}

/* Whether from here to the APPENDS at hand there is nothing but fetches of handles. */
static bool only_handles(const struct zv_pickle *p, const unsigned char *at)
{
    while (at < p->at) {
        const bool is_short = *at == OP_BINGET;
        if (!is_short && *at != OP_LONG_BINGET) {
            return false;
        }
        const size_t index = is_short ? at[1] : zv_le32(at + 1);
        if (index >= p->memo_capacity || (p->memo[index] & PICKLE_INLINE) == 0) {
            return false;
        }
        at += is_short ? 2 : 5;
    }
    return at == p->at;
}

static bool begin(struct zv_pickle *p)
{
    size_t sets = LEAST_SETS;
    while (sets < MOST_SETS && sets < p->input.length / BYTES_A_SET) {
        sets *= 2;
    }
    const size_t bytes = sizeof *p->repeats + sets * WAYS * sizeof p->repeats->entries[0];
    p->repeats = zv_memory_alloc(bytes);
    if (p->repeats != NULL) {
        memset(p->repeats, 0, bytes);
        p->repeats->sets = sets;
    }
    return p->repeats != NULL;
}

enum zv_status pickle_remember(struct zv_pickle *p, uint32_t payload, struct zv_error *err)
{
    const uint64_t from = p->repeat_from;
    const uint64_t length = from != 0 ? pickle_offset(p) + 1 - from : 0;
    p->repeat_from = 0;
    if (length < SHORTEST || length > UINT32_MAX || !only_handles(p, pickle_start(p) + from)) {
        return ZV_OK;
    }
    if (p->repeats == NULL && !begin(p)) {
        return zv_fail_memory(err, "lists of a pickle");
    }
    const size_t set = set_of(p->repeats, pickle_start(p) + from, (size_t)length);
    const size_t entry = set + p->repeats->oldest[set / WAYS]++ % WAYS;
    p->repeats->entries[entry] =
        (struct repeat){.at = from, .length = (uint32_t)length, .handle = payload};
    meet(p->repeats, entry);
    return ZV_OK;
}

void pickle_forget_repeats(struct zv_pickle *p)
{
    if (p->repeats != NULL) {
        p->repeats->off = true;
    }
}
