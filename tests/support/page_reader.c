#include "support/page_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"

struct zv_slice page_element(struct zv_slice page, const char *id)
{
    char wanted[64];
    (void)snprintf(wanted, sizeof wanted, "id=\"%s\">", id);
    const char *const tag = memmem(page.at, page.length, wanted, strlen(wanted));
    if (tag == NULL) {
        return (struct zv_slice){0};
    }
    const char *const from = tag + strlen(wanted);
    const char *const end = memmem(from, page.length - (size_t)(from - page.at), "</", 2);
    return (struct zv_slice){from, end == NULL ? 0 : (size_t)(end - from)};
}

static unsigned digit(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *const at = strchr(digits, c);
    assert_non_null(at);
    return (unsigned)(at - digits);
}

unsigned char *page_array(struct zv_slice page, size_t number, size_t *size)
{
    char id[32];
    (void)snprintf(id, sizeof id, "a%zu", number);
    const struct zv_slice text = page_element(page, id);
    assert_non_null(text.at);
    assert_int_equal(text.length % 4, 0);
    unsigned char *const to = malloc(text.length + 1);
    assert_non_null(to);
    unsigned bits = 0;
    unsigned count = 0;
    *size = 0;
    for (size_t i = 0; i < text.length && text.at[i] != '='; i++) {
        bits = bits << 6 | digit(text.at[i]);
        count += 6;
        if (count >= 8) {
            count -= 8;
            to[(*size)++] = (unsigned char)(bits >> count);
        }
    }
    return to;
}

uint64_t page_number(const unsigned char **at)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        const unsigned char byte = *(*at)++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            return value;
        }
    }
}

int64_t page_difference(const unsigned char **at)
{
    const uint64_t value = page_number(at);
    return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

void page_series(struct zv_slice page, size_t number, uint64_t unit, uint64_t *to, size_t count)
{
    size_t size;
    unsigned char *const bytes = page_array(page, number, &size);
    const unsigned char *at = bytes;
    uint64_t value = 0;
    for (size_t i = 0; i < count; i++) {
        const int64_t change = page_difference(&at);
        value += (uint64_t)change;
        to[i] = value * unit;
        for (uint64_t more = change == 0 ? page_number(&at) : 0; more != 0; more--) {
            assert_true(i + 1 < count);
            to[++i] = value * unit;
        }
    }
    assert_int_equal(at - bytes, size);
    free(bytes);
}
