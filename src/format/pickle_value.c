/* What the values of a pickle say. */
#include <string.h>

#include "base/little_endian.h"
#include "format/pickle.h"
#include "format/pickle_opcodes.h"

static const unsigned char *at(const struct zv_pickle *pickle, struct zv_pickle_value value)
{
    return (const unsigned char *)pickle->input.at + zv_pickle_payload(value);
}

static int64_t small(struct zv_pickle_value value)
{
    return (int64_t)value.bits >> 4; /* keeps the sign */
}

/* The bytes of a text, bytes object or long; reading has checked that they are there. */
static struct zv_slice content(const struct zv_pickle *pickle, struct zv_pickle_value value)
{
    const unsigned char *const opcode = at(pickle, value);
    const unsigned operand = pickle_opcodes[*opcode].operand;
    const uint64_t length = operand == 1   ? opcode[1]
                            : operand == 4 ? zv_le32(opcode + 1)
                                           : zv_le64(opcode + 1);
    return (struct zv_slice){(const char *)opcode + 1 + operand, (size_t)length};
}

/* Two's complement, little-endian, any length; *negative by its last bit. */
static bool long_bits(struct zv_slice bytes, uint64_t *to, bool *negative)
{
    *to = 0;
    *negative = bytes.length != 0 && (unsigned char)bytes.at[bytes.length - 1] >= 0x80;
    const unsigned char fill = *negative ? 0xff : 0;
    for (size_t i = 0; i < bytes.length; i++) {
        const unsigned char byte = (unsigned char)bytes.at[i];
        if (i < 8) {
            *to |= (uint64_t)byte << (8 * i);
        } else if (byte != fill) {
            return false;
        }
    }
    for (size_t i = bytes.length; i < 8; i++) {
        *to |= (uint64_t)fill << (8 * i);
    }
    return true;
}

bool zv_pickle_u64(const struct zv_pickle *pickle, struct zv_pickle_value value, uint64_t *to)
{
    uint64_t bits;
    bool negative;
    if (zv_pickle_kind(value) == ZV_PICKLE_INT && small(value) >= 0) {
        *to = (uint64_t)small(value);
        return true;
    }
    if (zv_pickle_kind(value) != ZV_PICKLE_LONG ||
        !long_bits(content(pickle, value), &bits, &negative) || negative) {
        return false;
    }
    *to = bits;
    return true;
}

bool zv_pickle_i64(const struct zv_pickle *pickle, struct zv_pickle_value value, int64_t *to)
{
    uint64_t bits;
    bool negative;
    if (zv_pickle_kind(value) == ZV_PICKLE_INT) {
        *to = small(value);
        return true;
    }
    if (zv_pickle_kind(value) != ZV_PICKLE_LONG ||
        !long_bits(content(pickle, value), &bits, &negative) || negative != (bits >> 63 != 0)) {
        return false;
    }
    *to = (int64_t)bits;
    return true;
}

bool zv_pickle_double(const struct zv_pickle *pickle, struct zv_pickle_value value, double *to)
{
    if (zv_pickle_kind(value) != ZV_PICKLE_FLOAT) {
        return false;
    }
    const uint64_t bits = __builtin_bswap64(zv_le64(at(pickle, value) + 1)); /* big-endian */
    memcpy(to, &bits, sizeof *to);
    return true;
}

bool zv_pickle_bool(struct zv_pickle_value value, bool *to)
{
    if (zv_pickle_kind(value) != ZV_PICKLE_BOOL) {
        return false;
    }
    *to = zv_pickle_payload(value) != 0;
    return true;
}

bool zv_pickle_text(const struct zv_pickle *pickle, struct zv_pickle_value value,
                    struct zv_slice *to)
{
    if (zv_pickle_kind(value) != ZV_PICKLE_TEXT) {
        return false;
    }
    *to = content(pickle, value);
    return true;
}

struct zv_pickle_value zv_pickle_find(const struct zv_pickle *pickle, struct zv_pickle_value dict,
                                      const char *key)
{
    struct zv_pickle_value found = {0};
    if (zv_pickle_kind(dict) != ZV_PICKLE_DICT) {
        return found;
    }
    const struct zv_pickle_items items = zv_pickle_items(pickle, dict);
    for (size_t i = 0; i + 1 < items.count; i += 2) {
        struct zv_slice name;
        if (zv_pickle_text(pickle, items.at[i], &name) && zv_slice_equal(name, key)) {
            found = items.at[i + 1];
        }
    }
    return found;
}

bool zv_pickle_same_short(const struct zv_pickle *pickle, struct zv_pickle_value a,
                          struct zv_pickle_value b)
{
    const uint64_t most = pickle->input.length;
    if (zv_pickle_kind(a) != ZV_PICKLE_TEXT || zv_pickle_kind(b) != ZV_PICKLE_TEXT ||
        zv_pickle_payload(a) + 8 > most || zv_pickle_payload(b) + 8 > most) {
        return false;
    }
    const unsigned char *const left = at(pickle, a);
    const unsigned char *const right = at(pickle, b);
    const unsigned length = left[1]; /* opcode, length, and the text */
    return *left == OP_SHORT_BINUNICODE && length <= 6 &&
           (zv_le64(left) ^ zv_le64(right)) << (48 - 8 * length) == 0;
}
