/* Two requests with the same system prompt, paged: cc kv.c -lzirve -lm */
#include <stdio.h>
#include <zirve/kv.h>

enum { PAGE = 16, PAGES = 64, PROMPT = 100, SHARED = 64 };

/* The keys of a prompt's full pages. The seed is to be drawn at random when the server starts. */
static size_t make_keys(const uint32_t *tokens, size_t count, struct zv_kv_key *keys)
{
    const struct zv_kv_key seed = {0x5EED, 0x5EED};
    const struct zv_kv_key no_extra = {0, 0};
    size_t i = 0;
    for (; (i + 1) * PAGE <= count; i++) {
        keys[i] =
            zv_kv_key_next(i != 0 ? &keys[i - 1] : NULL, tokens + i * PAGE, PAGE, no_extra, seed);
    }
    return i;
}

int main(void)
{
    const struct zv_kv_cache_options options = {.pool = {.pages = PAGES, .caching = true},
                                                .page_tokens = PAGE};
    struct zv_error err = {0};
    struct zv_kv_cache *cache;
    if (zv_kv_cache_open(&cache, &options, &err) != ZV_OK) {
        (void)fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    for (uint32_t request = 0; request < 2; request++) {
        uint32_t tokens[PROMPT];
        struct zv_kv_key keys[PROMPT / PAGE];
        struct zv_kv_grant grant;
        uint32_t sequence;
        for (uint32_t i = 0; i < PROMPT; i++) {
            tokens[i] = i < SHARED ? i : 1000 * request + i;
        }
        (void)make_keys(tokens, PROMPT, keys);
        const struct zv_kv_step step = {.known_tokens = PROMPT, .new_tokens = 2048, .keys = keys};
        if (zv_kv_sequence_open(cache, &sequence, &err) != ZV_OK ||
            zv_kv_sequence_admit(cache, sequence, &step, &grant, &err) != ZV_OK) {
            (void)fprintf(stderr, "%s\n", err.text);
            return 1;
        }
        (void)printf("request %u: %llu tokens found, %llu to compute, %u new pages\n", request,
                     (unsigned long long)grant.hit_tokens, (unsigned long long)grant.new_tokens,
                     grant.new_pages);
    }
    zv_kv_cache_close(cache);
    return 0;
}
