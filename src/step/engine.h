/*
 * The mini framework: what PyTorch does with memory when it runs a step, without any values.
 *
 *   storage   bytes from the allocator; freed when the last tensor over them dies, or given back
 *             before that and taken anew (resize_ to 0 and back)
 *   tensor    shape + strides + type over a storage; counted references, as Python holds them
 *   node      one operation of the graph: edges to where its inputs came from, tensors it saved
 *
 *   program ──► operations (op_table.h) ──► storages ──► allocator, event by event
 *                      └──► nodes ──► step_backward ──► more storages
 *
 * Lifetimes are the whole point: an operation allocates, saves and drops in the order in which
 * PyTorch's source does. The rules and where each was read: docs/STEP.md.
 *
 * Functions that give a tensor give a counted reference that the caller drops; what is passed in is
 * only borrowed. The first failure sticks in the engine; after it operations give NULL and do
 * nothing, and NULL may be passed to any of them.
 */
#ifndef ZIRVE_STEP_ENGINE_H
#define ZIRVE_STEP_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "model/dtype.h"
#include "zirve/allocator.h"
#include "zirve/arena.h"
#include "zirve/error.h"

enum {
    STEP_MAX_DIMS = 6,
    STEP_NODE_EDGES = 4,
    STEP_BACKWARD_ROOTS = 16, /* tensors that one backward begins from */
    STEP_NODE_SAVED = 7,
    STEP_MAX_PHASES = 8,
    STEP_MAX_STREAMS = 8
};

/* What a storage is for, as long as it lives. */
enum step_purpose {
    STEP_ACTIVATION, /* made by an operation: saved for backward or temporary */
    STEP_WEIGHTS,
    STEP_INPUTS,
    STEP_GRADIENTS,
    STEP_STATES, /* of the optimizer */
    STEP_WORKSPACE,
    STEP_EXCHANGED, /* with other ranks: gathered weights, buffers of collectives */
    STEP_PURPOSE_COUNT
};

struct step_shape {
    uint32_t dims;
    int64_t size[STEP_MAX_DIMS];
};

struct step_storage {
    uint64_t bytes;      /* 0: none, on the host, or given back */
    uint64_t full_bytes; /* what step_refill takes */
    uint64_t id;         /* its number among all allocations */
    struct zv_allocation allocation;
    uint32_t stream; /* that allocated it */
    uint32_t refs;   /* tensors */
    uint32_t saved;  /* of them: those that the graph keeps for backward */
    bool of_kernel;
    uint32_t label;
    enum step_purpose purpose;
    uint64_t managed_bytes;    /* outside the allocator: paged between card and host */
    struct step_storage *next; /* all live ones */
    struct step_storage *prev;
};

struct step_node;
struct step_path; /* a name of the model (program_run.h) */

/* A procedure of the program that is called when something happens (op_hooks.c). */
struct step_hook;

/* A weight that bitsandbytes or torchao packed. */
struct step_packed {
    int64_t rows;
    int64_t columns;
    int64_t blocks;         /* of 64 values, each with a scale */
    bool double_quant;      /* the scales are quantised too: a use makes them whole first */
    bool keeps_input;       /* bitsandbytes that holds each input until the graph dies */
    bool torchao;           /* NF4Tensor: no scales are unpacked, no input is held */
    enum zv_dtype unpacked; /* the type that unpacking gives; UNKNOWN: that of the input */
};

struct step_tensor {
    uint32_t refs;
    enum zv_dtype dtype;
    struct step_storage *storage;
    struct step_shape shape;
    int64_t stride[STEP_MAX_DIMS];
    bool needs_grad;
    bool is_view;                  /* of a gradient that something else may still hold */
    uint32_t output;               /* of node */
    struct step_node *node;        /* that made it; NULL for a leaf */
    struct step_node *accumulator; /* of a leaf; not counted */
    struct step_tensor *grad;
    struct step_tensor *low; /* its copy in the autocast cache */
    const struct step_packed *packed;
    struct step_path *parameter; /* that it is; NULL: none */
    struct step_hook *hooks;     /* of a leaf: when its gradient is there */
};

struct step_edge {
    struct step_node *node; /* NULL: needs no gradient */
    uint32_t output;
    enum zv_dtype dtype; /* of the input */
    struct step_shape shape;
};

