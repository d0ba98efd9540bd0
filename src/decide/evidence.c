#include "decide/evidence.h"

#include <stddef.h>
#include <string.h>

#include "base/date.h"
#include "base/fail.h"
#include "base/units.h"

const char *const zv_counter_names[ZV_COUNTERS] = {"allocated_peak", "reserved_peak",
                                                   "allocated_end", "reserved_end"};

static const struct {
    const char *name;
    unsigned proves; /* bits of enum zv_need_kind */
} kinds[ZV_EVIDENCE_KINDS] = {
    [ZV_EVIDENCE_OFFER] = {"offer", 1U << ZV_NEED_PRICE | 1U << ZV_NEED_DELIVERY |
                                        1U << ZV_NEED_HOST_RAM | 1U << ZV_NEED_REGION},
    [ZV_EVIDENCE_MEASUREMENT] = {"measurement", 1U << ZV_NEED_MEMORY | 1U << ZV_NEED_LOAD |
                                                    1U << ZV_NEED_COMPATIBILITY |
                                                    1U << ZV_NEED_LATENCY},
    [ZV_EVIDENCE_QUALITY] = {"quality", 1U << ZV_NEED_QUALITY},
    [ZV_EVIDENCE_ENVIRONMENT] = {"environment", 1U << ZV_NEED_ENVIRONMENT |
                                                    1U << ZV_NEED_INTERCONNECT |
                                                    1U << ZV_NEED_HOST_RAM},
    [ZV_EVIDENCE_DELIVERY] = {"delivery", 1U << ZV_NEED_DELIVERY},
    [ZV_EVIDENCE_CALCULATION] = {"calculation", 0},
    [ZV_EVIDENCE_EMULATION] = {"emulation", 0},
    [ZV_EVIDENCE_NOMINAL] = {"nominal", 0},
    [ZV_EVIDENCE_STOCK] = {"stock", 0},
    [ZV_EVIDENCE_REQUEST] = {"request", 0},
    [ZV_EVIDENCE_LAB] = {"lab", 0},
};

static const char *const outcomes[] = {"passed", "failed", "truncated", "partial"};

const char *zv_evidence_name(enum zv_evidence_kind kind)
{
    return kinds[kind].name;
}

const char *zv_outcome_name(enum zv_outcome outcome)
{
    return outcomes[outcome];
}

bool zv_evidence_can_prove(enum zv_evidence_kind kind, enum zv_need_kind need)
{
    return (kinds[kind].proves >> need & 1U) != 0;
}

/* Keys with one value: where they go. */
enum cell { SLICE, DATE, BYTES, MILLISECONDS, MILLIONTHS, CARDS };
static const struct key {
    const char *name;
    enum cell cell;
    size_t offset;
} keys[] = {
    {"id", SLICE, offsetof(struct zv_evidence, id)},
    {"document", SLICE, offsetof(struct zv_evidence, document)},
    {"version", SLICE, offsetof(struct zv_evidence, version)},
    {"card", SLICE, offsetof(struct zv_evidence, card)},
    {"offer", SLICE, offsetof(struct zv_evidence, offer)},
    {"model", SLICE, offsetof(struct zv_evidence, model)},
    {"revision", SLICE, offsetof(struct zv_evidence, revision)},
    {"storage", SLICE, offsetof(struct zv_evidence, storage)},
    {"compute", SLICE, offsetof(struct zv_evidence, compute)},
    {"inputs", SLICE, offsetof(struct zv_evidence, inputs)},
    {"message", SLICE, offsetof(struct zv_evidence, message)},
    {"environment", SLICE, offsetof(struct zv_evidence, environment)},
    {"interconnect", SLICE, offsetof(struct zv_evidence, interconnect)},
    {"region", SLICE, offsetof(struct zv_evidence, region)},
    {"backend", SLICE, offsetof(struct zv_evidence, backend)},
    {"date", DATE, offsetof(struct zv_evidence, date)},
    {"valid_until", DATE, offsetof(struct zv_evidence, valid_until)},
    {"delivery", DATE, offsetof(struct zv_evidence, delivery)},
    {"peak", BYTES, offsetof(struct zv_evidence, peak_bytes)},
    {"capacity", BYTES, offsetof(struct zv_evidence, capacity_bytes)},
    {"host_ram", BYTES, offsetof(struct zv_evidence, host_ram_bytes)},
    {"latency_ms", MILLISECONDS, offsetof(struct zv_evidence, latency_ms)},
    {"value", MILLIONTHS, offsetof(struct zv_evidence, value)},
    {"count", CARDS, offsetof(struct zv_evidence, count)},
};

