/* print_model [-t] PATH: what the library reads, as text; -t with every tensor. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/model_text.h"

static bool to_stdout(void *context, const char *data, size_t size)
{
    return fwrite(data, 1, size, context) == size;
}

int main(int argc, char **argv)
{
    const bool tensors = argc == 3 && strcmp(argv[1], "-t") == 0;
    if (argc != 2 + tensors) {
        (void)fprintf(stderr, "usage: print_model [-t] PATH\n");
        return EXIT_FAILURE;
    }
    struct zv_arena arena = {0};
    struct zv_error err = {0};
    struct zv_model model;
    struct zv_model_files *files = NULL;
    const enum zv_status status = zv_model_open(&model, &files, argv[argc - 1], &arena, &err);
    if (status == ZV_OK) {
        struct zv_sink sink = {.write = to_stdout, .context = stdout};
        model_text(&model, tensors, &sink);
    } else {
        (void)fprintf(stderr, "%s: at %llu line %llu: %s\n", err.where,
                      (unsigned long long)err.offset, (unsigned long long)err.line, err.text);
    }
    zv_model_close(files);
    zv_arena_free(&arena);
    return zv_status_exit_code(status);
}
