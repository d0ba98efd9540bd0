/*
 * browse PAGE STEPS [WORD=TEXT...]: opens a page in a headless Chromium and does what the lines of
 * a file say, in TAP. $WORD in a line is replaced by TEXT.
 *
 *     # comment
 *     size 390 844 mobile          the window; mobile: with a finger, two pixels of the device each
 *     dark | light                 what the system prefers
 *     load                         opens the page and waits until it says that it is ready
 *     do EXPRESSION                evaluates it
 *     is EXPRESSION = TEXT         a test: its value as text becomes this within half a minute
 *     until EXPRESSION             a test: it comes true within half a minute
 *     print EXPRESSION             shows its value as a comment
 *     pointer move|press|release X Y    at an expression each, in pixels of the window
 *     tap X Y                      with a finger
 *     key NAME                     pressed and released; NAME as in KeyboardEvent.key
 *     quiet                        a test: no exception, no word on the console, no request so far
 *     shot FILE.png                a picture of the window
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "browser/devtools.h"

struct run {
    struct devtools tools;
    char page[4096];
    unsigned count;
    unsigned failed;
    char **words;
    int word_count;
};

static void report(struct run *run, bool fine, const char *line, const char *got)
{
    run->count++;
    run->failed += !fine;
    (void)printf("%sok %u - %s\n", fine ? "" : "not ", run->count, line);
    if (!fine) {
        (void)printf("# got: %s\n", got);
    }
}

static void pause_ms(long ms)
{
    (void)nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

/* What an event does is seen in its own time: every test waits for it. */
static bool becomes(struct run *run, const char *expression, const char *text,
                    struct zv_buffer *value)
{
    for (int i = 0; i < 600; i++) {
        if (devtools_evaluate(&run->tools, expression, value) &&
            zv_slice_equal((struct zv_slice){value->data, value->size}, text)) {
            return true;
        }
        pause_ms(50);
    }
    return false;
}

static bool load(struct run *run)
{
    struct zv_buffer parameters = {.limit = 1 << 16};
    struct zv_sink sink = zv_buffer_sink(&parameters);
    struct zv_buffer value = {.limit = 1 << 20};
    zv_sink_print(&sink, "{\"url\":\"file://%s\"}", run->page);
    const bool fine = devtools_call(&run->tools, "Page.navigate", parameters.data) != NULL &&
                      becomes(run, "document.documentElement.dataset.ready", "yes", &value);
    zv_buffer_free(&parameters);
    zv_buffer_free(&value);
    return fine;
}

static double number(struct run *run, const char *expression)
{
    struct zv_buffer value = {.limit = 1 << 16};
    const bool fine = devtools_evaluate(&run->tools, expression, &value) && value.size != 0;
    double result = 0;
    if (!fine || !zv_slice_double((struct zv_slice){value.data, value.size}, &result)) {
        (void)printf("# no number: %s\n", expression);
    }
    zv_buffer_free(&value);
    return result;
}

static void pointer(struct run *run, struct zv_slice rest)
{
    struct zv_slice word;
    struct zv_slice x;
    struct zv_slice y;
    char text[512];
    char at[2][128];
    if (!zv_slice_word(&rest, &word) || !zv_slice_word(&rest, &x) || !zv_slice_word(&rest, &y)) {
        return;
    }
    (void)snprintf(at[0], sizeof at[0], "%.*s", (int)x.length, x.at);
    (void)snprintf(at[1], sizeof at[1], "%.*s", (int)y.length, y.at);
    const bool moves = zv_slice_equal(word, "move");
    (void)snprintf(text, sizeof text,
                   "{\"type\":\"%s\",\"x\":%g,\"y\":%g,\"button\":\"%s\",\"clickCount\":%d}",
                   moves                           ? "mouseMoved"
                   : zv_slice_equal(word, "press") ? "mousePressed"
                                                   : "mouseReleased",
                   number(run, at[0]), number(run, at[1]), moves ? "none" : "left", moves ? 0 : 1);
    (void)devtools_call(&run->tools, "Input.dispatchMouseEvent", text);
}

