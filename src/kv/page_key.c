/*
 * Keys: SipHash-2-4 with 128 bits of output, after Aumasson and Bernstein, "SipHash: a fast
 * short-input PRF" (2012), and the authors' note on 128 bits. Input is hashed as a stream, so that
 * a page's parent, extra part and tokens need no copy side by side.
 */
#include "zirve/kv.h"

struct sip {
    uint64_t v[4];
    uint64_t block; /* bytes not yet mixed in */
    uint64_t length;
};

static uint64_t rotate(uint64_t value, unsigned bits)
{
    return value << bits | value >> (64 - bits);
}

static void rounds(uint64_t v[4], int count)
{
    for (int i = 0; i < count; i++) {
        v[0] += v[1];
        v[2] += v[3];
        v[1] = rotate(v[1], 13) ^ v[0];
        v[3] = rotate(v[3], 16) ^ v[2];
        v[0] = rotate(v[0], 32);
        v[2] += v[1];
        v[0] += v[3];
        v[1] = rotate(v[1], 17) ^ v[2];
        v[3] = rotate(v[3], 21) ^ v[0];
        v[2] = rotate(v[2], 32);
    }
}

static struct sip begin(struct zv_kv_key seed)
{
    return (struct sip){.v = {seed.low ^ UINT64_C(0x736F6D6570736575),
                              seed.high ^ UINT64_C(0x646F72616E646F6D) ^ 0xEE,
                              seed.low ^ UINT64_C(0x6C7967656E657261),
                              seed.high ^ UINT64_C(0x7465646279746573)}};
}

static void mix(struct sip *sip, uint64_t word)
{
    sip->v[3] ^= word;
    rounds(sip->v, 2);
    sip->v[0] ^= word;
}

static void add_byte(struct sip *sip, unsigned char byte)
{
    sip->block |= (uint64_t)byte << (8 * (sip->length & 7));
    sip->length++;
    if ((sip->length & 7) == 0) {
        mix(sip, sip->block);
        sip->block = 0;
    }
}

/* Only between whole words. */
static void add_word(struct sip *sip, uint64_t word)
{
    mix(sip, word);
    sip->length += 8;
}

static struct zv_kv_key finish(struct sip *sip)
{
    struct zv_kv_key key;
    mix(sip, sip->block | sip->length << 56);
    sip->v[2] ^= 0xEE;
    rounds(sip->v, 4);
    key.low = sip->v[0] ^ sip->v[1] ^ sip->v[2] ^ sip->v[3];
    sip->v[1] ^= 0xDD;
    rounds(sip->v, 4);
    key.high = sip->v[0] ^ sip->v[1] ^ sip->v[2] ^ sip->v[3];
    return key;
}

struct zv_kv_key zv_kv_key_next(const struct zv_kv_key *parent, const uint32_t *tokens,
                                size_t count, struct zv_kv_key extra, struct zv_kv_key seed)
{
    struct sip sip = begin(seed);
    const struct zv_kv_key first = {0, 0};
    const struct zv_kv_key *const before = parent != NULL ? parent : &first;
    add_word(&sip, parent != NULL);
    add_word(&sip, before->low);
    add_word(&sip, before->high);
    add_word(&sip, extra.low);
    add_word(&sip, extra.high);
    size_t i = 0;
    for (; i + 1 < count; i += 2) {
        add_word(&sip, tokens[i] | (uint64_t)tokens[i + 1] << 32);
    }
    if (i < count) {
        for (unsigned byte = 0; byte < 4; byte++) {
            add_byte(&sip, (unsigned char)(tokens[i] >> (8 * byte)));
        }
    }
    return finish(&sip);
}

struct zv_kv_key zv_kv_key_of_bytes(const void *bytes, size_t size, struct zv_kv_key seed)
{
    struct sip sip = begin(seed);
    const unsigned char *const at = bytes;
    for (size_t i = 0; i < size; i++) {
        add_byte(&sip, at[i]);
    }
    return finish(&sip);
}