static bool word_of(struct zv_slice text, const char *const *words, size_t count, unsigned *to)
{
    for (size_t i = 0; i < count; i++) {
        if (zv_slice_equal(text, words[i])) {
            *to = (unsigned)i;
            return true;
        }
    }
    return false;
}

static enum zv_status take_cell(struct zv_evidence *evidence, const struct key *key,
                                const struct zv_yaml_value *value, struct zv_error *err)
{
    void *const to = (char *)evidence + key->offset;
    const struct zv_slice text = value->text;
    uint64_t number = 0;
    bool good = true;
    switch (key->cell) {
    case SLICE:
        *(struct zv_slice *)to = text;
        return ZV_OK;
    case DATE:
        good = zv_date_parse(text, to);
        break;
    case BYTES:
        good = zv_bytes_parse(text, to);
        break;
    case MILLISECONDS:
        good = evidence->has_latency = zv_slice_u64(text, to);
        break;
    case MILLIONTHS:
        good = evidence->has_value = zv_slice_fixed(text, 6, to);
        break;
    case CARDS:
        good = zv_slice_u64(text, &number) && number != 0 && number <= 100000;
        *(uint32_t *)to = (uint32_t)number;
        break;
    }
    static const char *const expected[] = {
        "a text",       "a date such as 2026-11-29", "a size such as 20.1GiB",
        "milliseconds", "a number such as 0.81",     "a number of cards"};
    return good ? ZV_OK
                : zv_yaml_fail(value, err, ZV_E_SYNTAX, "%s: expected %s", key->name,
                               expected[key->cell]);
}

static enum zv_status take_processed(struct zv_evidence *evidence, const struct zv_yaml_value *map,
                                     struct zv_error *err)
{
    for (size_t i = 0; i < zv_yaml_count(map); i++) {
        const struct zv_yaml_value *const value = zv_yaml_item(map, i);
        size_t name = 0;
        uint64_t count;
        while (zv_job_size_names[name] != NULL &&
               !zv_slice_equal(value->key, zv_job_size_names[name])) {
            name++;
        }
        if (zv_job_size_names[name] == NULL || !zv_count_parse(value->text, &count)) {
            return zv_yaml_fail(value, err, ZV_E_SYNTAX,
                                "processed: expected a size of the job file with its number");
        }
        evidence->processed[evidence->processed_count++] =
            (struct zv_job_size){zv_job_size_names[name], count}; /* keys differ */
    }
    return ZV_OK;
}

static enum zv_status take_phase(struct zv_phase_reading *phase, const struct zv_yaml_value *map,
                                 struct zv_error *err)
{
    for (size_t i = 0; i < zv_yaml_count(map); i++) {
        const struct zv_yaml_value *const value = zv_yaml_item(map, i);
        unsigned word = 0;
        if (zv_slice_equal(value->key, "name")) {
            phase->name = value->text;
        } else if (zv_slice_equal(value->key, "message")) {
            phase->message = value->text;
        } else if (zv_slice_equal(value->key, "outcome") &&
                   word_of(value->text, outcomes, 4, &word)) {
            phase->outcome = (enum zv_outcome)word;
        } else if (word_of(value->key, zv_counter_names, ZV_COUNTERS, &word) &&
                   (value->kind == ZV_YAML_NULL ||
                    zv_bytes_parse(value->text, &phase->bytes[word]))) {
            phase->known[word] = value->kind != ZV_YAML_NULL;
        } else {
            return zv_yaml_fail(value, err, ZV_E_SYNTAX,
                                "a phase has name, outcome (passed, failed, truncated, partial), "
                                "message, allocated_peak, reserved_peak, allocated_end and "
                                "reserved_end, sizes such as 20.1GiB");
        }
    }
    return phase->name.length != 0
               ? ZV_OK
               : zv_yaml_fail(map, err, ZV_E_SYNTAX, "expected a phase with a name");
}

static enum zv_status take_list(struct zv_evidence *evidence, const struct zv_yaml_value *list,
                                struct zv_error *err)
{
    const bool phases = zv_slice_equal(list->key, "phases");
    const size_t most =
        phases ? ZV_EVIDENCE_MAX_PHASES : sizeof evidence->covers / sizeof evidence->covers[0];
    if (zv_yaml_count(list) > most) {
        return zv_yaml_fail(list, err, ZV_E_LIMIT, "more than %zu", most);
    }
    enum zv_status status = ZV_OK;
    for (size_t i = 0; status == ZV_OK && i < zv_yaml_count(list); i++) {
        const struct zv_yaml_value *const item = zv_yaml_item(list, i);
        if (phases) {
            status = take_phase(&evidence->phases[evidence->phase_count++], item, err);
        } else {
            evidence->covers[evidence->cover_count++] = item->text;
        }
    }
    return status;
}

