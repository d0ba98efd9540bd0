/* Reading log lines: taking prefixes off, finding words, sizes with the precision they have. */
#ifndef ZIRVE_RUNTIME_LOG_TEXT_H
#define ZIRVE_RUNTIME_LOG_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "runtime/log_start.h"

/* Walks a log; text holds the cleaned line until the next call. */
struct log_line {
    struct zv_slice rest;   /* what follows, from the next line break on */
    struct zv_slice pieces; /* of the current line, between carriage returns */
    struct zv_slice text;   /* colours and control bytes taken off */
    struct zv_slice rank;   /* "TP0", "PP1_TP0", "DP0 TP3"; empty when the line names none */
    uint64_t number;
    char clean[ZV_LOG_MAX_LINE];
};

void log_open(struct log_line *line, struct zv_slice text);
bool log_next(struct log_line *line); /* false at the end */

/* What follows the first occurrence of words, or false. before may be NULL. */
bool log_after(struct zv_slice text, const char *words, struct zv_slice *before,
               struct zv_slice *after);

/* The last word of text ("llama_kv_cache:  CUDA0" gives "CUDA0"). */
struct zv_slice log_last_word(struct zv_slice text);

/* A size as printed. */
struct log_size {
    uint64_t bytes;
    uint64_t half_unit_bytes;
    struct zv_slice printed;
};

/*
 * The size at the start of text (blanks and '=' before it are skipped): "2440.00 MiB", "3.76GiB",
 * "2713,50 MiB". GB and MB in these logs are powers of two. rest may be NULL.
 */
bool log_size_read(struct zv_slice text, struct log_size *to, struct zv_slice *rest);

/* A whole number at the start of text: "4096", "476,016"; blanks, '=' and ':' before are skipped.
 */
bool log_count_read(struct zv_slice text, uint64_t *to, struct zv_slice *rest);

/* A decimal at the start of text in millionths: "0.90", "15.88x". */
bool log_millionths_read(struct zv_slice text, uint64_t *to);

#endif
