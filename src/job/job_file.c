#include "job/job_file.h"

#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/fail.h"
#include "base/units.h"

const char *const zv_job_size_names[] = {
    "context", "input_tokens", "output_tokens", "concurrency",  "micro_batch", "sequence_tokens",
    "images",  "image_width",  "image_height",  "accumulation", NULL};

enum shape { TEXT, COUNT, TEXTS, FREE };

/* Every key of the schema, the option of zirve estimate that it stands for, and its shape. A path
 * that ends in '*' stands for any key below it. */
static const struct row {
    const char *path;
    enum shape shape;
    const char *option;
} schema[] = {
    {"schema", TEXT, NULL},
    {"title", TEXT, NULL},
    {"model.path", TEXT, NULL},
    {"model.revision", TEXT, NULL},
    {"model.parameters", COUNT, "parameters"},
    {"model.bits", COUNT, "bits"},
    {"task", TEXT, "task"},
    {"formats.storage", TEXT, "quantization"},
    {"formats.compute", TEXT, "dtype"},
    {"sizes.context", COUNT, "context"},
    {"sizes.input_tokens", COUNT, NULL},
    {"sizes.output_tokens", COUNT, NULL},
    {"sizes.concurrency", COUNT, "concurrency"},
    {"sizes.micro_batch", COUNT, "micro-batch"},
    {"sizes.sequence_tokens", COUNT, "seq-length"},
    {"sizes.accumulation", COUNT, "accumulation"},
    {"sizes.images", COUNT, NULL},
    {"sizes.image_width", COUNT, NULL},
    {"sizes.image_height", COUNT, NULL},
    {"estimate.*", FREE, NULL},
    {"resident.*", FREE, NULL},
    {"covers", TEXTS, NULL},
    {"start", TEXT, NULL},
    {"inputs.set", TEXT, NULL},
    {"inputs.seed", TEXT, NULL},
    {"inputs.preparation", TEXT, NULL},
    {"inputs.usual", TEXT, NULL},
    {"inputs.long", TEXT, NULL},
    {"inputs.limit", TEXT, NULL},
    {"quality.criterion", TEXT, NULL},
    {"quality.minimum", TEXT, NULL},
    {"targets.latency_ms", TEXT, NULL},
    {"targets.cost", TEXT, NULL},
    {"environment.*", FREE, NULL},
    {"days", COUNT, NULL},
    {"needs.*", FREE, NULL},
    {"evidence.*", FREE, NULL},
    {"margin.*", FREE, NULL},
    {"invalid_if", TEXTS, NULL},
};

enum { MAX_KEY = 128, MAX_WALKED = 4096 };

struct reader {
    struct zv_job_file *file;
    struct zv_arena *arena;
    struct zv_error *err;
    size_t walked; /* values seen */
};

static bool is_below(const char *pattern, const char *path)
{
    const size_t length = strlen(pattern) - 1; /* with the point */
    return pattern[length] == '*' &&
           (strncmp(pattern, path, length) == 0 ||
            (strncmp(pattern, path, length - 1) == 0 && path[length - 1] == 0));
}

static const struct row *find_row(const char *path)
{
    for (size_t i = 0; i < sizeof schema / sizeof schema[0]; i++) {
        if (strcmp(schema[i].path, path) == 0 || is_below(schema[i].path, path)) {
            return &schema[i];
        }
    }
    return NULL;
}

/* Whether path is the front of a key of the schema: "model" of "model.path". */
static bool is_section(const char *path)
{
    const size_t length = strlen(path);
    for (size_t i = 0; i < sizeof schema / sizeof schema[0]; i++) {
        if (strncmp(schema[i].path, path, length) == 0 && schema[i].path[length] == '.') {
            return true;
        }
    }
    return false;
}

static enum zv_status add_setting(struct reader *reader, const char *option, const char *value,
                                  const struct zv_yaml_value *at)
{
    struct zv_job_file *const file = reader->file;
    if (file->setting_count == ZV_JOB_FILE_MAX_SETTINGS) {
        return zv_yaml_fail(at, reader->err, ZV_E_LIMIT, "more than %d settings",
                            ZV_JOB_FILE_MAX_SETTINGS);
    }
    file->settings[file->setting_count++] =
        (struct zv_job_setting){option, value, at->line, at->column};
    return ZV_OK;
}

