#include "format/pickle_repeat.h"

#include <string.h>

#include "base/little_endian.h"
#include "base/memory.h"
#include "format/pickle_container.h"
#include "format/pickle_opcodes.h"
#include "format/pickle_stack.h"

enum {
    LEAST_SETS = 16,
    MOST_SETS = 1024,
    CONTEXTS = 4096, /* a power of two: what followed three lists */
    BYTES_A_SET = 4096,
    WAYS = 4,
    SHORTEST = 16, /* bytes of a list that is kept */
    MOST_FETCH = 5
};

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

/* A program that does the same again leaves the same stacks in the same order. */
static bool is_next(struct zv_pickle *p, const unsigned char *from, size_t most)
{
    const size_t guess = *after(p->repeats);
    const size_t other = p->repeats->entries[p->repeats->last].next;
    return is_entry(p, guess, from, most) || (other != guess && is_entry(p, other, from, most));
}

/* A list of so many bytes, at least SHORTEST. */
static bool find(struct zv_pickle *p, const unsigned char *from, size_t length)
{
    const size_t set = set_of(p->repeats, from, length);
    for (size_t way = 0; way < WAYS; way++) {
        if (p->repeats->entries[set + way].length == length &&
            is_entry(p, set + way, from, length)) {
            return true;
        }
    }
    return false;
}

/* The list of these bytes, at least SHORTEST, became this handle. */
static void remember(const struct zv_pickle *p, const unsigned char *from, size_t length,
                     uint32_t payload)
{
    struct pickle_repeats *const repeats = p->repeats;
    const size_t set = set_of(repeats, from, length);
    const size_t entry = set + repeats->oldest[set / WAYS]++ % WAYS;
    repeats->entries[entry] = (struct repeat){
        .at = (uint64_t)(from - pickle_start(p)), .length = (uint32_t)length, .handle = payload};
    meet(repeats, entry);
}

/* Behind a run of fetches. */
static const unsigned char *skip_fetches(const unsigned char *at, const unsigned char *last)
{
    _Static_assert(OP_LONG_BINGET == (OP_BINGET | 2), "one bit, so that no branch asks which");
    while (at < last && (*at & ~2) == OP_BINGET) {
        at += 2 + 3 * (*at >> 1 & 1);
    }
    return at;
}

/* What the fetches up to end put on the stack while all are handles put aside; how many, 0: there
 * is something else. */
static size_t fetch_handles(const struct zv_pickle *p, const unsigned char *at,
                            const unsigned char *end, size_t depth)
{
    const struct zv_pickle_value *const limit = p->stack + p->stack_capacity;
    struct zv_pickle_value *top = p->stack + depth;
    while (at < end && top < limit) {
        const unsigned is_long = *at >> 1 & 1;
        const size_t index = is_long ? zv_le32(at + 1) : at[1];
        const uint32_t entry = index < p->memo_capacity ? p->memo[index] : 0;
        if ((entry & PICKLE_INLINE) == 0) {
            return 0;
        }
        *top++ = pickle_entry_value(entry);
        at += 2 + 3 * is_long;
    }
    return at == end ? (size_t)(top - p->stack) - depth : 0;
}

static void set_payload(struct zv_pickle *p, uint32_t payload, struct pickle_list *list)
{
    if (list->memo != 0) {
        p->memo[list->memo - 1] = PICKLE_INLINE | payload;
        p->memo_count++;
    }
    list->value = zv_pickle_handle(payload);
    list->on_stack = pickle_owned(payload, false, list->memo);
}

/* The list that was met just now. */
static void take_known(struct zv_pickle *p, struct pickle_list *list)
{
    const struct repeat *const known = &p->repeats->entries[p->repeats->last];
    list->width = list->head + known->length;
    set_payload(p, known->handle, list);
}

