/* A program's file, or the step sections of a family's table: settings and heads of procedures. */
#include "base/fail.h"
#include "step/program_expression.h"
#include "step/program_statement.h"

enum section { SECTION_OTHER, SECTION_PROCEDURE, SECTION_SETTINGS };

struct reader {
    struct step_parser parser;
    struct step_program *program;
    enum section section;
    struct step_statements body; /* of the procedure being read */
};

static enum zv_status wrong(struct reader *reader, const char *what)
{
    return step_parse_wrong(&reader->parser, what);
}

static enum zv_status end_of_line(struct reader *reader)
{
    return reader->parser.lexer.token.kind == TOKEN_END
               ? ZV_OK
               : wrong(reader, "something follows a complete line");
}

/* ---- sections ---- */

static enum zv_status read_parameters(struct reader *reader)
{
    struct step_lexer *const lexer = &reader->parser.lexer;
    if (!step_lexer_take(lexer, "(")) {
        return wrong(reader, "expected (PARAMETERS)");
    }
    while (!step_lexer_take(lexer, ")")) {
        if (lexer->token.kind != TOKEN_NAME || !step_is_plain(lexer->token.text)) {
            return wrong(reader, "expected the name of a parameter");
        }
        const uint32_t before = reader->parser.procedure->local_count;
        const enum zv_status status = step_add_local(&reader->parser, lexer->token.text);
        if (status != ZV_OK) {
            return status;
        }
        if (reader->parser.procedure->local_count == before) {
            return wrong(reader, "two parameters of this name");
        }
        step_lexer_next(lexer);
        if (!step_lexer_take(lexer, ",") && !step_lexer_is(lexer, ")")) {
            return wrong(reader, "expected ) or a comma");
        }
    }
    reader->parser.procedure->parameters = reader->parser.procedure->local_count;
    return ZV_OK;
}

static enum zv_status open_procedure(struct reader *reader, bool is_module)
{
    struct step_program *const program = reader->program;
    struct step_parser *const parser = &reader->parser;
    const struct step_token name = parser->lexer.token;
    if (name.kind != TOKEN_NAME || !step_is_plain(name.text)) {
        return wrong(reader, "expected the procedure's name");
    }
    if (program->procedure_count == STEP_MAX_PROCEDURES) {
        return step_parse_full(&reader->parser, "procedures", STEP_MAX_PROCEDURES);
    }
    for (size_t i = 0; i < program->procedure_count; i++) {
        if (zv_slice_same(program->procedures[i].name, name.text)) {
            return wrong(reader, "a procedure of this name is there already");
        }
    }
    step_lexer_next(&parser->lexer);
    parser->procedure = &program->procedures[program->procedure_count++];
    *parser->procedure = (struct step_procedure){
        .name = name.text, .file = program->file, .place = name.place, .is_module = is_module};
    enum zv_status status = read_parameters(reader);
    if (status == ZV_OK && step_lexer_take(&parser->lexer, "at")) {
        /* the rest of the line is a pattern, not words */
        const size_t from = parser->lexer.token.place.column - 1;
        struct zv_slice rest = {parser->lexer.line.at + from, parser->lexer.line.length - from};
        parser->procedure->at = (struct step_pattern){
            .text = zv_slice_trim(rest), .place = parser->lexer.token.place, .given = true};
        parser->lexer.at = parser->lexer.line.length;
        step_lexer_next(&parser->lexer);
    }
    step_statements_begin(&reader->body, parser);
    reader->section = SECTION_PROCEDURE;
    return status;
}

static enum zv_status read_uses(struct reader *reader)
{
    struct step_program *const program = reader->program;
    struct step_lexer *const lexer = &reader->parser.lexer;
    while (lexer->token.kind == TOKEN_NAME) {
        if (program->use_count == sizeof program->uses / sizeof *program->uses) {
            return step_parse_full(&reader->parser, "programs that one asks for",
                                   (int)(sizeof program->uses / sizeof *program->uses));
        }
        program->uses[program->use_count++] = lexer->token.text;
        step_lexer_next(lexer);
    }
    return program->use_count != 0 ? ZV_OK : wrong(reader, "expected the name of a program");
}

static enum zv_status close_section(struct reader *reader)
{
    const bool is_procedure = reader->section == SECTION_PROCEDURE;
    const enum zv_status status = is_procedure ? step_statements_end(&reader->body) : ZV_OK;
    reader->section = status == ZV_OK ? SECTION_OTHER : reader->section;
    return status;
}

/* A family's table has other sections, too, which another reader checks; a program has not. */
static bool is_family(const struct reader *reader)
{
    return !zv_slice_ends(reader->program->file, ".step");
}

