/* A family's table: its sections, [values] and [parts]; [tensors …] is family_parse_tensors.c. */
#include <string.h>

#include "base/fail.h"
#include "model/family_parser.h"

typedef enum zv_status line_fn(struct family_parser *parser);

enum zv_status family_wrong(const struct family_parser *parser, const char *what)
{
    return zv_fail_line(parser->err, ZV_E_SYNTAX, parser->line.line, "%s", what);
}

enum zv_status family_full(const struct family_parser *parser, const char *what, int limit)
{
    return zv_fail_line(parser->err, ZV_E_LIMIT, parser->line.line, "more than %d %s", limit, what);
}

enum zv_status family_value(struct family_parser *parser, struct family_expression *to)
{
    return family_expression_parse(to, &parser->line, parser->family, false, parser->arena,
                                   parser->err);
}

enum zv_status family_line_ends(struct family_parser *parser)
{
    return family_cursor_at_end(&parser->line)
               ? ZV_OK
               : family_wrong(parser, "something follows a complete line");
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

/* ---- names with {holes} ---- */

static enum zv_status add_piece(struct family_parser *parser, struct family_name *name,
                                struct family_name_piece piece)
{
    if (name->count == FAMILY_MAX_PIECES) {
        return family_full(parser, "pieces in one tensor name", FAMILY_MAX_PIECES);
    }
    name->pieces[name->count++] = piece;
    return ZV_OK;
}

static enum zv_status add_hole(struct family_parser *parser, struct family_name *name,
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

enum zv_status family_name_add(struct family_parser *parser, struct family_name *name,
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
            return family_wrong(parser, "a name with { but no }");
        }
        const struct zv_slice hole = {text.at + 1, (size_t)(end - text.at) - 1};
        status = add_hole(parser, name, hole);
        text = (struct zv_slice){end + 1, text.length - hole.length - 2};
    }
    return status;
}

/* ---- [values] ---- */

static enum zv_status read_requirement(struct family_parser *parser, struct family_definition *to)
{
    const enum zv_status status = family_value(parser, &to->value);
    if (status != ZV_OK) {
        return status;
    }
    if (!family_cursor_take(&parser->line, "else")) {
        return family_wrong(parser, "expected: require CONDITION else SENTENCE");
    }
    to->message = zv_slice_trim(parser->line.rest);
    parser->line.rest.length = 0;
    return to->message.length != 0 ? ZV_OK
                                   : family_wrong(parser, "a requirement without its sentence");
}

static bool plain_name(struct zv_slice name)
{
    for (size_t i = 0; i < name.length; i++) {
        const char c = name.at[i];
        if (!((c >= 'a' && c <= 'z') || (zv_is_digit(c) && i != 0) || c == '_')) {
            return false;
        }
    }
    return name.length != 0;
}

static enum zv_status read_value(struct family_parser *parser)
{
    struct family *const family = parser->family;
    if (family->definition_count == FAMILY_MAX_DEFINITIONS) {
        return family_full(parser, "definitions", FAMILY_MAX_DEFINITIONS);
    }
    struct family_definition definition = {.line = parser->line.line};
    enum zv_status status;
    if (family_cursor_take(&parser->line, "require")) {
        status = read_requirement(parser, &definition);
    } else {
        definition.name = family_cursor_word(&parser->line);
        if (!plain_name(definition.name) || !family_cursor_take(&parser->line, "=")) {
            return family_wrong(parser, "expected: name = expression, in small letters");
        }
        if (family_find_definition(family, definition.name) >= 0) {
            return family_wrong(parser, "this name is defined already");
        }
        status = family_value(parser, &definition.value);
    }
    if (status == ZV_OK) {
        status = family_line_ends(parser);
    }
    parser->definitions[family->definition_count] = definition;
    family->definition_count += status == ZV_OK;
    family->expert_definitions |= definition.value.per_expert;
    return status;
}

/* ---- [parts] ---- */

