/* Reads back what a page holds, as its own script would. */
#ifndef ZIRVE_TESTS_PAGE_READER_H
#define ZIRVE_TESTS_PAGE_READER_H

#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

/* What stands between the tags of the element with this id; its at is NULL when there is none. */
struct zv_slice page_element(struct zv_slice page, const char *id);

/* The bytes of an array; free them. */
unsigned char *page_array(struct zv_slice page, size_t number, size_t *size);

uint64_t page_number(const unsigned char **at);
int64_t page_difference(const unsigned char **at);

/* count values of a series, in its unit. */
void page_series(struct zv_slice page, size_t number, uint64_t unit, uint64_t *to, size_t count);

#endif
