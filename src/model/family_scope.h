/* The uses of families in one model: the root's and those of its parts, with their values. */
#ifndef ZIRVE_MODEL_FAMILY_SCOPE_H
#define ZIRVE_MODEL_FAMILY_SCOPE_H

#include "model/family_evaluate.h"
#include "model/family_model.h"

enum { FAMILY_MAX_SCOPES = 8, FAMILY_MAX_LEVEL = 3 };

struct family_scopes {
    struct family_scope *at[FAMILY_MAX_SCOPES]; /* parents before their parts */
    size_t count;                               /* 0: no table serves the model */
};

/* Finds and parses the tables, looks up the parts, computes what depends on no layer. */
enum zv_status family_scopes_open(struct family_scopes *scopes,
                                  const struct family_request *request, struct zv_arena *arena,
                                  struct zv_error *err);

/* The scope that generates: the root, or its part "text" (and so on down). */
struct family_scope *family_scopes_text(const struct family_scopes *scopes);

/* The first part that is no "text": a tower or encoder; NULL when there is none. */
struct family_scope *family_scopes_tower(const struct family_scopes *scopes);

/* A definition's value: per layer ones for scope->layer as last defined. NULL when undefined. */
const struct model_value *family_scope_value(const struct family_scope *scope, const char *name);

#endif
