#include "cli/record_options.h"

#include "base/fail.h"
#include "cli/card_files.h"

static enum zv_status read_capacity(const struct arguments *args, uint64_t *to,
                                    struct zv_arena *arena, struct zv_error *err)
{
    struct card_files cards;
    struct zv_capacity capacity;
    const char *const card = arguments_value(args, "card");
    if (card != NULL && arguments_has(args, "capacity")) {
        return zv_fail(err, ZV_E_USAGE, "--capacity and --card both say how much memory there is");
    }
    if (card == NULL) {
        return arguments_bytes(args, "capacity", to, err);
    }
    enum zv_status status = card_files_open(&cards, arena, err);
    if (status == ZV_OK) {
        status = zv_capacity_of(&cards.table, card, &capacity, arena, err);
    }
    if (status == ZV_OK) {
        *to = capacity.low;
    }
    card_files_close(&cards);
    return status;
}

/* "1000-2000", "1.5s-2s". */
static enum zv_status read_range(const struct arguments *args, struct zv_record_options *to,
                                 struct zv_error *err)
{
    const char *const text = arguments_value(args, "range");
    struct zv_slice second = zv_slice_of(text);
    struct zv_slice first = zv_slice_cut(&second, '-');
    if (text == NULL) {
        return ZV_OK;
    }
    to->has_range = true;
    to->range_is_time = zv_slice_ends(first, "s") && zv_slice_ends(second, "s");
    bool fine;
    if (to->range_is_time) {
        first.length--;
        second.length--;
        fine = zv_slice_fixed(first, 6, &to->from) && zv_slice_fixed(second, 6, &to->to);
    } else {
        fine = zv_slice_u64(first, &to->from) && zv_slice_u64(second, &to->to);
    }
    return fine && to->from <= to->to
               ? ZV_OK
               : zv_fail(err, ZV_E_USAGE,
                         "--range %s: expected events (1000-2000) or seconds (1.5s-2s)", text);
}

enum zv_status record_options_read(const struct arguments *args, struct zv_record_options *to,
                                   struct zv_arena *arena, struct zv_error *err)
{
    const char *const torch = arguments_value(args, "torch");
    uint64_t device = 0;
    *to = (struct zv_record_options){.device = ZV_RECORD_ANY_DEVICE,
                                     .conf = arguments_value(args, "alloc-conf")};
    enum zv_status status = arguments_u64(args, "device", &device, err);
    if (status == ZV_OK && arguments_has(args, "device")) {
        to->device = (size_t)device;
    }
    if (status == ZV_OK && torch != NULL) {
        to->has_profile = true;
        if (!zv_torch_profile_parse(torch, &to->profile)) {
            return zv_fail(err, ZV_E_UNSUPPORTED, "--torch %s: expected 2.1 or later", torch);
        }
    }
    status = status == ZV_OK ? read_range(args, to, err) : status;
    return status == ZV_OK ? read_capacity(args, &to->capacity_bytes, arena, err) : status;
}
