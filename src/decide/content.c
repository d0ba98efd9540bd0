/* What the attachments of a record say, and what they leave open. */
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/fail.h"
#include "decide/sheet.h"
#include "format/json_tree.h"

/* The weights of the card that holds most of them. */
static void take_weights(struct zv_content *content, const struct zv_json_value *root)
{
    uint64_t sums[64] = {0};
    const struct zv_json_value *const formats = zv_json_find(root, "formats");
    const struct zv_json_value *const items =
        zv_json_find(formats != NULL ? zv_json_item(formats, 0) : root, "items");
    for (size_t i = 0; i < zv_json_count(items); i++) {
        const struct zv_json_value *const item = zv_json_item(items, i);
        struct zv_slice group = {0};
        uint64_t scope;
        uint64_t bytes;
        (void)zv_json_string(zv_json_find(item, "group"), &group);
        if (!zv_slice_equal(group, "weights") ||
            !zv_json_u64(zv_json_find(item, "scope"), &scope) || scope >= 64 ||
            !zv_json_u64(zv_json_find(item, "bytes"), &bytes) ||
            !zv_add(sums[scope], bytes, &sums[scope])) {
            continue;
        }
        content->has_weights = true;
        content->weights_bytes =
            sums[scope] > content->weights_bytes ? sums[scope] : content->weights_bytes;
    }
}

static enum zv_status read_estimate(struct zv_content *content, struct zv_slice text,
                                    struct zv_arena *arena, struct zv_error *err)
{
    const struct zv_json_value *root;
    struct zv_required kept = content->required; /* with the job's variations */
    enum zv_status status = zv_required_read(&content->required, text, arena, err);
    if (status == ZV_OK) {
        memcpy(content->required.variations, kept.variations, sizeof kept.variations);
        content->required.variation_count = kept.variation_count;
        content->required.varied = kept.varied;
        content->required.source = "calculated, from the estimate in the record";
        status = zv_json_tree_read(&root, text, ZV_JSON_STRICT, arena, err);
    }
    if (status == ZV_OK) {
        take_weights(content, root);
    }
    return status;
}

static enum zv_status read_job(struct zv_content *content, struct zv_slice text,
                               struct zv_arena *arena, struct zv_error *err)
{
    enum zv_status status = zv_job_file_read(&content->job, text, arena, err);
    if (status == ZV_OK) {
        status =
            zv_variations_read(&content->required, zv_yaml_find(content->job.root, "margin"), err);
    }
    return status == ZV_OK
               ? zv_evidence_read(&content->evidence, zv_yaml_find(content->job.root, "evidence"),
                                  "the record's job", arena, err)
               : status;
}

static enum zv_status read_evidence(struct zv_content *content, struct zv_slice text,
                                    const char *name, struct zv_arena *arena, struct zv_error *err)
{
    const struct zv_yaml_value *root;
    const enum zv_status status = zv_yaml_read(&root, text, arena, err);
    return status == ZV_OK ? zv_evidence_read(&content->evidence, zv_yaml_find(root, "evidence"),
                                              name, arena, err)
                           : status;
}

static enum zv_status read_entry(struct zv_content *content, const struct zv_job_record *record,
                                 const struct zv_entry *entry, struct zv_arena *arena,
                                 struct zv_error *err)
{
    struct zv_file file = {0};
    enum zv_status status = zv_job_record_open(&file, record, entry, arena, err);
    if (status != ZV_OK) {
        return status;
    }
    const struct zv_slice text = zv_file_slice(&file);
    bool unpacked = false;
    switch ((int)entry->kind) {
    case ZV_ENTRY_JOB:
        status = read_job(content, text, arena, err);
        break;
    case ZV_ENTRY_ESTIMATE:
        status = zv_job_record_latest(record, ZV_ENTRY_ESTIMATE) == entry
                     ? read_estimate(content, text, arena, err)
                     : ZV_OK;
        break;
    case ZV_ENTRY_EVIDENCE:
        status = read_evidence(content, text, entry->name.at, arena, err);
        break;
    case ZV_ENTRY_DECISION:
        if (zv_entry_kind_of(text) == ZV_ENTRY_DECISION) {
            status = zv_json_tree_read(&content->decision, text, ZV_JSON_STRICT, arena, err);
        }
        break;
    default:
        status = zv_attachment_read(&content->results[content->result_count], &unpacked, entry,
                                    text, arena, err);
        content->result_count += unpacked;
        break;
    }
    zv_file_close(&file);
    if (status != ZV_OK) {
        (void)zv_fail_where(err, entry->file.at);
    }
    return status;
}

