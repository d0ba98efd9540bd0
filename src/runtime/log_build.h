/* Collecting what a log says; one start at a time. */
#ifndef ZIRVE_RUNTIME_LOG_BUILD_H
#define ZIRVE_RUNTIME_LOG_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/log_start.h"
#include "runtime/log_text.h"
#include "zirve/arena.h"
#include "zirve/error.h"

/* One start of the runtime within the file. */
struct log_part {
    struct zv_log log; /* readings and notes are not set here */
    struct zv_reading *readings;
    size_t count;
    size_t capacity;
    size_t number;    /* 1-based */
    bool loaded;      /* its weights are on the device */
    bool has_context; /* its cache or its buffers are there */
    bool draft;       /* what follows belongs to a second model of the same start */
    bool sliding;     /* the cache lines that follow are of sliding layers */
};

struct log_build {
    struct log_part now;
    struct log_part best; /* the last complete start */
    bool have_best;
    size_t starts;
    bool too_many; /* readings past the limit were dropped */
    struct zv_arena *arena;
    bool out_of_memory;
    const struct log_line *line; /* the current one */
};

/* The current line begins a start: what was collected is kept if it is complete. */
void log_begin(struct log_build *build);

/* Adds a reading of the current line; device is copied. NULL when it could not. */
struct zv_reading *log_add(struct log_build *build, const char *id, struct zv_slice device,
                           const struct log_size *size);

/* Adds the size that follows words in the current line, of the line's rank; false if none does. */
bool log_add_after(struct log_build *build, const char *id, const char *words);

/* Sets a fact once: the first mention counts. */
void log_fact_number(struct log_build *build, struct zv_log_fact *fact, uint64_t value,
                     struct zv_slice text);
void log_fact_text(struct log_build *build, struct zv_log_fact *fact, struct zv_slice text);

/* The start ended in a failure, said by the current line. */
void log_failed(struct log_build *build, bool out_of_memory);

/* A copy that lives in the arena, or the empty slice. */
struct zv_slice log_keep(struct log_build *build, struct zv_slice text);

/* PyTorch's sentence "Tried to allocate … total capacity of … of which … is free". */
bool log_torch_oom(struct log_build *build);

/* One function per runtime: takes the current line. */
void log_llamacpp_line(struct log_build *build);
void log_vllm_line(struct log_build *build);
void log_sglang_line(struct log_build *build);

#endif
