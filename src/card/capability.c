#include "card/capability.h"

#include <stddef.h>

static const struct zv_capability table[] = {
    {3, 7, 2048, 16, 131072, 112, 48},                                   /* Kepler, K80 */
    {5, 2, 2048, 32, 65536, 96, 48},                                     /* Maxwell */
    {6, 0, 2048, 32, 65536, 64, 48},                                     /* Pascal */
    {6, 1, 2048, 32, 65536, 96, 48},    {7, 0, 2048, 32, 65536, 96, 96}, /* Volta */
    {7, 5, 1024, 16, 65536, 64, 64},                                     /* Turing */
    {8, 0, 2048, 32, 65536, 164, 163}, /* Ampere; from here on a block leaves 1 KiB to the driver */
    {8, 6, 1536, 16, 65536, 100, 99},   {8, 7, 1536, 16, 65536, 164, 163},
    {8, 9, 1536, 24, 65536, 100, 99},   /* Ada */
    {9, 0, 2048, 32, 65536, 228, 227},  /* Hopper */
    {10, 0, 2048, 32, 65536, 228, 227}, /* Blackwell */
    {10, 3, 2048, 32, 65536, 228, 227}, {11, 0, 1536, 24, 65536, 228, 227},
    {12, 0, 1536, 24, 65536, 100, 99},  {12, 1, 1536, 24, 65536, 100, 99},
};

const struct zv_capability *zv_capability_find(uint32_t major, uint32_t minor)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (table[i].major == major && table[i].minor == minor) {
            return &table[i];
        }
    }
    return NULL;
}
