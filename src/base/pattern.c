#include "base/pattern.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/fail.h"

/* The largest number between the braces at text: what the repeat may be written out to. */
static uint64_t largest_repeat(const char *text)
{
    uint64_t largest = 1;
    uint64_t number = 0;
    for (text++; *text != 0 && *text != '}'; text++) {
        number = zv_is_digit(*text) && number < ZV_PATTERN_MAX_COST
                     ? number * 10 + (uint64_t)(*text - '0')
                     : 0;
        largest = number > largest ? number : largest;
    }
    return largest;
}

enum zv_status zv_pattern_compile(regex_t *regex, const char *text, struct zv_error *err)
{
    uint64_t cost = strlen(text) + 1;
    for (const char *at = text; *at != 0; at++) {
        if (*at == '\\' && at[1] != 0) {
            at++;
            if (zv_is_digit(*at)) {
                return zv_fail(err, ZV_E_UNSUPPORTED, "'%s': a reference back to a group", text);
            }
        } else if (*at == '{' && cost <= ZV_PATTERN_MAX_COST) {
            cost *= largest_repeat(at); /* as if each stood in the one before */
        }
    }
    if (cost > ZV_PATTERN_MAX_COST) {
        return zv_fail(err, ZV_E_LIMIT, "'%s': repeats that are more than %d bytes written out",
                       text, ZV_PATTERN_MAX_COST);
    }
    return regcomp(regex, text, REG_EXTENDED | REG_NOSUB) == 0
               ? ZV_OK
               : zv_fail(err, ZV_E_USAGE, "'%s': expected a regular expression", text);
}
