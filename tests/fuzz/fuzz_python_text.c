/* Any bytes as version.py, pyvenv.cfg or patchlevel.h: a value lies within them, on one line. */
#include <stdlib.h>
#include <string.h>

#include "probe/python_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const keys[] = {"__version__", "cuda", "version"};
    const struct zv_slice text = {(const char *)data, size};
    for (size_t i = 0; i < 2 * sizeof keys / sizeof keys[0]; i++) {
        struct zv_slice value;
        const bool found = i % 2 == 0 ? python_text_value(text, keys[i / 2], &value)
                                      : python_text_define(text, keys[i / 2], &value);
        if (found &&
            (value.length == 0 || value.at < text.at || value.at + value.length > text.at + size ||
             memchr(value.at, '\n', value.length) != NULL)) {
            abort();
        }
    }
    return 0;
}
