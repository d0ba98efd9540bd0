/* The job that a log speaks of. */
#include "estimate/from_log.h"
#include "runtime/versions.h"

static void set_u64(uint64_t *to, const struct zv_log_fact *fact)
{
    if (*to == 0 && fact->found) {
        *to = fact->value;
    }
}

static void set_u32(uint32_t *to, const struct zv_log_fact *fact)
{
    if (*to == 0 && fact->found && fact->value <= 65536) {
        *to = (uint32_t)fact->value;
    }
}

/* A type that we have no name for is left out: the readings speak for themselves. */
static void set_type(struct zv_slice *to, const struct zv_log_fact *fact)
{
    const bool named = zv_slice_equal(fact->text, "auto") || zv_slice_starts(fact->text, "fp8") ||
                       zv_dtype_parse(fact->text) != ZV_DTYPE_UNKNOWN;
    if (to->length == 0 && fact->found && named) {
        *to = fact->text;
    }
}

static void set_state(enum zv_tristate *to, const struct zv_log_fact *fact)
{
    if (*to == ZV_UNSET && fact->found && !zv_slice_equal(fact->text, "auto")) {
        *to = fact->value != 0 ? ZV_YES : ZV_NO;
    }
}

/* Cards that hold weights. */
static uint32_t cards_of(const struct zv_log *log)
{
    struct zv_slice seen[FROM_LOG_MAX_DEVICES];
    uint32_t count = 0;
    for (size_t i = 0; i < log->reading_count; i++) {
        const struct zv_reading *const reading = &log->readings[i];
        if (reading->host || !zv_slice_equal(zv_slice_of(reading->id), "model_buffer")) {
            continue;
        }
        uint32_t at = 0;
        while (at < count && !zv_slice_same(seen[at], reading->device)) {
            at++;
        }
        if (at == count && count < FROM_LOG_MAX_DEVICES) {
            seen[count++] = reading->device;
        }
    }
    return count;
}

static void fill_llamacpp(struct zv_job *job, const struct zv_log *log)
{
    struct zv_serve *const serve = &job->serve;
    if (serve->context_tokens == 0 && log->context_tokens.found) {
        serve->context_tokens = log->context_tokens.value;
        serve->context_is_total = true;
    }
    /* logs from before streams existed do not speak of them: there was one */
    if (serve->kv_unified == ZV_UNSET && !log->kv_unified.found && log->context_tokens.found) {
        serve->kv_unified = ZV_YES;
    }
    set_state(&serve->kv_unified, &log->kv_unified);
    if (!serve->gpu_layers_given && log->offloaded_layers.found) {
        serve->gpu_layers_given = true;
        serve->gpu_layers = log->offloaded_layers.value < ZV_JOB_ALL_LAYERS
                                ? (uint32_t)log->offloaded_layers.value
                                : ZV_JOB_ALL_LAYERS;
    }
    if (job->devices == 0) {
        job->devices = cards_of(log);
    }
    set_u64(&serve->ubatch_tokens, &log->ubatch_tokens);
    set_u32(&serve->mla, &log->mla);
}

/* SGLang: the pool is what its cache lines speak of, whatever the sequences in it. */
static void fill_sglang(struct zv_job *job, const struct zv_log *log)
{
    if (job->serve.context_tokens == 0 && job->serve.sequences == 0 && log->kv_tokens.found) {
        job->serve.context_tokens = log->kv_tokens.value;
        job->serve.sequences = 1;
    }
}

void zv_log_fill_job(struct zv_job *job, const struct zv_log *log)
{
    struct zv_serve *const serve = &job->serve;
    if (job->runtime == ZV_RUNTIME_NONE) {
        job->runtime = log->runtime;
        job->runtime_version = log->version;
    }
    if (zv_runtime_is_llamacpp(log->runtime)) {
        fill_llamacpp(job, log);
    } else if (log->runtime == ZV_RUNTIME_SGLANG) {
        fill_sglang(job, log);
    }
    set_u64(&serve->context_tokens, &log->context_tokens);
    if (log->runtime != ZV_RUNTIME_VLLM) { /* there it is a ceiling, not a load */
        set_u64(&serve->sequences, &log->sequences);
    }
    set_u64(&serve->batched_tokens, &log->batch_tokens);
    set_u64(&serve->block_tokens, &log->block_tokens);
    set_u64(&serve->memory_fraction, &log->memory_fraction);
    set_type(&serve->kv_dtype_k, &log->kv_type_k);
    set_type(&serve->kv_dtype_v, &log->kv_type_v);
    set_state(&serve->flash_attention, &log->flash_attention);
    set_u32(&job->tp, &log->tp);
    set_u32(&job->pp, &log->pp);
}
