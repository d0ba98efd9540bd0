#include "step/program_statement.h"

#include <string.h>

#include "base/fail.h"

/* ---- variables ---- */

bool step_is_plain(struct zv_slice name)
{
    return memchr(name.at, '.', name.length) == NULL;
}

enum zv_status step_add_local(struct step_parser *parser, struct zv_slice name)
{
    struct step_procedure *const procedure = parser->procedure;
    for (uint32_t i = 0; i < procedure->local_count; i++) {
        if (zv_slice_same(procedure->locals[i], name)) {
            return ZV_OK;
        }
    }
    if (procedure->local_count == STEP_MAX_LOCALS) {
        return step_parse_full(parser, "variables in a procedure", STEP_MAX_LOCALS);
    }
    procedure->locals[procedure->local_count++] = name;
    return ZV_OK;
}

/* What an assignment writes to: variables, or items of lists. */
static enum zv_status check_targets(struct step_statements *body,
                                    const struct step_expression *targets, bool only_names)
{
    for (const struct step_expression *t = targets; t != NULL; t = t->next) {
        if (t->kind == STEP_NAME && step_is_plain(t->text)) {
            const enum zv_status status = step_add_local(body->parser, t->text);
            if (status != ZV_OK) {
                return status;
            }
        } else if ((t->kind != STEP_ITEM && t->kind != STEP_NAME) || only_names) {
            return step_parse_wrong_at(body->parser, t->place, "this cannot be assigned to");
        }
    }
    return ZV_OK;
}

/* ---- blocks ---- */

void step_statements_begin(struct step_statements *body, struct step_parser *parser)
{
    body->parser = parser;
    body->open[0] = (struct step_block){&parser->procedure->body, NULL, false};
    body->count = 1;
}

enum zv_status step_statements_end(struct step_statements *body)
{
    return body->count > 1
               ? step_parse_wrong_at(body->parser, body->open[body->count - 1].owner->place,
                                     "this has no end")
               : ZV_OK;
}

static enum zv_status add_statement(struct step_statements *body, struct step_statement **to)
{
    *to = zv_arena_alloc(body->parser->arena, sizeof **to);
    if (*to == NULL) {
        return zv_fail_memory(body->parser->err, "a step's program");
    }
    struct step_block *const block = &body->open[body->count - 1];
    (*to)->place = body->parser->lexer.token.place;
    *block->end = *to;
    block->end = &(*to)->next;
    return ZV_OK;
}

static enum zv_status open_block(struct step_statements *body, struct step_statement *owner)
{
    if (body->count == STEP_MAX_NESTING) {
        return step_parse_full(body->parser, "blocks in each other", STEP_MAX_NESTING);
    }
    body->open[body->count++] = (struct step_block){&owner->body, owner, false};
    return ZV_OK;
}

/* ---- statements ---- */

static enum zv_status read_for(struct step_statements *body, struct step_statement *to)
{
    struct step_parser *const parser = body->parser;
    const struct step_token name = parser->lexer.token;
    if (name.kind != TOKEN_NAME || !step_is_plain(name.text)) {
        return step_parse_wrong(body->parser, "expected: for NAME < COUNT, or for NAME in LIST");
    }
    step_lexer_next(&parser->lexer);
    to->targets = zv_arena_alloc(parser->arena, sizeof *to->targets);
    if (to->targets == NULL) {
        return zv_fail_memory(parser->err, "a step's program");
    }
    *to->targets =
        (struct step_expression){.kind = STEP_NAME, .text = name.text, .place = name.place};
    to->target_count = 1;
    const bool counts = step_lexer_take(&parser->lexer, "<");
    if (!counts && !step_lexer_take(&parser->lexer, "in")) {
        return step_parse_wrong(body->parser, "expected < COUNT or in LIST");
    }
    to->kind = counts ? STEP_COUNT : STEP_EACH;
    enum zv_status status =
        zv_slice_equal(name.text, "i") && counts ? ZV_OK : step_add_local(body->parser, name.text);
    if (status == ZV_OK) {
        status = step_parse_expression(parser, &to->value);
    }
    return status == ZV_OK ? open_block(body, to) : status;
}

