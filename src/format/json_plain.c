#include "format/json_plain.h"

#include "format/json_scan.h"

enum { LONGEST = 4096 }; /* bytes of a pair */

/* Behind the plain string at p, quotes included; NULL if there is none. */
static inline const char *read_string(struct zv_slice *to, const char *p, const char *end)
{
    const char *const quote = p < end && *p == '"' ? json_plain_end(p + 1, end) : NULL;
    if (quote == NULL) {
        return NULL;
    }
    *to = (struct zv_slice){p + 1, (size_t)(quote - p) - 1};
    return quote + 1;
}

bool zv_json_plain_pair(struct zv_json_plain *pair, const char *at, const char *end)
{
    end = end - at > LONGEST ? at + LONGEST : end;
    if (at == end || *at != ',') {
        return false;
    }
    do {
        at++;
    } while (at < end && (*at == ' ' || *at == '\n'));
    at = read_string(&pair->key, at, end);
    if (at == NULL || at == end || *at != ':') {
        return false;
    }
    at++;
    at = read_string(&pair->value, at + (at < end && *at == ' '), end);
    pair->end = at;
    return at != NULL;
}
