#include <string.h>
#include <sys/stat.h>

#include "base/data.h"
#include "base/date.h"
#include "base/fail.h"
#include "base/file.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "decide/sheet.h"
#include "report/report_sheet.h"
#include "trace/open.h"

/* Everything one run holds; static, for a job file is large. */
struct recording {
    struct zv_arena arena;
    struct zv_job_record record;
    struct zv_content content;
    char today[ZV_DATE_TEXT];
};

static enum zv_status read_today(struct recording *recording, const struct arguments *args,
                                 struct zv_error *err)
{
    const char *const today = arguments_value(args, "today");
    int32_t day = zv_date_today();
    if (today != NULL && !zv_date_parse(zv_slice_of(today), &day)) {
        return zv_fail(err, ZV_E_USAGE, "--today %s: expected a date such as 2026-11-29", today);
    }
    zv_date_print(recording->today, day);
    return ZV_OK;
}

/* The kind that the file states; --kind where it states none, or where it says the same. */
static enum zv_status settle_kind(const struct arguments *args, const char *path,
                                  struct zv_slice content, enum zv_entry_kind *kind,
                                  struct zv_error *err)
{
    const char *const asked = arguments_value(args, "kind");
    const enum zv_entry_kind stated = zv_entry_kind_of(content);
    *kind = stated;
    if (asked != NULL && !zv_entry_kind_parse(zv_slice_of(asked), kind)) {
        return zv_fail(
            err, ZV_E_USAGE,
            "--kind %s: expected estimate, measurement, emulation, explain, run, evidence, "
            "environment, decision, log or document",
            asked);
    }
    if (*kind == ZV_ENTRY_KINDS) {
        (void)zv_fail(err, ZV_E_USAGE,
                      "states no schema that is known: give --kind measurement, log, document ...");
        return zv_fail_where(err, path);
    }
    if (stated != ZV_ENTRY_KINDS && *kind != stated && *kind != ZV_ENTRY_DOCUMENT) {
        (void)zv_fail(err, ZV_E_USAGE, "--kind %s, but the file says it is %s", asked,
                      zv_entry_kind_name(stated));
        return zv_fail_where(err, path);
    }
    return ZV_OK;
}

/* A snapshot, a capture or a timeline that is no recording says so itself. */
static const char *known_of_trace(struct zv_slice text)
{
    struct zv_trace trace = {0};
    size_t first;
    const char *known = NULL;
    if (zv_trace_is(text) &&
        zv_trace_open(&trace, text, (struct zv_capture_range){0, 0}, &first, NULL) == ZV_OK &&
        trace.known != ZV_TRACE_RECORDED) {
        known = zv_trace_known_name(trace.known);
    }
    zv_trace_close(&trace);
    return known;
}

/* Nothing goes in that could not be read again. *known is set when the content says it. */
static enum zv_status check_content(struct recording *recording, enum zv_entry_kind kind,
                                    struct zv_slice text, const char **known, struct zv_error *err)
{
    const struct zv_yaml_value *root;
    struct zv_evidence_list list = {0};
    enum zv_status status = ZV_OK;
    if (kind == ZV_ENTRY_JOB) {
        status = zv_job_file_read(&recording->content.job, text, &recording->arena, err);
    } else if (kind == ZV_ENTRY_ESTIMATE) {
        status = zv_required_read(&recording->content.required, text, &recording->arena, err);
    } else if (kind == ZV_ENTRY_EVIDENCE) {
        status = zv_yaml_read(&root, text, &recording->arena, err);
        if (status == ZV_OK) {
            status =
                zv_evidence_read(&list, zv_yaml_find(root, "evidence"), "", &recording->arena, err);
        }
    } else {
        const struct zv_entry entry = {.kind = kind};
        struct zv_attachment attachment;
        bool read;
        status = zv_attachment_read(&attachment, &read, &entry, text, &recording->arena, err);
        *known = status == ZV_OK && read ? attachment.known : NULL;
        if (status == ZV_OK && zv_entry_kind_of(text) == ZV_ENTRY_KINDS) {
            *known = known_of_trace(text);
        }
    }
    return status;
}

