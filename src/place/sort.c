#include "place/sort.h"

#include <string.h>

/* One pass by the byte at shift, from one array to the other. */
static void pass(const struct place_key *from, struct place_key *to, size_t count, unsigned shift)
{
    size_t starts[256] = {0};
    for (size_t i = 0; i < count; i++) {
        starts[(from[i].key >> shift) & 255]++;
    }
    size_t sum = 0;
    for (size_t i = 0; i < 256; i++) {
        const size_t many = starts[i];
        starts[i] = sum;
        sum += many;
    }
    for (size_t i = 0; i < count; i++) {
        to[starts[(from[i].key >> shift) & 255]++] = from[i];
    }
}

void place_sort(struct place_key *keys, struct place_key *spare, size_t count)
{
    uint64_t differ = 0;
    for (size_t i = 1; i < count; i++) {
        differ |= keys[i].key ^ keys[0].key;
    }
    struct place_key *from = keys;
    struct place_key *to = spare;
    for (unsigned shift = 0; shift < 64; shift += 8) {
        if (((differ >> shift) & 255) != 0) {
            pass(from, to, count, shift);
            struct place_key *const swap = from;
            from = to;
            to = swap;
        }
    }
    if (from != keys) {
        memcpy(keys, from, count * sizeof *keys);
    }
}
