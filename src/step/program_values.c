/* Values, lists and the names of parameters. */
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "step/program_run.h"

enum { FEW_ITEMS = 8, FEW_PATHS = 256 };

struct step_value step_value_of(struct step_tensor *tensor)
{
    return (struct step_value){.kind = tensor != NULL ? STEP_IS_TENSOR : STEP_IS_NONE,
                               .tensor = tensor};
}

struct step_value step_number(int64_t number)
{
    return (struct step_value){.kind = STEP_IS_NUMBER, .number = number};
}

struct step_value step_list_value(struct step_list *list)
{
    return (struct step_value){.kind = list != NULL ? STEP_IS_LIST : STEP_IS_NONE, .list = list};
}

struct step_value step_path_value(struct step_path *path)
{
    return (struct step_value){.kind = path != NULL ? STEP_IS_PATH : STEP_IS_NONE, .path = path};
}

struct step_value step_value_hold(struct step_value value)
{
    if (value.kind == STEP_IS_TENSOR) {
        (void)step_hold(value.tensor);
    } else if (value.kind == STEP_IS_LIST || value.kind == STEP_IS_OBJECT) {
        value.list->refs++;
    }
    return value;
}

/* NOLINTBEGIN(misc-no-recursion): a list holds lists as deep as a program writes them */
static void drop_list(struct step_run *run, struct step_list *list)
{
    if (--list->refs != 0) {
        return;
    }
    for (uint32_t i = list->count; i-- > 0;) { /* as CPython does, from the end */
        step_value_drop(run, &list->items[i]);
    }
    list->count = 0;
    list->next = run->unused_lists;
    run->unused_lists = list;
}

void step_value_drop(struct step_run *run, struct step_value *value)
{
    const struct step_value old = *value;
    *value = (struct step_value){.kind = STEP_IS_NONE};
    if (old.kind == STEP_IS_TENSOR) {
        step_drop(&run->engine, old.tensor);
    } else if (old.kind == STEP_IS_LIST || old.kind == STEP_IS_OBJECT) {
        drop_list(run, old.list);
    }
}
/* NOLINTEND(misc-no-recursion) */

struct step_tensor *step_tensor_of(const struct step_value *value)
{
    return value->kind == STEP_IS_TENSOR ? value->tensor
           : value->kind == STEP_IS_PATH ? value->path->tensor
                                         : NULL;
}

static bool no_memory(struct step_run *run)
{
    return step_fail(&run->engine, ZV_E_NOMEM, "no host memory for the step's values");
}

static bool list_room(struct step_run *run, struct step_list *list, uint32_t capacity)
{
    if (capacity <= list->capacity) {
        return true;
    }
    capacity = capacity < FEW_ITEMS ? FEW_ITEMS : capacity;
    struct step_value *const items = zv_arena_array(run->arena, capacity, sizeof *items);
    if (items == NULL) {
        return no_memory(run);
    }
    if (list->count != 0) {
        memcpy(items, list->items, list->count * sizeof *items);
    }
    list->items = items;
    list->capacity = capacity;
    return true;
}

struct step_list *step_list_new(struct step_run *run, uint32_t capacity)
{
    struct step_list *list = run->unused_lists;
    if (list != NULL) {
        run->unused_lists = list->next;
    } else {
        list = zv_arena_alloc(run->arena, sizeof *list);
    }
    if (list == NULL) {
        no_memory(run);
        return NULL;
    }
    list->refs = 1;
    if (!list_room(run, list, capacity)) {
        drop_list(run, list);
        return NULL;
    }
    return list;
}

bool step_list_add(struct step_run *run, struct step_list *list, struct step_value value)
{
    if (list->count == list->capacity && !list_room(run, list, list->capacity * 2 + 1)) {
        step_value_drop(run, &value);
        return false;
    }
    list->items[list->count++] = value;
    return true;
}

struct step_value *step_object_at(struct step_run *run, struct step_list *object,
                                  struct zv_slice name, bool make)
{
    for (uint32_t i = 0; i < object->count; i += 2) {
        if (zv_slice_same(object->items[i].text, name)) {
            return &object->items[i + 1];
        }
    }
    if (!make ||
        !step_list_add(run, object, (struct step_value){.kind = STEP_IS_TEXT, .text = name}) ||
        !step_list_add(run, object, (struct step_value){.kind = STEP_IS_NONE})) {
        return NULL;
    }
    return &object->items[object->count - 1];
}

/* ---- paths ---- */

struct step_path *step_path_find(struct step_run *run, struct zv_slice name)
{
    const struct zv_strmap_entry *const entry = zv_strmap_find(&run->paths, name);
    return entry != NULL ? run->path_list[entry->value] : NULL;
}

static bool add_path(struct step_run *run, struct step_path *path)
{
    if (run->path_count == run->path_capacity) {
        const size_t capacity = run->path_capacity == 0 ? FEW_PATHS : run->path_capacity * 2;
        struct step_path **const more =
            zv_memory_resize(run->path_list, capacity * sizeof(struct step_path *));
        if (more == NULL) {
            return no_memory(run);
        }
        run->path_list = more;
        run->path_capacity = capacity;
    }
    struct zv_strmap_entry *entry;
    if (zv_strmap_add(&run->paths, path->name, run->path_count, &entry) == ZV_STRMAP_NOMEM) {
        return no_memory(run);
    }
    run->path_list[run->path_count++] = path;
    return true;
}

/* NOLINTBEGIN(misc-no-recursion): as deep as a name has dots */
/* Also every module that the name is in. */
struct step_path *step_path_make(struct step_run *run, struct zv_slice name)
{
    struct step_path *path = step_path_find(run, name);
    if (path != NULL) {
        return path;
    }
    path = zv_arena_alloc(run->arena, sizeof *path);
    char *const copy = zv_arena_copy(run->arena, name.at, name.length);
    if (path == NULL || copy == NULL) {
        no_memory(run);
        return NULL;
    }
    path->name = (struct zv_slice){copy, name.length};
    if (!add_path(run, path)) {
        return NULL;
    }
    for (size_t i = name.length; i-- > 0;) {
        if (copy[i] == '.') {
            struct step_path *const module = step_path_make(run, (struct zv_slice){copy, i});
            if (module == NULL) {
                return NULL;
            }
            module->has_parts = true;
            break;
        }
    }
    return path;
}
/* NOLINTEND(misc-no-recursion) */

struct step_path *step_path_under(struct step_run *run, struct zv_slice prefix,
                                  struct zv_slice name)
{
    char text[STEP_NAME_LIMIT];
    const bool dot = prefix.length != 0 && prefix.at[prefix.length - 1] != '.';
    if (prefix.length + name.length + dot > sizeof text) {
        return NULL;
    }
    size_t length = 0;
    if (prefix.length != 0) {
        memcpy(text, prefix.at, prefix.length);
        length = prefix.length;
    }
    if (dot) {
        text[length++] = '.';
    }
    memcpy(text + length, name.at, name.length);
    return step_path_find(run, (struct zv_slice){text, length + name.length});
}

bool step_path_train(struct step_run *run, struct step_path *path)
{
    if (run->trained_count == run->trained_capacity) {
        const size_t capacity = run->trained_capacity == 0 ? FEW_PATHS : run->trained_capacity * 2;
        struct step_path **const more =
            zv_memory_resize(run->trained, capacity * sizeof(struct step_path *));
        if (more == NULL) {
            return no_memory(run);
        }
        run->trained = more;
        run->trained_capacity = capacity;
    }
    path->tensor->needs_grad = true;
    run->trained[run->trained_count++] = path;
    return true;
}
