#include "browser/devtools.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "format/json_writer.h"

enum { PATIENCE_MS = 60000, MESSAGE_LIMIT = 256 << 20 };

static void run_child(const char *program, const char *profile, const int in[2], const int out[2])
{
    char folder[128];
    (void)snprintf(folder, sizeof folder, "--user-data-dir=%s", profile);
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    const int read_end = fcntl(in[0], F_DUPFD, 10); /* out of the way of 3 and 4 */
    const int write_end = fcntl(out[1], F_DUPFD, 10);
    (void)dup2(null, STDIN_FILENO);
    (void)dup2(null, STDOUT_FILENO);
    (void)dup2(null, STDERR_FILENO);
    (void)dup2(read_end, 3);
    (void)dup2(write_end, 4);
    (void)setpgid(0, 0);
    (void)execlp(program, program, "--headless=new", "--no-sandbox", "--disable-gpu",
                 "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run",
                 "--disable-extensions", "--disable-background-networking",
                 "--remote-debugging-pipe", "--force-color-profile=srgb", folder, "about:blank",
                 (char *)NULL);
    _exit(127);
}

static bool start(struct devtools *tools, const char *program)
{
    int in[2];
    int out[2];
    if (pipe2(in, O_CLOEXEC) != 0) {
        return false;
    }
    if (pipe2(out, O_CLOEXEC) != 0) {
        (void)close(in[0]);
        (void)close(in[1]);
        return false;
    }
    tools->child = fork();
    if (tools->child == 0) {
        run_child(program, tools->profile, in, out);
    }
    (void)close(in[0]);
    (void)close(out[1]);
    tools->to = in[1];
    tools->from = out[0];
    return tools->child > 0;
}

static void send_text(struct devtools *tools, const char *text)
{
    size_t left = strlen(text) + 1; /* its NUL ends the message */
    while (left != 0) {
        const ssize_t sent = write(tools->to, text, left);
        if (sent <= 0) {
            return; /* the reading that follows finds out */
        }
        text += sent;
        left -= (size_t)sent;
    }
}

/* Reads until a whole message is there; false at the end or when patience is. */
static bool read_message(struct devtools *tools)
{
    struct zv_buffer *const input = &tools->input;
    for (;;) {
        const char *const end = input->size != 0 ? memchr(input->data, 0, input->size) : NULL;
        if (end != NULL) {
            const size_t length = (size_t)(end - input->data);
            tools->message.size = 0;
            (void)zv_buffer_append(&tools->message, input->data, length);
            memmove(input->data, end + 1, input->size - length - 1);
            input->size -= length + 1;
            return true;
        }
        struct pollfd wait = {.fd = tools->from, .events = POLLIN};
        char *const room = zv_buffer_reserve(input, 1 << 16);
        if (room == NULL || poll(&wait, 1, PATIENCE_MS) != 1) {
            return false;
        }
        const ssize_t got = read(tools->from, room, 1 << 16);
        if (got <= 0) {
            return false;
        }
        input->size += (size_t)got;
    }
}

static struct zv_slice text_at(const struct zv_json_value *object, const char *key)
{
    struct zv_slice text = {"", 0};
    (void)zv_json_string(zv_json_find(object, key), &text);
    return text;
}

static void note(struct devtools *tools, const char *what, struct zv_slice text)
{
    (void)zv_buffer_append(&tools->problems, what, strlen(what));
    (void)zv_buffer_append(&tools->problems, text.at, text.length);
    (void)zv_buffer_append(&tools->problems, "\n", 1);
}

/* Events: what a good page never causes. */
static void look_at_event(struct devtools *tools, const struct zv_json_value *message)
{
    const struct zv_slice method = text_at(message, "method");
    const struct zv_json_value *const params = zv_json_find(message, "params");
    if (zv_slice_equal(method, "Page.loadEventFired")) {
        tools->is_loaded = true;
    } else if (zv_slice_equal(method, "Runtime.exceptionThrown")) {
        const struct zv_json_value *const details = zv_json_find(params, "exceptionDetails");
        const struct zv_slice text = text_at(zv_json_find(details, "exception"), "description");
        note(tools, "exception: ", text.length != 0 ? text : text_at(details, "text"));
    } else if (zv_slice_equal(method, "Log.entryAdded")) {
        const struct zv_json_value *const entry = zv_json_find(params, "entry");
        note(tools, "log: ", text_at(entry, "text"));
    } else if (zv_slice_equal(method, "Runtime.consoleAPICalled")) {
        note(tools, "console: ", text_at(params, "type"));
    } else if (zv_slice_equal(method, "Network.requestWillBeSent")) {
        const struct zv_slice url = text_at(zv_json_find(params, "request"), "url");
        if (!zv_slice_starts(url, "file:") && !zv_slice_starts(url, "about:")) {
            note(tools, "request: ", url);
        }
    }
}

