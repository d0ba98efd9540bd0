#include "selftest/selftest.h"

#include "base/fail.h"
#include "selftest/checks.h"

static const struct {
    const char *kind;
    void (*predict)(struct checks *checks);
} kinds[] = {
    {"llamacpp_load", predict_llamacpp},
    {"vllm_start", predict_vllm},
    {"vllm_activation_constant", predict_vllm},
    {"vllm_anomaly", predict_vllm},
    {"sglang_start", predict_sglang},
    {"gpu_total", predict_card},
    {"training_peak", predict_peak},
    {"hf_inference_peak", predict_peak},
};

static void predict(struct checks *checks)
{
    const size_t before = checks->count;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (zv_slice_equal(checks->row->kind, kinds[i].kind)) {
            kinds[i].predict(checks);
            if (checks->count == before) {
                check_skip(checks, "row", (struct zv_slice){0}, "the row has no figure we know");
            }
            return;
        }
    }
    check_skip(checks, "row", (struct zv_slice){0}, "a kind of row that is not known");
}

enum zv_status zv_selftest_run(struct zv_selftest *to, const struct zv_rows *rows,
                               struct zv_arena *arena, struct zv_error *err)
{
    struct checks checks = {.arena = arena, .rows = rows};
    *to = (struct zv_selftest){0};
    for (size_t i = 0; i < rows->count; i++) {
        checks.row = &rows->rows[i];
        predict(&checks);
        if (checks.out_of_memory) {
            return zv_fail_memory(err, "the selftest");
        }
    }
    to->checks = checks.at;
    to->check_count = checks.count;
    const enum zv_status status = checks_summarise(to, arena, err);
    return status == ZV_OK ? checks_group_steps(to, arena, err) : status;
}

const char *zv_check_status_name(enum zv_check_status status)
{
    switch (status) {
    case ZV_CHECK_EXACT:
        return "exact";
    case ZV_CHECK_WITHIN:
        return "within";
    case ZV_CHECK_OFF:
        return "off";
    case ZV_CHECK_UNCHECKED:
        return "unchecked";
    case ZV_CHECK_COUNT:
        break;
    }
    return "?";
}
