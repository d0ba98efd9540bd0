/*
 * Attachment: what a result that was put into a record says, unpacked: its verdict first, the four
 * counters where it has them, and what it may prove. The file itself stays as it was put in.
 *
 * A program's own words (a log, the output of a run) are no reading of memory; a record of an
 * allocator is one, of that process alone.
 */
#ifndef ZIRVE_DECIDE_ATTACHMENT_H
#define ZIRVE_DECIDE_ATTACHMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "decide/evidence.h"
#include "decide/job_record.h"
#include "zirve/arena.h"
#include "zirve/error.h"

struct zv_attachment {
    const struct zv_entry *entry;
    const char *known; /* how it is known; NULL: as its kind says */
    const char *verdict;
    const char *proves;  /* of it, and what not */
    const char *backend; /* of the allocator that counted; NULL: unknown */
    bool has_counters;   /* its kind has them: what is not known then is unknown */
    bool counted[ZV_COUNTERS];
    uint64_t bytes[ZV_COUNTERS];
};

/*
 * Reads text, the entry's. *read is false for what is kept as it is (no result of a kind that can
 * be unpacked). Errors: ZV_E_SYNTAX for a result that is none, ZV_E_NOMEM.
 */
enum zv_status zv_attachment_read(struct zv_attachment *attachment, bool *read,
                                  const struct zv_entry *entry, struct zv_slice text,
                                  struct zv_arena *arena, struct zv_error *err);

#endif
