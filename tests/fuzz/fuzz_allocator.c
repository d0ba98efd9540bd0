/* Any bytes as an op list: our allocator and a naive one must agree, and our rules must hold. */
#include <stdio.h>
#include <stdlib.h>

#include "support/allocator_duel.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *const wrong = allocator_duel(data, size);
    if (wrong != NULL) {
        (void)fprintf(stderr, "%s\n", wrong);
        abort();
    }
    return 0;
}
