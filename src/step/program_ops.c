/* The operations of the language on tensors: from values to the functions of op_table.h. */
#include <string.h>

#include "base/fail.h"
#include "step/op_table.h"
#include "step/program_parameters.h"
#include "step/program_run.h"
#include "step/tensor_layout.h"

enum { MANY = 4096 };

static const struct step_value none = {.kind = STEP_IS_NONE};

static struct step_tensor *tensor(const struct step_call *call, size_t at)
{
    return at < call->count ? step_tensor_of(&call->args[at]) : NULL;
}

static int64_t number(const struct step_call *call, size_t at, int64_t otherwise)
{
    return at < call->count && call->args[at].kind == STEP_IS_NUMBER ? call->args[at].number
                                                                     : otherwise;
}

static enum zv_dtype dtype(const struct step_call *call, size_t at, enum zv_dtype otherwise)
{
    return at < call->count && call->args[at].kind == STEP_IS_DTYPE
               ? (enum zv_dtype)call->args[at].number
               : otherwise;
}

bool step_shape_of(struct step_call *call, size_t at, struct step_shape *to)
{
    const struct step_list *const list = call->args[at].list;
    *to = (struct step_shape){.dims = list->count};
    if (list->count > STEP_MAX_DIMS) {
        return step_fail(call->e, ZV_E_LIMIT, "a shape of more than %d dimensions", STEP_MAX_DIMS);
    }
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->items[i].kind != STEP_IS_NUMBER) {
            return step_fail(call->e, ZV_E_SYNTAX, "size %u of a shape is no whole number", i + 1);
        }
        to->size[i] = list->items[i].number;
    }
    return true;
}

/* The tensors of a list, borrowed, in the arena; NULL with the error set. */
static struct step_tensor **tensors(struct step_call *call, size_t at, size_t *count)
{
    const struct step_list *const list = call->args[at].list;
    struct step_tensor **const to =
        zv_arena_array(call->run->arena, list->count, sizeof(struct step_tensor *));
    if (to == NULL) {
        step_fail(call->e, ZV_E_NOMEM, "no host memory for a list");
        return NULL;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        to[i] = step_tensor_of(&list->items[i]);
        if (to[i] == NULL) {
            step_fail(call->e, ZV_E_SYNTAX, "entry %u of the list is no tensor", i);
            return NULL;
        }
    }
    *count = list->count;
    return to;
}

/* A list of tensors that are given away. */
static struct step_value list_of(struct step_call *call, struct step_tensor **t, size_t count)
{
    struct step_list *const list = step_list_new(call->run, (uint32_t)count);
    for (size_t i = 0; i < count; i++) {
        if (list == NULL) {
            step_drop(call->e, t[i]);
        } else {
            (void)step_list_add(call->run, list, step_value_of(t[i]));
        }
    }
    return list != NULL ? (struct step_value){.kind = STEP_IS_LIST, .list = list} : none;
}

/* ---- facts about tensors ---- */

static bool wrap(struct step_call *call, const struct step_tensor *t, int64_t *dim)
{
    if (t == NULL) {
        return false;
    }
    *dim += *dim < 0 ? t->shape.dims : 0;
    return (*dim >= 0 && *dim < t->shape.dims) ||
           step_fail(call->e, ZV_E_SYNTAX, "there is no such dimension of %u", t->shape.dims);
}

static struct step_value size(struct step_call *call)
{
    const struct step_tensor *const t = tensor(call, 0);
    int64_t dim = number(call, 1, 0);
    if (t != NULL && t->packed != NULL && dim >= 0 && dim < 2) {
        return step_number(dim == 0 ? t->packed->rows : t->packed->columns);
    }
    return t != NULL && wrap(call, t, &dim) ? step_number(t->shape.size[dim]) : none;
}

static struct step_value dims(struct step_call *call)
{
    const struct step_tensor *const t = tensor(call, 0);
    return t != NULL ? step_number(t->shape.dims) : none;
}

