#include "kv/request_keys.h"

#define OWN (UINT64_C(1) << 63) /* no id of a trace is so large */

bool keys_possible(uint64_t page_tokens)
{
    return page_tokens != 0 &&
           (page_tokens % ZV_REQUEST_ID_TOKENS == 0 || ZV_REQUEST_ID_TOKENS % page_tokens == 0);
}

struct zv_kv_key request_key(const struct zv_request *request, uint64_t number, uint64_t j,
                             uint64_t page_tokens)
{
    if (request->id_count == 0 || (j + 1) * page_tokens > request->prompt_tokens) {
        return (struct zv_kv_key){number | OWN, j};
    }
    const uint64_t last = (j + 1) * page_tokens - 1;
    const uint64_t part = last % ZV_REQUEST_ID_TOKENS / page_tokens;
    return (struct zv_kv_key){request->ids[last / ZV_REQUEST_ID_TOKENS], part};
}
