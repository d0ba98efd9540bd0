/* Why a document is no proof: its kind, its dates, its scope, the load it was made on. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/date.h"
#include "decide/evidence.h"

__attribute__((format(printf, 2, 3))) static const char *say(struct zv_arena *arena,
                                                             const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const char *const copy = zv_arena_copy(arena, text, strlen(text));
    return copy != NULL ? copy : "no proof";
}

static const char *refuse_kind(const struct zv_evidence *evidence)
{
    switch (evidence->kind) {
    case ZV_EVIDENCE_CALCULATION:
        return "a calculation proves no run";
    case ZV_EVIDENCE_EMULATION:
        return "an emulated run proves no real one";
    case ZV_EVIDENCE_NOMINAL:
        return "a nominal capacity proves nothing that runs";
    case ZV_EVIDENCE_STOCK:
        return "declared stock proves no delivery";
    case ZV_EVIDENCE_REQUEST:
        return "an environment asked for proves no installation";
    case ZV_EVIDENCE_LAB:
        return "the lab exercise runs a small network, not the job";
    case ZV_EVIDENCE_OFFER:
    case ZV_EVIDENCE_MEASUREMENT:
    case ZV_EVIDENCE_QUALITY:
    case ZV_EVIDENCE_ENVIRONMENT:
    case ZV_EVIDENCE_DELIVERY:
    case ZV_EVIDENCE_KINDS:
        break;
    }
    return "its kind cannot prove this";
}

static const char *refuse_date(const struct zv_evidence *evidence, int32_t today,
                               struct zv_arena *arena)
{
    char day[ZV_DATE_TEXT];
    if (evidence->document.length == 0) {
        return "a claim without a document";
    }
    if (evidence->version.length == 0) {
        return "the document has no version";
    }
    if (evidence->date == ZV_DATE_NONE) {
        return "the document has no date";
    }
    if (evidence->date > today) {
        zv_date_print(day, evidence->date);
        return say(arena, "dated %s, after today", day);
    }
    if (evidence->valid_until != ZV_DATE_NONE && evidence->valid_until < today) {
        zv_date_print(day, evidence->valid_until);
        return say(arena, "not current: it was valid until %s", day);
    }
    return NULL;
}

/* A fact that the job declares must be the document's too. */
static const char *refuse_fact(const struct zv_job_file *job, const char *path, const char *name,
                               struct zv_slice here, struct zv_arena *arena)
{
    const struct zv_slice there = zv_job_file_field(job, path);
    if (there.length == 0 || zv_slice_same(there, here)) {
        return NULL;
    }
    return here.length == 0
               ? say(arena, "it does not say which %s; the job's is %.60s", name, there.at)
               : say(arena, "on another %s: %.60s, the job's is %.60s", name, here.at, there.at);
}

static const char *refuse_identity(const struct zv_evidence *evidence,
                                   const struct zv_job_file *job, struct zv_arena *arena)
{
    const struct {
        const char *path;
        const char *name;
        struct zv_slice here;
    } rows[] = {{"model.revision", "revision", evidence->revision},
                {"formats.storage", "storage format", evidence->storage},
                {"formats.compute", "compute format", evidence->compute},
                {"inputs.set", "input set", evidence->inputs}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *const why = refuse_fact(job, rows[i].path, rows[i].name, rows[i].here, arena);
        if (why != NULL) {
            return why;
        }
    }
    return NULL;
}

/* What was really processed against what is declared. */
static const char *refuse_sizes(const struct zv_evidence *evidence, const struct zv_job_file *job,
                                struct zv_arena *arena)
{
    if (job->size_count == 0) {
        return "the job declares no sizes to prove";
    }
    for (size_t i = 0; i < job->size_count; i++) {
        const struct zv_job_size *const size = &job->sizes[i];
        size_t at = 0;
        while (at < evidence->processed_count &&
               strcmp(evidence->processed[at].name, size->name) != 0) {
            at++;
        }
        if (at == evidence->processed_count) {
            return say(arena, "it does not say how much %s was processed; declared %" PRIu64,
                       size->name, size->value);
        }
        if (evidence->processed[at].value < size->value) {
            return say(arena, "another load: %s %" PRIu64 " processed, %" PRIu64 " declared",
                       size->name, evidence->processed[at].value, size->value);
        }
    }
    return NULL;
}

static const char *refuse_covers(const struct zv_evidence *evidence, const struct zv_job_file *job,
                                 struct zv_arena *arena)
{
    const struct zv_yaml_value *const list = zv_yaml_find(job->root, "covers");
    for (size_t i = 0; i < zv_yaml_count(list); i++) {
        const struct zv_slice phase = zv_yaml_item(list, i)->text;
        bool covered = false;
        for (size_t k = 0; k < evidence->cover_count; k++) {
            covered = covered || zv_slice_same(evidence->covers[k], phase);
        }
        if (!covered && phase.length != 0) {
            return say(arena, "it does not cover %.60s", phase.at);
        }
    }
    return NULL;
}

static const char *refuse_run(const struct zv_evidence *evidence,
                              const struct zv_declared *declared, struct zv_arena *arena)
{
    if (evidence->outcome == ZV_TRUNCATED) {
        return "the run cut its data: another load";
    }
    if (evidence->outcome == ZV_PARTIAL) {
        return "the run is partial: its peak is not the need";
    }
    for (size_t i = 0; evidence->outcome == ZV_PASSED && i < evidence->phase_count; i++) {
        if (evidence->phases[i].outcome != ZV_PASSED) {
            return say(arena, "phase %.60s %s", evidence->phases[i].name.at,
                       zv_outcome_name(evidence->phases[i].outcome));
        }
    }
    if (declared->job == NULL) {
        return "no load was declared: choose needs a job file for that";
    }
    if (evidence->count != declared->devices) {
        return say(arena, "run on %u cards, the job's layout takes %u", evidence->count,
                   declared->devices);
    }
    const char *why = refuse_sizes(evidence, declared->job, arena);
    if (why == NULL && evidence->outcome == ZV_PASSED) { /* a failure is one wherever it fell */
        why = refuse_covers(evidence, declared->job, arena);
    }
    return why;
}

const char *zv_evidence_refuse(const struct zv_evidence *evidence, enum zv_need_kind need,
                               const struct zv_declared *declared, struct zv_arena *arena)
{
    const bool run = evidence->kind == ZV_EVIDENCE_MEASUREMENT;
    const bool quality = evidence->kind == ZV_EVIDENCE_QUALITY;
    if (!zv_evidence_can_prove(evidence->kind, need)) {
        return refuse_kind(evidence);
    }
    const char *why = refuse_date(evidence, declared->today, arena);
    if (why == NULL && (run || quality) && declared->job != NULL) {
        why = refuse_identity(evidence, declared->job, arena);
    }
    if (why == NULL && run) {
        why = refuse_run(evidence, declared, arena);
    }
    if (why == NULL && quality && evidence->outcome != ZV_PASSED &&
        evidence->outcome != ZV_FAILED) {
        why = "the evaluation was not done in full";
    }
    return why;
}