static struct step_value elements(struct step_call *call)
{
    const struct step_tensor *const t = tensor(call, 0);
    return t != NULL ? step_number(step_count(&t->shape)) : none;
}

static struct step_value type(struct step_call *call)
{
    const struct step_tensor *const t = tensor(call, 0);
    return t != NULL ? (struct step_value){.kind = STEP_IS_DTYPE, .number = (int64_t)t->dtype}
                     : none;
}

static struct step_value needs_grad(struct step_call *call)
{
    const struct step_tensor *const t = tensor(call, 0);
    return t != NULL ? step_number(t->needs_grad) : none;
}

/* ---- new tensors ---- */

static struct step_value empty(struct step_call *call)
{
    struct step_shape shape;
    return step_shape_of(call, 0, &shape)
               ? step_value_of(step_empty(call->e, &shape, dtype(call, 1, ZV_DTYPE_F32)))
               : none;
}

static struct step_value like(struct step_call *call)
{
    struct step_tensor *const t = tensor(call, 0);
    return t != NULL ? step_value_of(step_like(call->e, t, dtype(call, 1, t->dtype))) : none;
}

static struct step_value compare(struct step_call *call)
{
    const struct step_tensor *const both[2] = {tensor(call, 0), tensor(call, 1)};
    return step_value_of(step_elementwise(call->e, both, 2, ZV_DTYPE_BOOL));
}

static struct step_value scratch(struct step_call *call)
{
    const int64_t bytes = number(call, 0, 0);
    step_scratch(call->e, bytes > 0 ? (uint64_t)bytes : 0);
    return none;
}

/* ---- elementwise ---- */

static struct step_value add_in_place(struct step_call *call)
{
    return step_value_of(step_op_add_in_place(call->e, tensor(call, 0), tensor(call, 1)));
}

static struct step_value to(struct step_call *call)
{
    return step_value_of(step_op_to(call->e, tensor(call, 0), dtype(call, 1, ZV_DTYPE_F32)));
}

static struct step_value clone(struct step_call *call)
{
    return step_value_of(step_op_clone(call->e, tensor(call, 0), false));
}

static struct step_value contiguous(struct step_call *call)
{
    return step_value_of(step_op_contiguous(call->e, tensor(call, 0)));
}

static struct step_value detach(struct step_call *call)
{
    return step_value_of(step_detach(call->e, tensor(call, 0)));
}

static struct step_value where(struct step_call *call)
{
    return step_value_of(step_op_where(call->e, tensor(call, 0), tensor(call, 1)));
}

static struct step_value masked_fill(struct step_call *call)
{
    return step_value_of(step_op_masked_fill(call->e, tensor(call, 0), tensor(call, 1)));
}

static struct step_value dropout(struct step_call *call)
{
    const bool nothing = call->count < 2 || call->args[1].kind == STEP_IS_NONE ||
                         (call->args[1].kind == STEP_IS_NUMBER && call->args[1].number == 0);
    return step_value_of(nothing ? step_hold(tensor(call, 0))
                                 : step_op_dropout(call->e, tensor(call, 0)));
}

/* ---- views ---- */

static struct step_value view(struct step_call *call)
{
    struct step_shape shape;
    return step_shape_of(call, 1, &shape)
               ? step_value_of(step_op_view(call->e, tensor(call, 0), &shape))
               : none;
}

static struct step_value reshape(struct step_call *call)
{
    struct step_shape shape;
    return step_shape_of(call, 1, &shape)
               ? step_value_of(step_op_reshape(call->e, tensor(call, 0), &shape))
               : none;
}

static struct step_value expand(struct step_call *call)
{
    struct step_shape shape;
    return step_shape_of(call, 1, &shape)
               ? step_value_of(step_op_expand(call->e, tensor(call, 0), &shape))
               : none;
}

