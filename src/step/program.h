/*
 * Programs: what a model's forward pass and a training loop do, as text (docs/STEP.md).
 *
 *   text ──► struct step_program: procedures of statements of expressions, settings
 *
 * Sections that begin with [step belong to a program; all others are left alone, so that a family
 * table holds its own. Nothing is run here and no name is looked up but a procedure's variables:
 * program_link.h does that when it is known what comes together.
 *
 * Errors: ZV_E_SYNTAX and ZV_E_LIMIT with line and column, ZV_E_NOMEM.
 */
#ifndef ZIRVE_STEP_PROGRAM_H
#define ZIRVE_STEP_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "model/dtype.h"
#include "zirve/arena.h"
#include "zirve/error.h"

enum {
    STEP_MAX_TEXT = 64 * 1024,
    STEP_MAX_PROCEDURES = 64,
    STEP_MAX_LOCALS = 64,
    STEP_MAX_SETTINGS = 128,
    STEP_MAX_ARGUMENTS = 16,
    STEP_MAX_NESTING = 16 /* of blocks, and of parentheses */
};

struct step_place {
    uint32_t line; /* 1-based */
    uint32_t column;
};

enum step_expression_kind {
    STEP_NUMBER,  /* number */
    STEP_SCALAR,  /* a number with a fraction: no operation asks for its value */
    STEP_TEXT,    /* text */
    STEP_NAME,    /* text, perhaps with dots; local: its variable or -1 */
    STEP_SETTING, /* $text */
    STEP_LIST,    /* first … */
    STEP_CALL,    /* text(first …) */
    STEP_ITEM,    /* first[second] */
    STEP_MEMBER,  /* first.text, where first is no plain name */
    STEP_UNARY,   /* operator first */
    STEP_BINARY,  /* first operator second */
    STEP_SELECT,  /* first ? second : third */
    STEP_DEFAULT  /* first ?? second */
};

enum step_operator {
    STEP_PLUS,
    STEP_MINUS,
    STEP_TIMES,
    STEP_OVER,
    STEP_FLOOR,
    STEP_MODULO,
    STEP_LESS,
    STEP_LESS_EQUAL,
    STEP_MORE,
    STEP_MORE_EQUAL,
    STEP_EQUAL,
    STEP_NOT_EQUAL,
    STEP_AND,
    STEP_OR,
    STEP_NOT
};

/* What a name or a call stands for, found by program_link.c. */
enum step_meaning {
    STEP_UNKNOWN,
    STEP_LOCAL,     /* index: a variable */
    STEP_LAYER,     /* i */
    STEP_CONSTANT,  /* index: none, false, true */
    STEP_DTYPE,     /* index: enum zv_dtype */
    STEP_FACT,      /* index: a definition of the family */
    STEP_PROCEDURE, /* index, of the link */
    STEP_OPERATION, /* index, of the table of operations */
    STEP_UNARY_OP,  /* index, of the table of unary operations */
    STEP_PATH       /* tensors by their name, or a module that has some */
};

struct step_expression {
    enum step_expression_kind kind;
    enum step_operator operator;
    struct step_place place;
    int64_t number;
    struct zv_slice text;
    struct step_expression *first; /* operands; of a list or call: its items, chained by next */
    struct step_expression *next;
    uint32_t count; /* of items */
    enum step_meaning meaning;
    uint32_t index;
    struct zv_slice rest; /* of a name: what follows the local's dot */
};

enum step_statement_kind {
    STEP_ASSIGN,   /* targets = value */
    STEP_EVALUATE, /* value */
    STEP_RETURN,   /* value or nothing */
    STEP_DELETE,   /* targets */
    STEP_IF,       /* value: body else otherwise */
    STEP_COUNT,    /* for target < value */
    STEP_EACH,     /* for target in value */
    STEP_WITH      /* with value (a call of no_grad, autocast …) */
};

struct step_statement {
    enum step_statement_kind kind;
    struct step_place place;
    struct step_expression *targets; /* names or items, chained */
    uint32_t target_count;
    struct step_expression *value;
    struct step_expression *condition; /* "… if condition" at the end of a line */
    struct step_statement *body;
    struct step_statement *otherwise;
    struct step_statement *next;
};

/* The prefix that an `at` gives: pieces of text and {holes}. */
struct step_pattern {
    struct zv_slice text; /* empty: the caller's */
    struct step_place place;
    bool given;
};

struct step_procedure {
    struct zv_slice name;
    struct zv_slice file;
    struct step_place place;
    bool is_module; /* its arguments live until it returns, as nn.Module's call keeps them */
    uint32_t parameters;
    uint32_t local_count;
    struct zv_slice locals[STEP_MAX_LOCALS]; /* parameters first, then in order of appearance */
    struct step_pattern at;
    struct step_statement *body;
};

struct step_setting {
    struct zv_slice name;
    struct zv_slice value;  /* a number, a word or text in quotes; "a | b": open */
    struct zv_slice others; /* "c, d": what else may be stated */
    struct zv_slice basis;  /* whose default it is: "transformers 4.57"; empty: the habit's own */
    struct step_place place;
};

struct step_program {
    struct zv_slice file; /* for messages */
    struct step_procedure *procedures;
    size_t procedure_count;
    struct step_setting *settings;
    size_t setting_count;
    struct zv_slice uses[8]; /* programs that this one asks for: [step uses NAME] */
    size_t use_count;
};

/* Parses text, which must outlive the program; so must file. A text without [step sections gives
 * an empty program. */
enum zv_status step_program_parse(struct step_program *program, struct zv_slice text,
                                  struct zv_slice file, struct zv_arena *arena,
                                  struct zv_error *err);

#endif
