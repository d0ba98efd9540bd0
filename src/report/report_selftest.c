#include "report/report_selftest.h"

#include <stdio.h>
#include <string.h>

#include "base/printable.h"

enum { ERROR_TEXT = 48 };

static size_t checked(const size_t count[ZV_CHECK_COUNT])
{
    return count[ZV_CHECK_EXACT] + count[ZV_CHECK_WITHIN] + count[ZV_CHECK_OFF];
}

/* "0.82 %" of millionths; "-" when nothing was checked. */
static void put_error(char to[ERROR_TEXT], bool known, uint64_t millionths)
{
    if (!known) {
        (void)snprintf(to, ERROR_TEXT, "-");
    } else {
        const unsigned long long hundredths = (millionths + 50) / 100;
        (void)snprintf(to, ERROR_TEXT, "%llu.%02llu %%", hundredths / 100, hundredths % 100);
    }
}

static void put_summary(struct zv_sink *sink, const struct zv_check_summary *summary)
{
    char error[ERROR_TEXT];
    char name[64];
    put_error(error, checked(summary->count) != 0, summary->worst_millionths);
    (void)snprintf(name, sizeof name, "%s", summary->name);
    zv_make_printable(name);
    zv_sink_print(sink, "  %-32.32s %6zu %6zu %6zu %9zu   %9s\n", name,
                  summary->count[ZV_CHECK_EXACT], summary->count[ZV_CHECK_WITHIN],
                  summary->count[ZV_CHECK_OFF], summary->count[ZV_CHECK_UNCHECKED], error);
}

static void put_groups(struct zv_sink *sink, const struct report_style *style,
                       const struct zv_selftest *result)
{
    static const struct {
        const char *by;
        const char *title;
    } groups[] = {{"item", "item"}, {"runtime", "runtime"}, {"arch", "architecture"}};
    for (size_t g = 0; g < sizeof groups / sizeof groups[0]; g++) {
        char heading[96];
        (void)snprintf(heading, sizeof heading,
                       "%-34s  exact within    off unchecked   worst error", groups[g].title);
        report_bold(sink, style, heading);
        zv_sink_text(sink, "\n");
        for (size_t i = 0; i < result->summary_count; i++) {
            if (strcmp(result->summaries[i].by, groups[g].by) == 0) {
                put_summary(sink, &result->summaries[i]);
            }
        }
        zv_sink_text(sink, "\n");
    }
}

static void put_step_group(struct zv_sink *sink, const struct zv_step_group *group)
{
    char errors[3][ERROR_TEXT];
    char name[64];
    put_error(errors[0], group->rows != 0, group->median_millionths);
    put_error(errors[1], group->rows != 0, group->most_millionths);
    put_error(errors[2], group->rows != 0, group->worst_millionths);
    (void)snprintf(name, sizeof name, "%s%s", group->is_set ? "fair set: " : "", group->name);
    zv_make_printable(name);
    zv_sink_print(sink, "  %-38.38s %4zu %8s %8s %8s", name, group->rows, errors[0], errors[1],
                  errors[2]);
    if (group->ran_out != 0) {
        zv_sink_print(sink, " %zu of %zu", group->ran_out_predicted, group->ran_out);
    }
    zv_sink_text(sink, "\n");
}

static void put_steps(struct zv_sink *sink, const struct report_style *style,
                      const struct zv_selftest *result)
{
    if (result->group_count != 0) {
        report_bold(
            sink, style,
            "steps run op by op                       rows   median     95 %    worst ran out");
        zv_sink_text(sink, "\n");
    }
    for (size_t i = 0; i < result->group_count; i++) {
        put_step_group(sink, &result->groups[i]);
    }
    zv_sink_text(sink, result->group_count != 0 ? "\n" : "");
}

static void put_check(struct zv_sink *sink, const struct report_style *style,
                      const struct zv_check *check)
{
    char line[512];
    report_name(sink, zv_slice_of(check->id), 128);
    zv_sink_print(sink, " %s: %s", check->item, zv_check_status_name(check->status));
    if (check->status == ZV_CHECK_UNCHECKED) {
        (void)snprintf(line, sizeof line, "%s%s%s", check->measured,
                       check->measured[0] != 0 ? ": " : "", check->reason);
    } else {
        (void)snprintf(line, sizeof line, "predicted %s, measured %s%s%s%s%s", check->predicted,
                       check->measured, check->unit[0] != 0 ? " " : "", check->unit,
                       check->reason[0] != 0 ? "; " : "", check->reason);
    }
    zv_sink_text(sink, "\n    ");
    report_fold(sink, style, 4, 4, line);
    zv_sink_text(sink, "\n");
}

void report_selftest_text(struct zv_sink *sink, const struct report_style *style,
                          const struct zv_selftest *result, bool rows)
{
    for (size_t i = 0; rows && i < result->check_count; i++) {
        put_check(sink, style, &result->checks[i]);
    }
    if (rows && result->check_count != 0) {
        zv_sink_text(sink, "\n");
    }
    put_groups(sink, style, result);
    put_steps(sink, style, result);
    for (size_t i = 0; !rows && i < result->check_count; i++) {
        if (result->checks[i].status == ZV_CHECK_OFF) {
            put_check(sink, style, &result->checks[i]);
        }
    }
    zv_sink_print(sink, "%zu exact, %zu within 3 %%, %zu off, %zu unchecked\n",
                  result->count[ZV_CHECK_EXACT], result->count[ZV_CHECK_WITHIN],
                  result->count[ZV_CHECK_OFF], result->count[ZV_CHECK_UNCHECKED]);
}
