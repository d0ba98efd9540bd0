#include "decide/sheet.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "decide/overflow.h"
#include "format/json_tree.h"

static enum zv_status add(struct zv_sheet *sheet, struct zv_sheet_row row, struct zv_error *err)
{
    if (sheet->count == sheet->capacity) {
        const size_t capacity = sheet->capacity == 0 ? 64 : sheet->capacity * 2;
        struct zv_sheet_row *const rows = zv_arena_array(sheet->arena, capacity, sizeof *rows);
        if (rows == NULL) {
            return zv_fail_memory(err, "a sheet");
        }
        if (sheet->count != 0) {
            memcpy(rows, sheet->rows, sheet->count * sizeof *rows);
        }
        sheet->rows = rows;
        sheet->capacity = capacity;
    }
    if (row.label == NULL || row.section == NULL) {
        return zv_fail_memory(err, "a sheet");
    }
    sheet->rows[sheet->count++] = row;
    return ZV_OK;
}

/* A row with a text; the label is copied. */
__attribute__((format(printf, 6, 7))) static enum zv_status
add_text(struct zv_sheet *sheet, const char *section, const char *label, const char *known,
         struct zv_error *err, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const char *const value = zv_arena_copy(sheet->arena, text, strlen(text));
    if (value == NULL) {
        return zv_fail_memory(err, "a sheet");
    }
    return add(sheet,
               (struct zv_sheet_row){.section = section,
                                     .label = zv_arena_copy(sheet->arena, label, strlen(label)),
                                     .value = value,
                                     .known = known},
               err);
}

static enum zv_status add_bytes(struct zv_sheet *sheet, const char *section, const char *label,
                                const char *known, const uint64_t *bytes, struct zv_error *err)
{
    return add(sheet,
               (struct zv_sheet_row){.section = section,
                                     .label = zv_arena_copy(sheet->arena, label, strlen(label)),
                                     .known = bytes != NULL ? known : "unknown",
                                     .has_bytes = bytes != NULL,
                                     .bytes = bytes != NULL ? *bytes : 0},
               err);
}

static bool is_variable(const char *path)
{
    static const char *const others[] = {"schema", "title", "needs.",   "evidence.",
                                         "margin", "days",  "targets.", "invalid_if"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (strncmp(path, others[i], strlen(others[i])) == 0) {
            return false;
        }
    }
    return true;
}

enum zv_status zv_sheet_job(struct zv_sheet *sheet, const struct zv_job_file *job,
                            struct zv_error *err)
{
    enum zv_status status = ZV_OK;
    const struct zv_slice title = zv_job_file_field(job, "title");
    sheet->title = title.length != 0 ? title.at : "untitled job";
    for (size_t i = 0; status == ZV_OK && i < job->field_count; i++) {
        const struct zv_job_field *const field = &job->fields[i];
        if (!is_variable(field->path)) {
            continue;
        }
        status = add(
            sheet,
            (struct zv_sheet_row){
                .section = "job", .label = field->path, .value = field->text.at, .variable = true},
            err);
    }
    return status;
}

static enum zv_status add_calculated(struct zv_sheet *sheet, const struct zv_content *content,
                                     struct zv_error *err)
{
    const struct zv_required *const required = &content->required;
    static const char section[] = "calculated";
    const bool known = required->known;
    enum zv_status status = add_bytes(sheet, section, "weights of one card", "calculated",
                                      content->has_weights ? &content->weights_bytes : NULL, err);
    if (status == ZV_OK) {
        status = add_bytes(sheet, section, "at least, of one card", "calculated",
                           known ? &required->at_least : NULL, err);
    }
    if (status == ZV_OK) {
        status = add_bytes(sheet, section, "expected of one card",
                           required->expected != required->at_least ? "assumed" : "calculated",
                           known ? &required->expected : NULL, err);
    }
    for (size_t i = 0; status == ZV_OK && i < required->variation_count; i++) {
        const struct zv_variation *const one = &required->variations[i];
        char label[120];
        (void)snprintf(label, sizeof label, "margin: %.100s", one->name.at);
        status = add_bytes(sheet, section, label, one->documented ? "measured" : "assumed",
                           &one->bytes, err);
    }
    if (status == ZV_OK && known) {
        status = add_text(sheet, section, "cards; unknown items", "calculated", err, "%u; %zu",
                          required->devices, required->unknown);
    }
    return status;
}

