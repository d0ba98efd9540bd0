/*
 * Family: a network's structure as a short text table (data/families, docs/FAMILIES.md).
 *
 *   text ──► struct family: definitions (name = expression), parts (other families inside this
 *            one), sections of tensor lines (name pattern, shape, condition)
 *
 * A family is parsed once and says nothing about one model; family_model.h applies it to a config.
 * Definitions may use only what stands above them, so evaluation is one pass from top to bottom.
 *
 * Errors while parsing: ZV_E_SYNTAX and ZV_E_LIMIT with the line, ZV_E_NOMEM.
 */
#ifndef ZIRVE_MODEL_FAMILY_H
#define ZIRVE_MODEL_FAMILY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "model/config_value.h"
#include "model/dtype.h"
#include "model/model.h"
#include "zirve/arena.h"
#include "zirve/error.h"

enum {
    FAMILY_MAX_BYTES = 64 * 1024,
    FAMILY_MAX_DEFINITIONS = 192,
    FAMILY_MAX_TENSORS = 256,
    FAMILY_MAX_SECTIONS = 32,
    FAMILY_MAX_PARTS = 4,
    FAMILY_MAX_STEPS = 96,  /* of one expression */
    FAMILY_MAX_STACK = 32,  /* values, operators and parentheses open at once */
    FAMILY_MAX_PIECES = 12, /* of one tensor name */
    FAMILY_MAX_DIMS = 5
};

/* ---- expressions: steps of a stack machine, in the order they run ---- */

enum family_op {
    OP_NUMBER, /* number */
    OP_STRING, /* text */
    OP_NULL,
    OP_KEY,    /* text: path of a config key */
    OP_NAME,   /* index of a definition */
    OP_PART,   /* index of a part, text: name of its definition */
    OP_LAYER,  /* i */
    OP_EXPERT, /* e */
    OP_CLASS,  /* first entry of architectures */
    OP_TYPE,   /* model_type, or a GGUF's architecture */
    OP_NOT,
    OP_MINUS,
    OP_MUL,
    OP_DIV,
    OP_FLOOR,
    OP_MOD,
    OP_ADD,
    OP_SUB,
    OP_LESS,
    OP_LESS_EQUAL,
    OP_MORE,
    OP_MORE_EQUAL,
    OP_EQUAL,
    OP_NOT_EQUAL,
    OP_AND,
    OP_OR,
    OP_DEFAULT, /* a | b: b when the key a is not in the file */
    OP_ELSE,    /* a ?? b: b when a is not in the file or null */
    OP_SELECT,  /* a ? b : c */
    OP_ITEM,    /* a[b] */
    OP_MIN,
    OP_MAX,
    OP_CEIL,
    OP_ALIGN,
    OP_COUNT,
    OP_STARTS,
    OP_ENDS,
    OP_HAS,
    OP_EACH,
    OP_BELOW,
    OP_PORTION,
    OP_EXISTS
};

struct family_step {
    enum family_op op;
    uint32_t index;
    int64_t number;
    struct zv_slice text;
};

struct family_expression {
    const struct family_step *steps; /* count 0: not given */
    uint32_t count;
    bool per_layer;  /* depends on i */
    bool per_expert; /* depends on e */
};

/* ---- the table ---- */

struct family_definition {
    struct zv_slice name; /* empty for a requirement */
    struct family_expression value;
    struct zv_slice message; /* requirement: the sentence when value is false */
    uint64_t line;
};

/* Another family inside this one: role = FAMILY at KEYS under PREFIX. */
struct family_name_piece {
    enum { PIECE_LITERAL, PIECE_LAYER, PIECE_EXPERT, PIECE_NAME } kind;
    struct zv_slice text;
    uint32_t index;
};

struct family_name {
    struct family_name_piece pieces[FAMILY_MAX_PIECES];
    size_t count;
};

struct family_part {
    struct zv_slice role;
    struct family_expression family; /* a name or model_type; may only use config keys */
    struct family_expression condition;
    struct zv_slice at; /* alternatives "text_config|.": the first that is there */
    struct family_name under;
    uint64_t line;
};

struct family_tensor {
    struct family_name name; /* whole, the section's prefix included */
    struct family_expression dims[FAMILY_MAX_DIMS];
    size_t dim_count;
    struct family_expression condition;
    struct family_expression second_condition; /* of a bias; both must hold */
    enum zv_dtype dtype;                       /* ZV_DTYPE_UNKNOWN: the model's */
    bool linear;                               /* written as a linear layer */
    bool transposed;                           /* a linear layer stored [in, out] */
    uint64_t line;
};

struct family_section {
    struct family_expression layers;  /* repeat for i below this */
    struct family_expression experts; /* and for e below this */
    struct family_expression condition;
    bool counts_layers; /* i is the index of a layer of the model */
    bool varies;        /* more depends on e than one number in each name */
    size_t first;       /* tensors */
    size_t count;
    uint64_t line;
};

struct family {
    struct zv_slice file; /* for messages: "families/llama.family" or a path */
    struct zv_slice text; /* as it was parsed: other readers have sections in it */
    struct zv_slice name;
    const struct family_definition *definitions;
    size_t definition_count;
    bool expert_definitions; /* some depend on e */
    const struct family_part *parts;
    size_t part_count;
    const struct family_section *sections;
    size_t section_count;
    const struct family_tensor *tensors;
    size_t tensor_count;
};

/* Parses text, which must outlive the family; so must file. */
enum zv_status family_parse(struct family *family, struct zv_slice text, struct zv_slice file,
                            struct zv_arena *arena, struct zv_error *err);

/* Index of a definition, or -1. */
int family_find_definition(const struct family *family, struct zv_slice name);

/*
 * The table that serves a model_type, or else one of the class names; text is empty when there is
 * none. User files ($XDG_CONFIG_HOME/zirve/families, ~/.config/zirve/families) come before the
 * built-in ones. Only the heads of the tables are looked at.
 */
struct family_source {
    struct zv_slice file;
    struct zv_slice text;
};

enum zv_status family_find(struct family_source *source, struct zv_slice model_type,
                           struct zv_slice class_name, struct zv_arena *arena,
                           struct zv_error *err);

/* The table that serves an architecture of GGUF files (its head says "gguf ARCHITECTURE …"). */
enum zv_status family_find_gguf(struct family_source *source, struct zv_slice architecture,
                                struct zv_arena *arena, struct zv_error *err);

#endif