static void tap(struct run *run, struct zv_slice rest)
{
    struct zv_slice x;
    char at[128];
    char text[512];
    if (!zv_slice_word(&rest, &x)) {
        return;
    }
    rest = zv_slice_trim(rest);
    (void)snprintf(at, sizeof at, "%.*s", (int)x.length, x.at);
    const double left = number(run, at);
    (void)snprintf(at, sizeof at, "%.*s", (int)rest.length, rest.at);
    (void)snprintf(text, sizeof text,
                   "{\"type\":\"touchStart\",\"touchPoints\":[{\"x\":%g,\"y\":%g}]}", left,
                   number(run, at));
    (void)devtools_call(&run->tools, "Input.dispatchTouchEvent", text);
    (void)devtools_call(&run->tools, "Input.dispatchTouchEvent",
                        "{\"type\":\"touchEnd\",\"touchPoints\":[]}");
}

/* Codes of keys by which the browser itself does something. */
static int key_code(const char *name)
{
    static const struct {
        const char *name;
        int code;
    } codes[] = {{"Escape", 27}, {"Enter", 13}, {"Tab", 9}, {" ", 32}};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        if (strcmp(codes[i].name, name) == 0) {
            return codes[i].code;
        }
    }
    return 0;
}

static void key(struct run *run, const char *name)
{
    static const char *const types[] = {"keyDown", "keyUp"};
    for (size_t i = 0; i < 2; i++) {
        char text[256];
        const bool is_text = strlen(name) == 1 && i == 0;
        (void)snprintf(text, sizeof text,
                       "{\"type\":\"%s\",\"key\":\"%.40s\",\"windowsVirtualKeyCode\":%d%s%.40s%s}",
                       types[i], name, key_code(name), is_text ? ",\"text\":\"" : "",
                       is_text ? name : "", is_text ? "\"" : "");
        (void)devtools_call(&run->tools, "Input.dispatchKeyEvent", text);
    }
}

static void set_size(struct run *run, struct zv_slice rest)
{
    unsigned width = 0;
    unsigned height = 0;
    char text[256];
    char line[128];
    (void)snprintf(line, sizeof line, "%.*s", (int)rest.length, rest.at);
    const bool mobile = zv_slice_ends(zv_slice_trim(rest), "mobile");
    char *end;
    width = (unsigned)strtoul(line, &end, 10);
    height = (unsigned)strtoul(end, NULL, 10);
    (void)snprintf(text, sizeof text,
                   "{\"width\":%u,\"height\":%u,\"deviceScaleFactor\":%d,\"mobile\":%s}", width,
                   height, mobile ? 2 : 1, mobile ? "true" : "false");
    (void)devtools_call(&run->tools, "Emulation.setDeviceMetricsOverride", text);
    (void)devtools_call(&run->tools, "Emulation.setTouchEmulationEnabled",
                        mobile ? "{\"enabled\":true}" : "{\"enabled\":false}");
}

static void prefer(struct run *run, const char *scheme)
{
    char text[128];
    (void)snprintf(text, sizeof text,
                   "{\"features\":[{\"name\":\"prefers-color-scheme\",\"value\":\"%s\"}]}", scheme);
    (void)devtools_call(&run->tools, "Emulation.setEmulatedMedia", text);
}

/* The bytes of base64 text, written to a file. */
static bool write_base64(const char *path, struct zv_slice text)
{
    FILE *const file = fopen(path, "wb");
    unsigned bits = 0;
    unsigned count = 0;
    for (size_t i = 0; file != NULL && i < text.length; i++) {
        static const char digits[] =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        const char *const digit = strchr(digits, text.at[i]);
        if (digit == NULL || *digit == 0) {
            break;
        }
        bits = bits << 6 | (unsigned)(digit - digits);
        count += 6;
        if (count >= 8) {
            count -= 8;
            (void)fputc((int)(bits >> count & 255), file);
        }
    }
    return file != NULL && fclose(file) == 0;
}

static bool shot(struct run *run, const char *path)
{
    const struct zv_json_value *const result =
        devtools_call(&run->tools, "Page.captureScreenshot", "{\"format\":\"png\"}");
    struct zv_slice text;
    return zv_json_string(zv_json_find(result, "data"), &text) && write_base64(path, text);
}

static void test_value(struct run *run, const char *line, char *rest)
{
    struct zv_buffer value = {.limit = 1 << 24};
    char *equals = strstr(rest, " = ");
    for (char *next = equals; next != NULL; next = strstr(next + 1, " = ")) {
        equals = next; /* the last one: an expression may assign */
    }
    if (equals == NULL) {
        report(run, false, line, "a line without ' = '");
        return;
    }
    *equals = 0;
    const bool fine = becomes(run, rest, equals + 3, &value);
    report(run, fine, line, value.size != 0 ? value.data : "nothing");
    zv_buffer_free(&value);
}

