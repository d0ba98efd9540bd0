/* Keys of a simulated request's pages, from the ids of a trace. Room-internal. */
#ifndef ZIRVE_KV_REQUEST_KEYS_H
#define ZIRVE_KV_REQUEST_KEYS_H

#include "kv/request_trace.h"
#include "zirve/kv.h"

/* Whether ids of 512 tokens can name pages of this length: one divides the other. */
bool keys_possible(uint64_t page_tokens);

/*
 * The key of full page j of request number: the id that covers its last token and where in it the
 * page lies; pages beyond the prompt, and of requests without ids, have keys of their own.
 */
struct zv_kv_key request_key(const struct zv_request *request, uint64_t number, uint64_t j,
                             uint64_t page_tokens);

#endif
