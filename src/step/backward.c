/*
 * Running a graph backwards, in the order of torch/csrc/autograd/engine.cpp.
 *
 * Nodes run by descending sequence number; what accumulates into a leaf runs as soon as it is
 * ready. In a node: the gradients of its inputs are computed, fitted to the inputs' shapes (sums
 * over what was broadcast) and types; the incoming gradients go first, then what was saved.
 */
#include <string.h>

#include "base/memory.h"
#include "step/region.h"
#include "step/tensor_layout.h"

enum { FEW_OUTPUTS = 4, FEW_TASKS = 256, MANY_EDGES = 64 };

/* A node as this backward knows it. A checkpoint runs another one inside. */
struct step_task {
    struct step_node *node;
    size_t outer;     /* the node's task in the backward around this one */
    uint32_t missing; /* edges that still lead here */
    struct step_tensor **grads;
    struct step_tensor *few[FEW_OUTPUTS];
};

struct run {
    struct step_engine *e;
    size_t base; /* of this backward's tasks */
    size_t *heap;
    size_t heap_count;
    size_t heap_capacity;
};

static struct step_task *task_of(struct run *run, const struct step_node *node)
{
    return &run->e->tasks[node->task - 1];
}

static bool known(const struct run *run, const struct step_node *node)
{
    return node->task > run->base;
}

static bool add_task(struct run *run, struct step_node *node)
{
    struct step_engine *const e = run->e;
    if (e->task_count == e->task_capacity) {
        const size_t capacity = e->task_capacity == 0 ? FEW_TASKS : e->task_capacity * 2;
        struct step_task *const more = zv_memory_resize(e->tasks, capacity * sizeof *more);
        if (more == NULL) {
            return step_fail(e, ZV_E_NOMEM, "no host memory for a backward pass");
        }
        e->tasks = more;
        e->task_capacity = capacity;
    }
    e->tasks[e->task_count++] = (struct step_task){.node = node, .outer = node->task};
    node->task = e->task_count;
    return true;
}

static struct step_tensor **grads_of(struct step_engine *e, struct step_task *task)
{
    if (task->node->outputs <= FEW_OUTPUTS) {
        return task->few;
    }
    if (task->grads == NULL) {
        task->grads = zv_arena_array(e->arena, task->node->outputs, sizeof(struct step_tensor *));
        if (task->grads == NULL) {
            step_fail(e, ZV_E_NOMEM, "no host memory for a backward pass");
        }
    }
    return task->grads;
}

/* Every node that root leads to, and how many edges lead to each. */
static bool discover_from(struct run *run, size_t at)
{
    struct step_engine *const e = run->e;
    const struct step_node *const node = e->tasks[at].node;
    for (uint32_t i = 0; i < node->edge_count; i++) {
        struct step_node *const next = node->edges[i].node;
        if (next == NULL) {
            continue;
        }
        if (!known(run, next) && !add_task(run, next)) {
            return false;
        }
        task_of(run, next)->missing++;
    }
    return true;
}

/* A tensor's node has to wait for the gradient that it is given as for any other. */
static bool discover(struct run *run, struct step_node *const *roots, size_t count)
{
    struct step_engine *const e = run->e;
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        struct step_node *const root = roots[i];
        ok = known(run, root) || add_task(run, root);
        if (ok) {
            task_of(run, root)->missing++;
        }
    }
    for (size_t at = run->base; ok && at < e->task_count; at++) {
        ok = discover_from(run, at);
    }
    run->heap_capacity = e->task_count - run->base;
    run->heap = ok ? zv_memory_alloc(run->heap_capacity * sizeof *run->heap) : NULL;
    return ok && (run->heap != NULL || step_fail(e, ZV_E_NOMEM, "no host memory for a backward"));
}

/* ---- the heap of ready nodes: the highest sequence number on top ---- */

static uint64_t sequence_at(const struct run *run, size_t at)
{
    return run->e->tasks[run->heap[at]].node->sequence;
}

static void push(struct run *run, size_t task)
{
    size_t at = run->heap_count++;
    run->heap[at] = task;
    while (at != 0 && sequence_at(run, (at - 1) / 2) < sequence_at(run, at)) {
        const size_t up = (at - 1) / 2;
        const size_t kept = run->heap[up];
        run->heap[up] = run->heap[at];
        run->heap[at] = kept;
        at = up;
    }
}

static size_t pop(struct run *run)
{
    const size_t top = run->heap[0];
    run->heap[0] = run->heap[--run->heap_count];
    for (size_t at = 0;;) {
        size_t best = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < run->heap_count; child++) {
            best = sequence_at(run, child) > sequence_at(run, best) ? child : best;
        }
        if (best == at) {
            return top;
        }
        const size_t kept = run->heap[best];
        run->heap[best] = run->heap[at];
        run->heap[at] = kept;
        at = best;
    }
}

