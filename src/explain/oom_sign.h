/*
 * Signs: words by which a line of output says that memory ran out, and which memory. What the line
 * says besides (bytes asked for, free, held) is oom_message.h's.
 */
#ifndef ZIRVE_EXPLAIN_OOM_SIGN_H
#define ZIRVE_EXPLAIN_OOM_SIGN_H

#include "base/slice.h"

enum zv_oom_memory { ZV_OOM_DEVICE, ZV_OOM_HOST };

struct zv_oom_sign {
    const char *words; /* as they stand in the line */
    const char *who;   /* prints them */
    enum zv_oom_memory memory;
};

/* The first sign of the table that the line has, or NULL. */
const struct zv_oom_sign *zv_oom_sign_find(struct zv_slice line);

const char *zv_oom_memory_name(enum zv_oom_memory memory); /* "device", "host" */

#endif
