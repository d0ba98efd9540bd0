/*
 * Command lines: what somebody pastes from a terminal, a script or a compose file, as a job.
 *
 *   CUDA_VISIBLE_DEVICES=0,1 docker run … vllm/vllm-openai --model M --tp 2 ──► struct zv_command
 *
 * Words are split as a POSIX shell does (quotes, backslashes, line continuations, comments);
 * nothing is expanded or run. Everything before the known program is skipped. Options that are not
 * understood are kept by name, and whether one can matter to memory is said.
 */
#ifndef ZIRVE_RUNTIME_COMMAND_LINE_H
#define ZIRVE_RUNTIME_COMMAND_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "job/job.h"
#include "zirve/arena.h"
#include "zirve/error.h"

enum {
    ZV_COMMAND_LIMIT = 256 * 1024, /* bytes of text */
    ZV_COMMAND_MAX_WORDS = 4096
};

/* An option or a variable that set nothing in the job. */
struct zv_command_extra {
    struct zv_slice name;  /* "--speculative-config" */
    struct zv_slice value; /* empty when it has none */
    bool matters;          /* it can change memory (or is not known to be harmless) */
    const char *why;       /* "not in the table", "changes memory, not modelled: …" */
};

struct zv_command {
    struct zv_slice program; /* "vllm serve", "llama-server", "llama-bench" … */
    struct zv_slice model;   /* also job.serve.model_path */
    uint32_t devices;        /* cards visible by the environment or options, 0 = not said */
    bool fit_given;          /* llama.cpp --fit: lower parameters until it fits */
    bool fit;
    uint64_t fit_margin_bytes;  /* 0 = not given */
    bool graphs_estimate_given; /* VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS */
    bool graphs_estimate;
    const struct zv_command_extra *extras; /* not understood, harmless ones left out */
    size_t extra_count;
    size_t harmless_count; /* options known to cost no memory */
};

/*
 * Reads text into command and sets in job what the command says (job->runtime, the serve part,
 * tp, pp, ep, dp, LoRA adapters); all else in job is left as it is. Slices point into text or
 * arena, which must outlive both.
 *
 * Errors: ZV_E_SYNTAX (open quote; a value that is not of the option's form: the option and the
 * accepted form are named; no known program), ZV_E_LIMIT, ZV_E_NOMEM.
 */
enum zv_status zv_command_read(struct zv_command *command, struct zv_job *job, struct zv_slice text,
                               struct zv_arena *arena, struct zv_error *err);

#endif
