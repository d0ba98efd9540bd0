/* Base64 (RFC 4648, with padding), written as a stream. */
#ifndef ZIRVE_BASE_BASE64_H
#define ZIRVE_BASE_BASE64_H

#include <stddef.h>

#include "base/stream.h"

/* Zero-initialise, set sink; end when done. */
struct zv_base64 {
    struct zv_sink *sink;
    unsigned char bytes[3];
    unsigned count;
    char text[4096]; /* waiting */
    size_t size;
};

void zv_base64_put(struct zv_base64 *to, unsigned char byte);
void zv_base64_end(struct zv_base64 *to); /* may be used again then */

#endif