static void run_line(struct run *run, const char *line)
{
    char copy[8192];
    struct zv_buffer value = {.limit = 1 << 24};
    (void)snprintf(copy, sizeof copy, "%s", line);
    char *rest = strchr(copy, ' ');
    if (rest != NULL) {
        *rest++ = 0;
    } else {
        rest = copy + strlen(copy);
    }
    if (strcmp(copy, "size") == 0) {
        set_size(run, zv_slice_of(rest));
    } else if (strcmp(copy, "dark") == 0 || strcmp(copy, "light") == 0) {
        prefer(run, copy);
    } else if (strcmp(copy, "load") == 0) {
        report(run, load(run), line, "not ready in half a minute");
    } else if (strcmp(copy, "do") == 0 || strcmp(copy, "print") == 0) {
        const bool fine = devtools_evaluate(&run->tools, rest, &value);
        if (!fine) {
            report(run, false, line, value.size != 0 ? value.data : "nothing");
        } else if (copy[0] == 'p') {
            (void)printf("# %s: %s\n", rest, value.size != 0 ? value.data : "");
        }
    } else if (strcmp(copy, "is") == 0) {
        test_value(run, line, rest);
    } else if (strcmp(copy, "until") == 0) {
        report(run, becomes(run, rest, "true", &value), line, "not true in half a minute");
    } else if (strcmp(copy, "pointer") == 0) {
        pointer(run, zv_slice_of(rest));
    } else if (strcmp(copy, "tap") == 0) {
        tap(run, zv_slice_of(rest));
    } else if (strcmp(copy, "key") == 0) {
        key(run, rest);
    } else if (strcmp(copy, "quiet") == 0) {
        const struct zv_buffer *const problems = &run->tools.problems;
        report(run, problems->size == 0, line, problems->size != 0 ? problems->data : "");
    } else if (strcmp(copy, "shot") == 0) {
        report(run, shot(run, rest), line, "no picture");
    } else {
        report(run, false, line, "no such step");
    }
    zv_buffer_free(&value);
}

/* The line with its $WORDs replaced. */
static void expand(const struct run *run, struct zv_slice line, char to[8192])
{
    size_t size = 0;
    for (size_t i = 0; i < line.length && size + 1 < 8192; i++) {
        const char *text = NULL;
        for (int j = 0; j < run->word_count && line.at[i] == '$'; j++) {
            const char *const equals = strchr(run->words[j], '=');
            const size_t length = equals != NULL ? (size_t)(equals - run->words[j]) : 0;
            if (length != 0 && i + 1 + length <= line.length &&
                memcmp(line.at + i + 1, run->words[j], length) == 0) {
                text = equals + 1;
                i += length;
                break;
            }
        }
        if (text == NULL) {
            to[size++] = line.at[i];
        } else {
            const int written = snprintf(to + size, 8192 - size, "%s", text);
            size += written > 0 && (size_t)written < 8192 - size ? (size_t)written : 0;
        }
    }
    to[size] = 0;
}

int main(int argc, char **argv)
{
    static struct run run;
    struct zv_file steps;
    struct zv_error err = {0};
    const char *const program = getenv("ZIRVE_CHROMIUM");
    if (argc < 3 || realpath(argv[1], run.page) == NULL) {
        (void)fprintf(stderr, "usage: browse PAGE STEPS [WORD=TEXT...]\n");
        return 64;
    }
    run.words = argv + 3;
    run.word_count = argc - 3;
    if (zv_file_open(&steps, argv[2], &err) != ZV_OK) {
        (void)fprintf(stderr, "%s: %s\n", argv[2], err.text);
        return 3;
    }
    if (devtools_open(&run.tools, program != NULL ? program : "chromium")) {
        struct zv_slice rest = zv_file_slice(&steps);
        struct zv_slice line;
        while (zv_slice_line(&rest, &line)) {
            char text[8192];
            if (line.length != 0 && line.at[0] != '#') {
                expand(&run, line, text);
                run_line(&run, text);
            }
        }
    } else {
        report(&run, false, "the browser starts", "it did not");
    }
    devtools_close(&run.tools);
    zv_file_close(&steps);
    (void)printf("1..%u\n", run.count);
    return run.failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
