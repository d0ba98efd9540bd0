/* Names of cards as people write them, compared by their words. Room-internal. */
#ifndef ZIRVE_CARD_CARD_NAME_H
#define ZIRVE_CARD_CARD_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "base/slice.h"

enum { CARD_MAX_TOKENS = 16, CARD_TOKEN_TEXT = 24 };

struct card_tokens {
    char words[CARD_MAX_TOKENS][CARD_TOKEN_TEXT];
    size_t count;
};

/* Lower-case words: "RTX4090" and "rtx-4090" are rtx, 4090; "3090Ti" is 3090, ti. False: too long.
 */
bool card_tokens_read(struct card_tokens *tokens, struct zv_slice name);
bool card_tokens_have(const struct card_tokens *tokens, const char *word);

/* Equal up to case and white space. */
bool card_same_name(struct zv_slice a, struct zv_slice b);

#endif
