/* The words of PYTORCH_ALLOC_CONF and the values among them, as the PyTorch of a profile reads
 * them. */
#ifndef ZIRVE_ALLOCATOR_CONFIG_TOKENS_H
#define ZIRVE_ALLOCATOR_CONFIG_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "zirve/allocator.h"

enum { CONFIG_MAX_TOKENS = 1024 };

/* The string cut into words and the separators , : [ ] */
struct config_tokens {
    enum zv_torch_profile profile;
    struct zv_slice token[CONFIG_MAX_TOKENS];
    char text[CONFIG_MAX_TOKENS * 16]; /* the string without white space */
    size_t count;
    size_t at; /* next to be read */
};

static inline bool config_is_new(const struct config_tokens *tokens)
{
    return tokens->profile != ZV_TORCH_2_6;
}

/* Records that key expects something else; always ZV_E_SYNTAX. */
enum zv_status config_wrong(struct zv_error *err, const char *key, const char *expected);

enum zv_status config_cut(struct config_tokens *tokens, struct zv_slice text, struct zv_error *err);

/*
 * A separator. Later versions look at the token and then ignore what they saw: any one token
 * passes there, as long as there is one.
 */
enum zv_status config_expect(struct config_tokens *tokens, const char *separator, const char *key,
                             struct zv_error *err);

/* The value after the colon. */
enum zv_status config_next(struct config_tokens *tokens, const char *key, struct zv_slice *to,
                           struct zv_error *err);

/*
 * 2.6 reads an int (and turns a negative one into a huge size), later versions an unsigned long
 * (where a minus wraps around). Both ignore what follows the digits.
 */
bool config_integer(const struct config_tokens *tokens, struct zv_slice token, uint64_t *to);

/* The value after the colon as one of a kind. */
enum zv_status config_parse_bool(struct config_tokens *tokens, const char *key, bool *to,
                                 struct zv_error *err);
enum zv_status config_parse_integer(struct config_tokens *tokens, const char *key, uint64_t *to,
                                    struct zv_error *err);
enum zv_status config_parse_real(struct config_tokens *tokens, const char *key, double *to,
                                 struct zv_error *err);

#endif
