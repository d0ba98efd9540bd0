/* What kind of entry a file is, by what it states of itself. */
#include <string.h>

#include "decide/job_record.h"
#include "format/json_reader.h"

enum { WINDOW = 4096, LONGEST = 1 << 20, LINES = 64 };

static const struct {
    const char *name;
    const char *known;
    const char *schemas; /* what such a file states, space-separated; NULL: nothing */
} kinds[ZV_ENTRY_KINDS] = {
    [ZV_ENTRY_JOB] = {"job", "assumed", "zirve.job/"},
    [ZV_ENTRY_ESTIMATE] = {"estimate", "calculated", "zirve.estimate/"},
    [ZV_ENTRY_MEASUREMENT] = {"measurement", "measured", "zirve.measure/"},
    [ZV_ENTRY_EMULATION] = {"emulation", "emulated", "zirve.dryrun/"},
    [ZV_ENTRY_EXPLAIN] = {"explain", "calculated",
                          "zirve.explain/ zirve.explain_message/ zirve.explain_engine/ "
                          "zirve.explain_against/ zirve.explain_habits/ zirve.advice/"},
    [ZV_ENTRY_RUN] = {"run", "measured", "zirve.run/ zirve.run_search/"},
    [ZV_ENTRY_EVIDENCE] = {"evidence", "measured", "zirve.evidence/"},
    [ZV_ENTRY_ENVIRONMENT] = {"environment", "measured", "zirve.environment/"},
    [ZV_ENTRY_DECISION] = {"decision", "calculated", "zirve.choose/"},
    [ZV_ENTRY_LOG] = {"log", "measured", NULL},
    [ZV_ENTRY_DOCUMENT] = {"document", "unknown", NULL},
};

const char *zv_entry_kind_name(enum zv_entry_kind kind)
{
    return kinds[kind].name;
}

const char *zv_entry_known(const struct zv_entry *entry)
{
    return entry->known.length != 0 ? entry->known.at : kinds[entry->kind].known;
}

bool zv_entry_kind_parse(struct zv_slice name, enum zv_entry_kind *to)
{
    for (unsigned i = 0; i < ZV_ENTRY_KINDS; i++) {
        if (zv_slice_equal(name, kinds[i].name)) {
            *to = (enum zv_entry_kind)i;
            return true;
        }
    }
    return false;
}

static enum zv_entry_kind kind_of_schema(struct zv_slice text)
{
    for (unsigned i = 0; i < ZV_ENTRY_KINDS; i++) {
        struct zv_slice schemas = zv_slice_of(kinds[i].schemas);
        struct zv_slice schema;
        while (zv_slice_word(&schemas, &schema)) {
            if (memmem(text.at, text.length, schema.at, schema.length) != NULL) {
                return (enum zv_entry_kind)i;
            }
        }
    }
    return ZV_ENTRY_KINDS;
}

/* The members of the document alone: what is inside of it states nothing of the whole. False when
 * it cannot be read and stated nothing so far. */
static bool kind_of_json(struct zv_slice content, enum zv_entry_kind *kind, bool *emulated)
{
    struct zv_json_reader json;
    enum zv_json_token token = ZV_JSON_ERROR;
    if (zv_json_open(&json, zv_read_slice, &content, WINDOW, LONGEST) == ZV_OK) {
        token = zv_json_next(&json);
    }
    while (token != ZV_JSON_END && token != ZV_JSON_ERROR) {
        const struct zv_slice key = {json.text, json.length};
        const bool is_schema = token == ZV_JSON_KEY && zv_slice_equal(key, "schema");
        const bool is_known = token == ZV_JSON_KEY && zv_slice_equal(key, "known");
        token = zv_json_next(&json);
        const struct zv_slice value = {json.text, json.length};
        if (token == ZV_JSON_STRING && is_schema && *kind == ZV_ENTRY_KINDS) {
            *kind = kind_of_schema(value);
        } else if (token == ZV_JSON_STRING && is_known) {
            *emulated = *emulated || zv_slice_equal(value, "emulated");
        } else if (json.depth > 1 && !zv_json_skip(&json, 1)) {
            token = ZV_JSON_ERROR;
        }
    }
    zv_json_close(&json);
    return token == ZV_JSON_END || *kind != ZV_ENTRY_KINDS;
}

static enum zv_entry_kind kind_of_lines(struct zv_slice content)
{
    struct zv_slice line;
    enum zv_entry_kind kind = ZV_ENTRY_KINDS;
    for (unsigned n = 0; n < LINES && kind == ZV_ENTRY_KINDS && zv_slice_line(&content, &line);
         n++) {
        if (zv_slice_contains(line, "schema")) {
            kind = kind_of_schema(line);
        }
    }
    return kind;
}

enum zv_entry_kind zv_entry_kind_of(struct zv_slice content)
{
    const struct zv_slice text = zv_slice_trim(content);
    bool emulated = false;
    enum zv_entry_kind kind = ZV_ENTRY_KINDS;
    if (text.length == 0 || text.at[0] != '{' || !kind_of_json(text, &kind, &emulated)) {
        kind = kind_of_lines(text); /* YAML may begin so too */
    }
    return emulated && (kind == ZV_ENTRY_MEASUREMENT || kind == ZV_ENTRY_ENVIRONMENT)
               ? ZV_ENTRY_EMULATION
               : kind;
}