/* ---- one node ---- */

/* validate_outputs(): to the input's shape, then to its type. */
static void fit(struct step_engine *e, const struct step_edge *edge, struct step_tensor **grad)
{
    if (!step_same_shape(&(*grad)->shape, &edge->shape)) {
        struct step_tensor *const whole = *grad;
        *grad = step_sum_to(e, whole, &edge->shape);
        step_drop(e, whole);
    }
    if (*grad != NULL && (*grad)->dtype != edge->dtype) {
        struct step_tensor *const other = *grad;
        *grad = step_like(e, other, edge->dtype);
        step_drop(e, other);
    }
}

/* In place only when nothing else can see it; a view holds its base. Source: InputBuffer.cpp. */
static bool may_add_in_place(const struct step_tensor *t)
{
    return !t->is_view && t->refs == 1 && t->storage->refs == 1 && step_is_dense(t);
}

static void add_to(struct step_engine *e, struct step_tensor **sum, struct step_tensor *grad)
{
    struct step_tensor *const old = *sum;
    if (!may_add_in_place(old)) {
        const struct step_tensor *const both[2] = {old, grad};
        int64_t stride[STEP_MAX_DIMS] = {0};
        step_result_strides(&old->shape, both, 2, stride);
        *sum = step_empty_strided(e, &old->shape, stride, step_promote(old->dtype, grad->dtype));
        step_drop(e, old);
    }
    step_drop(e, grad);
}

/* A gradient of the parameter's layout that nothing else holds is taken as it is. */
static bool may_steal(const struct step_tensor *grad, const struct step_tensor *leaf)
{
    for (uint32_t i = 0; i < leaf->shape.dims; i++) {
        if (leaf->shape.size[i] != 1 && grad->stride[i] != leaf->stride[i]) {
            return false;
        }
    }
    return grad->refs == 1 && grad->storage->refs == 1;
}

static void accumulate(struct step_engine *e, struct step_tensor *leaf, struct step_tensor *grad)
{
    if (grad == NULL) {
        return;
    }
    if (leaf->grad == NULL) {
        const enum step_purpose before = e->purpose;
        e->purpose = STEP_GRADIENTS;
        leaf->grad =
            may_steal(grad, leaf) ? step_detach(e, grad) : step_empty(e, &leaf->shape, leaf->dtype);
        if (leaf->grad != NULL) {
            leaf->grad->storage->purpose = STEP_GRADIENTS;
        }
        e->purpose = before;
    }
    if (e->after_grad != NULL && step_ok(e)) { /* the incoming gradient is still held */
        e->after_grad(e, leaf);
    }
    if (leaf->hooks != NULL) {
        step_hooks_call(e, leaf->hooks);
    }
    step_drop(e, grad);
}

/* Hands a gradient to where it goes. */
static void route(struct run *run, const struct step_edge *edge, struct step_tensor *grad)
{
    struct step_engine *const e = run->e;
    struct step_task *const task = task_of(run, edge->node);
    if (grad != NULL) {
        struct step_tensor **const grads = grads_of(e, task);
        if (grads == NULL) {
            step_drop(e, grad);
        } else if (grads[edge->output] == NULL) {
            grads[edge->output] = grad;
        } else {
            add_to(e, &grads[edge->output], grad);
        }
    }
    if (--task->missing == 0) {
        push(run, edge->node->task - 1);
    }
}

static void release_saved(struct step_engine *e, struct step_node *node)
{
    step_release_saved(e, node);
    if (node->again != NULL) {
        step_again_release(e, node->again);
    }
}

/* What a region gave is in variables of the node's function, which die when it returns. */
static void leave_filled(struct step_engine *e, struct step_node *node)
{
    for (size_t i = STEP_NODE_SAVED; i-- > 0;) {
        if (node->saved[i] != NULL) {
            node->saved[i]->storage->saved--;
            step_clear(e, &node->saved[i]);
        }
    }
}