/* Where a file lay is nobody's business but its owner's. */
static struct zv_slice base_name(const char *path)
{
    const char *const slash = strrchr(path, '/');
    return zv_slice_of(slash != NULL ? slash + 1 : path);
}

static enum zv_status attach(struct recording *recording, const struct arguments *args,
                             const char *path, bool first, struct zv_error *err)
{
    struct zv_file file = {0};
    struct stat info;
    enum zv_entry_kind kind = ZV_ENTRY_JOB;
    const char *known = NULL;
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
        (void)zv_fail(err, ZV_E_IO, "a folder: attach its files");
        return zv_fail_where(err, path);
    }
    enum zv_status status = zv_file_open(&file, path, err);
    if (status != ZV_OK) {
        return status;
    }
    const struct zv_slice text = zv_file_slice(&file);
    if (!first) {
        status = settle_kind(args, path, text, &kind, err);
    }
    if (status == ZV_OK && !first && kind == ZV_ENTRY_JOB) {
        status = zv_fail(err, ZV_E_USAGE, "a record is of one job: another one is another record");
    }
    if (status == ZV_OK) {
        status = check_content(recording, kind, text, &known, err);
    }
    if (status == ZV_OK && first) {
        status = zv_job_record_create(args->operands[1], err);
        recording->record = (struct zv_job_record){.path = args->operands[1]};
    }
    if (status == ZV_OK) {
        const struct zv_entry entry = {.kind = kind,
                                       .name = base_name(path),
                                       .date = zv_slice_of(recording->today),
                                       .known = zv_slice_of(known),
                                       .note = zv_slice_of(arguments_value(args, "note"))};
        status = zv_job_record_add(&recording->record, &entry, text, err);
    }
    if (status != ZV_OK) {
        (void)zv_fail_where(err, path);
    }
    zv_file_close(&file);
    return status;
}

static enum zv_status init(struct recording *recording, const struct arguments *args,
                           struct output *out, struct zv_error *err)
{
    (void)recording;
    const struct zv_slice text = zv_data_find("job.yaml");
    if (args->operand_count > 1) {
        return zv_fail(err, ZV_E_USAGE, "init takes no operand: -o JOB.yaml names the file");
    }
    zv_sink_write(&out->sink, text.at, text.length);
    return ZV_OK;
}

static enum zv_status make(struct recording *recording, const struct arguments *args,
                           struct output *out, struct zv_error *err)
{
    (void)out;
    if (args->operand_count != 3) {
        return zv_fail(err, ZV_E_USAGE, "expected: zirve record new FOLDER JOB.yaml");
    }
    return attach(recording, args, args->operands[2], true, err);
}

static enum zv_status add(struct recording *recording, const struct arguments *args,
                          struct output *out, struct zv_error *err)
{
    (void)out;
    if (args->operand_count < 3) {
        return zv_fail(err, ZV_E_USAGE, "expected: zirve record add FOLDER FILE...");
    }
    enum zv_status status = ZV_OK;
    for (size_t i = 2; status == ZV_OK && i < args->operand_count; i++) {
        status = zv_job_record_read(&recording->record, args->operands[1], &recording->arena, err);
        if (status == ZV_OK) {
            status = attach(recording, args, args->operands[i], false, err);
        }
    }
    return status;
}

static enum zv_status open_record(struct recording *recording, const struct arguments *args,
                                  struct zv_error *err)
{
    if (args->operand_count != 2) {
        return zv_fail(err, ZV_E_USAGE, "expected one record: zirve record %s FOLDER",
                       args->operands[0]);
    }
    return zv_job_record_read(&recording->record, args->operands[1], &recording->arena, err);
}

/* Exit 1 when there is anything to mend. What changed is said before what is open; a record that
 * cannot be read for a change is not looked at further. */