static struct step_value permute(struct step_call *call)
{
    struct step_shape order;
    if (!step_shape_of(call, 1, &order)) {
        return none;
    }
    struct step_tensor *const t = tensor(call, 0);
    if (t == NULL || order.dims != t->shape.dims) {
        step_fail(call->e, ZV_E_SYNTAX, "permute: an order of %u for another number of dimensions",
                  order.dims);
        return none;
    }
    return step_value_of(step_op_permute(call->e, t, order.size));
}

static struct step_value transpose(struct step_call *call)
{
    return step_value_of(
        step_op_transpose(call->e, tensor(call, 0), number(call, 1, 0), number(call, 2, 0)));
}

static struct step_value unsqueeze(struct step_call *call)
{
    return step_value_of(step_op_unsqueeze(call->e, tensor(call, 0), number(call, 1, 0)));
}

static struct step_value squeeze(struct step_call *call)
{
    return step_value_of(step_op_squeeze(call->e, tensor(call, 0), number(call, 1, 0)));
}

static struct step_value slice(struct step_call *call)
{
    return step_value_of(step_op_slice(call->e, tensor(call, 0), number(call, 1, 0),
                                       number(call, 2, 0), number(call, 3, INT64_MAX)));
}

static struct step_value select_one(struct step_call *call)
{
    return step_value_of(step_op_select(call->e, tensor(call, 0), number(call, 1, 0)));
}

static struct step_value parts(struct step_call *call, int64_t dim, const int64_t *sizes,
                               size_t count)
{
    struct step_tensor **const t =
        zv_arena_array(call->run->arena, count, sizeof(struct step_tensor *));
    if (t == NULL) {
        step_fail(call->e, ZV_E_NOMEM, "no host memory for a split");
        return none;
    }
    return step_op_split(call->e, tensor(call, 0), dim, sizes, count, t) ? list_of(call, t, count)
                                                                         : none;
}

static struct step_value split(struct step_call *call)
{
    const struct step_list *const list = call->args[1].list;
    int64_t sizes[STEP_MAX_ARGUMENTS];
    for (uint32_t i = 0; i < list->count && i < STEP_MAX_ARGUMENTS; i++) {
        if (list->items[i].kind != STEP_IS_NUMBER) {
            step_fail(call->e, ZV_E_SYNTAX, "split: size %u is no whole number", i + 1);
            return none;
        }
        sizes[i] = list->items[i].number;
    }
    return list->count <= STEP_MAX_ARGUMENTS ? parts(call, number(call, 2, -1), sizes, list->count)
                                             : none;
}

/* Parts of each `number` along a dimension, the last perhaps smaller. */
static struct step_value split_every(struct step_call *call)
{
    int64_t dim = number(call, 2, -1);
    const int64_t each = number(call, 1, 1);
    const struct step_tensor *const t = tensor(call, 0);
    if (t == NULL || !wrap(call, t, &dim)) {
        return none;
    }
    const int64_t whole = t->shape.size[dim];
    if (each <= 0 || whole / each >= MANY * 16) {
        step_fail(call->e, ZV_E_LIMIT, "a split into parts of %lld", (long long)each);
        return none;
    }
    const size_t count = (size_t)((whole + each - 1) / each);
    int64_t *const sizes = zv_arena_array(call->run->arena, count, sizeof *sizes);
    for (size_t i = 0; sizes != NULL && i < count; i++) {
        const int64_t left = whole - (int64_t)i * each;
        sizes[i] = left < each ? left : each;
    }
    return sizes != NULL ? parts(call, dim, sizes, count) : none;
}

static struct step_value unbind(struct step_call *call)
{
    struct step_tensor *t[MANY];
    struct step_tensor *const whole = tensor(call, 0);
    int64_t dim = number(call, 1, 0);
    if (whole == NULL || !wrap(call, whole, &dim)) {
        return none;
    }
    const int64_t count = whole->shape.size[dim];
    if (count > MANY) {
        step_fail(call->e, ZV_E_LIMIT, "unbind of more than %d parts", MANY);
        return none;
    }
    return step_op_unbind(call->e, whole, dim, (size_t)count, t) ? list_of(call, t, (size_t)count)
                                                                 : none;
}