static enum zv_status add_field(struct reader *reader, const char *path,
                                const struct zv_yaml_value *value)
{
    struct zv_job_file *const file = reader->file;
    if (file->field_count == ZV_JOB_FILE_MAX_FIELDS) {
        return zv_yaml_fail(value, reader->err, ZV_E_LIMIT, "more than %d values",
                            ZV_JOB_FILE_MAX_FIELDS);
    }
    file->fields[file->field_count++] = (struct zv_job_field){path, value->text, value->line};
    return ZV_OK;
}

static enum zv_status add_size(struct reader *reader, const char *path,
                               const struct zv_yaml_value *value, uint64_t count)
{
    struct zv_job_file *const file = reader->file;
    if (strncmp(path, "sizes.", 6) != 0) {
        return ZV_OK;
    }
    if (count == 0) {
        return zv_yaml_fail(value, reader->err, ZV_E_SYNTAX, "%s: expected at least 1", path);
    }
    file->sizes[file->size_count++] = (struct zv_job_size){path + 6, count}; /* keys differ */
    return ZV_OK;
}

/* A value of the schema's own keys. */
static enum zv_status take(struct reader *reader, const struct row *row, const char *path,
                           const struct zv_yaml_value *value)
{
    uint64_t count = 0;
    if (row->shape == FREE || row->shape == TEXTS) {
        return ZV_OK;
    }
    if (row->shape == COUNT && !zv_count_parse(value->text, &count)) {
        return zv_yaml_fail(value, reader->err, ZV_E_SYNTAX,
                            "%s: expected a whole number such as 8192, 32k or 7e9", path);
    }
    enum zv_status status = add_size(reader, path, value, count);
    if (strcmp(path, "days") == 0) {
        reader->file->days = count;
    }
    if (status == ZV_OK && row->option != NULL) {
        status = add_setting(reader, row->option, value->text.at, value);
    }
    return status;
}

static enum zv_status fail_key(struct reader *reader, const struct zv_yaml_value *value,
                               const char *path)
{
    return zv_yaml_fail(value, reader->err, ZV_E_SYNTAX,
                        "'%s' is no key of a job file: 'zirve record init' writes one with all of "
                        "them",
                        path);
}

static enum zv_status take_scalar(struct reader *reader, const struct zv_yaml_value *value,
                                  const char *path)
{
    const struct row *const row = find_row(path);
    if (value->kind == ZV_YAML_NULL) { /* a key that is left open */
        return row != NULL || is_section(path) ? ZV_OK : fail_key(reader, value, path);
    }
    if (row == NULL) {
        return is_section(path)
                   ? zv_yaml_fail(value, reader->err, ZV_E_SYNTAX, "%s: expected a map", path)
                   : fail_key(reader, value, path);
    }
    const enum zv_status status = add_field(reader, path, value);
    return status == ZV_OK ? take(reader, row, path, value) : status;
}

static enum zv_status check_container(struct reader *reader, const struct zv_yaml_value *value,
                                      const char *path)
{
    const struct row *const row = find_row(path);
    if (row != NULL && (row->shape == TEXT || row->shape == COUNT)) {
        return zv_yaml_fail(value, reader->err, ZV_E_SYNTAX, "%s: expected one value, here is %s",
                            path, zv_yaml_kind_name(value));
    }
    if (row == NULL && path[0] != 0 && !is_section(path)) {
        return fail_key(reader, value, path);
    }
    return ZV_OK;
}

/* The path of the i-th value below; NULL after a failure. Paths of hostile files stay small. */
static const char *path_below(struct reader *reader, const struct zv_yaml_value *value,
                              const char *path, size_t i, enum zv_status *status)
{
    const struct zv_yaml_value *const item = zv_yaml_item(value, i);
    if (item->key.length > MAX_KEY || ++reader->walked > MAX_WALKED) {
        *status = zv_yaml_fail(item, reader->err, ZV_E_LIMIT,
                               "a key of more than %d bytes, or more than %d values", MAX_KEY,
                               MAX_WALKED);
        return NULL;
    }
    const char *const below =
        value->kind == ZV_YAML_LIST
            ? zv_arena_print(reader->arena, "%s.%zu", path, i)
            : zv_arena_print(reader->arena, "%s%s%.*s", path, path[0] != 0 ? "." : "",
                             (int)item->key.length, item->key.at);
    *status = below != NULL ? ZV_OK : zv_fail_memory(reader->err, "a job file");
    return below;
}