/* [step function NAME(…)], [step module NAME(…) at PREFIX], [step settings], [step uses NAME …] */
static enum zv_status open_section(struct reader *reader, struct zv_slice line, uint32_t number)
{
    enum zv_status status = close_section(reader);
    if (status != ZV_OK) {
        return status;
    }
    struct step_lexer *const lexer = &reader->parser.lexer;
    struct zv_slice inside = line;
    while (inside.length != 0 && inside.at[inside.length - 1] != ']') {
        inside.length--;
    }
    if (inside.length == 0) {
        return ZV_OK; /* the reader of the family's own sections complains */
    }
    inside.length--;
    step_lexer_start(lexer, inside, number);
    step_lexer_next(lexer); /* the bracket */
    if (!step_lexer_take(lexer, "step")) {
        return is_family(reader) ? ZV_OK : wrong(reader, "expected [step …]");
    }
    if (step_lexer_take(lexer, "function")) {
        status = open_procedure(reader, false);
    } else if (step_lexer_take(lexer, "module")) {
        status = open_procedure(reader, true);
    } else if (step_lexer_take(lexer, "settings")) {
        reader->section = SECTION_SETTINGS;
    } else if (step_lexer_take(lexer, "uses")) {
        status = read_uses(reader);
    } else {
        return wrong(reader, "expected function, module, settings or uses");
    }
    return status == ZV_OK ? end_of_line(reader) : status;
}

/* Values with a separator between them, as one piece of the line, in to. */
static enum zv_status read_values(struct reader *reader, const char *separator, struct zv_slice *to)
{
    struct step_lexer *const lexer = &reader->parser.lexer;
    *to = (struct zv_slice){lexer->token.text.at, 0};
    do {
        const struct step_token value = lexer->token;
        if (value.kind == TOKEN_END || value.kind == TOKEN_SIGN || value.kind == TOKEN_WRONG) {
            return wrong(reader, "expected a number, a word or a text");
        }
        to->length = (size_t)(value.text.at + value.text.length - to->at);
        step_lexer_next(lexer);
    } while (step_lexer_take(lexer, separator));
    return ZV_OK;
}

/* name = VALUE [| VALUE …] [by "whose default"] [or VALUE, …]: | what it may be when nobody states
 * it, `or` what may be stated besides */
static enum zv_status read_setting(struct reader *reader)
{
    struct step_program *const program = reader->program;
    struct step_lexer *const lexer = &reader->parser.lexer;
    if (program->setting_count == STEP_MAX_SETTINGS) {
        return step_parse_full(&reader->parser, "settings", STEP_MAX_SETTINGS);
    }
    struct step_setting *const setting = &program->settings[program->setting_count];
    *setting = (struct step_setting){.name = lexer->token.text, .place = lexer->token.place};
    if (lexer->token.kind != TOKEN_NAME) {
        return wrong(reader, "expected: name = value");
    }
    for (size_t i = 0; i < program->setting_count; i++) {
        if (zv_slice_same(program->settings[i].name, setting->name)) {
            return wrong(reader, "this setting was there before");
        }
    }
    step_lexer_next(lexer);
    if (!step_lexer_take(lexer, "=")) {
        return wrong(reader, "expected =");
    }
    enum zv_status status = read_values(reader, "|", &setting->value);
    if (status == ZV_OK && step_lexer_take(lexer, "by")) {
        if (lexer->token.kind != TOKEN_TEXT) {
            return wrong(reader, "expected whose default it is, in quotes");
        }
        setting->basis = lexer->token.text;
        step_lexer_next(lexer);
    }
    if (status == ZV_OK && step_lexer_take(lexer, "or")) {
        status = read_values(reader, ",", &setting->others);
    }
    program->setting_count += status == ZV_OK;
    return status;
}

static enum zv_status read_line(struct reader *reader, struct zv_slice line, uint32_t number)
{
    const struct zv_slice trimmed = zv_slice_trim(line);
    if (trimmed.length == 0 || trimmed.at[0] == '#') {
        return ZV_OK;
    }
    if (line.at[0] == '[') {
        return open_section(reader, line, number);
    }
    if (reader->section == SECTION_OTHER && is_family(reader)) {
        return ZV_OK;
    }
    step_lexer_start(&reader->parser.lexer, line, number);
    if (reader->section == SECTION_OTHER) {
        return wrong(reader, "this is in no [step …] section");
    }
    const enum zv_status status = reader->section == SECTION_SETTINGS
                                      ? read_setting(reader)
                                      : step_read_statement(&reader->body);
    return status == ZV_OK ? end_of_line(reader) : status;
}

enum zv_status step_program_parse(struct step_program *program, struct zv_slice text,
                                  struct zv_slice file, struct zv_arena *arena,
                                  struct zv_error *err)
{
    *program = (struct step_program){.file = file};
    if (text.length > STEP_MAX_TEXT) {
        return zv_fail(err, ZV_E_LIMIT, "a program of more than %d bytes", STEP_MAX_TEXT);
    }
    struct reader reader = {.parser = {.arena = arena, .err = err}, .program = program};
    program->procedures = zv_arena_array(arena, STEP_MAX_PROCEDURES, sizeof *program->procedures);
    program->settings = zv_arena_array(arena, STEP_MAX_SETTINGS, sizeof *program->settings);
    if (program->procedures == NULL || program->settings == NULL) {
        return zv_fail_memory(err, "a step's program");
    }
    enum zv_status status = ZV_OK;
    struct zv_slice line;
    for (uint32_t number = 1; status == ZV_OK && zv_slice_line(&text, &line); number++) {
        reader.parser.depth = 0;
        status = read_line(&reader, line, number);
    }
    if (status == ZV_OK) {
        status = close_section(&reader);
    }
    if (status != ZV_OK && err != NULL && file.length != 0) {
        (void)zv_fail_in(err, file);
    }
    return status;
}
