#include <string.h>

#include "base/fail.h"
#include "model/family.h"
#include "model/family_expression.h"

struct parser {
    struct zv_arena *arena;
    struct zv_error *err;
    struct family *family;
    struct family_definition *definitions; /* the family's own arrays, while they grow */
    struct family_part *parts;
    struct family_section *sections;
    struct family_tensor *tensors;
    struct family_name prefix; /* of the section being read */
    struct family_cursor line;
};

typedef enum zv_status line_fn(struct parser *parser);

static enum zv_status wrong(const struct parser *parser, const char *what)
{
    return zv_fail_line(parser->err, ZV_E_SYNTAX, parser->line.line, "%s", what);
}

static enum zv_status full(const struct parser *parser, const char *what, int limit)
{
    return zv_fail_line(parser->err, ZV_E_LIMIT, parser->line.line, "more than %d %s", limit, what);
}

static enum zv_status expression(struct parser *parser, struct family_expression *to)
{
    return family_expression_parse(to, &parser->line, parser->family, false, parser->arena,
                                   parser->err);
}

static enum zv_status end_of_line(struct parser *parser)
{
    return family_cursor_at_end(&parser->line) ? ZV_OK
                                               : wrong(parser, "something follows a complete line");
}

/* ---- names with {holes} ---- */

static enum zv_status add_piece(struct parser *parser, struct family_name *name,
                                struct family_name_piece piece)
{
    if (name->count == FAMILY_MAX_PIECES) {
        return full(parser, "pieces in one tensor name", FAMILY_MAX_PIECES);
    }
    name->pieces[name->count++] = piece;
    return ZV_OK;
}

static enum zv_status add_hole(struct parser *parser, struct family_name *name,
                               struct zv_slice hole)
{
    struct family_name_piece piece = {PIECE_NAME, hole, 0};
    if (zv_slice_equal(hole, "i")) {
        piece.kind = PIECE_LAYER;
    } else if (zv_slice_equal(hole, "e")) {
        piece.kind = PIECE_EXPERT;
    } else {
        const int index = family_find_definition(parser->family, hole);
        if (index < 0) {
            return zv_fail_line(parser->err, ZV_E_SYNTAX, parser->line.line,
                                "\"%.*s\" is not defined above", (int)hole.length, hole.at);
        }
        piece.index = (uint32_t)index;
    }
    return add_piece(parser, name, piece);
}

static enum zv_status add_name(struct parser *parser, struct family_name *name,
                               struct zv_slice text)
{
    enum zv_status status = ZV_OK;
    while (status == ZV_OK && text.length != 0) {
        const char *const open = memchr(text.at, '{', text.length);
        const size_t before = open != NULL ? (size_t)(open - text.at) : text.length;
        if (before != 0) {
            status = add_piece(parser, name,
                               (struct family_name_piece){PIECE_LITERAL, {text.at, before}, 0});
            text = (struct zv_slice){text.at + before, text.length - before};
            continue;
        }
        const char *const end = memchr(text.at, '}', text.length);
        if (end == NULL) {
            return wrong(parser, "a name with { but no }");
        }
        const struct zv_slice hole = {text.at + 1, (size_t)(end - text.at) - 1};
        status = add_hole(parser, name, hole);
        text = (struct zv_slice){end + 1, text.length - hole.length - 2};
    }
    return status;
}

/* ---- [values] ---- */

static enum zv_status read_requirement(struct parser *parser, struct family_definition *to)
{
    const enum zv_status status = expression(parser, &to->value);
    if (status != ZV_OK) {
        return status;
    }
    if (!family_cursor_take(&parser->line, "else")) {
        return wrong(parser, "expected: require CONDITION else SENTENCE");
    }
    to->message = zv_slice_trim(parser->line.rest);
    parser->line.rest.length = 0;
    return to->message.length != 0 ? ZV_OK : wrong(parser, "a requirement without its sentence");
}

static bool plain_name(struct zv_slice name)
{
    for (size_t i = 0; i < name.length; i++) {
        const char c = name.at[i];
        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9' && i != 0) || c == '_')) {
            return false;
        }
    }
    return name.length != 0;
}