/*
 * A label says what is at work: the layer + 1 (0: none) above, what the program named below. Who
 * knows the program gives it its words (step.h).
 */
enum { STEP_LABEL_LAYER = 16, STEP_LABEL_WHAT = 0xffff };

struct step_engine;

/* in: one gradient for each output (NULL: none); out: one for each edge, NULL or owned. */
typedef void step_backward_fn(struct step_engine *e, struct step_node *node,
                              struct step_tensor **in, struct step_tensor **out);

/* What a checkpoint runs again, and what it keeps for that (region.h). */
struct step_again;
struct step_region;

struct step_node {
    struct step_node *next; /* in a list of unused or dying ones */
    uint32_t refs;
    uint32_t label;
    uint64_t sequence;
    step_backward_fn *backward; /* NULL: accumulates into leaf */
    struct step_tensor *leaf;
    uint32_t outputs;
    uint32_t edge_count;
    struct step_edge *edges;
    struct step_edge few[STEP_NODE_EDGES];
    struct step_tensor *saved[STEP_NODE_SAVED];
    struct step_tensor *attribute; /* of Python: lives as long as the node, not until it has run */
    struct step_again *again;
    struct step_region *region;       /* whose run fills saved; NULL: it is there */
    uint32_t holder[STEP_NODE_SAVED]; /* of region, from 1 on; 0: the slot waits for nothing */
    struct step_hook *hooks;          /* before it runs */
    struct step_shape shape;          /* facts for backward; what they mean is the operation's */
    int64_t stride[STEP_MAX_DIMS];
    struct step_shape other;
    int64_t other_stride[STEP_MAX_DIMS];
    int64_t number[2];
    int64_t *sizes; /* of the parts that cat and split had; edge_count or outputs many */
    enum zv_dtype dtype;
    size_t task; /* index + 1 in the backward that runs */
};

/* The card as kernels see it. */
struct step_card {
    uint32_t processors;            /* streaming multiprocessors */
    uint32_t threads_per_processor; /* 2048; 1536 on sm_86 and sm_89 */
    uint64_t workspace_bytes;       /* of cuBLAS, for each thread's handle; 0: none counted */
    uint64_t addmm_bytes;           /* cublasLt's transient workspace; 0: none */
};

/* One change of memory, told as it happens. */
struct step_event {
    bool is_free;
    bool is_use;    /* no change of memory: work of this stream reads it, too (record_stream()) */
    bool of_kernel; /* what a kernel takes for itself: PyTorch's dispatcher sees none of it */
    uint64_t id;
    uint64_t bytes;
    uint64_t address;
    uint32_t label;  /* of the operation at work */
    uint32_t stream; /* that allocates; 0: the default one */
};
typedef void step_event_fn(void *context, const struct step_event *event);

/* A named part of a run, as "training" or "evaluation"; a name that comes again goes on. */
struct step_phase {
    struct zv_slice name;
    uint64_t events; /* in it */
    uint64_t begin_allocated_bytes;
    uint64_t peak_allocated_bytes;
    uint64_t peak_active_bytes;
    uint64_t peak_reserved_bytes;
    uint64_t end_allocated_bytes;
};

struct step_handle { /* a thread's cuBLAS handle */
    struct step_storage *workspace;
};