/* A list of count handles that nobody has seen before is folded; APPENDS is at hand. */
static enum zv_status fold(struct zv_pickle *p, const struct zv_pickle_value *items, size_t count,
                           struct pickle_list *list, struct zv_error *err)
{
    const struct zv_pickle_batch batch = {
        .kind = ZV_PICKLE_LIST, .offset = pickle_offset(p), .items = {items, count}};
    struct zv_pickle_value handle = {0};
    enum zv_status status = p->fold(p->context, p, &batch, &handle, err);
    if (status != ZV_OK) {
        return status;
    }
    if (zv_pickle_kind(handle) == ZV_PICKLE_HANDLE && zv_pickle_payload(handle) < PICKLE_INLINE) {
        set_payload(p, (uint32_t)zv_pickle_payload(handle), list);
        return ZV_OK;
    }
    status = pickle_make_put(p, ZV_PICKLE_LIST, list->memo, &list->on_stack, err);
    p->memo_count += list->memo != 0;
    status = status == ZV_OK ? pickle_take(p, &list->on_stack, &batch, handle, err) : status;
    list->value = pickle_settle(p, list->on_stack);
    return status;
}

/* The list of bytes that nobody expected, its head behind us. */
static enum zv_status run_new(struct zv_pickle *p, const unsigned char *from, size_t depth,
                              struct pickle_list *list, struct zv_error *err)
{
    const unsigned char *const end =
        skip_fetches(from, pickle_start(p) + p->input.length - MOST_FETCH);
    const size_t length = (size_t)(end - from) + 1;
    const bool is_kept = length >= SHORTEST && length <= UINT32_MAX && !p->repeats->off;
    if (*end != OP_APPENDS) {
        return ZV_OK;
    }
    if (is_kept && find(p, from, length)) {
        take_known(p, list);
        return ZV_OK;
    }
    const size_t count = fetch_handles(p, from, end, depth);
    if (count == 0) {
        return ZV_OK;
    }
    p->at = end;
    const enum zv_status status = fold(p, p->stack + depth, count, list, err);
    list->width = status == ZV_OK ? list->head + length : 0;
    if (status == ZV_OK && is_kept && (list->on_stack.bits & 15) == PICKLE_OWNED) {
        remember(p, from, length, (uint32_t)zv_pickle_payload(list->value));
    }
    return status;
}

static enum zv_status begin(struct zv_pickle *p, struct zv_error *err)
{
    size_t sets = LEAST_SETS;
    while (sets < MOST_SETS && sets < p->input.length / BYTES_A_SET) {
        sets *= 2;
    }
    const size_t bytes = sizeof *p->repeats + sets * WAYS * sizeof p->repeats->entries[0];
    p->repeats = zv_memory_alloc(bytes);
    if (p->repeats == NULL) {
        return zv_fail_memory(err, "lists of a pickle");
    }
    memset(p->repeats, 0, bytes);
    p->repeats->sets = sets;
    return ZV_OK;
}

/* Whether a list is filled at once, and where it is put aside there is room. */
static bool read_head(const struct zv_pickle *p, const unsigned char *at, struct pickle_list *list)
{
    const bool is_long = at[1] == OP_LONG_BINPUT;
    list->memo = 0;
    list->head = 2;
    if (at[1] == OP_MEMOIZE) {
        list->memo = p->memo_count + 1;
        list->head = 3;
    } else if (at[1] == OP_BINPUT || is_long) {
        list->memo = (is_long ? zv_le32(at + 2) : (size_t)at[2]) + 1;
        list->head = is_long ? 7 : 4;
    }
    return at[list->head - 1] == OP_MARK && (list->memo == 0 || pickle_can_put(p, list->memo - 1));
}

enum zv_status pickle_run_list(struct zv_pickle *p, const unsigned char *at, size_t depth,
                               struct pickle_list *list, struct zv_error *err)
{
    list->width = 0;
    if (!read_head(p, at, list)) {
        return ZV_OK;
    }
    if (p->repeats == NULL && begin(p, err) != ZV_OK) {
        return ZV_E_NOMEM;
    }
    const unsigned char *const from = at + list->head;
    if (!p->repeats->off && is_next(p, from, p->input.length - (size_t)(from - pickle_start(p)))) {
        take_known(p, list);
        return ZV_OK;
    }
    return run_new(p, from, depth, list, err);
}

void pickle_forget_repeats(struct zv_pickle *p)
{
    if (p->repeats != NULL) {
        p->repeats->off = true;
    }
}
