/* The index of a sharded checkpoint: which files hold it. */
#ifndef ZIRVE_MODEL_MODEL_INDEX_H
#define ZIRVE_MODEL_MODEL_INDEX_H

#include "base/strmap.h"
#include "model/model_reader.h"

struct model_index {
    struct zv_strmap shards; /* names of files, in the order in which weight_map comes to them */
    size_t tensor_count;     /* that weight_map lists */
    uint64_t total_size;     /* metadata.total_size in bytes */
    bool has_total_size;
};

/*
 * Reads *.safetensors.index.json. weight_map is read as it comes, the rest as a tree; the same
 * input is refused as by zv_json_tree_read. Errors, with where = path: ZV_E_SYNTAX (no weight_map,
 * a tensor twice, a shard that is no name of a file beside the index), ZV_E_LIMIT, ZV_E_NOMEM. Free
 * with model_index_close, also after a failure.
 */
enum zv_status model_index_read(struct model_index *index, struct model_reader *reader,
                                const char *path, struct zv_error *err);
/* The same of bytes, which names of shards point into. Errors: without where. */
enum zv_status model_index_parse(struct model_index *index, struct zv_slice text,
                                 struct zv_arena *arena, struct zv_error *err);

void model_index_close(struct model_index *index);

#endif
