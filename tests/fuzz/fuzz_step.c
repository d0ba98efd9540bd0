/* Any text as a program: it parses or is refused with a line. What parses, links or is refused. */
#include <stdlib.h>

#include "step/program_link.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct zv_arena arena = {.limit = 16 * 1024 * 1024};
    struct zv_error err = {0};
    struct step_program program;
    struct step_link link = {.program_count = 0};
    const struct zv_slice text = {(const char *)data, size};
    enum zv_status status =
        step_program_parse(&program, text, zv_slice_of("fuzz.step"), &arena, &err);
    if (status == ZV_E_SYNTAX && err.line == 0) {
        abort();
    }
    if (status == ZV_OK) {
        status = step_link_add(&link, &program, &err);
    }
    if (status == ZV_OK) {
        status = step_link_finish(&link, &err);
        if (status == ZV_E_SYNTAX && (err.line == 0 || err.where[0] == 0)) {
            abort();
        }
    }
    zv_arena_free(&arena);
    return 0;
}