static enum zv_status read_value(struct parser *parser)
{
    struct family *const family = parser->family;
    if (family->definition_count == FAMILY_MAX_DEFINITIONS) {
        return full(parser, "definitions", FAMILY_MAX_DEFINITIONS);
    }
    struct family_definition definition = {.line = parser->line.line};
    enum zv_status status;
    if (family_cursor_take(&parser->line, "require")) {
        status = read_requirement(parser, &definition);
    } else {
        definition.name = family_cursor_word(&parser->line);
        if (!plain_name(definition.name) || !family_cursor_take(&parser->line, "=")) {
            return wrong(parser, "expected: name = expression, in small letters");
        }
        if (family_find_definition(family, definition.name) >= 0) {
            return wrong(parser, "this name is defined already");
        }
        status = expression(parser, &definition.value);
    }
    if (status == ZV_OK) {
        status = end_of_line(parser);
    }
    parser->definitions[family->definition_count] = definition;
    family->definition_count += status == ZV_OK;
    family->expert_definitions |= definition.value.per_expert;
    return status;
}

/* ---- [parts] ---- */

static enum zv_status read_part(struct parser *parser)
{
    struct family *const family = parser->family;
    if (family->part_count == FAMILY_MAX_PARTS) {
        return full(parser, "parts", FAMILY_MAX_PARTS);
    }
    struct family_part part = {.line = parser->line.line};
    part.role = family_cursor_word(&parser->line);
    if (!plain_name(part.role) || !family_cursor_take(&parser->line, "=")) {
        return wrong(parser, "expected: role = FAMILY at KEYS under PREFIX");
    }
    enum zv_status status = family_expression_parse(&part.family, &parser->line, family, true,
                                                    parser->arena, parser->err);
    if (status != ZV_OK) {
        return status;
    }
    if (!family_cursor_take(&parser->line, "at")) {
        return wrong(parser, "expected \"at\" and where its keys are");
    }
    part.at = family_cursor_word(&parser->line);
    if (!family_cursor_take(&parser->line, "under")) {
        return wrong(parser, "expected \"under\" and the prefix of its tensors, - for none");
    }
    const struct zv_slice under = family_cursor_word(&parser->line);
    if (!zv_slice_equal(under, "-")) {
        /* the definitions stand below, so the prefix is plain text */
        status = add_name(parser, &part.under, under);
    }
    if (status == ZV_OK && family_cursor_take(&parser->line, "if")) {
        status = family_expression_parse(&part.condition, &parser->line, family, true,
                                         parser->arena, parser->err);
    }
    parser->parts[family->part_count] = part;
    family->part_count += status == ZV_OK;
    return status == ZV_OK ? end_of_line(parser) : status;
}

/* ---- [tensors …] ---- */

/* What one line says, before it becomes one or two tensors. */
struct tensor_line {
    struct zv_slice name;
    struct family_tensor weight;
    bool has_bias;
    struct family_expression bias;       /* condition */
    struct family_expression bias_width; /* count 0: the weight's first dimension */
    const char *suffix;                  /* ".weight" or "" */
};

static enum zv_status read_dims(struct parser *parser, struct tensor_line *line, bool bracketed)
{
    struct family_tensor *const weight = &line->weight;
    if (bracketed && !family_cursor_take(&parser->line, "[")) {
        return wrong(parser, "expected [dimensions]");
    }
    if (bracketed && family_cursor_take(&parser->line, "]")) {
        return ZV_OK; /* a scalar */
    }
    do {
        if (weight->dim_count == FAMILY_MAX_DIMS) {
            return full(parser, "dimensions", FAMILY_MAX_DIMS);
        }
        const enum zv_status status = expression(parser, &weight->dims[weight->dim_count]);
        if (status != ZV_OK) {
            return status;
        }
        weight->dim_count++;
    } while (family_cursor_take(&parser->line, ","));
    return !bracketed || family_cursor_take(&parser->line, "]") ? ZV_OK
                                                                : wrong(parser, "expected ]");
}

/* IN -> OUT */
static enum zv_status read_linear(struct parser *parser, struct tensor_line *line)
{
    struct family_expression in = {0};
    struct family_expression out = {0};
    enum zv_status status = expression(parser, &in);
    if (status == ZV_OK && !family_cursor_take(&parser->line, "->")) {
        status = wrong(parser, "expected: linear IN -> OUT");
    }
    if (status == ZV_OK) {
        status = expression(parser, &out);
    }
    line->weight.dims[0] = line->weight.transposed ? in : out;
    line->weight.dims[1] = line->weight.transposed ? out : in;
    line->weight.dim_count = 2;
    line->weight.linear = true;
    line->bias_width = out;
    return status;
}

