/* A GGUF's metadata as the keys of a family table: "attention.head_count" is looked up behind the
 * architecture's name, "/general.name" as it stands. */
#ifndef ZIRVE_MODEL_GGUF_KEYS_H
#define ZIRVE_MODEL_GGUF_KEYS_H

#include "format/gguf.h"
#include "model/config_value.h"

struct gguf_keys {
    const struct zv_gguf *file;
    struct zv_slice architecture;
};

struct model_keys model_keys_gguf(const struct gguf_keys *keys);

#endif