static size_t print_sizes(char *to, size_t size, const struct zv_evidence *evidence)
{
    size_t used = 0;
    to[0] = 0;
    for (size_t i = 0; i < evidence->processed_count && used + 40 < size; i++) {
        used += (size_t)snprintf(to + used, size - used, "%s%s %" PRIu64, i != 0 ? ", " : "",
                                 evidence->processed[i].name, evidence->processed[i].value);
    }
    return used;
}

/* What the backend of an allocator makes of its reserved bytes. */
static enum zv_status note_backend(struct zv_sheet *sheet, const char *backend,
                                   struct zv_error *err)
{
    struct zv_sheet_row *const row = &sheet->rows[sheet->count - 1];
    row->note =
        backend == NULL
            ? "backend unknown: with cudaMallocAsync an upper bound"
            : zv_arena_print(sheet->arena, "backend %.60s%s", backend,
                             strcasestr(backend, "async") != NULL ? ": an upper bound" : "");
    return row->note != NULL ? ZV_OK : zv_fail_memory(err, "a sheet");
}

static enum zv_status add_phases(struct zv_sheet *sheet, const struct zv_evidence *evidence,
                                 struct zv_error *err)
{
    enum zv_status status = ZV_OK;
    char label[240];
    for (size_t i = 0; i < evidence->phase_count; i++) {
        const struct zv_phase_reading *const phase = &evidence->phases[i];
        (void)snprintf(label, sizeof label, "%.80s %.80s", evidence->id.at, phase->name.at);
        status = add_text(sheet, "measured", label, "measured", err, "%s%s%.200s",
                          zv_outcome_name(phase->outcome), phase->message.length != 0 ? ": " : "",
                          phase->message.length != 0 ? phase->message.at : "");
        for (unsigned k = 0; status == ZV_OK && k < ZV_COUNTERS; k++) {
            (void)snprintf(label, sizeof label, "%.80s %.80s %s", evidence->id.at, phase->name.at,
                           zv_counter_names[k]);
            status = add_bytes(sheet, "measured", label, "measured",
                               phase->known[k] ? &phase->bytes[k] : NULL, err);
            if (status == ZV_OK && phase->known[k] &&
                strcmp(zv_counter_names[k], "reserved_peak") == 0) {
                status = note_backend(
                    sheet, evidence->backend.length != 0 ? evidence->backend.at : NULL, err);
            }
        }
        if (status != ZV_OK) {
            break;
        }
    }
    return status;
}

static uint64_t size_of_load(const struct zv_evidence *evidence)
{
    uint64_t product = 1;
    for (size_t i = 0; i < evidence->processed_count; i++) {
        if (__builtin_mul_overflow(product, evidence->processed[i].value, &product)) {
            return UINT64_MAX;
        }
    }
    return product;
}

static enum zv_status add_document(struct zv_sheet *sheet, const struct zv_evidence *one,
                                   struct zv_error *err)
{
    const bool run = one->kind == ZV_EVIDENCE_MEASUREMENT;
    const char *const known = run || one->kind == ZV_EVIDENCE_ENVIRONMENT ? "measured"
                              : one->kind == ZV_EVIDENCE_EMULATION        ? "emulated"
                              : one->kind == ZV_EVIDENCE_CALCULATION      ? "calculated"
                                                                          : "stated";
    char sizes[240];
    char value[40] = "";
    (void)print_sizes(sizes, sizeof sizes, one);
    if (one->has_value) {
        (void)snprintf(value, sizeof value, ", value %" PRIu64 ".%06" PRIu64, one->value / 1000000,
                       one->value % 1000000);
    }
    return add_text(sheet, run ? "measured" : "documents", one->id.at, known, err,
                    "%s, %s%s%s%.60s%s%s; %.80s", zv_evidence_name(one->kind),
                    zv_outcome_name(one->outcome), value, one->card.length != 0 ? " on " : "",
                    one->card.length != 0 ? one->card.at : "", sizes[0] != 0 ? ": " : "", sizes,
                    one->document.length != 0 ? one->document.at : "no document");
}

