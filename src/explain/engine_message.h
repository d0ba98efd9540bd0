/*
 * What inference engines say in their own words when they stop for want of memory, before or
 * instead of PyTorch's message (docs/FORMATS.md has the wordings with their sources).
 *
 *     the share       vLLM: less is free at the start than --gpu-memory-utilization is to take
 *     no cache        vLLM, SGLang: nothing of the share is left for the cache
 *     small cache     vLLM: the cache holds less than one request of the longest context
 *     a buffer        llama.cpp: the device gave no buffer for weights, cache or computation
 *
 * What a line does not say is unknown.
 */
#ifndef ZIRVE_EXPLAIN_ENGINE_MESSAGE_H
#define ZIRVE_EXPLAIN_ENGINE_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "explain/oom_message.h"

enum zv_engine_stop {
    ZV_ENGINE_SHARE,
    ZV_ENGINE_NO_CACHE,
    ZV_ENGINE_SMALL_CACHE,
    ZV_ENGINE_BUFFER,
    ZV_ENGINE_STOPS
};

struct zv_engine_count {
    bool known;
    uint64_t value;
};

struct zv_engine_message {
    enum zv_engine_stop stop;
    const char *engine;             /* "vLLM" */
    const char *option;             /* what sets the share, NULL: none */
    uint64_t line;                  /* 1-based, where it begins */
    struct zv_printed device_free;  /* share: at the start */
    struct zv_printed device_total; /* share */
    struct zv_printed needed;    /* share: to be taken; small cache: by one request; the buffer */
    struct zv_printed available; /* small cache: what is left for it */
    uint64_t missing_bytes;      /* of what is known; 0: not known */
    struct zv_engine_count context; /* small cache: tokens of the longest request */
    struct zv_engine_count fits;    /* small cache: tokens that would fit */
    struct zv_engine_count share;   /* in hundredths */
    struct zv_slice buffer;         /* buffer: "CUDA0"; part of the text */
    const char *purpose;            /* buffer: "weights", "computation", "cache"; NULL: not said */
};

/* The last such message in a text; false when there is none. */
bool zv_engine_message_find(struct zv_engine_message *message, struct zv_slice text);

const char *zv_engine_stop_name(enum zv_engine_stop stop); /* "small_cache" */

#endif
