#include "decide/need.h"

#include "base/date.h"
#include "base/units.h"

/* The word a need's limit goes by, NULL where there is none. */
static const struct {
    const char *name;
    const char *limit;
    const char *expected;
} rows[ZV_NEED_KINDS] = {
    [ZV_NEED_MEMORY] = {"memory", NULL, NULL},
    [ZV_NEED_LOAD] = {"load", NULL, NULL},
    [ZV_NEED_COMPATIBILITY] = {"compatibility", NULL, NULL},
    [ZV_NEED_QUALITY] = {"quality", "at_least", "a number such as 0.80"},
    [ZV_NEED_PRICE] = {"price", "at_most", "an amount such as 100 USD, for the whole job"},
    [ZV_NEED_DELIVERY] = {"delivery", "by", "a date such as 2026-12-15, not before today"},
    [ZV_NEED_HOST_RAM] = {"host_ram", "at_least", "a size such as 64GiB"},
    [ZV_NEED_ENVIRONMENT] = {"environment", "is", "a text"},
    [ZV_NEED_INTERCONNECT] = {"interconnect", "is", "a text"},
    [ZV_NEED_LATENCY] = {"latency", "at_most_ms", "milliseconds"},
    [ZV_NEED_REGION] = {"region", "is", "a text"},
};

static const char *const strengths[] = {"none", "preference", "mandatory"};

const char *zv_need_name(enum zv_need_kind kind)
{
    return rows[kind].name;
}

const char *zv_strength_name(enum zv_strength strength)
{
    return strengths[strength];
}

static bool parse_strength(struct zv_slice text, enum zv_strength *to)
{
    for (unsigned i = 0; i < 3; i++) {
        if (zv_slice_equal(text, strengths[i])) {
            *to = (enum zv_strength)i;
            return true;
        }
    }
    return false;
}

static bool parse_money(struct zv_slice text, struct zv_money *to)
{
    struct zv_slice rest = text;
    struct zv_slice amount;
    struct zv_slice currency;
    return zv_slice_word(&rest, &amount) && zv_slice_word(&rest, &currency) &&
           zv_money_amount(amount, &to->nano) && zv_money_currency(currency, to->currency) &&
           zv_slice_trim(rest).length == 0;
}

static bool parse_limit(enum zv_need_kind kind, struct zv_need *need, int32_t today)
{
    uint64_t plain;
    switch ((int)kind) {
    case ZV_NEED_PRICE:
        return parse_money(need->text, &need->price);
    case ZV_NEED_DELIVERY:
        return zv_date_parse(need->text, &need->day) && need->day >= today;
    case ZV_NEED_HOST_RAM:
        return !zv_slice_u64(need->text, &plain) && zv_bytes_parse(need->text, &need->bytes);
    case ZV_NEED_LATENCY:
        return zv_slice_u64(need->text, &need->number);
    case ZV_NEED_QUALITY:
        return zv_slice_fixed(need->text, 6, &need->number);
    default:
        return need->text.length != 0;
    }
}

static enum zv_status take_limit(enum zv_need_kind kind, struct zv_need *need,
                                 const struct zv_yaml_value *value, int32_t today,
                                 struct zv_error *err)
{
    need->limited = zv_yaml_text(value, &need->text) && parse_limit(kind, need, today);
    return need->limited ? ZV_OK
                         : zv_yaml_fail(value, err, ZV_E_SYNTAX, "%s.%s: expected %s",
                                        rows[kind].name, rows[kind].limit, rows[kind].expected);
}

static enum zv_status take_map(enum zv_need_kind kind, struct zv_need *need,
                               const struct zv_yaml_value *map, int32_t today, struct zv_error *err)
{
    enum zv_status status = ZV_OK;
    need->strength = ZV_MANDATORY;
    for (size_t i = 0; status == ZV_OK && i < zv_yaml_count(map); i++) {
        const struct zv_yaml_value *const value = zv_yaml_item(map, i);
        struct zv_slice text = {0};
        (void)zv_yaml_text(value, &text);
        if (zv_slice_equal(value->key, "strength")) {
            if (!parse_strength(text, &need->strength)) {
                return zv_yaml_fail(value, err, ZV_E_SYNTAX,
                                    "strength: expected mandatory, preference or none");
            }
        } else if (rows[kind].limit != NULL && zv_slice_equal(value->key, rows[kind].limit)) {
            status = take_limit(kind, need, value, today, err);
        } else {
            return zv_yaml_fail(value, err, ZV_E_SYNTAX, "%s: expected strength%s%s",
                                rows[kind].name, rows[kind].limit != NULL ? " or " : "",
                                rows[kind].limit != NULL ? rows[kind].limit : "");
        }
    }
    return status;
}

static enum zv_status take_need(struct zv_needs *needs, const struct zv_yaml_value *value,
                                int32_t today, struct zv_error *err)
{
    unsigned kind = 0;
    while (kind < ZV_NEED_KINDS && !zv_slice_equal(value->key, rows[kind].name)) {
        kind++;
    }
    if (kind == ZV_NEED_KINDS) {
        return zv_yaml_fail(value, err, ZV_E_SYNTAX,
                            "'%.*s' is no need: expected memory, load, compatibility, quality, "
                            "price, delivery, host_ram, environment, interconnect, latency or "
                            "region",
                            (int)(value->key.length < 40 ? value->key.length : 40), value->key.at);
    }
    struct zv_need *const need = &needs->kinds[kind];
    enum zv_status status = ZV_OK;
    if (value->kind == ZV_YAML_MAP) {
        status = take_map((enum zv_need_kind)kind, need, value, today, err);
    } else if (value->kind != ZV_YAML_TEXT || !parse_strength(value->text, &need->strength)) {
        return zv_yaml_fail(value, err, ZV_E_SYNTAX, "%s: expected mandatory, preference or none",
                            rows[kind].name);
    }
    const bool open = kind > ZV_NEED_QUALITY && need->strength != ZV_NOT_NEEDED && !need->limited;
    return status == ZV_OK && open
               ? zv_yaml_fail(value, err, ZV_E_SYNTAX, "%s: expected {%s: %s}", rows[kind].name,
                              rows[kind].limit, rows[kind].expected)
               : status;
}

enum zv_status zv_needs_read(struct zv_needs *needs, const struct zv_yaml_value *map,
                             const struct zv_yaml_value *quality, int32_t today,
                             struct zv_error *err)
{
    *needs = (struct zv_needs){0};
    for (unsigned i = 0; i <= ZV_NEED_QUALITY; i++) {
        needs->kinds[i].strength = ZV_MANDATORY;
    }
    const struct zv_yaml_value *const minimum = zv_yaml_find(quality, "minimum");
    enum zv_status status = ZV_OK;
    if (minimum != NULL && minimum->kind == ZV_YAML_TEXT) {
        status = take_limit(ZV_NEED_QUALITY, &needs->kinds[ZV_NEED_QUALITY], minimum, today, err);
    }
    if (status == ZV_OK && map != NULL && map->kind != ZV_YAML_MAP && map->kind != ZV_YAML_NULL) {
        return zv_yaml_fail(map, err, ZV_E_SYNTAX, "needs: expected a map");
    }
    for (size_t i = 0; status == ZV_OK && i < zv_yaml_count(map); i++) {
        status = take_need(needs, zv_yaml_item(map, i), today, err);
    }
    return status;
}