enum zv_status zv_content_read(struct zv_content *content, const struct zv_job_record *record,
                               struct zv_arena *arena, struct zv_error *err)
{
    memset(content, 0, sizeof *content);
    content->required.devices = 1;
    content->required.fraction_millionths = 1000000;
    content->required.source = "the record has no estimate";
    if (record->count == 0 || record->entries[0].kind != ZV_ENTRY_JOB) {
        (void)zv_fail(err, ZV_E_SYNTAX, "a record without its job");
        (void)zv_fail_where(err, record->path);
        return ZV_E_SYNTAX;
    }
    enum zv_status status = ZV_OK;
    content->results = zv_arena_array(arena, record->count, sizeof *content->results);
    if (content->results == NULL) {
        return zv_fail_memory(err, "a record");
    }
    for (size_t i = 0; status == ZV_OK && i < record->count; i++) {
        status = read_entry(content, record, &record->entries[i], arena, err);
    }
    zv_variations_find(&content->required, &content->evidence);
    return status;
}

/* ---- what is open ---- */

struct checker {
    struct zv_findings *findings;
    struct zv_arena *arena;
    struct zv_error *err;
};

static enum zv_status find(const struct checker *checker, struct zv_slice where, const char *text)
{
    char name[120];
    (void)snprintf(name, sizeof name, "%.*s", (int)(where.length < 100 ? where.length : 100),
                   where.at);
    return zv_findings_add(checker->findings, (struct zv_finding){false, name, text},
                           checker->arena, checker->err);
}

static enum zv_status check_readings(const struct checker *checker,
                                     const struct zv_evidence *evidence)
{
    enum zv_status status = ZV_OK;
    char text[200];
    if (evidence->kind != ZV_EVIDENCE_MEASUREMENT) {
        return ZV_OK;
    }
    if (evidence->phase_count == 0) {
        return find(checker, evidence->id, "no phases with their readings");
    }
    for (size_t i = 0; i < evidence->phase_count; i++) {
        const struct zv_phase_reading *const phase = &evidence->phases[i];
        for (unsigned k = 0; status == ZV_OK && k < ZV_COUNTERS; k++) {
            if (!phase->known[k]) {
                (void)snprintf(text, sizeof text, "phase %.*s: no reading of %s",
                               (int)(phase->name.length < 60 ? phase->name.length : 60),
                               phase->name.at, zv_counter_names[k]);
                status = find(checker, evidence->id, text);
            }
        }
    }
    return status;
}

static struct zv_slice base_name(struct zv_slice path)
{
    const char *const slash = path.length != 0 ? memrchr(path.at, '/', path.length) : NULL;
    if (slash == NULL) {
        return path;
    }
    const size_t front = (size_t)(slash - path.at) + 1;
    return (struct zv_slice){path.at + front, path.length - front};
}

static enum zv_status check_document(const struct checker *checker,
                                     const struct zv_job_record *record,
                                     const struct zv_evidence *evidence)
{
    char text[200];
    if (evidence->document.length == 0) {
        return find(checker, evidence->id, "a claim without a document");
    }
    for (size_t i = 0; i < record->count; i++) {
        if (zv_slice_same(base_name(record->entries[i].name), base_name(evidence->document))) {
            return ZV_OK;
        }
    }
    (void)snprintf(text, sizeof text, "its document %.*s is not attached",
                   (int)(evidence->document.length < 120 ? evidence->document.length : 120),
                   evidence->document.at);
    return find(checker, evidence->id, text);
}

enum zv_status zv_content_check(struct zv_findings *findings, const struct zv_content *content,
                                const struct zv_job_record *record, struct zv_arena *arena,
                                struct zv_error *err)
{
    static const char *const wanted[] = {
        "model.revision",     "inputs.set",          "inputs.usual",       "inputs.long",
        "inputs.limit",       "quality.criterion",   "quality.minimum",    "environment.gpu",
        "environment.driver", "environment.pytorch", "environment.backend"};
    const struct checker checker = {findings, arena, err};
    enum zv_status status = ZV_OK;
    for (size_t i = 0; status == ZV_OK && i < sizeof wanted / sizeof wanted[0]; i++) {
        if (zv_job_file_field(&content->job, wanted[i]).length == 0) {
            const char *const text = zv_arena_print(arena, "%s is open", wanted[i]);
            status = text != NULL ? find(&checker, zv_slice_of("job"), text)
                                  : zv_fail_memory(err, "findings");
        }
    }
    if (status == ZV_OK && !content->required.known) {
        status = find(&checker, zv_slice_of("estimate"), "none is attached");
    }
    for (size_t i = 0; status == ZV_OK && i < content->evidence.count; i++) {
        status = check_document(&checker, record, &content->evidence.items[i]);
        if (status == ZV_OK) {
            status = check_readings(&checker, &content->evidence.items[i]);
        }
    }
    return status;
}