static enum zv_status add_largest(struct zv_sheet *sheet, const struct zv_evidence *largest,
                                  struct zv_error *err)
{
    char sizes[240];
    if (largest == NULL) {
        return add_text(sheet, "measured", "largest load that passed", "unknown", err,
                        "none was run");
    }
    (void)print_sizes(sizes, sizeof sizes, largest);
    return add_text(sheet, "measured", "largest load that passed", "measured", err, "%s (%.80s)",
                    sizes[0] != 0 ? sizes : "sizes not said", largest->id.at);
}

/* Runs with their readings first, then the documents that are none. */
static enum zv_status add_measured(struct zv_sheet *sheet, const struct zv_content *content,
                                   struct zv_error *err)
{
    const struct zv_evidence_list *const list = &content->evidence;
    const struct zv_evidence *largest = NULL;
    enum zv_status status = ZV_OK;
    for (size_t i = 0; i < list->count; i++) {
        const struct zv_evidence *const one = &list->items[i];
        if (one->kind == ZV_EVIDENCE_MEASUREMENT && one->outcome == ZV_PASSED &&
            (largest == NULL || size_of_load(one) > size_of_load(largest))) {
            largest = one;
        }
    }
    status = add_largest(sheet, largest, err);
    for (unsigned pass = 0; pass < 2; pass++) {
        for (size_t i = 0; status == ZV_OK && i < list->count; i++) {
            if ((list->items[i].kind == ZV_EVIDENCE_MEASUREMENT) != (pass == 0)) {
                continue;
            }
            status = add_document(sheet, &list->items[i], err);
            if (status == ZV_OK) {
                status = add_phases(sheet, &list->items[i], err);
            }
        }
    }
    return status;
}

/* Attached results: the verdict, the counters of those that have them, what it may prove. */
static enum zv_status add_result(struct zv_sheet *sheet, const struct zv_attachment *one,
                                 struct zv_error *err)
{
    const char *const known = one->known != NULL ? one->known : zv_entry_known(one->entry);
    char label[160];
    (void)snprintf(label, sizeof label, "%04u %.100s", one->entry->number, one->entry->name.at);
    enum zv_status status = add_text(sheet, "results", label, known, err, "%s", one->verdict);
    for (unsigned i = 0; status == ZV_OK && one->has_counters && i < ZV_COUNTERS; i++) {
        (void)snprintf(label, sizeof label, "%04u %s", one->entry->number, zv_counter_names[i]);
        status =
            add_bytes(sheet, "results", label, known, one->counted[i] ? &one->bytes[i] : NULL, err);
        if (status == ZV_OK && one->counted[i] &&
            strncmp(zv_counter_names[i], "reserved", 8) == 0) {
            status = note_backend(sheet, one->backend, err);
        }
    }
    (void)snprintf(label, sizeof label, "%04u may prove", one->entry->number);
    return status == ZV_OK ? add_text(sheet, "results", label, NULL, err, "%s", one->proves)
                           : status;
}

/* The first changes of the phase in which a run of the evidence failed. */
static enum zv_status add_changes(struct zv_sheet *sheet, const struct zv_evidence *one,
                                  struct zv_error *err)
{
    enum zv_status status = ZV_OK;
    for (size_t i = 0; status == ZV_OK && i < one->phase_count; i++) {
        const struct zv_phase_reading *const reading = &one->phases[i];
        enum zv_phase phase;
        char label[200];
        char text[400] = "";
        size_t used = 0;
        if (reading->outcome != ZV_FAILED || !zv_phase_parse(reading->name, &phase)) {
            continue;
        }
        for (size_t k = 0; k < zv_change_count && used + 100 < sizeof text; k++) {
            if ((zv_changes[k].phases & 1U << phase) != 0) {
                used += (size_t)snprintf(text + used, sizeof text - used, "%s%.90s",
                                         used != 0 ? "; or " : "", zv_changes[k].name);
            }
        }
        (void)snprintf(label, sizeof label, "%.80s %.80s", one->id.at, reading->name.at);
        status = add_text(sheet, "one change to try", label, NULL, err, "%s", text);
    }
    return status;
}