static struct step_value cat(struct step_call *call)
{
    size_t count;
    struct step_tensor **const t = tensors(call, 0, &count);
    return t != NULL ? step_value_of(step_op_cat(call->e, t, count, number(call, 1, 0))) : none;
}

static struct step_value stack(struct step_call *call)
{
    size_t count;
    struct step_tensor **const t = tensors(call, 0, &count);
    return t != NULL ? step_value_of(step_op_stack(call->e, t, count, number(call, 1, 0))) : none;
}

/* ---- reductions ---- */

static struct step_value mean(struct step_call *call)
{
    return step_value_of(
        call->count < 2
            ? step_op_mean_all(call->e, tensor(call, 0))
            : step_op_mean(call->e, tensor(call, 0), number(call, 1, 0), number(call, 2, 0) != 0));
}

static struct step_value sum(struct step_call *call)
{
    return step_value_of(
        step_op_sum(call->e, tensor(call, 0), number(call, 1, 0), number(call, 2, 0) != 0));
}

/* Values and their indices; the dimension is kept. */
static struct step_value maximum(struct step_call *call)
{
    struct step_tensor *t[2] = {NULL, NULL};
    t[0] = step_op_max(call->e, tensor(call, 0), number(call, 1, 0), &t[1]);
    return t[0] != NULL ? list_of(call, t, 2) : none;
}

/* ---- matrices ---- */

static struct step_value matmul(struct step_call *call)
{
    return step_value_of(step_op_matmul(call->e, tensor(call, 0), tensor(call, 1)));
}

static struct step_value linear(struct step_call *call)
{
    return step_value_of(
        step_op_linear(call->e, tensor(call, 0), tensor(call, 1), tensor(call, 2)));
}

static struct step_value addmm(struct step_call *call)
{
    return step_value_of(step_op_addmm(call->e, tensor(call, 0), tensor(call, 1), tensor(call, 2)));
}

static struct step_value bmm(struct step_call *call)
{
    return step_value_of(step_op_bmm(call->e, tensor(call, 0), tensor(call, 1)));
}

static struct step_value einsum(struct step_call *call)
{
    return step_value_of(
        step_op_einsum(call->e, call->args[0].text, tensor(call, 1), tensor(call, 2)));
}

static struct step_value conv1d(struct step_call *call)
{
    return step_value_of(step_op_conv1d(call->e, tensor(call, 0), tensor(call, 1)));
}

/* ---- tables ---- */

static struct step_value embedding(struct step_call *call)
{
    return step_value_of(step_op_embedding(call->e, tensor(call, 0), tensor(call, 1)));
}

static struct step_value index_rows(struct step_call *call)
{
    return step_value_of(step_op_index(call->e, tensor(call, 0), tensor(call, 1)));
}

static struct step_value gather(struct step_call *call)
{
    return step_value_of(
        step_op_gather(call->e, tensor(call, 0), number(call, 1, 0), tensor(call, 2)));
}

static struct step_value index_copy(struct step_call *call)
{
    return step_value_of(step_op_index_copy(call->e, tensor(call, 0), number(call, 1, 0),
                                            tensor(call, 2), tensor(call, 3), false));
}

static struct step_value index_copy_in_place(struct step_call *call)
{
    return step_value_of(step_op_index_copy(call->e, tensor(call, 0), number(call, 1, 0),
                                            tensor(call, 2), tensor(call, 3), true));
}

/* ---- softmax, norms, losses ---- */

static struct step_value softmax(struct step_call *call)
{
    return step_value_of(
        step_op_softmax(call->e, tensor(call, 0), dtype(call, 1, ZV_DTYPE_UNKNOWN)));
}

static struct step_value log_softmax(struct step_call *call)
{
    return step_value_of(
        step_op_log_softmax(call->e, tensor(call, 0), dtype(call, 1, ZV_DTYPE_UNKNOWN)));
}