/* NOLINTBEGIN(misc-no-recursion): no deeper than ZV_YAML_MAX_DEPTH. */
static enum zv_status walk(struct reader *reader, const struct zv_yaml_value *value,
                           const char *path)
{
    if (value->kind == ZV_YAML_NULL || value->kind == ZV_YAML_TEXT) {
        return take_scalar(reader, value, path);
    }
    const struct row *const row = find_row(path);
    const bool listed = row != NULL && row->shape == TEXTS;
    enum zv_status status = check_container(reader, value, path);
    for (size_t i = 0; status == ZV_OK && i < zv_yaml_count(value); i++) {
        const struct zv_yaml_value *const item = zv_yaml_item(value, i);
        const char *const below = path_below(reader, value, path, i, &status);
        if (below != NULL && listed && item->kind == ZV_YAML_TEXT) {
            status = add_field(reader, below, item);
        } else if (below != NULL) {
            status = walk(reader, item, below);
        }
    }
    return status;
}
/* NOLINTEND(misc-no-recursion) */

/* estimate: {tp: 2, enforce-eager: true, lora: [a, b]} */
static enum zv_status take_options(struct reader *reader)
{
    const struct zv_yaml_value *const map = zv_yaml_find(reader->file->root, "estimate");
    enum zv_status status = ZV_OK;
    if (map != NULL && map->kind != ZV_YAML_MAP && map->kind != ZV_YAML_NULL) {
        return zv_yaml_fail(map, reader->err, ZV_E_SYNTAX, "estimate: expected a map of options");
    }
    for (size_t i = 0; status == ZV_OK && i < zv_yaml_count(map); i++) {
        const struct zv_yaml_value *const value = zv_yaml_item(map, i);
        bool on = false;
        if (value->kind == ZV_YAML_LIST) {
            for (size_t k = 0; status == ZV_OK && k < zv_yaml_count(value); k++) {
                struct zv_slice text;
                const struct zv_yaml_value *const item = zv_yaml_item(value, k);
                status = zv_yaml_text(item, &text)
                             ? add_setting(reader, value->key.at, text.at, item)
                             : zv_yaml_fail(item, reader->err, ZV_E_SYNTAX, "expected a text");
            }
        } else if (value->kind == ZV_YAML_TEXT && !value->quoted && zv_yaml_bool(value, &on)) {
            status = on ? add_setting(reader, value->key.at, NULL, value) : ZV_OK;
        } else if (value->kind == ZV_YAML_TEXT) {
            status = add_setting(reader, value->key.at, value->text.at, value);
        } else if (value->kind == ZV_YAML_MAP) {
            status = zv_yaml_fail(value, reader->err, ZV_E_SYNTAX, "expected the option's value");
        }
    }
    return status;
}

/* resident: what else stays in memory, an item of the estimate each. */
static enum zv_status take_resident(struct reader *reader)
{
    const struct zv_yaml_value *const list = zv_yaml_find(reader->file->root, "resident");
    enum zv_status status = ZV_OK;
    for (size_t i = 0; status == ZV_OK && i < zv_yaml_count(list); i++) {
        const struct zv_yaml_value *const item = zv_yaml_item(list, i);
        struct zv_slice name = {0};
        struct zv_slice bytes = {"unknown", 7};
        struct zv_slice known = {"assumed", 7};
        bool host = false;
        (void)zv_yaml_text(zv_yaml_find(item, "bytes"), &bytes);
        (void)zv_yaml_text(zv_yaml_find(item, "known"), &known);
        (void)zv_yaml_bool(zv_yaml_find(item, "host"), &host);
        if (!zv_yaml_text(zv_yaml_find(item, "name"), &name)) {
            return zv_yaml_fail(item, reader->err, ZV_E_SYNTAX,
                                "resident: expected {name: TEXT, bytes: SIZE, known: assumed}");
        }
        const char *const value =
            zv_arena_print(reader->arena, "%.*s=%.*s:%.*s", (int)name.length, name.at,
                           (int)bytes.length, bytes.at, (int)known.length, known.at);
        status = value == NULL ? zv_fail_memory(reader->err, "a job file")
                               : add_setting(reader, host ? "host-item" : "item", value, item);
    }
    return status;
}