static enum zv_status add_decision(struct zv_sheet *sheet, const struct zv_content *content,
                                   const struct zv_job_record *record, struct zv_error *err)
{
    static const char *const counts[] = {"admissible", "to_verify", "excluded"};
    enum zv_status status = ZV_OK;
    const struct zv_json_value *const decision = content->decision;
    for (size_t i = 0; status == ZV_OK && decision != NULL && i < 3; i++) {
        uint64_t count = 0;
        (void)zv_json_u64(zv_json_find(zv_json_find(decision, "counts"), counts[i]), &count);
        status = add_text(sheet, "decision", counts[i], "calculated", err, "%" PRIu64, count);
    }
    const struct zv_json_value *const first = zv_json_item(zv_json_find(decision, "candidates"), 0);
    if (status == ZV_OK && first != NULL) {
        struct zv_slice card = {"?", 1};
        struct zv_slice state = {"?", 1};
        (void)zv_json_string(zv_json_find(zv_json_find(first, "offer"), "card"), &card);
        (void)zv_json_string(zv_json_find(first, "state"), &state);
        status = add_text(sheet, "decision", "first candidate", "calculated", err, "%.80s, %.20s",
                          card.at, state.at);
    }
    for (size_t i = 0; status == ZV_OK && i < record->count; i++) {
        const struct zv_entry *const entry = &record->entries[i];
        if (entry->kind == ZV_ENTRY_DECISION && entry->note.length != 0) {
            status =
                add_text(sheet, "decision", entry->name.at, NULL, err, "%.300s", entry->note.at);
        }
    }
    return status;
}

static enum zv_status add_rest(struct zv_sheet *sheet, const struct zv_content *content,
                               const struct zv_job_record *record, struct zv_error *err)
{
    enum zv_status status = ZV_OK;
    for (size_t i = 0; status == ZV_OK && i < content->job.field_count; i++) {
        const struct zv_job_field *const field = &content->job.fields[i];
        if (strncmp(field->path, "invalid_if", 10) == 0) {
            status = add_text(sheet, "invalid if", "", NULL, err, "%.300s", field->text.at);
        }
    }
    for (size_t i = 0; status == ZV_OK && i < record->count; i++) {
        const struct zv_entry *const entry = &record->entries[i];
        status = add_text(
            sheet, "attached", entry->file.at, zv_entry_known(entry), err,
            "%s, %.10s, %" PRIu64 " B, SHA-256 %.16s...%s%.120s", zv_entry_kind_name(entry->kind),
            entry->date.length != 0 ? entry->date.at : "?", entry->bytes, entry->sha256.at,
            entry->note.length != 0 ? "; " : "", entry->note.length != 0 ? entry->note.at : "");
    }
    return status;
}

enum zv_status zv_sheet_record(struct zv_sheet *sheet, const struct zv_content *content,
                               const struct zv_job_record *record, struct zv_error *err)
{
    enum zv_status status = zv_sheet_job(sheet, &content->job, err);
    for (size_t i = 0; status == ZV_OK && i < content->evidence.count; i++) {
        const struct zv_evidence *const one = &content->evidence.items[i];
        if (one->kind == ZV_EVIDENCE_MEASUREMENT && one->card.length != 0) {
            status = add(sheet,
                         (struct zv_sheet_row){.section = "job",
                                               .label = "card of the first run",
                                               .value = one->card.at,
                                               .variable = true},
                         err);
            break;
        }
    }
    if (status == ZV_OK) {
        status = add_calculated(sheet, content, err);
    }
    if (status == ZV_OK) {
        status = add_measured(sheet, content, err);
    }
    for (size_t i = 0; status == ZV_OK && i < content->result_count; i++) {
        status = add_result(sheet, &content->results[i], err);
    }
    for (size_t i = 0; status == ZV_OK && i < content->evidence.count; i++) {
        status = add_changes(sheet, &content->evidence.items[i], err);
    }
    if (status == ZV_OK) {
        status = add_decision(sheet, content, record, err);
    }
    return status == ZV_OK ? add_rest(sheet, content, record, err) : status;
}

const struct zv_sheet_row *zv_sheet_find(const struct zv_sheet *sheet, const char *section,
                                         const char *label)
{
    for (size_t i = 0; i < sheet->count; i++) {
        if (strcmp(sheet->rows[i].section, section) == 0 &&
            strcmp(sheet->rows[i].label, label) == 0) {
            return &sheet->rows[i];
        }
    }
    return NULL;
}
