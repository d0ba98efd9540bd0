#include "model/family_scope.h"

#include <string.h>

#include "base/fail.h"

struct opener {
    struct family_scopes *scopes;
    const struct family_request *request;
    struct zv_arena *arena;
    struct zv_error *err;
};

/* Adds a scope for the table that serves model_type; *to is NULL when there is none. */
static enum zv_status add_scope(struct opener *opener, struct zv_slice model_type,
                                struct zv_slice class_name, struct family_scope **to)
{
    *to = NULL;
    struct family_source source;
    enum zv_status status =
        opener->request->gguf
            ? family_find_gguf(&source, model_type, opener->arena, opener->err)
            : family_find(&source, model_type, class_name, opener->arena, opener->err);
    if (status != ZV_OK || source.text.length == 0) {
        return status;
    }
    struct family *const family = zv_arena_alloc(opener->arena, sizeof *family);
    struct family_scope *const scope = zv_arena_alloc(opener->arena, sizeof *scope);
    if (family == NULL || scope == NULL) {
        return zv_fail_memory(opener->err, "a family table");
    }
    status = family_parse(family, source.text, source.file, opener->arena, opener->err);
    if (status != ZV_OK) {
        return status;
    }
    if (opener->scopes->count == FAMILY_MAX_SCOPES) {
        return zv_fail(opener->err, ZV_E_LIMIT, "families within families: more than %d",
                       FAMILY_MAX_SCOPES);
    }
    scope->family = family;
    scope->class_name = class_name;
    scope->type = model_type;
    scope->values = zv_arena_array(opener->arena, family->definition_count, sizeof *scope->values);
    if (scope->values == NULL) {
        return zv_fail_memory(opener->err, "a family table");
    }
    opener->scopes->at[opener->scopes->count++] = scope;
    *to = scope;
    return ZV_OK;
}

/* The object that a part's keys are in: the first alternative that is there. */
static bool find_keys(const struct family_scope *parent, const struct family_part *part,
                      struct model_keys *to)
{
    struct zv_slice rest = part->at;
    while (rest.length != 0) {
        const struct zv_slice path = zv_slice_cut(&rest, '|');
        *to = parent->keys;
        if (zv_slice_equal(path, ".")) {
            return true;
        }
        if (zv_slice_equal(path, "{}")) {
            *to = model_keys_empty();
            return true;
        }
        const struct model_value object = parent->keys.find(&parent->keys, path);
        if (object.kind == VALUE_OBJECT) {
            to->at = object.node;
            return true;
        }
    }
    return false;
}

static enum zv_status no_keys(struct opener *opener, const struct family_part *part)
{
    struct zv_slice rest = part->at;
    const struct zv_slice path = zv_slice_cut(&rest, '|');
    return zv_fail(opener->err, ZV_E_SYNTAX,
                   "%.*s is missing (or no object): it describes the %.*s", (int)path.length,
                   path.at, (int)part->role.length, part->role.at);
}

static enum zv_status add_part(struct opener *opener, struct family_scope *parent, size_t index)
{
    const struct family_part *const part = &parent->family->parts[index];
    const struct model_value name = family_evaluate(&part->family, parent);
    struct model_keys keys;
    if (!find_keys(parent, part, &keys)) {
        return no_keys(opener, part);
    }
    if (name.kind != VALUE_TEXT) {
        return family_complain(&name, part->role, "is no name of a family", opener->err);
    }
    if (parent->level == FAMILY_MAX_LEVEL) {
        return zv_fail(opener->err, ZV_E_LIMIT, "families within families: more than %d levels",
                       FAMILY_MAX_LEVEL);
    }
    struct family_scope *scope;
    enum zv_status status = add_scope(opener, name.text, (struct zv_slice){0}, &scope);
    if (status != ZV_OK) {
        return status;
    }
    if (scope == NULL) {
        return zv_fail(opener->err, ZV_E_UNSUPPORTED, "no family table serves \"%.*s\" (the %.*s)",
                       (int)name.text.length, name.text.at, (int)part->role.length, part->role.at);
    }
    scope->keys = keys;
    scope->parent = parent;
    scope->part = part;
    scope->level = parent->level + 1;
    const struct zv_slice under =
        part->under.count != 0 ? part->under.pieces[0].text : (struct zv_slice){0};
    const char *const prefix = zv_arena_print(opener->arena, "%.*s%.*s", (int)parent->prefix.length,
                                              parent->prefix.at, (int)under.length, under.at);
    scope->prefix = zv_slice_of(prefix);
    parent->parts[index] = scope;
    return prefix != NULL ? ZV_OK : zv_fail_memory(opener->err, "a family table");
}

static enum zv_status add_parts(struct opener *opener, struct family_scope *parent)
{
    enum zv_status status = ZV_OK;
    for (size_t i = 0; status == ZV_OK && i < parent->family->part_count; i++) {
        const struct family_expression *const condition = &parent->family->parts[i].condition;
        const struct model_value wanted = family_evaluate(condition, parent);
        if (condition->count == 0 || model_value_true(&parent->keys, &wanted)) {
            status = add_part(opener, parent, i);
        }
    }
    return status;
}

enum zv_status family_scopes_open(struct family_scopes *scopes,
                                  const struct family_request *request, struct zv_arena *arena,
                                  struct zv_error *err)
{
    *scopes = (struct family_scopes){0};
    struct opener opener = {scopes, request, arena, err};
    struct family_scope *root;
    enum zv_status status = add_scope(&opener, request->model_type, request->class_name, &root);
    if (status != ZV_OK || root == NULL) {
        return status;
    }
    root->keys = request->keys;
    for (size_t i = 0; status == ZV_OK && i < scopes->count; i++) {
        status = add_parts(&opener, scopes->at[i]);
    }
    for (size_t i = scopes->count; status == ZV_OK && i > 0; i--) { /* parts before their parents */
        status = family_define(scopes->at[i - 1], FAMILY_ONCE, err);
    }
    return status;
}

struct family_scope *family_scopes_text(const struct family_scopes *scopes)
{
    struct family_scope *text = scopes->at[0];
    for (size_t i = 1; i < scopes->count; i++) {
        struct family_scope *const scope = scopes->at[i];
        if (scope->parent == text && zv_slice_equal(scope->part->role, "text")) {
            text = scope;
        }
    }
    return text;
}

struct family_scope *family_scopes_tower(const struct family_scopes *scopes)
{
    for (size_t i = 1; i < scopes->count; i++) {
        if (!zv_slice_equal(scopes->at[i]->part->role, "text")) {
            return scopes->at[i];
        }
    }
    return NULL;
}

const struct model_value *family_scope_value(const struct family_scope *scope, const char *name)
{
    const int index = family_find_definition(scope->family, zv_slice_of(name));
    return index >= 0 ? &scope->values[index] : NULL;
}
