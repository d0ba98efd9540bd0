#include "base/name_set.h"

#include <string.h>

#include "base/memory.h"
#include "base/strmap.h"

enum { MAX_DIGITS = 4, WORD_BITS = 64, FIRST_PATTERNS = 64 };

/* A name cut at its number. */
struct parts {
    struct zv_slice name;
    size_t at; /* name.length when there is no number */
    size_t digits;
    uint32_t number;
};

/* The end of what is left of [0, end) without the letters behind its last digit or point. */
static size_t skip_letters(const char *at, size_t end)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    while (end >= sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, at + end - sizeof word, sizeof word);
        if (((word - ones * ('9' + 1)) & ~word & (ones * 0x80)) != 0) { /* a byte up to '9' */
            break;
        }
        end -= sizeof word;
    }
    while (end != 0 && (unsigned char)at[end - 1] > '9') {
        end--;
    }
    return end;
}

/* The value of so many digits; false for "07" and what is too large. */
static bool plain_number(const char *at, size_t digits, uint32_t *number)
{
    if (digits > MAX_DIGITS || (*at == '0' && digits > 1)) {
        return false;
    }
    uint32_t value = 0;
    for (size_t i = 0; i < digits; i++) {
        value = value * 10 + (uint32_t)(at[i] - '0');
    }
    *number = value;
    return value < ZV_NAME_NUMBERS;
}

/* Runs of digits from the last to the first, until one is a segment of its own. */
static struct parts cut(struct zv_slice name)
{
    size_t end = skip_letters(name.at, name.length);
    while (end != 0) {
        size_t start = end;
        while (start != 0 && zv_is_digit(name.at[start - 1])) {
            start--;
        }
        uint32_t number;
        if (start != end && (start == 0 || name.at[start - 1] == '.') &&
            (end == name.length || name.at[end] == '.') &&
            plain_number(name.at + start, end - start, &number)) {
            return (struct parts){name, start, end - start, number};
        }
        end = skip_letters(name.at, start != end ? start : end - 1);
    }
    return (struct parts){.name = name, .at = name.length};
}

static struct zv_slice before(const struct parts *parts)
{
    return (struct zv_slice){parts->name.at, parts->at};
}

static struct zv_slice after(const struct parts *parts)
{
    const size_t from = parts->at + parts->digits;
    return (struct zv_slice){parts->name.at + from, parts->name.length - from};
}

static uint64_t hash_of(const struct parts *parts)
{
    const uint64_t first = zv_strmap_hash(before(parts));
    return parts->digits == 0 ? first : first * 31 + zv_strmap_hash(after(parts));
}

static bool is_of(const struct zv_name_pattern *pattern, const struct parts *parts, uint64_t hash)
{
    if (pattern->hash != hash || (pattern->digits == 0) != (parts->digits == 0)) {
        return false;
    }
    const struct parts other = {pattern->first, pattern->at, pattern->digits, 0};
    return zv_slice_same(before(&other), before(parts)) &&
           zv_slice_same(after(&other), after(parts));
}

/* The slot of the pattern, or the free slot where it belongs; slot_count > 0. */
static size_t slot_of(const struct zv_name_set *set, const struct parts *parts, uint64_t hash)
{
    size_t slot = hash & (set->slot_count - 1);
    while (set->slots[slot] != 0 && !is_of(&set->patterns[set->slots[slot] - 1], parts, hash)) {
        slot = (slot + 1) & (set->slot_count - 1);
    }
    return slot;
}

