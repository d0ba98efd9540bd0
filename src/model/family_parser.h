/* A family's table being read: what family_parse.c and family_parse_tensors.c share. */
#ifndef ZIRVE_MODEL_FAMILY_PARSER_H
#define ZIRVE_MODEL_FAMILY_PARSER_H

#include "model/family.h"
#include "model/family_expression.h"

struct family_parser {
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

/* Failures at the line being read: wrong syntax, and more than limit of what. */
enum zv_status family_wrong(const struct family_parser *parser, const char *what);
enum zv_status family_full(const struct family_parser *parser, const char *what, int limit);

/* An expression at the cursor. */
enum zv_status family_value(struct family_parser *parser, struct family_expression *to);
enum zv_status family_line_ends(struct family_parser *parser);

/* Adds text with its {holes} to a name. */
enum zv_status family_name_add(struct family_parser *parser, struct family_name *name,
                               struct zv_slice text);

/* ---- family_parse_tensors.c ---- */

/* [tensors PREFIX for i < LAYERS, e < EXPERTS if CONDITION], all but the word optional */
enum zv_status family_open_tensors(struct family_parser *parser);
enum zv_status family_read_tensor(struct family_parser *parser);

#endif