static const struct zv_json_value *await_answer(struct devtools *tools, int id)
{
    while (read_message(tools)) {
        const struct zv_json_value *root;
        struct zv_error err = {0};
        uint64_t number;
        zv_arena_free(&tools->arena);
        if (zv_json_tree_read(&root, (struct zv_slice){tools->message.data, tools->message.size},
                              ZV_JSON_STRICT, &tools->arena, &err) != ZV_OK) {
            (void)fprintf(stderr, "a message is no JSON: %s\n", err.text);
            continue;
        }
        if (!zv_json_u64(zv_json_find(root, "id"), &number)) {
            look_at_event(tools, root);
        } else if (number == (uint64_t)id) {
            const struct zv_json_value *const error = zv_json_find(root, "error");
            if (error != NULL) {
                (void)fprintf(stderr, "%s\n", text_at(error, "message").at);
            }
            return error != NULL ? NULL : zv_json_find(root, "result");
        }
    }
    (void)fprintf(stderr, "the browser does not answer\n");
    return NULL;
}

const struct zv_json_value *devtools_call(struct devtools *tools, const char *method,
                                          const char *parameters)
{
    struct zv_buffer text = {.limit = MESSAGE_LIMIT};
    struct zv_sink sink = zv_buffer_sink(&text);
    const int id = ++tools->last_id;
    zv_sink_print(&sink, "{\"id\":%d,\"method\":\"%s\",\"params\":", id, method);
    zv_sink_text(&sink, parameters);
    if (tools->session[0] != 0) {
        zv_sink_print(&sink, ",\"sessionId\":\"%s\"", tools->session);
    }
    zv_sink_text(&sink, "}");
    send_text(tools, text.data);
    zv_buffer_free(&text);
    return await_answer(tools, id);
}

static bool attach(struct devtools *tools)
{
    static const char *const enabled[] = {"Page.enable", "Runtime.enable", "Log.enable",
                                          "Network.enable"};
    char parameters[256];
    const struct zv_json_value *result =
        devtools_call(tools, "Target.createTarget", "{\"url\":\"about:blank\"}");
    if (result == NULL) {
        return false;
    }
    (void)snprintf(parameters, sizeof parameters, "{\"targetId\":\"%.100s\",\"flatten\":true}",
                   text_at(result, "targetId").at);
    result = devtools_call(tools, "Target.attachToTarget", parameters);
    if (result == NULL) {
        return false;
    }
    (void)snprintf(tools->session, sizeof tools->session, "%.100s",
                   text_at(result, "sessionId").at);
    bool fine = true;
    for (size_t i = 0; i < sizeof enabled / sizeof enabled[0]; i++) {
        fine = devtools_call(tools, enabled[i], "{}") != NULL && fine;
    }
    return fine;
}

bool devtools_open(struct devtools *tools, const char *program)
{
    *tools = (struct devtools){.to = -1,
                               .from = -1,
                               .profile = "/tmp/zirve-browser-XXXXXX",
                               .input.limit = MESSAGE_LIMIT,
                               .message.limit = MESSAGE_LIMIT,
                               .problems.limit = 1 << 20};
    (void)signal(SIGPIPE, SIG_IGN);
    return mkdtemp(tools->profile) != NULL && start(tools, program) && attach(tools);
}

void devtools_close(struct devtools *tools)
{
    char command[128];
    if (tools->child > 0) {
        (void)close(tools->to);
        (void)close(tools->from);
        (void)kill(-tools->child, SIGKILL); /* it and what it started: its own group */
        (void)waitpid(tools->child, NULL, 0);
    }
    (void)snprintf(command, sizeof command, "rm -rf '%s'", tools->profile);
    if (system(command) != 0) {
        (void)fprintf(stderr, "%s is left behind\n", tools->profile);
    }
    zv_buffer_free(&tools->input);
    zv_buffer_free(&tools->message);
    zv_buffer_free(&tools->problems);
    zv_arena_free(&tools->arena);
}

void devtools_quote(struct zv_buffer *to, const char *text)
{
    struct zv_sink sink = zv_buffer_sink(to);
    struct zv_json_writer json = {.sink = &sink};
    zv_json_write_string(&json, text);
}

bool devtools_evaluate(struct devtools *tools, const char *expression, struct zv_buffer *to)
{
    struct zv_buffer parameters = {.limit = MESSAGE_LIMIT};
    struct zv_sink sink = zv_buffer_sink(&parameters);
    zv_sink_text(&sink, "{\"returnByValue\":true,\"awaitPromise\":true,\"expression\":");
    struct zv_buffer call = {.limit = MESSAGE_LIMIT};
    struct zv_sink call_sink = zv_buffer_sink(&call);
    zv_sink_print(&call_sink, "Promise.resolve(%s).then(String)", expression);
    devtools_quote(&parameters, call.data);
    zv_sink_text(&sink, "}");
    const struct zv_json_value *const result =
        devtools_call(tools, "Runtime.evaluate", parameters.data);
    const struct zv_slice value = text_at(zv_json_find(result, "result"), "value");
    const struct zv_json_value *const thrown = zv_json_find(result, "exceptionDetails");
    to->size = 0;
    if (thrown != NULL) {
        const struct zv_slice why = text_at(zv_json_find(thrown, "exception"), "description");
        (void)zv_buffer_append(to, why.at, why.length);
    } else {
        (void)zv_buffer_append(to, value.at, value.length);
    }
    zv_buffer_free(&parameters);
    zv_buffer_free(&call);
    return result != NULL && thrown == NULL;
}