static enum zv_status read_else(struct step_statements *body)
{
    struct step_block *const block = &body->open[body->count - 1];
    if (block->owner == NULL || block->owner->kind != STEP_IF || block->in_otherwise) {
        return step_parse_wrong(body->parser, "an else without its if");
    }
    *block = (struct step_block){&block->owner->otherwise, block->owner, true};
    step_lexer_next(&body->parser->lexer);
    return ZV_OK;
}

static enum zv_status read_end(struct step_statements *body)
{
    if (body->count < 2) {
        return step_parse_wrong(body->parser, "an end without its if, for or with");
    }
    body->count--;
    step_lexer_next(&body->parser->lexer);
    return ZV_OK;
}

static enum zv_status read_return(struct step_statements *body, struct step_statement *to)
{
    struct step_parser *const parser = body->parser;
    to->kind = STEP_RETURN;
    if (parser->lexer.token.kind == TOKEN_END || step_lexer_is(&parser->lexer, "if")) {
        return ZV_OK;
    }
    const struct step_place place = parser->lexer.token.place;
    struct step_expression *first = NULL;
    uint32_t count = 0;
    const enum zv_status status = step_parse_several(parser, &first, &count);
    if (status != ZV_OK || count == 1) {
        to->value = first;
        return status;
    }
    to->value = zv_arena_alloc(parser->arena, sizeof *to->value);
    if (to->value == NULL) {
        return zv_fail_memory(parser->err, "a step's program");
    }
    *to->value =
        (struct step_expression){.kind = STEP_LIST, .place = place, .first = first, .count = count};
    return ZV_OK;
}

/* targets = value, or a value alone */
static enum zv_status read_plain(struct step_statements *body, struct step_statement *to)
{
    struct step_parser *const parser = body->parser;
    struct step_expression *first = NULL;
    uint32_t count = 0;
    enum zv_status status = step_parse_several(parser, &first, &count);
    if (status != ZV_OK) {
        return status;
    }
    if (step_lexer_take(&parser->lexer, "=")) {
        to->kind = STEP_ASSIGN;
        to->targets = first;
        to->target_count = count;
        status = step_parse_expression(parser, &to->value);
        return status == ZV_OK ? check_targets(body, first, false) : status;
    }
    to->kind = STEP_EVALUATE;
    to->value = first;
    return count == 1 ? ZV_OK : step_parse_wrong(body->parser, "expected =");
}

static enum zv_status read_simple(struct step_statements *body, struct step_statement *to)
{
    struct step_parser *const parser = body->parser;
    enum zv_status status;
    if (step_lexer_take(&parser->lexer, "return")) {
        status = read_return(body, to);
    } else if (step_lexer_take(&parser->lexer, "del")) {
        to->kind = STEP_DELETE;
        status = step_parse_several(parser, &to->targets, &to->target_count);
        if (status == ZV_OK) {
            status = check_targets(body, to->targets, true);
        }
    } else {
        status = read_plain(body, to);
    }
    if (status == ZV_OK && step_lexer_take(&parser->lexer, "if")) {
        status = step_parse_expression(parser, &to->condition);
    }
    return status;
}

enum zv_status step_read_statement(struct step_statements *body)
{
    struct step_parser *const parser = body->parser;
    if (step_lexer_is(&parser->lexer, "else")) {
        return read_else(body);
    }
    if (step_lexer_is(&parser->lexer, "end")) {
        return read_end(body);
    }
    struct step_statement *to;
    enum zv_status status = add_statement(body, &to);
    if (status != ZV_OK) {
        return status;
    }
    if (step_lexer_take(&parser->lexer, "for")) {
        return read_for(body, to);
    }
    const bool chooses = step_lexer_take(&parser->lexer, "if");
    if (!chooses && !step_lexer_take(&parser->lexer, "with")) {
        return read_simple(body, to);
    }
    to->kind = chooses ? STEP_IF : STEP_WITH;
    status = step_parse_expression(parser, &to->value);
    return status == ZV_OK ? open_block(body, to) : status;
}
