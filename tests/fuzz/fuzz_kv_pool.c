/* Any bytes as calls of the page pool and cache: a naive pool must agree, and the rules must hold.
 */
#include <stdio.h>
#include <stdlib.h>

#include "support/kv_duel.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *wrong = kv_pool_duel(data, size);
    if (wrong == NULL) {
        wrong = kv_cache_duel(data, size);
    }
    if (wrong != NULL) {
        (void)fprintf(stderr, "%s\n", wrong);
        abort();
    }
    return 0;
}
