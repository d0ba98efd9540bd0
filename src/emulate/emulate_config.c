/* The cards to emulate, from a text that the parent process wrote. */
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/slice.h"
#include "emulate/emulate.h"

static const char *const fault_names[EMULATED_FAULT_COUNT] = {
    [EMULATED_FAULT_OOM] = "oom",
    [EMULATED_FAULT_COPY] = "copy",
    [EMULATED_FAULT_LAUNCH] = "launch",
    [EMULATED_FAULT_LOST] = "lost",
};

static bool read_name(struct emulated_card *card, struct zv_slice value)
{
    if (value.length == 0 || value.length >= sizeof card->name) {
        return false;
    }
    memcpy(card->name, value.at, value.length);
    card->name[value.length] = 0;
    return true;
}

static bool read_total(struct emulated_card *card, struct zv_slice value)
{
    return zv_slice_u64(value, &card->total_bytes) && card->total_bytes != 0;
}

static bool read_used(struct emulated_card *card, struct zv_slice value)
{
    return zv_slice_u64(value, &card->used_bytes);
}

/* "8.9" */
static bool read_compute(struct emulated_card *card, struct zv_slice value)
{
    uint64_t major;
    uint64_t minor;
    const struct zv_slice first = zv_slice_cut(&value, '.');
    if (!zv_slice_u64(first, &major) || !zv_slice_u64(value, &minor) || major > 99 || minor > 99) {
        return false;
    }
    card->compute_major = (uint32_t)major;
    card->compute_minor = (uint32_t)minor;
    card->assumes_compute = false;
    return true;
}

static bool read_processors(struct emulated_card *card, struct zv_slice value)
{
    uint64_t count;
    if (!zv_slice_u64(value, &count) || count == 0 || count > UINT16_MAX) {
        return false;
    }
    card->processors = (uint32_t)count;
    card->assumes_processors = false;
    return true;
}

static bool read_integrated(struct emulated_card *card, struct zv_slice value)
{
    card->is_integrated = zv_slice_equal(value, "yes");
    return card->is_integrated || zv_slice_equal(value, "no");
}

static bool read_vmm(struct emulated_card *card, struct zv_slice value)
{
    card->has_vmm = zv_slice_equal(value, "yes");
    return card->has_vmm || zv_slice_equal(value, "no");
}

static bool read_events(struct emulated_card *card, struct zv_slice value)
{
    card->delays_events = zv_slice_equal(value, "delayed");
    return card->delays_events || zv_slice_equal(value, "prompt");
}

/* "oom@5", "oom@5+" */
static bool read_fault(struct emulated_card *card, struct zv_slice value)
{
    const struct zv_slice name = zv_slice_cut(&value, '@');
    struct emulated_fault fault = {0};
    if (value.length != 0 && value.at[value.length - 1] == '+') {
        fault.onward = true;
        value.length--;
    }
    if (card->fault_count == EMULATED_FAULTS || !zv_slice_u64(value, &fault.at) || fault.at == 0) {
        return false;
    }
    for (int kind = 0; kind < EMULATED_FAULT_COUNT; kind++) {
        if (zv_slice_equal(name, fault_names[kind])) {
            fault.kind = (enum emulated_fault_kind)kind;
            card->faults[card->fault_count++] = fault;
            return true;
        }
    }
    return false;
}

static const struct {
    const char *key;
    bool (*read)(struct emulated_card *card, struct zv_slice value);
    const char *expected;
} fields[] = {
    {"name", read_name, "a name of at most 95 bytes"},
    {"total", read_total, "bytes above 0"},
    {"used", read_used, "bytes"},
    {"cc", read_compute, "a compute capability such as 8.9"},
    {"processors", read_processors, "1 to 65535 multiprocessors"},
    {"integrated", read_integrated, "yes or no"},
    {"vmm", read_vmm, "yes or no"},
    {"events", read_events, "prompt or delayed"},
    {"fault", read_fault, "oom, copy, launch or lost, @ and a count from 1 on; at most 8"},
};

static enum zv_status read_field(struct emulated_card *card, struct zv_slice field,
                                 struct zv_error *err)
{
    struct zv_slice value = field;
    const struct zv_slice key = zv_slice_cut(&value, '=');
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        if (zv_slice_equal(key, fields[i].key)) {
            return fields[i].read(card, value)
                       ? ZV_OK
                       : zv_fail(err, ZV_E_SYNTAX, "emulated card: %.*s: expected %s",
                                 (int)(field.length < 80 ? field.length : 80), field.at,
                                 fields[i].expected);
        }
    }
    return zv_fail(err, ZV_E_SYNTAX,
                   "emulated card: '%.*s': expected name, total, used, cc, processors, "
                   "integrated, vmm, events or fault",
                   (int)(field.length < 80 ? field.length : 80), field.at);
}

static enum zv_status read_card(struct emulated_card *card, struct zv_slice text,
                                struct zv_error *err)
{
    *card = (struct emulated_card){.compute_major = 8, /* an A100's */
                                   .processors = 108,
                                   .assumes_compute = true,
                                   .assumes_processors = true,
                                   .has_vmm = true};
    (void)snprintf(card->name, sizeof card->name, "card");
    while (text.length != 0) {
        const enum zv_status status = read_field(card, zv_slice_cut(&text, ','), err);
        if (status != ZV_OK) {
            return status;
        }
    }
    if (card->total_bytes == 0 || card->used_bytes > card->total_bytes) {
        return zv_fail(err, ZV_E_SYNTAX,
                       "emulated card %s: expected total= with at least used=", card->name);
    }
    return ZV_OK;
}

enum zv_status emulated_config_read(struct emulated_card cards[EMULATED_DEVICES], uint32_t *count,
                                    const char *text, struct zv_error *err)
{
    struct zv_slice rest = zv_slice_trim(zv_slice_of(text));
    *count = 0;
    while (rest.length != 0) {
        if (*count == EMULATED_DEVICES) {
            return zv_fail(err, ZV_E_LIMIT, "more than %d emulated cards", (int)EMULATED_DEVICES);
        }
        const enum zv_status status = read_card(&cards[*count], zv_slice_cut(&rest, ';'), err);
        if (status != ZV_OK) {
            *count = 0;
            return status;
        }
        (*count)++;
    }
    return *count != 0 ? ZV_OK
                       : zv_fail(err, ZV_E_SYNTAX, "ZIRVE_EMULATED_CARDS names no emulated card");
}
