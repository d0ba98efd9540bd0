#include "format/pickle_repeat.h"

#include <string.h>

#include "base/little_endian.h"
#include "base/memory.h"
#include "format/pickle_opcodes.h"
#include "format/pickle_stack.h"

enum { SETS = 1024, WAYS = 4, SHORTEST = 16 }; /* bytes of the shortest list that is kept */

struct pickle_repeats {
    bool off;
    struct {
        uint64_t at; /* byte behind the MARK; 0: none */
        uint32_t length;
        uint32_t handle;
    } ways[SETS][WAYS];
    uint8_t oldest[SETS];
};

static uint64_t mix(uint64_t hash, const unsigned char *at)
{
    hash = (hash ^ zv_le64(at)) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

/* Of at least SHORTEST bytes: most of them, spread, so that stacks which begin alike differ. */
static size_t set_of(const unsigned char *at, size_t length)
{
    uint64_t hash = mix(length, at + length - 8);
    const size_t step = length < 128 ? 8 : (length / 16) | 1;
    for (size_t i = 0; i + 8 <= length; i += step) {
        hash = mix(hash, at + i);
    }
    return hash % SETS;
}

/* Behind a run of fetches. */
static const unsigned char *skip_fetches(const unsigned char *at, const unsigned char *end)
{
    while (end - at > 20 && (at[0] == OP_LONG_BINGET) + (at[5] == OP_LONG_BINGET) +
                                    (at[10] == OP_LONG_BINGET) + (at[15] == OP_LONG_BINGET) ==
                                4) { /* the common case, without waiting for one another */
        at += 20;
    }
    while (end - at > 5 && (*at == OP_BINGET || *at == OP_LONG_BINGET)) {
        at += *at == OP_BINGET ? 2 : 5;
    }
    return at;
}

bool pickle_repeat(struct zv_pickle *p)
{
    const unsigned char *const from = p->at + 1;
    p->repeat_from = pickle_offset(p) + 1;
    if (p->repeats == NULL || p->repeats->off) {
        return false;
    }
    const unsigned char *const end = skip_fetches(from, pickle_start(p) + p->input.length);
    const size_t length = (size_t)(end - from) + 1;
    if (length < SHORTEST || length > UINT32_MAX || length > pickle_left(p) - 1 ||
        *end != OP_APPENDS) {
        return false;
    }
    const size_t set = set_of(from, length);
    for (size_t way = 0; way < WAYS; way++) {
        const uint64_t at = p->repeats->ways[set][way].at;
        if (at != 0 && p->repeats->ways[set][way].length == length &&
            memcmp(pickle_start(p) + at, from, length) == 0) {
            pickle_fold_fresh(p, &p->stack[p->depth - 1], p->repeats->ways[set][way].handle);
            p->at = from + length;
            return true;
        }
    }
    return false;
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

enum zv_status pickle_remember(struct zv_pickle *p, uint32_t payload, struct zv_error *err)
{
    const uint64_t from = p->repeat_from;
    const uint64_t length = from != 0 ? pickle_offset(p) + 1 - from : 0;
    p->repeat_from = 0;
    if (length < SHORTEST || length > UINT32_MAX || !only_handles(p, pickle_start(p) + from)) {
        return ZV_OK;
    }
    if (p->repeats == NULL) {
        p->repeats = zv_memory_alloc(sizeof *p->repeats);
        if (p->repeats == NULL) {
            return zv_fail_memory(err, "lists of a pickle");
        }
        memset(p->repeats, 0, sizeof *p->repeats);
    }
    const size_t set = set_of(pickle_start(p) + from, (size_t)length);
    const size_t way = p->repeats->oldest[set]++ % WAYS;
    p->repeats->ways[set][way].at = from;
    p->repeats->ways[set][way].length = (uint32_t)length;
    p->repeats->ways[set][way].handle = payload;
    return ZV_OK;
}

void pickle_forget_repeats(struct zv_pickle *p)
{
    if (p->repeats != NULL) {
        p->repeats->off = true;
    }
}