static enum zv_status read_part(struct family_parser *parser)
{
    struct family *const family = parser->family;
    if (family->part_count == FAMILY_MAX_PARTS) {
        return family_full(parser, "parts", FAMILY_MAX_PARTS);
    }
    struct family_part part = {.line = parser->line.line};
    part.role = family_cursor_word(&parser->line);
    if (!plain_name(part.role) || !family_cursor_take(&parser->line, "=")) {
        return family_wrong(parser, "expected: role = FAMILY at KEYS under PREFIX");
    }
    enum zv_status status = family_expression_parse(&part.family, &parser->line, family, true,
                                                    parser->arena, parser->err);
    if (status != ZV_OK) {
        return status;
    }
    if (!family_cursor_take(&parser->line, "at")) {
        return family_wrong(parser, "expected \"at\" and where its keys are");
    }
    part.at = family_cursor_word(&parser->line);
    if (!family_cursor_take(&parser->line, "under")) {
        return family_wrong(parser, "expected \"under\" and the prefix of its tensors, - for none");
    }
    const struct zv_slice under = family_cursor_word(&parser->line);
    if (!zv_slice_equal(under, "-")) {
        /* the definitions stand below, so the prefix is plain text */
        status = family_name_add(parser, &part.under, under);
    }
    if (status == ZV_OK && family_cursor_take(&parser->line, "if")) {
        status = family_expression_parse(&part.condition, &parser->line, family, true,
                                         parser->arena, parser->err);
    }
    parser->parts[family->part_count] = part;
    family->part_count += status == ZV_OK;
    return status == ZV_OK ? family_line_ends(parser) : status;
}

/* ---- the whole text ---- */

/* name, model_type, class, gguf: family_find has read all but the first. */
static enum zv_status read_head(struct family_parser *parser)
{
    const struct zv_slice word = family_cursor_word(&parser->line);
    if (zv_slice_equal(word, "name")) {
        parser->family->name = family_cursor_word(&parser->line);
        return family_line_ends(parser);
    }
    return zv_slice_equal(word, "model_type") || zv_slice_equal(word, "class") ||
                   zv_slice_equal(word, "gguf")
               ? ZV_OK
               : family_wrong(parser, "expected name, model_type, class or gguf");
}

static enum zv_status ignore(struct family_parser *parser)
{
    (void)parser;
    return ZV_OK;
}

/* Sections of other readers (the step's op lists) are left alone. */
static enum zv_status open_section(struct family_parser *parser, line_fn **reader)
{
    struct family_cursor *const cursor = &parser->line;
    struct zv_slice *const rest = &cursor->rest;
    if (!zv_slice_ends(*rest, "]")) {
        return family_wrong(parser, "a section's line must end with ]");
    }
    *rest = (struct zv_slice){rest->at + 1, rest->length - 2};
    static const struct {
        const char *name;
        line_fn *reader;
    } sections[] = {{"family", read_head},
                    {"values", read_value},
                    {"parts", read_part},
                    {"tensors", family_read_tensor}};
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
    const enum zv_status status =
        *reader == family_read_tensor ? family_open_tensors(parser) : ZV_OK;
    return status == ZV_OK ? family_line_ends(parser) : status;
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

static enum zv_status read_lines(struct family_parser *parser, struct zv_slice text)
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
            status = family_wrong(parser, "expected [family] first");
        } else {
            status = reader(parser);
        }
    }
    return status;
}

enum zv_status family_parse(struct family *family, struct zv_slice text, struct zv_slice file,
                            struct zv_arena *arena, struct zv_error *err)
{
    *family = (struct family){.file = file, .text = text};
    if (text.length > FAMILY_MAX_BYTES) {
        return zv_fail(err, ZV_E_LIMIT, "a family table of more than %d bytes", FAMILY_MAX_BYTES);
    }
    struct family_parser parser = {.arena = arena, .err = err, .family = family};
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
