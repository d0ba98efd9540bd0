/* Frames: which of a stack is the user's own, and what PyTorch's own ones tell. */
#include "explain/frames.h"

#include <inttypes.h>
#include <string.h>

static bool ends_with_any(struct zv_slice text, const char *const *ends)
{
    for (; *ends != NULL; ends++) {
        if (zv_slice_ends(text, *ends)) {
            return true;
        }
    }
    return false;
}

static bool is_python(struct zv_slice file)
{
    static const char *const ends[] = {".py", ".pyx", ".ipynb", NULL};
    return ends_with_any(file, ends) || zv_slice_starts(file, "<") ||
           zv_slice_contains(file, "ipython-input") || zv_slice_contains(file, "ipykernel");
}

/* The installed package and what only passes calls on. */
static bool is_library(struct zv_slice file)
{
    static const char *const parts[] = {
        "/site-packages/", "/dist-packages/", "\\site-packages\\", "/torch/nn/",
        "/torch/utils/",   "<frozen",         "/lib/python",       NULL};
    for (size_t i = 0; parts[i] != NULL; i++) {
        if (zv_slice_contains(file, parts[i])) {
            return true;
        }
    }
    return false;
}

/* What every allocation passes through, and the recording itself. */
static bool is_plumbing(struct zv_slice name)
{
    static const char *const parts[] = {"torch::unwind",    "CapturedTraceback", "gather_with_cpp",
                                        "CachingAllocator", "StorageImpl",       "empty_generic",
                                        "empty_cuda",       "empty_strided",     NULL};
    for (size_t i = 0; parts[i] != NULL; i++) {
        if (zv_slice_contains(name, parts[i])) {
            return true;
        }
    }
    return name.length == 0 || zv_slice_equal(name, "??");
}

enum frame_class { FRAME_PLUMBING, FRAME_OTHER, FRAME_LIBRARY, FRAME_USER };

static enum frame_class classify(const struct zv_trace *trace, uint32_t frame)
{
    const struct zv_slice file = zv_trace_text(trace, trace->frames[frame].file);
    if (!is_python(file)) {
        return is_plumbing(zv_trace_text(trace, trace->frames[frame].name)) ? FRAME_PLUMBING
                                                                            : FRAME_OTHER;
    }
    return is_library(file) ? FRAME_LIBRARY : FRAME_USER;
}

/* Callers come before what they call, so one pass sees every stack after its outer part. */
const uint32_t *zv_user_frames(const struct zv_trace *trace, struct zv_arena *arena)
{
    uint8_t *const classes = zv_arena_alloc(arena, trace->frame_count);
    uint32_t *const best = zv_arena_array(arena, trace->stack_count, sizeof *best);
    if (classes == NULL || best == NULL) {
        return NULL;
    }
    for (size_t i = 1; i < trace->frame_count; i++) {
        classes[i] = (uint8_t)classify(trace, (uint32_t)i);
    }
    for (size_t i = 1; i < trace->stack_count; i++) {
        const uint32_t frame = trace->stacks[i].frame;
        const uint32_t outer = best[trace->stacks[i].outer];
        best[i] = classes[frame] >= classes[outer] ? frame : outer;
    }
    return best;
}

size_t zv_callers(uint32_t *to, size_t most, const struct zv_trace *trace, uint32_t stack,
                  uint32_t user_frame)
{
    size_t count = 0;
    while (stack != 0 && trace->stacks[stack].frame != user_frame) {
        stack = trace->stacks[stack].outer;
    }
    if (stack == 0) {
        return 0;
    }
    const enum frame_class least = classify(trace, user_frame);
    for (stack = trace->stacks[stack].outer; stack != 0; stack = trace->stacks[stack].outer) {
        const uint32_t frame = trace->stacks[stack].frame;
        if (classify(trace, frame) < least) {
            continue;
        }
        if (count < most) {
            to[count] = frame;
        }
        count++;
    }
    return count;
}

struct zv_slice frame_file_name(struct zv_slice path)
{
    for (size_t i = path.length; i != 0; i--) {
        if (path.at[i - 1] == '/' || path.at[i - 1] == '\\') {
            return (struct zv_slice){path.at + i, path.length - i};
        }
    }
    return path;
}

static int shown(struct zv_slice text, size_t most)
{
    return (int)(text.length < most ? text.length : most);
}

const char *zv_frame_label(const struct zv_trace *trace, uint32_t frame, struct zv_arena *arena)
{
    enum { MOST = 400 };
    const struct zv_trace_frame *const facts = &trace->frames[frame];
    const struct zv_slice file = frame_file_name(zv_trace_text(trace, facts->file));
    const struct zv_slice name = zv_trace_text(trace, facts->name);
    if (frame == 0) {
        return "(no stack recorded)";
    }
    if (file.length == 0 || zv_slice_equal(file, "??")) {
        return zv_arena_print(arena, "%.*s", shown(name, MOST), name.at);
    }
    if (facts->line == 0 || facts->line > INT64_MAX) {
        return zv_arena_print(arena, "%.*s %.*s", shown(file, MOST), file.at, shown(name, MOST),
                              name.at);
    }
    return zv_arena_print(arena, "%.*s:%" PRIu64 " %.*s", shown(file, MOST), file.at, facts->line,
                          shown(name, MOST), name.at);
}

const char *const zv_role_names[ZV_ROLE_COUNT] = {"other", "forward", "backward", "optimizer"};

static enum zv_role role_of(const struct zv_trace *trace, uint32_t frame)
{
    const struct zv_slice file = zv_trace_text(trace, trace->frames[frame].file);
    const struct zv_slice name = zv_trace_text(trace, trace->frames[frame].name);
    if (zv_slice_contains(file, "/torch/optim/") || zv_slice_contains(file, "\\torch\\optim\\")) {
        return ZV_ROLE_OPTIMIZER;
    }
    if (zv_slice_contains(name, "torch::autograd::Engine") ||
        zv_slice_contains(name, "_engine_run_backward") ||
        (zv_slice_equal(name, "backward") && zv_slice_contains(file, "torch"))) {
        return ZV_ROLE_BACKWARD;
    }
    return zv_slice_equal(name, "forward") || zv_slice_equal(name, "_call_impl") ? ZV_ROLE_FORWARD
                                                                                 : ZV_ROLE_OTHER;
}

/* A module's frame says less than one of autograd or an optimizer further out, which calls it. */
const uint8_t *zv_roles(const struct zv_trace *trace, struct zv_arena *arena)
{
    uint8_t *const of_frames = zv_arena_alloc(arena, trace->frame_count);
    uint8_t *const roles = zv_arena_alloc(arena, trace->stack_count);
    if (of_frames == NULL || roles == NULL) {
        return NULL;
    }
    for (size_t i = 1; i < trace->frame_count; i++) {
        of_frames[i] = (uint8_t)role_of(trace, (uint32_t)i);
    }
    for (size_t i = 1; i < trace->stack_count; i++) {
        const uint8_t own = of_frames[trace->stacks[i].frame];
        const uint8_t outer = roles[trace->stacks[i].outer];
        roles[i] = own > ZV_ROLE_FORWARD || outer == ZV_ROLE_OTHER ? own : outer;
    }
    return roles;
}
