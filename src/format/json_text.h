/* The inside of a JSON string: from escapes to characters. */
#ifndef ZIRVE_FORMAT_JSON_TEXT_H
#define ZIRVE_FORMAT_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/slice.h"

/*
 * Decodes raw, the text of a key or string as json_reader gives it (so its escapes are well
 * formed), into to, which has raw.length bytes; *length is what was used. False when it holds a NUL
 * character or a surrogate without its other half: no C string and no UTF-8 can hold them.
 */
bool zv_json_text_decode(struct zv_slice raw, char *to, size_t *length);

#endif