static void run_node(struct run *run, struct step_node *node, struct step_tensor **in)
{
    struct step_engine *const e = run->e;
    struct step_tensor *few[MANY_EDGES];
    struct step_tensor **const out =
        node->edge_count <= MANY_EDGES
            ? few
            : zv_arena_array(e->arena, node->edge_count, sizeof(struct step_tensor *));
    if (out == NULL) {
        step_fail(e, ZV_E_NOMEM, "no host memory for a backward pass");
        return;
    }
    memset(out, 0, node->edge_count * sizeof(struct step_tensor *));
    if (node->hooks != NULL) {
        step_hooks_call(e, node->hooks);
    }
    e->label = node->label;
    if (node->region != NULL) {
        step_region_fill(e, node->region);
    }
    if (step_ok(e)) {
        node->backward(e, node, in, out);
    }
    if (node->region != NULL) {
        leave_filled(e, node);
    }
    for (uint32_t i = 0; i < node->edge_count; i++) {
        if (out[i] != NULL && node->edges[i].node != NULL) {
            fit(e, &node->edges[i], &out[i]);
        }
    }
    for (uint32_t i = 0; i < node->outputs; i++) {
        step_clear(e, &in[i]);
    }
    release_saved(e, node);
    for (uint32_t i = 0; i < node->edge_count; i++) {
        if (node->edges[i].node == NULL) {
            step_clear(e, &out[i]);
        } else {
            route(run, &node->edges[i], out[i]);
        }
    }
}

static void run_all(struct run *run)
{
    struct step_engine *const e = run->e;
    while (run->heap_count != 0 && step_ok(e)) {
        const size_t at = pop(run);
        struct step_node *const node = e->tasks[at].node;
        struct step_tensor *in[FEW_OUTPUTS];
        struct step_tensor **grads = grads_of(e, &e->tasks[at]);
        if (grads == e->tasks[at].few) { /* the tasks may move */
            memcpy(in, grads, sizeof in);
            memset(e->tasks[at].few, 0, sizeof in);
            grads = in;
        }
        if (grads == NULL) {
            return;
        }
        if (node->leaf != NULL) {
            struct step_tensor *const grad = grads[0];
            grads[0] = NULL;
            accumulate(e, node->leaf, grad);
        } else {
            run_node(run, node, grads);
        }
    }
}

static void finish(struct run *run)
{
    struct step_engine *const e = run->e;
    for (size_t i = e->task_count; i-- > run->base;) {
        struct step_task *const task = &e->tasks[i];
        struct step_tensor **const grads = task->grads != NULL ? task->grads : task->few;
        const uint32_t count = task->grads != NULL ? task->node->outputs : FEW_OUTPUTS;
        for (uint32_t k = 0; k < count; k++) {
            step_clear(e, &grads[k]);
        }
        task->node->task = task->outer;
    }
    e->task_count = run->base;
    zv_memory_free(run->heap);
}

/* What waits for the end of the outermost backward; it may add to that. */
static void call_after(struct step_engine *e)
{
    while (e->after != NULL && e->task_count == 0 && step_ok(e)) {
        struct step_hook *const hooks = e->after;
        e->after = NULL;
        step_hooks_call(e, hooks);
        step_hooks_drop(e, hooks);
    }
}

/* Where their gradients go, held: a leaf, which a checkpoint may give as it got it, has its own. */
static size_t find_roots(struct step_engine *e, struct step_tensor *const *tensors, size_t count,
                         struct step_node **roots)
{
    for (size_t i = 0; step_ok(e) && i < count; i++) {
        if (!tensors[i]->needs_grad) {
            step_fail(e, ZV_E_SYNTAX, "backward of what needs no gradient");
            return i;
        }
        roots[i] = step_source_of(e, tensors[i]);
        if (roots[i] == NULL) {
            return i;
        }
    }
    return step_ok(e) ? count : 0;
}

void step_backward_from(struct step_engine *e, struct step_tensor *const *tensors,
                        struct step_tensor **grads, size_t count)
{
    struct run run = {.e = e, .base = e->task_count};
    const bool grad_before = e->grad_enabled;
    const uint32_t label_before = e->label;
    struct step_node *roots[STEP_BACKWARD_ROOTS];
    const size_t held = find_roots(e, tensors, count, roots);
    e->grad_enabled = false;
    const bool found = held == count && step_ok(e) && discover(&run, roots, count);
    for (size_t i = 0; i < count; i++) {
        if (found) {
            const struct step_edge edge = {.node = roots[i], .output = tensors[i]->output};
            route(&run, &edge, grads[i]);
        } else {
            step_drop(e, grads[i]);
        }
    }
    if (found) {
        run_all(&run);
    }
    finish(&run);
    call_after(e);
    for (size_t i = 0; i < held; i++) {
        step_node_drop(e, roots[i]);
    }
    e->grad_enabled = grad_before;
    e->label = label_before;
}

void step_backward(struct step_engine *e, struct step_tensor *loss)
{
    if (loss == NULL || !step_ok(e)) {
        return;
    }
    struct step_tensor *const own = step_empty(e, &loss->shape, loss->dtype);
    struct step_tensor *grad = step_hold(own); /* held until backward returns */
    step_backward_from(e, &loss, &grad, 1);
    step_drop(e, own);
}
