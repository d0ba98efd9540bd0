/* [tensors …] of a family's table: the shapes of lines, and the one or two tensors of each. */
#include "model/family_parser.h"

/* What one line says, before it becomes one or two tensors. */
struct tensor_line {
    struct zv_slice name;
    struct family_tensor weight;
    bool has_bias;
    struct family_expression bias;       /* condition */
    struct family_expression bias_width; /* count 0: the weight's first dimension */
    const char *suffix;                  /* ".weight" or "" */
};

static enum zv_status read_dims(struct family_parser *parser, struct tensor_line *line,
                                bool bracketed)
{
    struct family_tensor *const weight = &line->weight;
    if (bracketed && !family_cursor_take(&parser->line, "[")) {
        return family_wrong(parser, "expected [dimensions]");
    }
    if (bracketed && family_cursor_take(&parser->line, "]")) {
        return ZV_OK; /* a scalar */
    }
    do {
        if (weight->dim_count == FAMILY_MAX_DIMS) {
            return family_full(parser, "dimensions", FAMILY_MAX_DIMS);
        }
        const enum zv_status status = family_value(parser, &weight->dims[weight->dim_count]);
        if (status != ZV_OK) {
            return status;
        }
        weight->dim_count++;
    } while (family_cursor_take(&parser->line, ","));
    return !bracketed || family_cursor_take(&parser->line, "]")
               ? ZV_OK
               : family_wrong(parser, "expected ]");
}

/* IN -> OUT */
static enum zv_status read_linear(struct family_parser *parser, struct tensor_line *line)
{
    struct family_expression in = {0};
    struct family_expression out = {0};
    enum zv_status status = family_value(parser, &in);
    if (status == ZV_OK && !family_cursor_take(&parser->line, "->")) {
        status = family_wrong(parser, "expected: linear IN -> OUT");
    }
    if (status == ZV_OK) {
        status = family_value(parser, &out);
    }
    line->weight.dims[0] = line->weight.transposed ? in : out;
    line->weight.dims[1] = line->weight.transposed ? out : in;
    line->weight.dim_count = 2;
    line->weight.linear = true;
    line->bias_width = out;
    return status;
}

static enum zv_status read_shape(struct family_parser *parser, struct tensor_line *line)
{
    struct family_cursor *const cursor = &parser->line;
    line->suffix = ".weight";
    if (family_cursor_take(cursor, "linear")) {
        return read_linear(parser, line);
    }
    if (family_cursor_take(cursor, "linear_t")) {
        line->weight.transposed = true;
        return read_linear(parser, line);
    }
    if (family_cursor_take(cursor, "norm") || family_cursor_take(cursor, "embedding")) {
        return read_dims(parser, line, false);
    }
    if (family_cursor_take(cursor, "conv")) {
        return read_dims(parser, line, true);
    }
    line->suffix = "";
    return read_dims(parser, line, true);
}

static enum zv_status read_clauses(struct family_parser *parser, struct tensor_line *line)
{
    struct family_cursor *const cursor = &parser->line;
    enum zv_status status = ZV_OK;
    while (status == ZV_OK && !family_cursor_at_end(cursor)) {
        if (family_cursor_take(cursor, "bias")) {
            line->has_bias = true;
            status = family_value(parser, &line->bias);
        } else if (family_cursor_take(cursor, "if")) {
            status = family_value(parser, &line->weight.condition);
        } else if (family_cursor_take(cursor, "as")) {
            line->weight.dtype = zv_dtype_parse(family_cursor_word(cursor));
            if (line->weight.dtype == ZV_DTYPE_UNKNOWN) {
                return family_wrong(parser, "no such element type");
            }
        } else {
            return family_wrong(parser, "expected bias, if or as");
        }
    }
    return status;
}

/* Whether e stands in the name once, as a segment of its own. */
static bool numbers_once(const struct family_name *name)
{
    size_t at = 0;
    size_t count = 0;
    for (size_t i = 0; i < name->count; i++) {
        if (name->pieces[i].kind == PIECE_EXPERT) {
            at = i;
            count++;
        }
    }
    if (count != 1 || at == 0 || name->pieces[at - 1].kind != PIECE_LITERAL ||
        !zv_slice_ends(name->pieces[at - 1].text, ".")) {
        return false;
    }
    return at + 1 == name->count || (name->pieces[at + 1].kind == PIECE_LITERAL &&
                                     zv_slice_starts(name->pieces[at + 1].text, "."));
}

