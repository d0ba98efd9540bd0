/* zirve estimate --grid: weights x sizes x cards, one table of fits. */
#include "base/fail.h"
#include "cli/estimate_verb.h"
#include "report/report_grid.h"

enum { GRID_MAX_NAMES = 16 };

/* What the options list; the axes point into it. */
struct lists {
    struct zv_grid_model models[GRID_MAX_NAMES];
    size_t model_count;
    struct count_list tokens;
    struct count_list sequences;
    struct zv_capacity cards[GRID_MAX_NAMES];
    size_t card_count;
};

/* "a,b,c" → names in the arena. */
static enum zv_status read_names(struct session *session, const char *option, const char *value,
                                 const char *names[GRID_MAX_NAMES], size_t *count,
                                 struct zv_error *err)
{
    struct zv_slice rest = zv_slice_of(value);
    *count = 0;
    while (rest.length != 0) {
        const struct zv_slice one = zv_slice_trim(zv_slice_cut(&rest, ','));
        if (one.length == 0 || *count == GRID_MAX_NAMES) {
            return zv_fail(err, ZV_E_USAGE, "--%s %s: expected at most %d names", option, value,
                           GRID_MAX_NAMES);
        }
        names[*count] = zv_arena_copy(&session->arena, one.at, one.length);
        if (names[(*count)++] == NULL) {
            return zv_fail_memory(err, "a grid");
        }
    }
    return ZV_OK;
}

static enum zv_status read_cards(struct lists *lists, struct session *session,
                                 const struct arguments *args, struct zv_error *err)
{
    const char *names[GRID_MAX_NAMES] = {NULL};
    const char *const value = arguments_value(args, "card");
    if (value == NULL) {
        return zv_fail(err, ZV_E_USAGE, "--grid is a table of fits: it needs --card NAME,NAME...");
    }
    enum zv_status status = read_names(session, "card", value, names, &lists->card_count, err);
    for (size_t i = 0; status == ZV_OK && i < lists->card_count; i++) {
        status = session_open_card(session, names[i], &lists->cards[i], err);
    }
    return status;
}

static enum zv_status read_models(struct lists *lists, struct session *session,
                                  const struct arguments *args, struct zv_error *err)
{
    const char *names[GRID_MAX_NAMES] = {NULL};
    const char *const value = arguments_value(args, "quantization");
    if (value == NULL) {
        lists->models[0] = (struct zv_grid_model){"as stored", &session->model, NULL};
        lists->model_count = 1;
        return ZV_OK;
    }
    enum zv_status status =
        read_names(session, "quantization", value, names, &lists->model_count, err);
    for (size_t i = 0; status == ZV_OK && i < lists->model_count; i++) {
        struct zv_grid_model *const to = &lists->models[i];
        *to = (struct zv_grid_model){.name = names[i]};
        status = session_weights(session, to, err);
    }
    return status;
}

static enum zv_status read_sizes(struct lists *lists, const struct session *session,
                                 const struct arguments *args, struct zv_error *err)
{
    const bool trains = session->job.task == ZV_TASK_TRAIN;
    lists->tokens = (struct count_list){{0}, 1}; /* as the job has it */
    lists->sequences = (struct count_list){{0}, 1};
    const enum zv_status status =
        arguments_counts(args, trains ? "seq-length" : "context", &lists->tokens, err);
    return status != ZV_OK ? status
                           : arguments_counts(args, trains ? "micro-batch" : "concurrency",
                                              &lists->sequences, err);
}

static void set_exit_code(struct output *out, const struct zv_grid *grid)
{
    out->exit_code =
        grid->fit != 0 ? 0 : session_exit_code(grid->open == 0 ? ZV_FITS_NOT : ZV_CANNOT_TELL);
}

enum zv_status estimate_grid(struct session *session, const struct arguments *args,
                             struct output *out, struct zv_error *err)
{
    static struct lists lists;
    struct zv_grid grid;
    lists = (struct lists){.model_count = 0};
    enum zv_status status = read_cards(&lists, session, args, err);
    if (status == ZV_OK) {
        status = read_sizes(&lists, session, args, err);
    }
    if (status == ZV_OK) {
        status = session_open_model(session, args, err);
    }
    if (status == ZV_OK) {
        status = read_models(&lists, session, args, err);
    }
    if (status == ZV_OK) {
        const struct zv_question question = session_question(session);
        const struct zv_grid_axes axes = {
            lists.models,           lists.model_count,     lists.tokens.values, lists.tokens.count,
            lists.sequences.values, lists.sequences.count, lists.cards,         lists.card_count};
        status = zv_grid_run(&grid, &question, &axes, &session->arena, err);
    }
    if (status != ZV_OK) {
        return status;
    }
    session_notes(session);
    set_exit_code(out, &grid);
    if (out->json) {
        report_grid_json(&out->sink, &grid);
    } else {
        report_grid_text(&out->sink, &out->style, &grid);
    }
    return ZV_OK;
}
