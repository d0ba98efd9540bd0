#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "cli/help.h"
#include "cli/output.h"
#include "cli/verbs.h"

static bool write_stdout(void *context, const char *data, size_t size)
{
    (void)context;
    return fwrite(data, 1, size, stdout) == size;
}

/* A reader that closed the pipe has seen enough. */
static int finish_text(const struct zv_sink *sink)
{
    const bool written = fflush(stdout) == 0 && !sink->failed;
    if (written || errno == EPIPE) {
        return 0;
    }
    (void)fprintf(stderr, "zirve: standard output cannot be written\n");
    return 3;
}

static const struct verb *find_verb(const char *name)
{
    for (size_t i = 0; i < verb_count; i++) {
        if (strcmp(verbs[i]->name, name) == 0) {
            return verbs[i];
        }
    }
    return NULL;
}

static int unknown_verb(const char *name)
{
    const char *names[64];
    size_t count = 0;
    for (; count < verb_count && count < 64; count++) {
        names[count] = verbs[count]->name;
    }
    struct zv_error err = {0};
    const char *const near = word_nearest(names, count, name);
    const enum zv_status status =
        near != NULL
            ? zv_fail(&err, ZV_E_USAGE, "unknown verb '%s': did you mean '%s'?", name, near)
            : zv_fail(&err, ZV_E_USAGE, "unknown verb '%s': 'zirve --help' lists them", name);
    output_error("", &err);
    return zv_status_exit_code(status);
}

static int run_verb(const struct verb *verb, int count, char **words)
{
    static struct arguments args;
    struct zv_error err = {0};
    struct output out = {0};
    enum zv_status status = arguments_parse(&args, verb, count, words, &err);
    if (status == ZV_OK && arguments_has(&args, "help")) {
        struct zv_sink sink = {.write = write_stdout};
        help_verb(&sink, verb);
        return finish_text(&sink);
    }
    if (status == ZV_OK) {
        status = output_open(&out, &args, &err);
    }
    if (status == ZV_OK) {
        status = verb->run(&args, &out, &err);
        if (status == ZV_OK) {
            status = output_close(&out, &err);
        }
    }
    if (status != ZV_OK) {
        zv_buffer_free(&out.buffer);
        output_error(verb->name, &err);
        return verb->failure_code != 0 ? verb->failure_code : zv_status_exit_code(status);
    }
    return out.exit_code;
}

int main(int argc, char **argv)
{
    struct zv_sink sink = {.write = write_stdout};
    (void)signal(SIGPIPE, SIG_IGN); /* a closed pipe is a write error, and no error of ours */
    if (argc < 2) {
        help_overview(&sink);
        return finish_text(&sink) == 0 ? 64 : 3;
    }
    if (strcmp(argv[1], "--version") == 0) {
        zv_sink_print(&sink, "zirve %s\n", ZV_VERSION);
        return finish_text(&sink);
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        help_overview(&sink);
        return finish_text(&sink);
    }
    if (strcmp(argv[1], "help") == 0) {
        const struct verb *const verb = argc > 2 ? find_verb(argv[2]) : NULL;
        if (argc > 2 && verb == NULL) {
            return unknown_verb(argv[2]);
        }
        if (verb != NULL) {
            help_verb(&sink, verb);
        } else {
            help_overview(&sink);
        }
        return finish_text(&sink);
    }
    const struct verb *const verb = find_verb(argv[1]);
    return verb != NULL ? run_verb(verb, argc - 2, argv + 2) : unknown_verb(argv[1]);
}
