#include "cli/help.h"

#include <stdio.h>
#include <string.h>

#include "cli/verbs.h"
#include "report/style.h"

static const struct report_style plain = {.width = 80};

enum { HELP_COLUMN = 28 };

static void option_line(struct zv_sink *sink, const struct option_spec *spec)
{
    char left[128];
    struct zv_slice rest = zv_slice_of(spec->aliases);
    struct zv_slice alias;
    char letter[8] = "    ";
    while (zv_slice_word(&rest, &alias)) {
        if (alias.length == 1) {
            (void)snprintf(letter, sizeof letter, "-%c, ", alias.at[0]);
        }
    }
    (void)snprintf(left, sizeof left, "  %s--%s%s%s", letter, spec->name,
                   spec->argument != NULL ? " " : "", spec->argument != NULL ? spec->argument : "");
    const size_t used = strlen(left);
    zv_sink_text(sink, left);
    if (used + 1 > HELP_COLUMN) {
        zv_sink_text(sink, "\n");
    } else {
        zv_sink_repeat(sink, ' ', HELP_COLUMN - used);
    }
    struct zv_buffer folded = {.limit = 65536};
    struct zv_sink to = zv_buffer_sink(&folded);
    char text[1024];
    int n = snprintf(text, sizeof text, "%s", spec->help);
    rest = zv_slice_of(spec->aliases);
    const char *lead = " (also";
    while (zv_slice_word(&rest, &alias)) {
        if (alias.length > 1 && n > 0 && (size_t)n < sizeof text) {
            n += snprintf(text + n, sizeof text - (size_t)n, "%s --%.*s", lead, (int)alias.length,
                          alias.at);
            lead = ",";
        }
    }
    if (lead[0] == ',' && n > 0 && (size_t)n < sizeof text) {
        (void)snprintf(text + n, sizeof text - (size_t)n, ")");
    }
    report_fold(&to, &plain, HELP_COLUMN, text);
    if (folded.data != NULL) { /* the first line goes on where the name ended */
        zv_sink_text(sink, folded.data + (used + 1 > HELP_COLUMN ? 0 : HELP_COLUMN));
    }
    zv_buffer_free(&folded);
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
    zv_sink_print(sink, "usage: zirve %s %s\n\n", verb->name, verb->usage);
    report_fold(sink, &plain, 0, verb->about);
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
        "\n'zirve VERB --help' tells more. Every figure says how it is known: calculated,\n"
        "measured, emulated, assumed or unknown.\n\n"
        "Exit status: 0 done or yes; 1 a clean no; 2 no usable GPU; 3 input or output bad;\n"
        "4 unsupported or unknown version; 6 partial or cannot tell; 64 usage; 70 our bug.\n");
}
