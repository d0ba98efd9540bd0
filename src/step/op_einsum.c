/*
 * einsum of two operands: permuted, multiplied as one bmm, permuted back. Source:
 * ATen/native/Linear.cpp, einsum and sumproduct_pair (PyTorch 2.6).
 */
#include <string.h>

#include "step/op_table.h"
#include "step/tensor_layout.h"

enum { MAX_LABELS = 12, FIRST_HIDDEN = 128 }; /* labels of "..." are above all letters */

struct labels {
    unsigned char at[MAX_LABELS];
    uint32_t count;
};

static bool put(struct labels *to, unsigned char label)
{
    if (to->count == MAX_LABELS) {
        return false;
    }
    to->at[to->count++] = label;
    return true;
}

static bool has(const struct labels *labels, unsigned char label)
{
    return memchr(labels->at, label, labels->count) != NULL;
}

static uint32_t index_of(const struct labels *labels, unsigned char label)
{
    const unsigned char *const at = memchr(labels->at, label, labels->count);
    return at != NULL ? (uint32_t)(at - labels->at) : 0;
}

/* The labels of one side; "..." becomes `hidden` labels, the last of them always the same. */
static bool spell(struct zv_slice side, uint32_t hidden, struct labels *to)
{
    *to = (struct labels){.count = 0};
    bool ok = true;
    for (size_t i = 0; ok && i < side.length; i++) {
        if (side.at[i] == '.') {
            ok = i + 2 < side.length && side.at[i + 1] == '.' && side.at[i + 2] == '.';
            i += 2;
            for (uint32_t k = 0; ok && k < hidden; k++) {
                ok = put(to, (unsigned char)(FIRST_HIDDEN + MAX_LABELS - hidden + k));
            }
        } else if (side.at[i] != ' ') {
            ok = side.at[i] >= 'a' && side.at[i] <= 'z' && put(to, (unsigned char)side.at[i]);
        }
    }
    return ok;
}

static uint32_t hidden_of(struct zv_slice side, const struct step_tensor *t)
{
    uint32_t letters = 0;
    for (size_t i = 0; i < side.length; i++) {
        letters += side.at[i] >= 'a' && side.at[i] <= 'z';
    }
    return t->shape.dims > letters ? t->shape.dims - letters : 0;
}

/* An operand with a dimension of 1 for each label it lacks, in the order of all. */
static struct step_tensor *align(struct step_engine *e, struct step_tensor *t,
                                 const struct labels *own, const struct labels *all)
{
    struct labels has_now = *own;
    struct step_tensor *at = step_hold(t);
    for (uint32_t i = 0; i < all->count; i++) {
        if (!has(&has_now, all->at[i])) {
            struct step_tensor *const wider = step_op_unsqueeze(e, at, has_now.count);
            step_drop(e, at);
            at = wider;
            (void)put(&has_now, all->at[i]);
        }
    }
    int64_t order[STEP_MAX_DIMS] = {0};
    for (uint32_t i = 0; i < all->count; i++) {
        order[i] = index_of(&has_now, all->at[i]);
    }
    struct step_tensor *const result = step_op_permute(e, at, order);
    step_drop(e, at);
    return result;
}

/* The dimensions in the order both, left only, summed, right only. */
struct groups {
    uint32_t dims[4][STEP_MAX_DIMS];
    uint32_t count[4];
};

enum { BOTH, LEFT, SUMMED, RIGHT };

static struct groups groups_of(const struct step_tensor *a, const struct step_tensor *b,
                               uint32_t outputs)
{
    struct groups groups = {.count = {0}};
    for (uint32_t i = 0; i < a->shape.dims; i++) {
        const int kind = i >= outputs                                     ? SUMMED
                         : a->shape.size[i] != 1 && b->shape.size[i] != 1 ? BOTH
                         : a->shape.size[i] != 1                          ? LEFT
                                                                          : RIGHT;
        groups.dims[kind][groups.count[kind]++] = i;
    }
    return groups;
}

static int64_t extent(const struct step_tensor *t, const struct groups *groups, int kind)
{
    int64_t product = 1;
    for (uint32_t i = 0; i < groups->count[kind]; i++) {
        product *= t->shape.size[groups->dims[kind][i]];
    }
    return product;
}

static struct step_tensor *flat(struct step_engine *e, struct step_tensor *t,
                                const struct groups *groups, const int kinds[4],
                                const struct step_shape *shape)
{
    int64_t order[STEP_MAX_DIMS] = {0};
    uint32_t count = 0;
    for (uint32_t k = 0; k < 4; k++) {
        for (uint32_t i = 0; i < groups->count[kinds[k]]; i++) {
            order[count++] = groups->dims[kinds[k]][i];
        }
    }
    struct step_tensor *const turned = step_op_permute(e, t, order);
    struct step_tensor *const result = turned != NULL ? step_op_reshape(e, turned, shape) : NULL;
    step_drop(e, turned);
    return result;
}

