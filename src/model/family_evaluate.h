/* Running the expressions of a family table over the keys of one model. */
#ifndef ZIRVE_MODEL_FAMILY_EVALUATE_H
#define ZIRVE_MODEL_FAMILY_EVALUATE_H

#include "model/family.h"

/* One use of a family: its keys and the values of its definitions so far. */
struct family_scope {
    const struct family *family;
    struct model_keys keys;
    struct model_value *values;                   /* one for each definition */
    struct family_scope *parts[FAMILY_MAX_PARTS]; /* NULL: not in this model */
    const struct family_scope *parent;
    const struct family_part *part; /* how the parent names it */
    struct zv_slice class_name;
    struct zv_slice type;
    struct zv_slice prefix; /* of every tensor's name */
    int64_t layer;          /* i */
    int64_t expert;         /* e */
    size_t level;           /* parents above it */
};

enum family_when { FAMILY_ONCE, FAMILY_EACH_LAYER, FAMILY_EACH_EXPERT };

/* Never fails: what makes no sense is a BAD value. */
struct model_value family_evaluate(const struct family_expression *expression,
                                   const struct family_scope *scope);

/*
 * Sets the values of the definitions, from top to bottom: those that depend on nothing, on the
 * layer (with scope->layer), or on the expert (with scope->expert too). A requirement that is
 * false, or not to be computed, is an error.
 */
enum zv_status family_define(struct family_scope *scope, enum family_when when,
                             struct zv_error *err);

/* A value as a count from 0 to limit; what names it in the message. Errors: ZV_E_SYNTAX (missing,
 * negative, no number, above limit), with the byte offset when the file gave it. */
enum zv_status family_count(const struct model_value *value, struct zv_slice what, uint64_t limit,
                            uint64_t *to, struct zv_error *err);

/* Records why value is of no use. */
enum zv_status family_complain(const struct model_value *value, struct zv_slice what,
                               const char *why, struct zv_error *err);

#endif
