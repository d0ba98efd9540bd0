/*
 * A headless Chromium, spoken to by its DevTools protocol over two pipes: no port, no network.
 * https://chromedevtools.github.io/devtools-protocol/ (messages end with a NUL on the pipes).
 */
#ifndef ZIRVE_TESTS_BROWSER_DEVTOOLS_H
#define ZIRVE_TESTS_BROWSER_DEVTOOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "format/json_tree.h"

struct devtools {
    pid_t child;
    int to;
    int from;
    int last_id;
    char profile[64]; /* a folder of its own, removed at the end */
    char session[128];
    struct zv_buffer input;    /* read and not looked at yet */
    struct zv_buffer message;  /* the one looked at last */
    struct zv_arena arena;     /* its tree */
    struct zv_buffer problems; /* exceptions, console errors, requests: a line each */
    bool is_loaded;            /* the page's load event has come */
};

/* Starts the program with one page. False, said on standard error, when that fails. */
bool devtools_open(struct devtools *tools, const char *program);
void devtools_close(struct devtools *tools);

/*
 * Calls a method of the page; parameters: a JSON object. The result lives until the next call; NULL
 * when the answer is an error, which is said on standard error.
 */
const struct zv_json_value *devtools_call(struct devtools *tools, const char *method,
                                          const char *parameters);

/* The value of a JavaScript expression as text; a promise is waited for. False when it throws. */
bool devtools_evaluate(struct devtools *tools, const char *expression, struct zv_buffer *to);

/* Text as a JSON string. */
void devtools_quote(struct zv_buffer *to, const char *text);

#endif