static enum zv_status read_shape(struct parser *parser, struct tensor_line *line)
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

static enum zv_status read_clauses(struct parser *parser, struct tensor_line *line)
{
    struct family_cursor *const cursor = &parser->line;
    enum zv_status status = ZV_OK;
    while (status == ZV_OK && !family_cursor_at_end(cursor)) {
        if (family_cursor_take(cursor, "bias")) {
            line->has_bias = true;
            status = expression(parser, &line->bias);
        } else if (family_cursor_take(cursor, "if")) {
            status = expression(parser, &line->weight.condition);
        } else if (family_cursor_take(cursor, "as")) {
            line->weight.dtype = zv_dtype_parse(family_cursor_word(cursor));
            if (line->weight.dtype == ZV_DTYPE_UNKNOWN) {
                return wrong(parser, "no such element type");
            }
        } else {
            return wrong(parser, "expected bias, if or as");
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

static enum zv_status add_tensor(struct parser *parser, struct family_tensor *tensor,
                                 struct zv_slice name, const char *suffix)
{
    struct family *const family = parser->family;
    if (family->tensor_count == FAMILY_MAX_TENSORS) {
        return full(parser, "tensor lines", FAMILY_MAX_TENSORS);
    }
    tensor->name = parser->prefix;
    tensor->line = parser->line.line;
    enum zv_status status = add_name(parser, &tensor->name, name);
    if (status == ZV_OK && suffix[0] != 0) {
        status = add_name(parser, &tensor->name, zv_slice_of(suffix));
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

static enum zv_status read_tensor(struct parser *parser)
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
        return wrong(parser, "a bias needs linear, norm or conv");
    }
    struct family_tensor bias = line.weight;
    bias.dims[0] = line.bias_width.count != 0 ? line.bias_width : line.weight.dims[0];
    bias.dim_count = 1;
    bias.linear = false;
    bias.second_condition = line.bias;
    return add_tensor(parser, &bias, line.name, ".bias");
}

/* [tensors PREFIX for i < LAYERS, e < EXPERTS if CONDITION], all but the word optional */
static enum zv_status open_tensors(struct parser *parser)
{
    struct family *const family = parser->family;
    if (family->section_count == FAMILY_MAX_SECTIONS) {
        return full(parser, "sections", FAMILY_MAX_SECTIONS);
    }
    struct family_section section = {.first = family->tensor_count, .line = parser->line.line};
    struct family_cursor *const cursor = &parser->line;
    parser->prefix = (struct family_name){0};
    enum zv_status status = ZV_OK;
    struct family_cursor ahead = *cursor;
    if (!family_cursor_at_end(cursor) && !family_cursor_take(&ahead, "for") &&
        !family_cursor_take(&ahead, "if") && !family_cursor_take(&ahead, "]")) {
        status = add_name(parser, &parser->prefix, family_cursor_word(cursor));
    }
    if (status == ZV_OK && family_cursor_take(cursor, "for")) {
        if (!family_cursor_take(cursor, "i") || !family_cursor_take(cursor, "<")) {
            return wrong(parser, "expected: for i < COUNT");
        }
        status = expression(parser, &section.layers);
        section.counts_layers =
            status == ZV_OK && section.layers.count == 1 && section.layers.steps[0].op == OP_NAME &&
            zv_slice_equal(parser->definitions[section.layers.steps[0].index].name, "layers");
        if (status == ZV_OK && family_cursor_take(cursor, ",")) {
            if (!family_cursor_take(cursor, "e") || !family_cursor_take(cursor, "<")) {
                return wrong(parser, "expected: e < COUNT");
            }
            status = expression(parser, &section.experts);
        }
    }
    if (status == ZV_OK && family_cursor_take(cursor, "if")) {
        status = expression(parser, &section.condition);
    }
    parser->sections[family->section_count++] = section;
    return status;
}

/* ---- the whole text ---- */

/* name, model_type, class, gguf: family_find has read all but the first. */
static enum zv_status read_head(struct parser *parser)
{
    const struct zv_slice word = family_cursor_word(&parser->line);
    if (zv_slice_equal(word, "name")) {
        parser->family->name = family_cursor_word(&parser->line);
        return end_of_line(parser);
    }
    return zv_slice_equal(word, "model_type") || zv_slice_equal(word, "class") ||
                   zv_slice_equal(word, "gguf")
               ? ZV_OK
               : wrong(parser, "expected name, model_type, class or gguf");
}

static enum zv_status ignore(struct parser *parser)
{
    (void)parser;
    return ZV_OK;
}

/* Sections of other readers (the step's op lists) are left alone. */
static enum zv_status open_section(struct parser *parser, line_fn **reader)
{
    struct family_cursor *const cursor = &parser->line;
    struct zv_slice *const rest = &cursor->rest;
    if (!zv_slice_ends(*rest, "]")) {
        return wrong(parser, "a section's line must end with ]");
    }
    *rest = (struct zv_slice){rest->at + 1, rest->length - 2};
    static const struct {
        const char *name;
        line_fn *reader;
    } sections[] = {{"family", read_head},
                    {"values", read_value},
                    {"parts", read_part},
                    {"tensors", read_tensor}};
    *reader = ignore;
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        if (family_cursor_take(cursor, sections[i].name)) {
            *reader = sections[i].reader;
            break;
        }
    }
    if (*reader == ignore) {
        return ZV_OK;
    }
    const enum zv_status status = *reader == read_tensor ? open_tensors(parser) : ZV_OK;
    return status == ZV_OK ? end_of_line(parser) : status;
}

/* Without what follows a # that starts the line or a word, and without blanks at the ends. */
static struct zv_slice without_comment(struct zv_slice line)
{
    for (size_t i = 0; i < line.length; i++) {
        if (line.at[i] == '#' && (i == 0 || line.at[i - 1] == ' ' || line.at[i - 1] == '\t')) {
            line.length = i;
        }
    }
    return zv_slice_trim(line);
}

static enum zv_status read_lines(struct parser *parser, struct zv_slice text)
{
    line_fn *reader = NULL;
    struct zv_slice line;
    uint64_t number = 0;
    enum zv_status status = ZV_OK;
    while (status == ZV_OK && zv_slice_line(&text, &line)) {
        parser->line = (struct family_cursor){without_comment(line), ++number};
        if (parser->line.rest.length == 0) {
            continue;
        }
        if (parser->line.rest.at[0] == '[') {
            status = open_section(parser, &reader);
        } else if (reader == NULL) {
            status = wrong(parser, "expected [family] first");
        } else {
            status = reader(parser);
        }
    }
    return status;
}

int family_find_definition(const struct family *family, struct zv_slice name)
{
    for (size_t i = 0; i < family->definition_count; i++) {
        const struct zv_slice known = family->definitions[i].name;
        if (name.length != 0 && zv_slice_same(known, name)) {
            return (int)i;
        }
    }
    return -1;
}

enum zv_status family_parse(struct family *family, struct zv_slice text, struct zv_slice file,
                            struct zv_arena *arena, struct zv_error *err)
{
    *family = (struct family){.file = file, .text = text};
    if (text.length > FAMILY_MAX_BYTES) {
        return zv_fail(err, ZV_E_LIMIT, "a family table of more than %d bytes", FAMILY_MAX_BYTES);
    }
    struct parser parser = {.arena = arena, .err = err, .family = family};
    parser.definitions = zv_arena_array(arena, FAMILY_MAX_DEFINITIONS, sizeof *parser.definitions);
    parser.parts = zv_arena_array(arena, FAMILY_MAX_PARTS, sizeof *parser.parts);
    parser.sections = zv_arena_array(arena, FAMILY_MAX_SECTIONS, sizeof *parser.sections);
    parser.tensors = zv_arena_array(arena, FAMILY_MAX_TENSORS, sizeof *parser.tensors);
    if (parser.definitions == NULL || parser.parts == NULL || parser.sections == NULL ||
        parser.tensors == NULL) {
        return zv_fail_memory(err, "a family table");
    }
    family->definitions = parser.definitions;
    family->parts = parser.parts;
    family->sections = parser.sections;
    family->tensors = parser.tensors;
    enum zv_status status = read_lines(&parser, text);
    if (status == ZV_OK && family->name.length == 0) {
        status = zv_fail(err, ZV_E_SYNTAX, "a family table without a name");
    }
    if (status != ZV_OK && err != NULL && err->where[0] == 0) {
        (void)zv_fail_in(err, file);
    }
    return status;
}
