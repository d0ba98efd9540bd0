/* The graph: nodes, their edges, what they save and when they die. */
#include <string.h>

#include "step/region.h"

enum { POOL_ENTRIES = 128 };

static struct step_node *take_node(struct step_engine *e)
{
    if (e->unused_nodes == NULL) {
        struct step_node *const more = zv_arena_array(e->arena, POOL_ENTRIES, sizeof *more);
        for (size_t i = 0; more != NULL && i < POOL_ENTRIES; i++) {
            more[i].next = e->unused_nodes;
            e->unused_nodes = &more[i];
        }
    }
    struct step_node *const node = e->unused_nodes;
    if (node == NULL) {
        step_fail(e, ZV_E_NOMEM, "no host memory for the step's graph");
        return NULL;
    }
    e->unused_nodes = node->next;
    *node = (struct step_node){.refs = 1, .outputs = 1, .label = e->label};
    node->edges = node->few;
    return node;
}

bool step_needs(const struct step_engine *e, struct step_tensor *const *inputs, size_t count)
{
    bool needed = false;
    for (size_t i = 0; i < count; i++) {
        needed |= inputs[i] != NULL && inputs[i]->needs_grad;
    }
    return needed && e->grad_enabled && step_ok(e);
}

struct step_node *step_source_of(struct step_engine *e, struct step_tensor *t)
{
    struct step_node *node = t->node != NULL ? t->node : t->accumulator;
    if (node != NULL) {
        node->refs++;
        return node;
    }
    node = take_node(e);
    if (node != NULL) {
        node->sequence = UINT64_MAX; /* as soon as it is ready */
        node->leaf = step_hold(t);
        t->accumulator = node;
    }
    return node;
}

struct step_node *step_node_new(struct step_engine *e, step_backward_fn *backward,
                                struct step_tensor *const *inputs, size_t count)
{
    return step_needs(e, inputs, count) ? step_node_always(e, backward, inputs, count) : NULL;
}

struct step_node *step_node_always(struct step_engine *e, step_backward_fn *backward,
                                   struct step_tensor *const *inputs, size_t count)
{
    struct step_node *const node = take_node(e);
    if (node == NULL) {
        return NULL;
    }
    node->backward = backward;
    node->sequence = ++e->sequence;
    if (count > STEP_NODE_EDGES) {
        node->edges = zv_arena_array(e->arena, count, sizeof *node->edges);
        if (node->edges == NULL) {
            node->edges = node->few;
            step_fail(e, ZV_E_NOMEM, "no host memory for the step's graph");
            step_node_drop(e, node);
            return NULL;
        }
    }
    node->edge_count = (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        struct step_tensor *const input = inputs[i];
        if (input != NULL && input->needs_grad) {
            node->edges[i] = (struct step_edge){.node = step_source_of(e, input),
                                                .output = input->output,
                                                .dtype = input->dtype,
                                                .shape = input->shape};
        }
    }
    return node;
}

void step_attach(struct step_tensor *result, struct step_node *node, uint32_t output)
{
    if (result != NULL && node != NULL) {
        result->needs_grad = true;
        result->node = node;
        result->output = output;
        node->refs++;
    }
}

struct step_tensor *step_made_by(struct step_engine *e, struct step_tensor *result,
                                 struct step_node *node)
{
    step_attach(result, node, 0);
    step_node_drop(e, node);
    return result;
}

void step_save(struct step_engine *e, struct step_node *node, size_t slot,
               const struct step_tensor *t)
{
    if (node == NULL) {
        return;
    }
    if (e->region != NULL) {
        step_region_save(e, node, slot, t);
        return;
    }
    node->saved[slot] = step_detach(e, t);
    if (node->saved[slot] != NULL) {
        node->saved[slot]->storage->saved++;
    }
}

void step_release_saved(struct step_engine *e, struct step_node *node)
{
    for (size_t i = 0; i < STEP_NODE_SAVED; i++) {
        if (node->saved[i] != NULL) {
            node->saved[i]->storage->saved--;
            step_clear(e, &node->saved[i]);
        }
        if (node->holder[i] != 0) {
            step_region_release(e, node, i);
        }
    }
}

/* NOLINTBEGIN(misc-no-recursion): one level: what dies while another is buried waits in a list */
/* What is left of a node: its saved tensors, then its edges, which may be the last use of others.
 */
static void bury(struct step_engine *e, struct step_node *node)
{
    step_release_saved(e, node);
    if (node->attribute != NULL) {
        node->attribute->storage->saved--;
        step_clear(e, &node->attribute);
    }
    if (node->again != NULL) {
        step_again_drop(e, node->again);
        node->again = NULL;
    }
    if (node->hooks != NULL) {
        step_hooks_drop(e, node->hooks);
    }
    for (uint32_t i = 0; i < node->edge_count; i++) {
        step_node_drop(e, node->edges[i].node);
    }
    if (node->leaf != NULL) {
        node->leaf->accumulator = NULL;
        step_clear(e, &node->leaf);
    }
    node->next = e->unused_nodes;
    e->unused_nodes = node;
}

/* A chain of nodes is as long as the network, so it is taken down without recursion. */
void step_node_drop(struct step_engine *e, struct step_node *node)
{
    if (node == NULL || --node->refs != 0) {
        return;
    }
    node->next = e->dying;
    e->dying = node;
    if (e->burying) {
        return;
    }
    e->burying = true;
    while (e->dying != NULL) {
        struct step_node *const first = e->dying;
        e->dying = first->next;
        bury(e, first);
    }
    e->burying = false;
}
/* NOLINTEND(misc-no-recursion) */
