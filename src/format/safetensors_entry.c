#include "format/safetensors_entry.h"

#include <stdbool.h>
#include <string.h>

#include "format/json_scan.h"

enum { LONGEST = 4096, SAFE_DIGITS = 19 }; /* bytes of an entry; digits that always fit */

/* Moves *at past text, which has length bytes, if it is there. */
static inline bool pass(const char **at, const char *end, const char *text, size_t length)
{
    if ((size_t)(end - *at) < length || memcmp(*at, text, length) != 0) {
        return false;
    }
    *at += length;
    return true;
}

#define PASS(at, end, text) pass(at, end, text, sizeof(text) - 1)

/* Moves *at past a plain string's end, with the closing quote. */
static inline bool pass_string(const char **at, const char *end, struct zv_slice *to)
{
    const char *const quote = json_plain_end(*at, end);
    if (quote == NULL) {
        return false;
    }
    *to = (struct zv_slice){*at, (size_t)(quote - *at)};
    *at = quote + 1;
    return true;
}

static inline bool pass_number(const char **at, const char *end, uint64_t *to)
{
    const char *const first = *at;
    const char *p = first;
    uint64_t value = 0;
    for (; p < end && (unsigned)(*p - '0') < 10; p++) {
        value = value * 10 + (unsigned)(*p - '0');
    }
    if (p == first || p - first > SAFE_DIGITS || (*first == '0' && p - first > 1)) {
        return false;
    }
    *to = value;
    *at = p;
    return true;
}

/* The numbers of a list behind its opening bracket; *at is left on the closing one. */
static bool pass_shape(const char **at, const char *end, struct zv_safetensors_tensor *tensor)
{
    if (*at < end && **at == ']') {
        return true;
    }
    do {
        if (tensor->dims == ZV_SAFETENSORS_MAX_DIMS ||
            !pass_number(at, end, &tensor->shape[tensor->dims++])) {
            return false;
        }
    } while (PASS(at, end, ","));
    return true;
}

const char *safetensors_entry(const char *at, const char *end, struct zv_safetensors_tensor *tensor,
                              uint64_t offsets[2])
{
    end = end - at > LONGEST ? at + LONGEST : end;
    *tensor = (struct zv_safetensors_tensor){0};
    const bool good = PASS(&at, end, ",\"") && pass_string(&at, end, &tensor->name) &&
                      PASS(&at, end, ":{\"dtype\":\"") && pass_string(&at, end, &tensor->dtype) &&
                      PASS(&at, end, ",\"shape\":[") && pass_shape(&at, end, tensor) &&
                      PASS(&at, end, "],\"data_offsets\":[") &&
                      pass_number(&at, end, &offsets[0]) && PASS(&at, end, ",") &&
                      pass_number(&at, end, &offsets[1]) && PASS(&at, end, "]}");
    if (!good || zv_slice_equal(tensor->name, "__metadata__")) {
        return NULL;
    }
    tensor->type = zv_safetensors_type(tensor->dtype);
    tensor->bits = zv_safetensors_type_bits(tensor->type);
    return at;
}