static enum zv_status take_key(struct zv_evidence *evidence, const struct zv_yaml_value *value,
                               struct zv_error *err)
{
    unsigned word = 0;
    const char *names[ZV_EVIDENCE_KINDS];
    for (size_t i = 0; i < ZV_EVIDENCE_KINDS; i++) {
        names[i] = kinds[i].name;
    }
    if (value->kind == ZV_YAML_NULL) {
        return ZV_OK;
    }
    if (zv_slice_equal(value->key, "kind")) {
        evidence->kind = ZV_EVIDENCE_KINDS;
        if (word_of(value->text, names, ZV_EVIDENCE_KINDS, &word)) {
            evidence->kind = (enum zv_evidence_kind)word;
            return ZV_OK;
        }
        return zv_yaml_fail(value, err, ZV_E_SYNTAX,
                            "kind: expected offer, measurement, quality, environment, delivery, "
                            "calculation, emulation, nominal, stock, request or lab");
    }
    if (zv_slice_equal(value->key, "outcome")) {
        if (!word_of(value->text, outcomes, 4, &word)) {
            return zv_yaml_fail(value, err, ZV_E_SYNTAX,
                                "outcome: expected passed, failed, truncated or partial");
        }
        evidence->outcome = (enum zv_outcome)word;
        return ZV_OK;
    }
    if (zv_slice_equal(value->key, "processed") && value->kind == ZV_YAML_MAP) {
        return take_processed(evidence, value, err);
    }
    if (value->kind == ZV_YAML_LIST &&
        (zv_slice_equal(value->key, "phases") || zv_slice_equal(value->key, "covers"))) {
        return take_list(evidence, value, err);
    }
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (zv_slice_equal(value->key, keys[i].name) && value->kind == ZV_YAML_TEXT) {
            return take_cell(evidence, &keys[i], value, err);
        }
    }
    return zv_yaml_fail(value, err, ZV_E_SYNTAX, "'%.*s' is no key of a document with %s",
                        (int)(value->key.length < 40 ? value->key.length : 40), value->key.at,
                        zv_yaml_kind_name(value));
}

static enum zv_status take_document(struct zv_evidence *evidence, const struct zv_yaml_value *map,
                                    struct zv_error *err)
{
    *evidence = (struct zv_evidence){.kind = ZV_EVIDENCE_KINDS,
                                     .date = ZV_DATE_NONE,
                                     .valid_until = ZV_DATE_NONE,
                                     .delivery = ZV_DATE_NONE,
                                     .count = 1,
                                     .line = map->line};
    enum zv_status status = ZV_OK;
    for (size_t i = 0; status == ZV_OK && i < zv_yaml_count(map); i++) {
        status = take_key(evidence, zv_yaml_item(map, i), err);
    }
    if (status == ZV_OK && (evidence->kind == ZV_EVIDENCE_KINDS || evidence->id.length == 0)) {
        return zv_yaml_fail(map, err, ZV_E_SYNTAX, "expected a document with id and kind");
    }
    return status;
}

enum zv_status zv_evidence_read(struct zv_evidence_list *list, const struct zv_yaml_value *values,
                                const char *file, struct zv_arena *arena, struct zv_error *err)
{
    const size_t more = zv_yaml_count(values);
    if (values == NULL || values->kind == ZV_YAML_NULL) {
        return ZV_OK;
    }
    if (values->kind != ZV_YAML_LIST) {
        return zv_yaml_fail(values, err, ZV_E_SYNTAX, "evidence: expected a list of documents");
    }
    if (more > ZV_EVIDENCE_MAX - list->count) {
        return zv_yaml_fail(values, err, ZV_E_LIMIT, "more than %d documents", ZV_EVIDENCE_MAX);
    }
    struct zv_evidence *const items = zv_arena_array(arena, list->count + more, sizeof *items);
    if (items == NULL) {
        return zv_fail_memory(err, "evidence");
    }
    if (list->count != 0) {
        memcpy(items, list->items, list->count * sizeof *items);
    }
    list->items = items;
    enum zv_status status = ZV_OK;
    for (size_t i = 0; status == ZV_OK && i < more; i++) {
        status = take_document(&items[list->count], zv_yaml_item(values, i), err);
        items[list->count++].file = file;
    }
    return status;
}
