/*
 * Evidence: documents, and what each kind of them can prove.
 *
 *   offer         price, delivery, host_ram, region       what is sold, until when
 *   measurement   memory, load, compatibility, latency    a run of the job's own declared load
 *   quality       quality                                 the criterion, in the job's own format
 *   environment   environment, interconnect, host_ram     a reading of the machine as it is
 *   delivery      delivery                                a confirmation
 *   calculation, emulation, nominal, stock, request, lab  nothing: what they say is to be verified
 *
 * A document has version, date and scope and must be current. A run that was truncated, partial, on
 * another load or the lab exercise proves nothing, and it is said why.
 */
#ifndef ZIRVE_DECIDE_EVIDENCE_H
#define ZIRVE_DECIDE_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "decide/need.h"
#include "format/yaml.h"
#include "job/job_file.h"
#include "zirve/arena.h"
#include "zirve/error.h"

enum zv_evidence_kind {
    ZV_EVIDENCE_OFFER,
    ZV_EVIDENCE_MEASUREMENT,
    ZV_EVIDENCE_QUALITY,
    ZV_EVIDENCE_ENVIRONMENT,
    ZV_EVIDENCE_DELIVERY,
    ZV_EVIDENCE_CALCULATION,
    ZV_EVIDENCE_EMULATION,
    ZV_EVIDENCE_NOMINAL,
    ZV_EVIDENCE_STOCK,
    ZV_EVIDENCE_REQUEST,
    ZV_EVIDENCE_LAB,
    ZV_EVIDENCE_KINDS
};

enum zv_outcome { ZV_PASSED, ZV_FAILED, ZV_TRUNCATED, ZV_PARTIAL };

/* allocated and reserved, peak and end: separate counters, never added. */
enum { ZV_COUNTERS = 4 };
extern const char *const zv_counter_names[ZV_COUNTERS];

struct zv_phase_reading {
    struct zv_slice name;
    enum zv_outcome outcome;
    uint64_t bytes[ZV_COUNTERS];
    bool known[ZV_COUNTERS]; /* a missing reading is no zero */
    struct zv_slice message;
};

enum { ZV_EVIDENCE_MAX_PHASES = 32, ZV_EVIDENCE_MAX = 256 };

struct zv_evidence {
    enum zv_evidence_kind kind;
    enum zv_outcome outcome;
    struct zv_slice id, document, version, card, offer, model, revision, storage, compute, message;
    struct zv_slice environment, interconnect, region, inputs;
    struct zv_slice backend; /* of the allocator whose reserved bytes these are */
    struct zv_slice covers[8];
    size_t cover_count;
    int32_t date, valid_until, delivery;
    uint32_t count;                                      /* cards of the run */
    struct zv_job_size processed[ZV_JOB_FILE_MAX_SIZES]; /* as really processed */
    size_t processed_count;
    struct zv_phase_reading phases[ZV_EVIDENCE_MAX_PHASES];
    size_t phase_count;
    bool has_value, has_latency;
    uint64_t value; /* of the quality criterion, millionths */
    uint64_t latency_ms;
    uint64_t peak_bytes;     /* of one card, as the device saw it; 0 not given */
    uint64_t capacity_bytes; /* allocatable there, as the device reported; 0 not given */
    uint64_t host_ram_bytes;
    const char *file; /* where it is stated */
    uint32_t line;
};

struct zv_evidence_list {
    struct zv_evidence *items;
    size_t count;
};

const char *zv_evidence_name(enum zv_evidence_kind kind);
const char *zv_outcome_name(enum zv_outcome outcome);

/* Whether a document of this kind can prove that need at all. */
bool zv_evidence_can_prove(enum zv_evidence_kind kind, enum zv_need_kind need);

/* Adds the documents of a list (a job file's evidence, or a zirve.evidence/1 file's). Errors:
 * ZV_E_SYNTAX with line and column, ZV_E_LIMIT, ZV_E_NOMEM. */
enum zv_status zv_evidence_read(struct zv_evidence_list *list, const struct zv_yaml_value *values,
                                const char *file, struct zv_arena *arena, struct zv_error *err);

/* What a proof is measured by. */
struct zv_declared {
    const struct zv_job_file *job; /* NULL: no load was declared */
    uint32_t devices;              /* cards that the layout takes */
    int32_t today;
};

/*
 * Why the document is no proof of that need, NULL when it is one: a text in arena, or what stands
 * when the arena is full. Whether what it says meets the need is another question.
 */
const char *zv_evidence_refuse(const struct zv_evidence *evidence, enum zv_need_kind need,
                               const struct zv_declared *declared, struct zv_arena *arena);

#endif
