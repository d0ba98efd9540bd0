/* Little-endian numbers out of files, whatever their alignment; p has as many bytes as are read. */
#ifndef ZIRVE_BASE_LITTLE_ENDIAN_H
#define ZIRVE_BASE_LITTLE_ENDIAN_H

#include <stdint.h>
#include <string.h>

static inline uint16_t zv_le16(const void *p)
{
    uint16_t value;
    memcpy(&value, p, sizeof value);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    value = __builtin_bswap16(value);
#endif
    return value;
}

static inline uint32_t zv_le32(const void *p)
{
    uint32_t value;
    memcpy(&value, p, sizeof value);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    value = __builtin_bswap32(value);
#endif
    return value;
}

static inline uint64_t zv_le64(const void *p)
{
    uint64_t value;
    memcpy(&value, p, sizeof value);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    value = __builtin_bswap64(value);
#endif
    return value;
}

#endif
