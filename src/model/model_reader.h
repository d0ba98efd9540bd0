/* What the readers of the single formats share while one model is opened. */
#ifndef ZIRVE_MODEL_MODEL_READER_H
#define ZIRVE_MODEL_MODEL_READER_H

#include "base/file.h"
#include "format/json_tree.h"
#include "model/model.h"
#include "model/tensor_parts.h"

enum { MODEL_MAX_LINES = 64, MODEL_MAX_FILES = 4096 };

/* Lines of `unknown` or `notes`. */
struct model_lines {
    const char *at[MODEL_MAX_LINES];
    size_t count;
};

struct zv_model_files {
    struct zv_file *at;
    size_t count;
    size_t capacity;
};

struct model_reader {
    struct zv_model *model;
    struct zv_model_files *files;
    struct zv_arena *arena;
    const char *given; /* the path that was asked for: it alone may be a pipe */
    struct tensor_parts parts;
    struct model_lines unknown;
    struct model_lines notes;
    uint64_t draft_layers; /* num_nextn_predict_layers of the config */
};

/* Adds a line; beyond MODEL_MAX_LINES, or without memory, it is dropped. */
void model_note(struct model_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void model_unknown(struct model_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Opens a file that stays mapped with the model; errors have where = path. */
enum zv_status model_map(struct model_reader *reader, const char *path, struct zv_slice *bytes,
                         struct zv_error *err);

/* Parses a JSON file whose root is an object; errors have where = path. */
enum zv_status model_map_json(struct model_reader *reader, const char *path,
                              const struct zv_json_value **root, struct zv_error *err);

/* "folder/name" in the arena; NULL without memory. */
const char *model_path(struct model_reader *reader, const char *folder, struct zv_slice name);

/* Σ over tensors. Errors: ZV_E_OVERFLOW. */
enum zv_status model_total(struct zv_model *model, struct zv_error *err);

/* ---- config.json ---- */

/*
 * Facts, layers and calculated tensors from a config (room model's family tables), quantised as it
 * says. path is for messages. Errors have where = path.
 */
enum zv_status model_read_config(struct model_reader *reader, const char *path,
                                 const struct zv_json_value *root, struct zv_error *err);

/* quantization_config (or compression_config) of a config; method NONE when there is none. */
enum zv_status model_read_quant(struct model_reader *reader, const struct zv_json_value *root,
                                struct zv_quant *quant, struct zv_error *err);

/* ---- GGUF ---- */

/*
 * One .gguf, or all files of a split model when path is any of them. Errors have where = the file;
 * ZV_E_NOT_FOUND names a missing file of the split.
 */
enum zv_status model_read_gguf(struct model_reader *reader, const char *path, struct zv_error *err);

/* ---- safetensors ---- */

/* Tensors read from headers, before it is known what they mean. */
struct model_tensors {
    struct zv_tensor *at;
    size_t count;
};

/*
 * Reads the headers of paths (count of them) into one list. Two files with the same tensor name are
 * an error. Tensors of experts 0 to N that differ in nothing else are one entry, as calculated ones
 * are. Errors have where = the file.
 */
enum zv_status model_read_safetensors(struct model_reader *reader, const char *const *paths,
                                      size_t count, struct model_tensors *to, struct zv_error *err);

/*
 * Entries that stand for several become as many entries: those that which says (one for each
 * entry), or all when it is NULL. Errors: ZV_E_NOMEM.
 */
enum zv_status model_unfold(struct model_reader *reader, struct model_tensors *tensors,
                            const bool *which, struct zv_error *err);

/*
 * Finds out what packed and scaled weights count: a packed weight its values, scales and zeros
 * nothing. Sets elements, metadata and the quantised weights' linear.
 */
enum zv_status model_unpack(struct model_reader *reader, struct model_tensors *tensors,
                            struct zv_error *err);

/*
 * Makes tensors those of the model; what the family's table calculated (still in the model) gives
 * each its place, and differences become notes.
 */
enum zv_status model_take_tensors(struct model_reader *reader, struct model_tensors *tensors,
                                  struct zv_error *err);

/* ---- folders ---- */

/* The file names of a folder, sorted; hidden ones left out. */
struct model_listing {
    const char **at;
    size_t count;
};

enum zv_status model_list(struct model_reader *reader, const char *folder, struct model_listing *to,
                          struct zv_error *err);
bool model_listing_has(const struct model_listing *listing, const char *name);

/* The first name with this ending that does not start with `but`; NULL when there is none. */
const char *model_listing_ending(const struct model_listing *listing, const char *end,
                                 const char *but);

/* A diffusers pipeline: model_index.json and a folder for each part. */
enum zv_status model_read_pipeline(struct model_reader *reader, const char *folder,
                                   struct zv_error *err);

/* A folder of any kind, a single .safetensors, or an index. */
enum zv_status model_read_folder(struct model_reader *reader, const char *folder,
                                 struct zv_error *err);
enum zv_status model_read_weights_file(struct model_reader *reader, const char *path,
                                       struct zv_error *err);
enum zv_status model_read_index(struct model_reader *reader, const char *path,
                                struct zv_error *err);

#endif
