#include "kv/reservation.h"

#include <stddef.h>

const char *kv_reserve_name(enum kv_reserve kind)
{
    static const char *const names[] = {"max", "pow2total", "pow2out", "oracle"};
    return kind < KV_RESERVE_COUNT ? names[kind] : NULL;
}

static uint64_t power_of_two(uint64_t at_least)
{
    uint64_t power = 1;
    while (power < at_least) {
        power *= 2;
    }
    return power;
}

uint64_t reserved_slots(const struct kv_reservation *how, const struct zv_request *request)
{
    switch (how->kind) {
    case KV_RESERVE_MAX:
        return how->max_tokens;
    case KV_RESERVE_POW2_TOTAL:
        return power_of_two(request->prompt_tokens + request->output_tokens);
    case KV_RESERVE_POW2_OUT:
        return request->prompt_tokens + power_of_two(request->output_tokens);
    case KV_RESERVE_ORACLE:
    case KV_RESERVE_COUNT:
        break;
    }
    return request_slots(request);
}
