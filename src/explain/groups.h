/* Who holds how much: the live blocks of a heap by stack, frame, size, age and more. */
#ifndef ZIRVE_EXPLAIN_GROUPS_H
#define ZIRVE_EXPLAIN_GROUPS_H

#include <regex.h>
#include <stddef.h>
#include <stdint.h>

#include "explain/heap.h"
#include "zirve/arena.h"

enum zv_group_by {
    ZV_GROUP_STACK,      /* whole stacks, named by the frame of the user's code */
    ZV_GROUP_FRAME,      /* the innermost frame of the user's code: file:line function */
    ZV_GROUP_FUNCTION,   /* its function */
    ZV_GROUP_FILE,       /* its file */
    ZV_GROUP_ROLE,       /* optimizer, backward, forward: told by the frames of PyTorch */
    ZV_GROUP_SIZE,       /* powers of two */
    ZV_GROUP_AGE,        /* events since it was allocated, in powers of ten */
    ZV_GROUP_ANNOTATION, /* record_function scope that was open then */
    ZV_GROUP_CONTEXT,    /* compile context or user metadata */
    ZV_GROUP_POOL,
    ZV_GROUP_STREAM,
    ZV_GROUP_PATTERN, /* the first frame that matches a regular expression: what matched */
    ZV_GROUP_COUNT
};

struct zv_group {
    struct zv_slice label; /* may hold any bytes of the file */
    uint64_t bytes;
    uint64_t requested_bytes;
    uint64_t blocks;
    uint32_t stack; /* of its first block */
};

struct zv_groups {
    struct zv_group *at; /* largest first, then by label */
    size_t count;
    uint64_t total_bytes;
};

struct zv_grouping {
    enum zv_group_by by;
    const regex_t *pattern; /* for ZV_GROUP_PATTERN: matched against "file:line function" */
};

/* Results live in the arena. Errors: ZV_E_NOMEM. */
enum zv_status zv_groups_make(struct zv_groups *groups, const struct zv_record *record,
                              const struct zv_heap *heap, struct zv_grouping how,
                              struct zv_arena *arena, struct zv_error *err);

/* What a memory timeline has at an instant (before event `event`), by category; calculated by the
 * profiler from tensors. Errors: ZV_E_NOMEM. */
enum zv_status zv_groups_of_timeline(struct zv_groups *groups, const struct zv_record *record,
                                     size_t event, struct zv_arena *arena, struct zv_error *err);

/* "stack", "function" ...; ends with NULL. */
extern const char *const zv_group_words[];

/*
 * For each stack the frame that says best whose code it was: the innermost of the user's own
 * Python, else of any Python, else of any; 0: none recorded. In the arena, NULL when memory is
 * short.
 */
const uint32_t *zv_user_frames(const struct zv_trace *trace, struct zv_arena *arena);

/*
 * The callers of a stack's frame of the user's code that are no less the user's, innermost first:
 * at most `most` into to, returns how many there are.
 */
size_t zv_callers(uint32_t *to, size_t most, const struct zv_trace *trace, uint32_t stack,
                  uint32_t user_frame);

/* What PyTorch's own frames in a stack tell of an allocation: the innermost that tells anything. */
enum zv_role { ZV_ROLE_OTHER, ZV_ROLE_FORWARD, ZV_ROLE_BACKWARD, ZV_ROLE_OPTIMIZER, ZV_ROLE_COUNT };

extern const char *const zv_role_names[ZV_ROLE_COUNT]; /* "other", "forward" ... */

/* For each stack its enum zv_role. In the arena, NULL when memory is short. */
const uint8_t *zv_roles(const struct zv_trace *trace, struct zv_arena *arena);

/* Whether the record has annotations (record_function) of its device. */
bool zv_has_scopes(const struct zv_record *record);

/* For each event of the device the innermost annotation that was open then, as a text; 0: none. In
 * the arena, NULL when memory is short. */
const uint32_t *zv_scopes(const struct zv_record *record, struct zv_arena *arena);

/* "train.py:41 step", file without its folders; in the arena, NULL when memory is short. */
const char *zv_frame_label(const struct zv_trace *trace, uint32_t frame, struct zv_arena *arena);

#endif