static enum zv_status check(struct recording *recording, const struct arguments *args,
                            struct output *out, struct zv_error *err)
{
    struct zv_findings findings = {0};
    enum zv_status status = open_record(recording, args, err);
    if (status == ZV_OK) {
        status = zv_job_record_verify(&findings, &recording->record, &recording->arena, err);
    }
    bool changed = false;
    for (size_t i = 0; i < findings.count; i++) {
        changed = changed || findings.items[i].tampered;
    }
    if (status == ZV_OK && !changed) {
        status = zv_content_read(&recording->content, &recording->record, &recording->arena, err);
        if (status == ZV_OK) {
            status = zv_content_check(&findings, &recording->content, &recording->record,
                                      &recording->arena, err);
        }
    }
    if (status != ZV_OK) {
        return status;
    }
    out->exit_code = findings.count != 0 ? 1 : 0;
    if (out->json) {
        report_findings_json(&out->sink, &findings);
    } else {
        report_findings_text(&out->sink, &out->style, &findings);
    }
    return ZV_OK;
}

static enum zv_status show(struct recording *recording, const struct arguments *args,
                           struct output *out, struct zv_error *err)
{
    struct zv_sheet sheet = {.arena = &recording->arena};
    enum zv_status status = open_record(recording, args, err);
    if (status == ZV_OK) {
        status = zv_content_read(&recording->content, &recording->record, &recording->arena, err);
    }
    if (status == ZV_OK) {
        status = zv_sheet_record(&sheet, &recording->content, &recording->record, err);
    }
    if (status != ZV_OK) {
        return status;
    }
    if (out->json) {
        report_sheet_json(&out->sink, &sheet);
    } else if (arguments_has(args, "html")) {
        return report_sheet_html(&out->sink, &out->style, &sheet, err);
    } else {
        report_sheet_text(&out->sink, &out->style, &sheet);
    }
    return ZV_OK;
}

static enum zv_status run(const struct arguments *args, struct output *out, struct zv_error *err)
{
    static const struct {
        const char *name;
        enum zv_status (*run)(struct recording *, const struct arguments *, struct output *,
                              struct zv_error *);
    } actions[] = {{"init", init}, {"new", make}, {"add", add}, {"check", check}, {"show", show}};
    static struct recording recording;
    const char *const action = args->operand_count != 0 ? args->operands[0] : "";
    recording = (struct recording){0};
    enum zv_status status = read_today(&recording, args, err);
    size_t i = 0;
    while (i < sizeof actions / sizeof actions[0] && strcmp(actions[i].name, action) != 0) {
        i++;
    }
    if (status == ZV_OK && i == sizeof actions / sizeof actions[0]) {
        status = zv_fail(err, ZV_E_USAGE, "expected init, new, add, check or show");
    }
    if (status == ZV_OK) {
        status = actions[i].run(&recording, args, out, err);
    }
    zv_arena_free(&recording.arena);
    return status;
}

static const struct option_spec options[] = {
    {"Adding", "kind", NULL, "KIND",
     "of a file that states no schema: measurement, emulation, explain, run, decision, log, "
     "document",
     OPTION_VALUE},
    {"Adding", "note", NULL, "TEXT", "one line kept with the entry", OPTION_VALUE},
    {"Adding", "today", NULL, "DATE", "the date that is written down", OPTION_VALUE},
    {"Showing", "html", NULL, NULL, "one page to print", OPTION_FLAG},
};

const struct verb verb_record = {
    .name = "record",
    .question = "keep it: what was declared, calculated, measured, decided",
    .usage = "init | new FOLDER JOB.yaml | add FOLDER FILE... | check FOLDER | show FOLDER",
    .actions = "init new add check show",
    .about =
        "A record is a folder: entries that are only ever added, with the raw files copied in "
        "under "
        "their SHA-256, each entry holding the hash of the one before. init writes a commented job "
        "file, new starts a record of a job, add attaches estimates (--json), evidence, choices, "
        "logs and documents. check finds changed files, missing readings and claims without a "
        "document (exit status 1). show is the record on one sheet, with what is calculated, "
        "measured, emulated, assumed and unknown kept apart.",
    .examples = "  zirve record init -o my-job.yaml\n"
                "  zirve record new record-7b job.yaml\n"
                "  zirve record add record-7b runs.yaml\n"
                "  zirve record add record-7b server.log --kind log\n"
                "  zirve record check record-7b\n"
                "  zirve record show record-7b\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