struct step_engine {
    enum zv_status status;
    struct zv_error *err;
    struct zv_arena *arena;
    struct zv_allocator *allocator;
    struct step_card card;
    step_event_fn *on_event;
    void *context;
    /* what the running code has set */
    bool grad_enabled;
    bool inference_mode;
    bool evaluating;        /* the model is in eval(): nothing drops out */
    enum zv_dtype autocast; /* UNKNOWN: off */
    uint32_t autocast_depth;
    bool autocast_cache;        /* weights are cast once until the outermost autocast ends */
    bool in_kernel;             /* what is made belongs to a kernel alone */
    bool in_backward;           /* autograd's thread has a cuBLAS handle of its own */
    bool stopped;               /* a region has all that it was run again for */
    struct step_region *region; /* that is at work; NULL: saved tensors are kept */
    enum step_purpose purpose;
    uint32_t label;
    /* register_post_accumulate_grad_hook: called when a leaf's gradient is whole; NULL: nothing */
    void (*after_grad)(struct step_engine *e, struct step_tensor *leaf);
    void *after_context;
    uint32_t stream; /* that allocates */
    bool on_host;    /* what is made now is not on the card */
    /* figures */
    uint64_t events;
    uint64_t allocations;
    uint64_t peak_allocated_bytes;
    uint64_t managed_bytes; /* now */
    uint64_t peak_managed_bytes;
    uint64_t peak_event; /* the events before it and it */
    uint64_t ooms;
    uint64_t oom_event;
    uint64_t oom_bytes; /* the request */
    uint32_t oom_label;
    uint32_t peak_label;
    bool peak_in_backward;
    bool oom_in_backward;
    struct step_phase phases[STEP_MAX_PHASES];
    size_t phase_count;
    struct step_phase *phase; /* the current one, or NULL */
    uint64_t watch_event;     /* on_watch is called once, after that many events */
    void (*on_watch)(struct step_engine *e, void *context);
    /* private */
    uint64_t sequence;
    struct step_storage live; /* ring */
    struct step_storage *unused_storages;
    struct step_tensor *unused_tensors;
    struct step_node *unused_nodes;
    struct step_region *unused_regions;
    struct step_node *dying;
    bool burying;
    struct step_handle handles[2];
    struct zv_slice streams[STEP_MAX_STREAMS]; /* names, from 1 on; they outlive the engine */
    struct step_hook *after;                   /* called when the backward that runs is over */
    struct step_tensor **low_leaves;           /* in the autocast cache */
    size_t low_count;
    size_t low_capacity;
    struct step_task *tasks;
    size_t task_count;
    size_t task_capacity;
};

/* arena, allocator, card, err and on_event are set; begins without memory. */
void step_engine_begin(struct step_engine *e);
/* Frees host memory that the arena does not hold. What is still allocated stays allocated. */
void step_engine_end(struct step_engine *e);