/* Prompt and answer together, where the context itself is not given. */
static enum zv_status take_context(struct reader *reader)
{
    const uint64_t input = zv_job_file_size(reader->file, "input_tokens");
    const uint64_t output = zv_job_file_size(reader->file, "output_tokens");
    uint64_t sum;
    if (input == 0 || zv_job_file_size(reader->file, "context") != 0 ||
        zv_job_file_size(reader->file, "micro_batch") != 0) {
        return ZV_OK;
    }
    const struct zv_yaml_value *const at =
        zv_yaml_find(zv_yaml_find(reader->file->root, "sizes"), "input_tokens");
    if (!zv_add(input, output, &sum)) {
        return zv_yaml_fail(at, reader->err, ZV_E_OVERFLOW, "the context passes 2^64 tokens");
    }
    const char *const value = zv_arena_print(reader->arena, "%llu", (unsigned long long)sum);
    return value == NULL ? zv_fail_memory(reader->err, "a job file")
                         : add_setting(reader, "context", value, at);
}

static enum zv_status check_schema(const struct zv_yaml_value *root, struct zv_error *err)
{
    struct zv_slice name = {0};
    const struct zv_yaml_value *const value = zv_yaml_find(root, "schema");
    if (root->kind != ZV_YAML_MAP || !zv_yaml_text(value, &name) ||
        !zv_slice_starts(name, "zirve.job/")) {
        return zv_yaml_fail(root, err, ZV_E_SYNTAX,
                            "no job file: expected 'schema: " ZV_JOB_SCHEMA "' in it");
    }
    return zv_slice_equal(name, ZV_JOB_SCHEMA)
               ? ZV_OK
               : zv_yaml_fail(value, err, ZV_E_UNSUPPORTED,
                              "schema %.*s is not known here: this zirve reads " ZV_JOB_SCHEMA,
                              (int)(name.length < 60 ? name.length : 60), name.at);
}

enum zv_status zv_job_file_read(struct zv_job_file *file, struct zv_slice text,
                                struct zv_arena *arena, struct zv_error *err)
{
    *file = (struct zv_job_file){0};
    struct reader reader = {.file = file, .arena = arena, .err = err};
    enum zv_status status = zv_yaml_read(&file->root, text, arena, err);
    if (status == ZV_OK) {
        status = check_schema(file->root, err);
    }
    if (status == ZV_OK) {
        status = walk(&reader, file->root, "");
    }
    static enum zv_status (*const parts[])(struct reader *) = {take_options, take_resident,
                                                               take_context};
    for (size_t i = 0; status == ZV_OK && i < sizeof parts / sizeof parts[0]; i++) {
        status = parts[i](&reader);
    }
    file->model_path = zv_job_file_field(file, "model.path").at;
    file->by_hand = zv_job_file_field(file, "model.parameters").length != 0;
    return status;
}

bool zv_job_file_is(struct zv_slice text)
{
    struct zv_slice line;
    while (zv_slice_line(&text, &line)) {
        line = zv_slice_trim(line);
        if (line.length != 0 && line.at[0] != '#' && !zv_slice_equal(line, "---")) {
            return zv_slice_starts(line, "schema:") && zv_slice_contains(line, "zirve.job/");
        }
    }
    return false;
}

struct zv_slice zv_job_file_field(const struct zv_job_file *file, const char *path)
{
    for (size_t i = 0; i < file->field_count; i++) {
        if (strcmp(file->fields[i].path, path) == 0) {
            return file->fields[i].text;
        }
    }
    return (struct zv_slice){0};
}

uint64_t zv_job_file_size(const struct zv_job_file *file, const char *name)
{
    for (size_t i = 0; i < file->size_count; i++) {
        if (strcmp(file->sizes[i].name, name) == 0) {
            return file->sizes[i].value;
        }
    }
    return 0;
}