/* From the product's three dimensions back to the outputs'. */
static struct step_tensor *back(struct step_engine *e, struct step_tensor *y,
                                const struct step_tensor *a, const struct step_tensor *b,
                                const struct groups *groups)
{
    struct step_shape shape = {0};
    int64_t order[STEP_MAX_DIMS] = {0};
    for (int kind = BOTH; kind <= RIGHT; kind++) {
        for (uint32_t i = 0; i < groups->count[kind]; i++) {
            const uint32_t dim = groups->dims[kind][i];
            order[dim] = shape.dims;
            shape.size[shape.dims++] = kind == SUMMED  ? 1
                                       : kind == RIGHT ? b->shape.size[dim]
                                                       : a->shape.size[dim];
        }
    }
    struct step_tensor *const whole = step_op_view(e, y, &shape);
    struct step_tensor *const turned = step_op_permute(e, whole, order);
    step_drop(e, whole);
    if (turned == NULL) {
        return NULL;
    }
    struct step_shape outputs = turned->shape;
    outputs.dims -= groups->count[SUMMED];
    struct step_tensor *const result = step_op_view(e, turned, &outputs);
    step_drop(e, turned);
    return result;
}

static struct step_tensor *contract(struct step_engine *e, struct step_tensor *a,
                                    struct step_tensor *b, uint32_t outputs)
{
    static const int left_order[4] = {BOTH, LEFT, SUMMED, RIGHT};
    static const int right_order[4] = {BOTH, SUMMED, RIGHT, LEFT};
    if (a == NULL || b == NULL) {
        return NULL;
    }
    for (uint32_t i = 0; i < a->shape.dims; i++) {
        if (a->shape.size[i] != b->shape.size[i] &&
            (i >= outputs || (a->shape.size[i] != 1 && b->shape.size[i] != 1))) {
            step_fail(e, ZV_E_SYNTAX, "einsum: a label stands for %lld and %lld",
                      (long long)a->shape.size[i], (long long)b->shape.size[i]);
            return NULL;
        }
    }
    const struct groups groups = groups_of(a, b, outputs);
    const int64_t both = extent(a, &groups, BOTH);
    const int64_t summed = extent(a, &groups, SUMMED);
    const struct step_shape left_shape = {.dims = 3,
                                          .size = {both, extent(a, &groups, LEFT), summed}};
    const struct step_shape right_shape = {.dims = 3,
                                           .size = {both, summed, extent(b, &groups, RIGHT)}};
    struct step_tensor *const left = flat(e, a, &groups, left_order, &left_shape);
    struct step_tensor *const right = flat(e, b, &groups, right_order, &right_shape);
    struct step_tensor *const y = step_op_bmm(e, left, right);
    step_drop(e, left);
    step_drop(e, right);
    struct step_tensor *const result = y != NULL ? back(e, y, a, b, &groups) : NULL;
    step_drop(e, y);
    return result;
}

static struct step_tensor *einsum_of(struct step_engine *e, struct zv_slice equation,
                                     struct step_tensor *a, struct step_tensor *b)
{
    struct zv_slice rest = equation;
    struct zv_slice inputs = zv_slice_cut(&rest, '-');
    struct zv_slice right = inputs;
    const struct zv_slice left = zv_slice_cut(&right, ',');
    const struct zv_slice to = {rest.at + 1, rest.length != 0 ? rest.length - 1 : 0};
    const uint32_t hidden[2] = {hidden_of(left, a), hidden_of(right, b)};
    struct labels own[2];
    struct labels all;
    if (!spell(left, hidden[0], &own[0]) || !spell(right, hidden[1], &own[1]) ||
        !spell(to, hidden[0] > hidden[1] ? hidden[0] : hidden[1], &all) ||
        own[0].count != a->shape.dims || own[1].count != b->shape.dims) {
        step_fail(e, ZV_E_SYNTAX, "einsum: the equation does not fit its operands");
        return NULL;
    }
    const uint32_t outputs = all.count;
    for (uint32_t i = 0; i < own[0].count; i++) {
        if (!has(&all, own[0].at[i]) && !put(&all, own[0].at[i])) {
            return NULL;
        }
    }
    if (all.count > STEP_MAX_DIMS) {
        step_fail(e, ZV_E_LIMIT, "einsum: more than %d labels", STEP_MAX_DIMS);
        return NULL;
    }
    struct step_tensor *const first = align(e, a, &own[0], &all);
    struct step_tensor *const second = align(e, b, &own[1], &all);
    struct step_tensor *const result = contract(e, first, second, outputs);
    step_drop(e, first);
    step_drop(e, second);
    return result;
}

struct step_tensor *step_op_einsum(struct step_engine *e, struct zv_slice equation,
                                   struct step_tensor *a, struct step_tensor *b)
{
    struct step_tensor *const left = step_low(e, a);
    struct step_tensor *const right = step_low(e, b);
    struct step_tensor *const result =
        left != NULL && right != NULL ? einsum_of(e, equation, left, right) : NULL;
    step_drop(e, left);
    step_drop(e, right);
    return result;
}
