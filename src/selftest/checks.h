/* Collecting comparisons: one call a figure; the status follows from the figures. */
#ifndef ZIRVE_SELFTEST_CHECKS_H
#define ZIRVE_SELFTEST_CHECKS_H

#include <stdbool.h>
#include <stdint.h>

#include "selftest/measured.h"
#include "selftest/selftest.h"

struct checks {
    struct zv_check *at;
    size_t count;
    size_t capacity;
    struct zv_arena *arena;
    const struct zv_row *row;   /* the one being checked */
    const struct zv_rows *rows; /* all of them, for rows that belong together */
    bool out_of_memory;
};

/* Predicted bytes beside a printed size. reason: what an equality rests on, "" for nothing. */
void check_bytes(struct checks *checks, const char *item, const struct measured *measured,
                 uint64_t predicted, const char *reason);

/* A prediction that is only known to lie in [low, high] bytes: exact when the figure may too. */
void check_byte_range(struct checks *checks, const char *item, const struct measured *measured,
                      uint64_t low, uint64_t high, const char *reason);

/* A count beside a prediction in [low, high], all in units of 10^-decimals. */
struct counted {
    const char *unit; /* "tokens" */
    uint64_t measured;
    uint64_t low;
    uint64_t high;
    unsigned decimals;
};

void check_count(struct checks *checks, const char *item, struct counted counted,
                 const char *reason);

/* An outcome in words ("OOM") beside a predicted one. */
void check_words(struct checks *checks, const char *item, struct zv_slice measured,
                 const char *predicted, const char *reason);

/* Not checked, and why. text: the figure as the row has it. */
void check_skip(struct checks *checks, const char *item, struct zv_slice text, const char *reason);

/* A reason with its numbers, in the arena; never NULL. */
const char *check_reason(struct checks *checks, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Relative distance of predicted in millionths of the measured figure; UINT64_MAX: no number. */
uint64_t check_distance(uint64_t predicted, uint64_t measured);

/* Errors of steps run op by op, by group and by set. */
enum zv_status checks_group_steps(struct zv_selftest *to, struct zv_arena *arena,
                                  struct zv_error *err);

/* Counts by item, runtime and architecture. */
enum zv_status checks_summarise(struct zv_selftest *to, struct zv_arena *arena,
                                struct zv_error *err);

/* The figure by a step run op by op; false when data/published/steps.tsv has no program for it. */
bool check_step(struct checks *checks, const struct zv_row_field *figure);

/* One function per kind of row. */
void predict_llamacpp(struct checks *checks);
void predict_vllm(struct checks *checks);
void predict_sglang(struct checks *checks);
void predict_peak(struct checks *checks);
void predict_card(struct checks *checks);

#endif
