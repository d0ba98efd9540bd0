/* What a job needs of one card: from a kept estimate, with the variations its margin is for. */
#include <string.h>

#include "base/checked.h"
#include "base/fail.h"
#include "base/units.h"
#include "decide/choose.h"
#include "format/json_tree.h"

enum zv_status zv_variations_read(struct zv_required *required, const struct zv_yaml_value *list,
                                  struct zv_error *err)
{
    if (list != NULL && list->kind != ZV_YAML_LIST && list->kind != ZV_YAML_NULL) {
        return zv_yaml_fail(list, err, ZV_E_SYNTAX,
                            "margin: expected a list of named variations, never a percentage");
    }
    for (size_t i = 0; i < zv_yaml_count(list); i++) {
        const struct zv_yaml_value *const item = zv_yaml_item(list, i);
        const struct zv_yaml_value *const bytes = zv_yaml_find(item, "bytes");
        struct zv_variation one = {0};
        struct zv_slice size = {0};
        (void)zv_yaml_text(bytes, &size);
        (void)zv_yaml_text(zv_yaml_find(item, "evidence"), &one.evidence);
        if (!zv_yaml_text(zv_yaml_find(item, "name"), &one.name) ||
            !zv_bytes_parse(size, &one.bytes)) {
            return zv_yaml_fail(item, err, ZV_E_SYNTAX,
                                "margin: expected {name: longer input, bytes: 1GiB, evidence: ID}, "
                                "never a percentage");
        }
        if (required->variation_count == ZV_CHOOSE_MAX_VARIATIONS) {
            return zv_yaml_fail(item, err, ZV_E_LIMIT, "more than %d variations",
                                ZV_CHOOSE_MAX_VARIATIONS);
        }
        if (!zv_add(required->varied, one.bytes, &required->varied)) {
            return zv_yaml_fail(item, err, ZV_E_OVERFLOW, "the variations pass 2^64 bytes");
        }
        required->variations[required->variation_count++] = one;
    }
    return ZV_OK;
}

void zv_variations_find(struct zv_required *required, const struct zv_evidence_list *evidence)
{
    for (size_t i = 0; i < required->variation_count; i++) {
        struct zv_variation *const one = &required->variations[i];
        for (size_t k = 0; k < evidence->count; k++) {
            const struct zv_evidence *const document = &evidence->items[k];
            one->documented = one->documented || (document->kind == ZV_EVIDENCE_MEASUREMENT &&
                                                  document->document.length != 0 &&
                                                  zv_slice_same(document->id, one->evidence));
        }
    }
}

/* The fullest group of devices decides; every group counts. */
static bool take_totals(struct zv_required *required, const struct zv_json_value *totals)
{
    for (size_t i = 0; i < zv_json_count(totals); i++) {
        const struct zv_json_value *const total = zv_json_item(totals, i);
        uint64_t scope;
        uint64_t at_least;
        uint64_t expected;
        uint64_t last = 0;
        if (!zv_json_u64(zv_json_find(total, "scope"), &scope)) {
            continue; /* the host's */
        }
        if (!zv_json_u64(zv_json_find(total, "at_least_bytes"), &at_least) ||
            !zv_json_u64(zv_json_find(total, "expected_bytes"), &expected) ||
            !zv_json_u64(zv_json_item(zv_json_find(total, "devices"), 1), &last) || last > 100000) {
            return false;
        }
        if (!required->known || expected > required->expected) {
            required->expected = expected;
            required->at_least = at_least;
            required->unknown = zv_json_count(zv_json_find(total, "unknown"));
        }
        required->devices = last + 1 > required->devices ? (uint32_t)last + 1 : required->devices;
        required->known = true;
    }
    return required->known;
}

enum zv_status zv_required_read(struct zv_required *required, struct zv_slice text,
                                struct zv_arena *arena, struct zv_error *err)
{
    const struct zv_json_value *root;
    struct zv_slice schema = {0};
    *required = (struct zv_required){.fraction_millionths = 1000000};
    enum zv_status status = zv_json_tree_read(&root, text, ZV_JSON_STRICT, arena, err);
    if (status != ZV_OK) {
        return status;
    }
    if (!zv_json_string(zv_json_find(root, "schema"), &schema) ||
        !zv_slice_equal(schema, "zirve.estimate/1")) {
        return zv_fail(err, ZV_E_UNSUPPORTED,
                       "expected an estimate kept with --json (schema zirve.estimate/1)");
    }
    const struct zv_json_value *const formats = zv_json_find(root, "formats");
    if (zv_json_count(formats) > 1) {
        return zv_fail(err, ZV_E_USAGE, "an estimate of %zu formats: choose needs one at a time",
                       zv_json_count(formats));
    }
    const struct zv_json_value *const of = formats != NULL ? zv_json_item(formats, 0) : root;
    return take_totals(required, zv_json_find(of, "totals"))
               ? ZV_OK
               : zv_fail(err, ZV_E_SYNTAX, "an estimate without the totals of a card");
}
