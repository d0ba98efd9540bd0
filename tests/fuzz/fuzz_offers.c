/* Any bytes as offers of any format: offers with a card, a count and a currency, or an error that
 * names the file; the same each time. */
#include <stdlib.h>

#include "decide/offers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct zv_offers_options options = {20786, size % 2 == 1};
    size_t counts[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        struct zv_arena arena = {0};
        struct zv_offers offers = {0};
        struct zv_error err = {0};
        const enum zv_status status = zv_offers_read(
            &offers, (struct zv_slice){(const char *)data, size}, "f", &options, &arena, &err);
        if (status != ZV_OK && (err.status != status || err.where[0] == 0)) {
            abort();
        }
        for (size_t k = 0; k < offers.count; k++) {
            const struct zv_offer *const offer = &offers.items[k];
            if (offer->card.length == 0 || offer->count == 0 || offer->price.currency[3] != 0 ||
                offer->price.currency[0] == 0) {
                abort();
            }
        }
        counts[i] = offers.count;
        zv_arena_free(&arena);
    }
    if (counts[0] != counts[1]) {
        abort();
    }
    return 0;
}