static enum zv_status add_tensor(struct family_parser *parser, struct family_tensor *tensor,
                                 struct zv_slice name, const char *suffix)
{
    struct family *const family = parser->family;
    if (family->tensor_count == FAMILY_MAX_TENSORS) {
        return family_full(parser, "tensor lines", FAMILY_MAX_TENSORS);
    }
    tensor->name = parser->prefix;
    tensor->line = parser->line.line;
    enum zv_status status = family_name_add(parser, &tensor->name, name);
    if (status == ZV_OK && suffix[0] != 0) {
        status = family_name_add(parser, &tensor->name, zv_slice_of(suffix));
    }
    struct family_section *const section = &parser->sections[family->section_count - 1];
    section->count++;
    section->varies |= tensor->condition.per_expert || tensor->second_condition.per_expert ||
                       !numbers_once(&tensor->name);
    for (size_t i = 0; i < tensor->dim_count; i++) {
        section->varies |= tensor->dims[i].per_expert;
    }
    parser->tensors[family->tensor_count++] = *tensor;
    return status;
}

enum zv_status family_read_tensor(struct family_parser *parser)
{
    struct tensor_line line = {.suffix = ""};
    line.name = family_cursor_word(&parser->line);
    enum zv_status status = read_shape(parser, &line);
    if (status == ZV_OK) {
        status = read_clauses(parser, &line);
    }
    if (status == ZV_OK) {
        status = add_tensor(parser, &line.weight, line.name, line.suffix);
    }
    if (status != ZV_OK || !line.has_bias) {
        return status;
    }
    if (line.suffix[0] == 0) {
        return family_wrong(parser, "a bias needs linear, norm or conv");
    }
    struct family_tensor bias = line.weight;
    bias.dims[0] = line.bias_width.count != 0 ? line.bias_width : line.weight.dims[0];
    bias.dim_count = 1;
    bias.linear = false;
    bias.second_condition = line.bias;
    return add_tensor(parser, &bias, line.name, ".bias");
}

/* [tensors PREFIX for i < LAYERS, e < EXPERTS if CONDITION], all but the word optional */
enum zv_status family_open_tensors(struct family_parser *parser)
{
    struct family *const family = parser->family;
    if (family->section_count == FAMILY_MAX_SECTIONS) {
        return family_full(parser, "sections", FAMILY_MAX_SECTIONS);
    }
    struct family_section section = {.first = family->tensor_count, .line = parser->line.line};
    struct family_cursor *const cursor = &parser->line;
    parser->prefix = (struct family_name){0};
    enum zv_status status = ZV_OK;
    struct family_cursor ahead = *cursor;
    if (!family_cursor_at_end(cursor) && !family_cursor_take(&ahead, "for") &&
        !family_cursor_take(&ahead, "if") && !family_cursor_take(&ahead, "]")) {
        status = family_name_add(parser, &parser->prefix, family_cursor_word(cursor));
    }
    if (status == ZV_OK && family_cursor_take(cursor, "for")) {
        if (!family_cursor_take(cursor, "i") || !family_cursor_take(cursor, "<")) {
            return family_wrong(parser, "expected: for i < COUNT");
        }
        status = family_value(parser, &section.layers);
        section.counts_layers =
            status == ZV_OK && section.layers.count == 1 && section.layers.steps[0].op == OP_NAME &&
            zv_slice_equal(parser->definitions[section.layers.steps[0].index].name, "layers");
        if (status == ZV_OK && family_cursor_take(cursor, ",")) {
            if (!family_cursor_take(cursor, "e") || !family_cursor_take(cursor, "<")) {
                return family_wrong(parser, "expected: e < COUNT");
            }
            status = family_value(parser, &section.experts);
        }
    }
    if (status == ZV_OK && family_cursor_take(cursor, "if")) {
        status = family_value(parser, &section.condition);
    }
    parser->sections[family->section_count++] = section;
    return status;
}