static struct step_value nll_loss(struct step_call *call)
{
    return step_value_of(
        step_op_nll_loss(call->e, tensor(call, 0), tensor(call, 1), number(call, 2, 1) != 0));
}

/*
 * cross_entropy(logits, targets, mean): a log_softmax that states the logits' own type, so that
 * autocast leaves it alone, and a nll_loss, which autocast runs in fp32 (ATen/native/LossNLL.cpp).
 */
static struct step_value cross_entropy(struct step_call *call)
{
    struct step_tensor *const logits = tensor(call, 0);
    struct step_tensor *const own =
        step_op_log_softmax(call->e, logits, logits != NULL ? logits->dtype : ZV_DTYPE_UNKNOWN);
    struct step_tensor *const logs = step_wide(call->e, own);
    step_drop(call->e, own);
    struct step_tensor *const loss =
        step_op_nll_loss(call->e, logs, tensor(call, 1), number(call, 2, 1) != 0);
    step_drop(call->e, logs);
    return step_value_of(loss);
}

static struct step_value layer_norm(struct step_call *call)
{
    return step_value_of(
        step_op_layer_norm(call->e, tensor(call, 0), tensor(call, 1), tensor(call, 2)));
}

/* ---- attention ---- */

static struct step_value flash(struct step_call *call)
{
    return step_value_of(step_op_flash(call->e, tensor(call, 0), tensor(call, 1), tensor(call, 2)));
}

static struct step_value flash1(struct step_call *call)
{
    return step_value_of(
        step_op_flash1(call->e, tensor(call, 0), tensor(call, 1), tensor(call, 2)));
}

static struct step_value efficient(struct step_call *call)
{
    return step_value_of(step_op_efficient(call->e, tensor(call, 0), tensor(call, 1),
                                           tensor(call, 2), tensor(call, 3)));
}

static struct step_value flex(struct step_call *call)
{
    return step_value_of(step_op_flex(call->e, tensor(call, 0), tensor(call, 1), tensor(call, 2)));
}

/* ---- lists ---- */

static struct step_value append(struct step_call *call)
{
    (void)step_list_add(call->run, call->args[0].list, step_value_hold(call->args[1]));
    return none;
}

static struct step_value count(struct step_call *call)
{
    return step_number(call->args[0].list->count);
}

/* [procedure(x, …) for x in list] */
static struct step_value map(struct step_call *call)
{
    const struct step_list *const from = call->args[1].list;
    struct step_list *const to_list = step_list_new(call->run, from->count);
    for (uint32_t i = 0; to_list != NULL && i < from->count && step_ok(call->e); i++) {
        struct step_value args[STEP_MAX_ARGUMENTS];
        size_t given = 0;
        args[given++] = step_value_hold(from->items[i]);
        for (size_t k = 2; k < call->count; k++) {
            args[given++] = step_value_hold(call->args[k]);
        }
        (void)step_list_add(
            call->run, to_list,
            step_call_procedure(call->run, (uint32_t)call->args[0].number, args, given, call->at));
        for (size_t k = 0; k < given; k++) {
            step_value_drop(call->run, &args[k]);
        }
    }
    return to_list != NULL ? (struct step_value){.kind = STEP_IS_LIST, .list = to_list} : none;
}

/* ---- surroundings: for `with` ---- */

static struct step_value no_grad(struct step_call *call)
{
    call->e->grad_enabled = false;
    return none;
}

static struct step_value inference(struct step_call *call)
{
    call->e->grad_enabled = false;
    call->e->inference_mode = true;
    return none;
}

static struct step_value enable_grad(struct step_call *call)
{
    call->e->grad_enabled = true;
    return none;
}

/* autocast(none) is one that is switched off. */
static struct step_value autocast(struct step_call *call)
{
    call->e->autocast = dtype(call, 0, ZV_DTYPE_UNKNOWN);
    call->e->autocast_depth++;
    call->e->autocast_cache = true;
    return none;
}

