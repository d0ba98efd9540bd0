/* What does a model need on one card? cc estimate.c -lzirve -lm */
#include <stdio.h>
#include <zirve/estimate.h>

int main(int argc, char **argv)
{
    const struct zv_estimate_options options = {
        .model_path = argc > 1 ? argv[1] : NULL, .context_tokens = 8192, .sequences = 4};
    struct zv_arena arena = {0};
    struct zv_error err = {0};
    struct zv_ledger ledger;
    struct zv_total total;
    if (zv_estimate(&ledger, &options, &arena, &err) != ZV_OK ||
        zv_ledger_total(&ledger, 0, &total, &err) != ZV_OK) {
        (void)fprintf(stderr, "%s\n", err.text);
        zv_arena_free(&arena);
        return zv_status_exit_code(err.status);
    }
    for (size_t i = 0; i < ledger.count; i++) {
        const struct zv_item *const item = &ledger.items[i];
        (void)printf("%-32s %14llu B  %s\n", item->name, (unsigned long long)item->quantity.bytes,
                     zv_known_name(item->quantity.known));
    }
    (void)printf("at least %llu B, expected %llu B, %zu unknown\n",
                 (unsigned long long)total.at_least, (unsigned long long)total.expected,
                 total.unknown);
    zv_arena_free(&arena);
    return 0;
}
