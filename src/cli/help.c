#include "cli/help.h"

#include <stdio.h>
#include <string.h>

#include "cli/verbs.h"
#include "report/style.h"

static const struct report_style plain = {.width = 80};

enum { HELP_COLUMN = 28 };

/* The help sentence with the long aliases after it. */
static void option_text(char *to, size_t size, const struct option_spec *spec)
{
    struct zv_slice rest = zv_slice_of(spec->aliases);
    struct zv_slice alias;
    const char *lead = " (also";
    size_t used = strlen(spec->help) < size ? strlen(spec->help) : size - 1;
    (void)snprintf(to, size, "%s", spec->help);
    while (zv_slice_word(&rest, &alias)) {
        if (alias.length > 1) {
            const int n =
                snprintf(to + used, size - used, "%s --%.*s", lead, (int)alias.length, alias.at);
            used += n > 0 && (size_t)n < size - used ? (size_t)n : 0;
            lead = ",";
        }
    }
    (void)snprintf(to + used, size - used, "%s", lead[0] == ',' ? ")" : "");
}

static void option_line(struct zv_sink *sink, const struct option_spec *spec)
{
    char left[128];
    char text[1024];
    char letter[8] = "    ";
    struct zv_slice rest = zv_slice_of(spec->aliases);
    struct zv_slice alias;
    while (zv_slice_word(&rest, &alias)) {
        if (alias.length == 1) {
            (void)snprintf(letter, sizeof letter, "-%c, ", alias.at[0]);
        }
    }
    (void)snprintf(left, sizeof left, "  %s--%s%s%s", letter, spec->name,
                   spec->argument != NULL ? " " : "", spec->argument != NULL ? spec->argument : "");
    zv_sink_text(sink, left);
    unsigned column = (unsigned)strlen(left);
    if (column + 1 > HELP_COLUMN) {
        zv_sink_text(sink, "\n");
        column = 0;
    }
    option_text(text, sizeof text, spec);
    report_fold(sink, &plain, HELP_COLUMN, column, text);
}

static void option_groups(struct zv_sink *sink, const struct option_spec *options, size_t count)
{
    const char *group = "";
    for (size_t i = 0; i < count; i++) {
        if (strcmp(group, options[i].group) != 0) {
            group = options[i].group;
            zv_sink_print(sink, "\n%s\n", group);
        }
        option_line(sink, &options[i]);
    }
}

void help_verb(struct zv_sink *sink, const struct verb *verb)
{
    zv_sink_print(sink, "zirve %s: %s\n\n", verb->name, verb->question);
    const unsigned column = (unsigned)strlen("usage: zirve  ") + (unsigned)strlen(verb->name);
    zv_sink_print(sink, "usage: zirve %s ", verb->name);
    report_fold(sink, &plain, 7, column, verb->usage);
    zv_sink_text(sink, "\n");
    report_fold(sink, &plain, 0, 0, verb->about);
    option_groups(sink, verb->options, verb->option_count);
    option_groups(sink, common_options, common_option_count);
    zv_sink_print(sink, "\nExamples\n%s", verb->examples);
}

void help_overview(struct zv_sink *sink)
{
    zv_sink_text(sink, "zirve: how much GPU memory a job needs, and how that is known\n\n"
                       "usage: zirve VERB [options] [FILE...]\n\n");
    for (size_t i = 0; i < verb_count; i++) {
        zv_sink_print(sink, "  %-12s %s\n", verbs[i]->name, verbs[i]->question);
    }
    zv_sink_text(
        sink,
        "\n'zirve VERB --help' tells more; 'zirve --version' which zirve this is.\n\n"
        "Every figure says how it is known: calculated (exact), measured (read from a log\n"
        "or a card), emulated, assumed (by a formula or one published reading: it may be\n"
        "off) or unknown. 'at least' is the sum of what is known; 'expected' adds what is\n"
        "assumed.\n\n"
        "Exit status: 0 done or yes; 1 a clean no; 2 no usable GPU; 3 input or output bad;\n"
        "4 unsupported or unknown version; 6 partial or cannot tell; 64 usage; 70 our bug.\n");
}
