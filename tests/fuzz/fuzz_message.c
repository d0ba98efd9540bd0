/* Any text as a failing log: what is found lies in it, and what is missing is what is not there. */
#include <stdlib.h>

#include "explain/engine_message.h"
#include "explain/oom_message.h"

static void must(bool holds)
{
    if (!holds) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct zv_slice text = {(const char *)data, size};
    struct zv_oom_message message;
    struct zv_engine_message stop;
    uint64_t lines = 1;
    for (size_t i = 0; i < size; i++) {
        lines += data[i] == '\n';
    }
    if (zv_oom_message_find(&message, text)) {
        must(message.requested.known && message.line >= 1 && message.line <= lines);
    }
    if (zv_engine_message_find(&stop, text)) {
        must(stop.line >= 1 && stop.line <= lines && stop.stop < ZV_ENGINE_STOPS);
        must(stop.missing_bytes == 0 ||
             (stop.needed.known && stop.missing_bytes <= stop.needed.bytes));
        must(stop.buffer.length == 0 ||
             (stop.buffer.at >= text.at && stop.buffer.at + stop.buffer.length <= text.at + size));
    }
    return 0;
}