static struct step_value purpose(struct step_call *call)
{
    static const char *const names[STEP_PURPOSE_COUNT] = {"activations", "weights", "inputs",
                                                          "gradients",   "states",  "workspace"};
    for (int i = 0; i < STEP_PURPOSE_COUNT; i++) {
        if (zv_slice_equal(call->args[0].text, names[i])) {
            call->e->purpose = (enum step_purpose)i;
            return none;
        }
    }
    step_fail(call->e, ZV_E_SYNTAX, "no such purpose");
    return none;
}

/* ---- the table ---- */

const struct step_operation step_operations[] = {
    {"size", "Ti", size},
    {"dims", "T", dims},
    {"elements", "T", elements},
    {"type", "T", type},
    {"needs_grad", "T", needs_grad},
    {"empty", "L?d", empty},
    {"like", "T?d", like},
    {"compare", "T?T", compare},
    {"scratch", "i", scratch},
    {"add_in_place", "T?O", add_in_place},
    {"to", "Td", to},
    {"clone", "T", clone},
    {"contiguous", "T", contiguous},
    {"detach", "T", detach},
    {"where", "TT", where},
    {"masked_fill", "TT", masked_fill},
    {"dropout", "T?n", dropout},
    {"view", "TL", view},
    {"reshape", "TL", reshape},
    {"expand", "TL", expand},
    {"permute", "TL", permute},
    {"transpose", "Tii", transpose},
    {"unsqueeze", "Ti", unsqueeze},
    {"squeeze", "Ti", squeeze},
    {"slice", "Tii?i", slice},
    {"select", "Ti?v", select_one},
    {"split", "TL?i", split},
    {"split_every", "Ti?i", split_every},
    {"unbind", "T?i", unbind},
    {"cat", "L?i", cat},
    {"stack", "L?i", stack},
    {"mean", "T?ii", mean},
    {"sum", "Ti?i", sum},
    {"max", "Ti", maximum},
    {"matmul", "TT", matmul},
    {"linear", "TT?O", linear},
    {"addmm", "TTT", addmm},
    {"bmm", "TT", bmm},
    {"einsum", "sTT", einsum},
    {"conv1d", "TT", conv1d},
    {"embedding", "TT", embedding},
    {"index", "TT", index_rows},
    {"gather", "TiT", gather},
    {"index_copy", "TiTT", index_copy},
    {"index_copy_in_place", "TiTT", index_copy_in_place},
    {"softmax", "T?d", softmax},
    {"log_softmax", "T?d", log_softmax},
    {"nll_loss", "TT?i", nll_loss},
    {"cross_entropy", "TT?i", cross_entropy},
    {"layer_norm", "T?OO", layer_norm},
    {"flash", "TTT", flash},
    {"flash1", "TTT", flash1},
    {"efficient", "TTT?O", efficient},
    {"flex", "TTT", flex},
    {"append", "Lv", append},
    {"count", "L", count},
    {"map", "PL?*", map},
    {"checkpoint", "P*", step_op_checkpoint},
    {"no_grad", "", no_grad},
    {"inference", "", inference},
    {"enable_grad", "", enable_grad},
    {"autocast", "?d", autocast},
    {"purpose", "s", purpose},
    {"exists", "v", step_op_exists},
    {"declared", "", step_op_declared},
    {"is_linear", "M", step_op_is_linear},
    {"declared_size", "M?i", step_op_declared_size},
    {"allocate", "M?di", step_op_allocate},
    {"pack", "M?iidi", step_op_pack},
    {"parameter", "MsL?di", step_op_parameter},
    {"module_of", "M", step_op_module_of},
    {"named", "Ms", step_op_named},
    {"trained", "", step_op_trained},
    {"grad", "M", step_op_grad},
    {"clear_grad", "M", step_op_clear_grad},
    {"state", "Ms", step_op_state},
    {"set_state", "MsT", step_op_set_state},
    {"backward", "T?T", step_op_backward},
    {"mark", "i", step_op_mark},
    {"phase", "s", step_op_phase},
};
const size_t step_operation_count = sizeof step_operations / sizeof *step_operations;
