/*
 * Reservations: how many token slots a request gets when its memory must be one piece.
 *
 * A request writes P + G - 1 slots: the token generated last is never fed back.
 */
#ifndef ZIRVE_KV_RESERVATION_H
#define ZIRVE_KV_RESERVATION_H

#include "kv/request_trace.h"

enum kv_reserve {
    KV_RESERVE_MAX,        /* the longest that is allowed */
    KV_RESERVE_POW2_TOTAL, /* the next power of two of prompt and answer together */
    KV_RESERVE_POW2_OUT,   /* the prompt, and the next power of two of the answer */
    KV_RESERVE_ORACLE,     /* what it will write: nobody knows that before */
    KV_RESERVE_COUNT
};

struct kv_reservation {
    enum kv_reserve kind;
    uint64_t max_tokens; /* for KV_RESERVE_MAX */
};

/* "max", "pow2total", "pow2out", "oracle" */
const char *kv_reserve_name(enum kv_reserve kind);

static inline uint64_t request_slots(const struct zv_request *request)
{
    return request->prompt_tokens + request->output_tokens - 1;
}

/* Slots that are set aside; fewer than request_slots when the request is longer than allowed. */
uint64_t reserved_slots(const struct kv_reservation *how, const struct zv_request *request);

#endif
