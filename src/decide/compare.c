/* Records side by side: a comparison changes one variable and nothing that quality rests on. */
#include <string.h>

#include "base/fail.h"
#include "decide/sheet.h"

static bool is_side_by_side(const struct zv_sheet_row *row)
{
    return strcmp(row->section, "attached") != 0 && strcmp(row->section, "invalid if") != 0 &&
           strcmp(row->section, "documents") != 0;
}

static enum zv_status align(struct zv_comparison *comparison, struct zv_arena *arena,
                            struct zv_error *err)
{
    size_t most = 0;
    for (size_t i = 0; i < comparison->sheet_count; i++) {
        most += comparison->sheets[i].count;
    }
    comparison->rows = zv_arena_array(arena, most, sizeof(void *));
    if (comparison->rows == NULL) {
        return zv_fail_memory(err, "a comparison");
    }
    for (size_t i = 0; i < comparison->sheet_count; i++) {
        const struct zv_sheet *const sheet = &comparison->sheets[i];
        for (size_t k = 0; k < sheet->count; k++) {
            const struct zv_sheet_row *const row = &sheet->rows[k];
            bool seen = !is_side_by_side(row);
            for (size_t before = 0; !seen && before < i; before++) {
                seen = zv_sheet_find(&comparison->sheets[before], row->section, row->label) != NULL;
            }
            if (!seen) {
                comparison->rows[comparison->row_count++] = row;
            }
        }
    }
    return ZV_OK;
}

static const char *value_in(const struct zv_sheet *sheet, const struct zv_sheet_row *row)
{
    const struct zv_sheet_row *const found = zv_sheet_find(sheet, row->section, row->label);
    return found != NULL && found->value != NULL ? found->value : "";
}

static bool differs(const struct zv_comparison *comparison, const struct zv_sheet_row *row)
{
    for (size_t i = 1; i < comparison->sheet_count; i++) {
        if (strcmp(value_in(&comparison->sheets[0], row), value_in(&comparison->sheets[i], row)) !=
            0) {
            return true;
        }
    }
    return false;
}

static void add_reason(struct zv_comparison *comparison, const char *reason)
{
    for (size_t i = 0; i < comparison->reason_count; i++) {
        if (strcmp(comparison->reasons[i], reason) == 0) {
            return;
        }
    }
    if (comparison->reason_count < ZV_COMPARE_MAX_REASONS) {
        comparison->reasons[comparison->reason_count++] = reason;
    }
}

/* What must be the same, whatever else is varied. */
static const char *fixed_reason(const char *label)
{
    static const struct {
        const char *front;
        const char *reason;
    } rows[] = {
        {"quality.", "the quality criterion differs"},
        {"inputs.preparation", "the preparation of the inputs differs"},
        {"inputs.", "the content of the inputs differs"},
        {"task", "the task differs"},
        {"covers", "what the runs cover differs"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strncmp(label, rows[i].front, strlen(rows[i].front)) == 0) {
            return rows[i].reason;
        }
    }
    return NULL;
}

static bool says(const struct zv_sheet *sheet, const char *word)
{
    const struct zv_sheet_row *const row = zv_sheet_find(sheet, "job", "environment.backend");
    return row != NULL && row->value != NULL && strcasestr(row->value, word) != NULL;
}

enum zv_status zv_compare(struct zv_comparison *comparison, const struct zv_sheet *sheets,
                          size_t count, struct zv_arena *arena, struct zv_error *err)
{
    bool cuda = false;
    bool hip = false;
    *comparison = (struct zv_comparison){.sheets = sheets, .sheet_count = count};
    const enum zv_status status = align(comparison, arena, err);
    for (size_t i = 0; status == ZV_OK && i < comparison->row_count; i++) {
        const struct zv_sheet_row *const row = comparison->rows[i];
        if (!row->variable || !differs(comparison, row)) {
            continue;
        }
        const char *const reason = fixed_reason(row->label);
        if (reason != NULL) {
            add_reason(comparison, reason);
        }
        if (comparison->variable_count < ZV_COMPARE_MAX_REASONS) {
            comparison->variables[comparison->variable_count] = row->label;
        }
        comparison->variable_count++;
    }
    for (size_t i = 0; i < count; i++) {
        cuda = cuda || says(&sheets[i], "cuda");
        hip = hip || says(&sheets[i], "hip") || says(&sheets[i], "rocm");
    }
    comparison->crosses_backends = cuda && hip;
    if (comparison->variable_count > 1) {
        add_reason(comparison, "more than one variable differs");
    }
    return status;
}