/* Records the first failure; always false. */
bool step_fail(struct step_engine *e, enum zv_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Whether to go on. A region that stops is no failure: what it holds is still dropped. */
static inline bool step_ok(const struct step_engine *e)
{
    return e->status == ZV_OK && !e->stopped;
}

/* ---- storages (storage_store.c) ---- */

struct step_storage *step_storage_new(struct step_engine *e, uint64_t bytes);
/* One whose bytes lie in memory that no allocator of PyTorch sees (cudaMallocManaged). */
struct step_storage *step_storage_managed(struct step_engine *e, uint64_t bytes);
void step_storage_drop(struct step_engine *e, struct step_storage *storage);
/* Gives back what a storage has, and takes it anew; tensors over it stay. */
void step_release(struct step_engine *e, struct step_storage *storage);
void step_refill(struct step_engine *e, struct step_storage *storage);
/* Tensor.record_stream(): the current stream uses it, too. Nothing where it was allocated there.
 * late: its memory comes back only when that work is done; else that is so at once. */
void step_use_here(struct step_engine *e, struct step_storage *storage, bool late);
/* The host waits until what was queued up to a point (zv_allocator_queued) is done. */
void step_finish_until(struct step_engine *e, uint64_t point);

/* What is allocated from here on is in the stream of this name, which outlives the engine. */
bool step_stream_set(struct step_engine *e, struct zv_slice name);

/* A buffer that lives for the length of a kernel: allocated and freed at once; 0 bytes: nothing. */
void step_scratch(struct step_engine *e, uint64_t bytes);

/* What happens from here on belongs to the phase of this name, which outlives the engine. */
bool step_phase_begin(struct step_engine *e, struct zv_slice name);
/* Brings the current phase's figures up to now. */
void step_phase_note(struct step_engine *e);

/* ---- tensors (tensor_store.c) ---- */

/* Dense, in the order of its dimensions. */
struct step_tensor *step_empty(struct step_engine *e, const struct step_shape *shape,
                               enum zv_dtype dtype);

/* What a kernel takes for itself of a tensor that does not lie in order; NULL: it is read as it
 * is, or there is none. */
struct step_tensor *step_kernel_copy(struct step_engine *e, const struct step_tensor *t);
struct step_tensor *step_empty_strided(struct step_engine *e, const struct step_shape *shape,
                                       const int64_t *stride, enum zv_dtype dtype);
/* empty_like(): keeps dense strides. */
struct step_tensor *step_like(struct step_engine *e, const struct step_tensor *t,
                              enum zv_dtype dtype);
/* Of the same shape, over step_storage_managed. */
struct step_tensor *step_managed(struct step_engine *e, const struct step_tensor *t,
                                 enum zv_dtype dtype);
struct step_tensor *step_vector(struct step_engine *e, int64_t size, enum zv_dtype dtype);
struct step_tensor *step_scalar(struct step_engine *e, enum zv_dtype dtype);

/* The same storage seen in another way, without a graph. */
struct step_tensor *step_alias(struct step_engine *e, const struct step_tensor *t,
                               const struct step_shape *shape, const int64_t *stride);
/* The same for a gradient: marked as a view. */
struct step_tensor *step_grad_view(struct step_engine *e, const struct step_tensor *t,
                                   const struct step_shape *shape, const int64_t *stride);
/* As it is, without a graph: what backward saves, detach(). */
struct step_tensor *step_detach(struct step_engine *e, const struct step_tensor *t);

struct step_tensor *step_hold(struct step_tensor *t);
void step_drop(struct step_engine *e, struct step_tensor *t);
/* Drops and forgets. */
void step_clear(struct step_engine *e, struct step_tensor **t);

/* ---- graph ---- */

/* Whether a result of these inputs belongs into the graph. */
bool step_needs(const struct step_engine *e, struct step_tensor *const *inputs, size_t count);

/* A node over inputs; NULL without failure when none needs a gradient. The caller owns a use. */
struct step_node *step_node_new(struct step_engine *e, step_backward_fn *backward,
                                struct step_tensor *const *inputs, size_t count);
/* The same whether or not an input needs one: what runs in it may have parameters. */
struct step_node *step_node_always(struct step_engine *e, step_backward_fn *backward,
                                   struct step_tensor *const *inputs, size_t count);
/* Makes result output number `output` of node and drops the caller's use; node may be NULL. */
struct step_tensor *step_made_by(struct step_engine *e, struct step_tensor *result,
                                 struct step_node *node);
void step_attach(struct step_tensor *result, struct step_node *node, uint32_t output);
void step_node_drop(struct step_engine *e, struct step_node *node);
void step_save(struct step_engine *e, struct step_node *node, size_t slot,
               const struct step_tensor *t);
/* Drops all that was saved. */
void step_release_saved(struct step_engine *e, struct step_node *node);
static inline bool step_edge_needed(const struct step_node *node, size_t edge)
{
    return node->edges[edge].node != NULL;
}

/* What a checkpoint keeps besides tensors (op_checkpoint.c). */
void step_again_drop(struct step_engine *e, struct step_again *again);
/* The part of it that goes when backward has run. */
void step_again_release(struct step_engine *e, struct step_again *again);

/* Calls procedures, in the order in which they were added; forgets them (op_hooks.c). */
void step_hooks_call(struct step_engine *e, const struct step_hook *hooks);
void step_hooks_drop(struct step_engine *e, struct step_hook *hooks);

/* Where the gradient of t goes, held: the node that made it, or what accumulates into the leaf. */
struct step_node *step_source_of(struct step_engine *e, struct step_tensor *t);

/* Runs the graph of loss, which has one element, backwards. */
void step_backward(struct step_engine *e, struct step_tensor *loss);
/* The same of several tensors with their gradients, which it takes over. */
void step_backward_from(struct step_engine *e, struct step_tensor *const *tensors,
                        struct step_tensor **grads, size_t count);

/* ---- kernels' own memory ---- */

/* A matrix product: the thread's cuBLAS handle has a workspace from its first one on. */
void step_uses_cublas(struct step_engine *e);

/* The sum of t over dims (a bit each), which stay as 1; with the scratch of a global reduction. */
struct step_tensor *step_sum(struct step_engine *e, const struct step_tensor *t, uint32_t dims,
                             enum zv_dtype dtype);
/* The gradient of an operand that was broadcast from shape. */
struct step_tensor *step_sum_to(struct step_engine *e, const struct step_tensor *grad,
                                const struct step_shape *shape);

/* ---- autocast ---- */

/* The operand of an operation that autocast runs in low precision (a new reference in any case). */
struct step_tensor *step_low(struct step_engine *e, struct step_tensor *t);
/* The operand of one that it runs in fp32. */
struct step_tensor *step_wide(struct step_engine *e, struct step_tensor *t);
void step_autocast_clear(struct step_engine *e);

#endif
