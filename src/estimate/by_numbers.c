#include "base/checked.h"
#include "base/fail.h"
#include "estimate/estimate.h"

/* ceil(a * bits / 8) */
static bool bits_to_bytes(uint64_t values, uint64_t bits, uint64_t *bytes)
{
    uint64_t whole;
    uint64_t rest;
    if (!zv_mul(values / 8, bits, &whole) || !zv_mul(values % 8, bits, &rest)) {
        return false;
    }
    return zv_add(whole, zv_ceil_div(rest, 8), bytes);
}

enum zv_status zv_numbers_weights(const struct zv_numbers *numbers, uint64_t *bytes,
                                  struct zv_error *err)
{
    return bits_to_bytes(numbers->parameters, numbers->bits, bytes)
               ? ZV_OK
               : zv_fail(err, ZV_E_OVERFLOW, "the weights pass 2^64 bytes");
}

enum zv_status zv_numbers_cache(const struct zv_numbers *numbers, uint64_t *bytes,
                                struct zv_error *err)
{
    uint64_t values = 2;
    const uint64_t factors[] = {numbers->layers, numbers->kv_heads, numbers->head_dim,
                                numbers->context_tokens, numbers->sequences};
    for (size_t i = 0; i < sizeof factors / sizeof factors[0]; i++) {
        if (!zv_mul(values, factors[i], &values)) {
            return zv_fail(err, ZV_E_OVERFLOW, "the KV cache passes 2^64 bytes");
        }
    }
    return bits_to_bytes(values, numbers->kv_bits, bytes)
               ? ZV_OK
               : zv_fail(err, ZV_E_OVERFLOW, "the KV cache passes 2^64 bytes");
}

static enum zv_status add(struct zv_ledger *ledger, const char *id, const char *name,
                          const char *group, struct zv_quantity quantity, struct zv_error *err)
{
    if (quantity.basis == NULL) {
        return zv_fail_memory(err, "a ledger");
    }
    return zv_ledger_add(
        ledger, &(struct zv_item){.id = id, .name = name, .group = group, .quantity = quantity},
        err);
}

enum zv_status zv_numbers_ledger(const struct zv_numbers *numbers, struct zv_ledger *ledger,
                                 struct zv_error *err)
{
    int scope;
    uint64_t bytes = 0;
    enum zv_status status =
        zv_ledger_add_group(ledger, (struct zv_device_group){.count = 1, .role = ""}, &scope, err);
    if (status == ZV_OK && numbers->parameters != 0) {
        status = zv_numbers_weights(numbers, &bytes, err);
        const char *const basis = zv_arena_print(
            ledger->arena, "%llu values x %llu bits%s", (unsigned long long)numbers->parameters,
            (unsigned long long)numbers->bits,
            numbers->bits < 8 ? ", uniform storage assumed (no scales, nothing kept wider)" : "");
        const enum zv_known known = numbers->bits < 8 ? ZV_ASSUMED : ZV_CALCULATED;
        if (status == ZV_OK) {
            status = add(ledger, "weights", "weights only", "weights",
                         (struct zv_quantity){bytes, known, basis}, err);
        }
    }
    if (status == ZV_OK && numbers->layers != 0) {
        status = zv_numbers_cache(numbers, &bytes, err);
        const char *const basis = zv_arena_print(
            ledger->arena,
            "2 (K and V) x %llu layers x %llu KV heads x %llu x %llu tokens x %llu bits x %llu "
            "sequence%s",
            (unsigned long long)numbers->layers, (unsigned long long)numbers->kv_heads,
            (unsigned long long)numbers->head_dim, (unsigned long long)numbers->context_tokens,
            (unsigned long long)numbers->kv_bits, (unsigned long long)numbers->sequences,
            numbers->sequences == 1 ? "" : "s");
        if (status == ZV_OK) {
            status = add(ledger, "kv_cache", "KV cache", "cache",
                         (struct zv_quantity){bytes, ZV_CALCULATED, basis}, err);
        }
    }
    if (status == ZV_OK && numbers->reserve_bytes != 0) {
        status =
            add(ledger, "reserve", "reserve", "reserve",
                (struct zv_quantity){numbers->reserve_bytes, ZV_ASSUMED, "given by the user"}, err);
    }
    return status;
}