static bool grow(struct zv_name_set *set)
{
    const size_t capacity = set->capacity == 0 ? FIRST_PATTERNS : set->capacity * 2;
    if (capacity > UINT32_MAX / 4) {
        return false;
    }
    struct zv_name_pattern *const patterns =
        zv_memory_resize(set->patterns, capacity * sizeof *patterns);
    if (patterns == NULL) {
        return false;
    }
    set->patterns = patterns;
    uint32_t *const slots = zv_memory_resize(set->slots, capacity * 2 * sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    memset(slots, 0, capacity * 2 * sizeof *slots);
    set->slots = slots;
    set->slot_count = capacity * 2;
    set->capacity = capacity;
    for (size_t i = 0; i < set->pattern_count; i++) { /* all differ: the next free slot is theirs */
        size_t slot = patterns[i].hash & (set->slot_count - 1);
        while (slots[slot] != 0) {
            slot = (slot + 1) & (set->slot_count - 1);
        }
        slots[slot] = (uint32_t)(i + 1);
    }
    return true;
}

/* Makes room for the number's bit. */
static bool widen(struct zv_name_pattern *pattern, uint32_t number)
{
    uint32_t words = pattern->words == 0 ? 1 : pattern->words;
    if (number < words * WORD_BITS) {
        return true;
    }
    while (number >= words * WORD_BITS) {
        words *= 2;
    }
    uint64_t *const more = zv_memory_resize(pattern->more, words * sizeof *more);
    if (more == NULL) {
        return false;
    }
    memset(more + pattern->words, 0, (words - pattern->words) * sizeof *more);
    if (pattern->words == 0) {
        more[0] = pattern->few;
    }
    pattern->more = more;
    pattern->words = words;
    return true;
}

static uint64_t *bits_of(struct zv_name_pattern *pattern)
{
    return pattern->words == 0 ? &pattern->few : pattern->more;
}

bool zv_name_pattern_has(const struct zv_name_pattern *pattern, uint32_t number)
{
    const uint32_t words = pattern->words == 0 ? 1 : pattern->words;
    const uint64_t *const bits = pattern->words == 0 ? &pattern->few : pattern->more;
    return number < words * WORD_BITS && (bits[number / WORD_BITS] >> number % WORD_BITS & 1) != 0;
}

bool zv_name_pattern_is_dense(const struct zv_name_pattern *pattern)
{
    const uint64_t *const bits = pattern->words == 0 ? &pattern->few : pattern->more;
    const uint32_t whole = pattern->count / WORD_BITS;
    const uint32_t rest = pattern->count % WORD_BITS;
    for (uint32_t i = 0; i < whole; i++) {
        if (bits[i] != UINT64_MAX) { /* as many bits as count are set: no word is missing */
            return false;
        }
    }
    return pattern->digits != 0 && (rest == 0 || bits[whole] == (UINT64_C(1) << rest) - 1);
}

/* The pattern of name, added if need be: index + 1, 0 without memory. */
static uint32_t find_pattern(struct zv_name_set *set, struct zv_slice name, uint32_t *number)
{
    if (set->pattern_count == set->capacity && !grow(set)) {
        return 0;
    }
    const struct parts parts = cut(name);
    const uint64_t hash = hash_of(&parts);
    const size_t slot = slot_of(set, &parts, hash);
    if (set->slots[slot] == 0) {
        set->patterns[set->pattern_count++] =
            (struct zv_name_pattern){.first = name,
                                     .hash = hash,
                                     .at = (uint32_t)parts.at,
                                     .digits = (uint32_t)parts.digits};
        set->slots[slot] = (uint32_t)set->pattern_count;
    }
    *number = parts.number;
    return set->slots[slot];
}

/* Whether name is of this pattern, which has a number: what follows the number holds no other. */
static bool try_pattern(const struct zv_name_pattern *pattern, struct zv_slice name,
                        uint32_t *number)
{
    const struct parts first = {pattern->first, pattern->at, pattern->digits, 0};
    const struct zv_slice rest = after(&first);
    if (name.length < first.at + 1 + rest.length) {
        return false;
    }
    const size_t digits = name.length - first.at - rest.length;
    for (size_t i = 0; i < digits; i++) {
        if (i == MAX_DIGITS || !zv_is_digit(name.at[first.at + i])) {
            return false;
        }
    }
    const struct parts parts = {name, first.at, digits, 0};
    return plain_number(name.at + first.at, digits, number) && zv_slice_same(rest, after(&parts)) &&
           zv_slice_same(before(&first), before(&parts));
}

/* Names mostly follow each other as they did before: the parts of one expert, then of the next. */
static uint32_t guess_pattern(const struct zv_name_set *set, struct zv_slice name, uint32_t *number)
{
    const uint32_t next = set->last != 0 ? set->patterns[set->last - 1].next : 0;
    return next != 0 && set->patterns[next - 1].digits != 0 &&
                   try_pattern(&set->patterns[next - 1], name, number)
               ? next
               : 0;
}

enum zv_name_result zv_name_set_add(struct zv_name_set *set, struct zv_slice name,
                                    struct zv_name_place *place)
{
    uint32_t number = 0;
    uint32_t found = guess_pattern(set, name, &number);
    if (found == 0) {
        found = find_pattern(set, name, &number);
        if (found == 0) {
            return ZV_NAME_NOMEM;
        }
        if (set->last != 0) {
            set->patterns[set->last - 1].next = found;
        }
    }
    set->last = found;
    *place = (struct zv_name_place){found - 1, number};
    struct zv_name_pattern *const pattern = &set->patterns[found - 1];
    if (zv_name_pattern_has(pattern, number)) {
        return ZV_NAME_EXISTS;
    }
    if (!widen(pattern, number)) {
        return ZV_NAME_NOMEM;
    }
    bits_of(pattern)[number / WORD_BITS] |= UINT64_C(1) << number % WORD_BITS;
    pattern->count++;
    set->count++;
    return ZV_NAME_ADDED;
}

void zv_name_set_remove(struct zv_name_set *set, struct zv_name_place place)
{
    struct zv_name_pattern *const pattern = &set->patterns[place.pattern];
    if (zv_name_pattern_has(pattern, place.number)) {
        bits_of(pattern)[place.number / WORD_BITS] &= ~(UINT64_C(1) << place.number % WORD_BITS);
        pattern->count--;
        set->count--;
    }
}

void zv_name_set_free(struct zv_name_set *set)
{
    for (size_t i = 0; i < set->pattern_count; i++) {
        zv_memory_free(set->patterns[i].more);
    }
    zv_memory_free(set->patterns);
    zv_memory_free(set->slots);
    *set = (struct zv_name_set){0};
}
