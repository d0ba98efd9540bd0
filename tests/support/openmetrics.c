#include "support/openmetrics.h"

#include <string.h>

enum { MAX_SERIES = 1024, MAX_FAMILIES = 128 };

struct checker {
    struct zv_slice family; /* of the metadata read last */
    bool has_unit;
    bool has_samples;
    struct zv_slice families[MAX_FAMILIES];
    size_t family_count;
    struct zv_slice series[MAX_SERIES]; /* name and labels as they stand */
    size_t series_count;
};

static bool is_name(struct zv_slice name, bool colons)
{
    for (size_t i = 0; i < name.length; i++) {
        const char c = name.at[i];
        const bool letter =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (colons && c == ':');
        if (!letter && (i == 0 || c < '0' || c > '9')) {
            return false;
        }
    }
    return name.length != 0;
}

static struct zv_slice cut(struct zv_slice *rest, size_t length)
{
    const struct zv_slice front = {rest->at, length};
    rest->at += length;
    rest->length -= length;
    return front;
}

/* "TYPE name gauge", "UNIT name bytes", "HELP name text": in this order, of one family. */
static const char *check_metadata(struct checker *checker, struct zv_slice line)
{
    const struct zv_slice keyword = zv_slice_cut(&line, ' ');
    const struct zv_slice name = zv_slice_cut(&line, ' ');
    if (!is_name(name, true) || line.length == 0) {
        return "metadata without a name or text";
    }
    if (zv_slice_equal(keyword, "TYPE")) {
        for (size_t i = 0; i < checker->family_count; i++) {
            if (zv_slice_same(checker->families[i], name)) {
                return "a family twice";
            }
        }
        if (checker->family_count == MAX_FAMILIES) {
            return "more families than the checker holds";
        }
        checker->families[checker->family_count++] = name;
        checker->family = name;
        checker->has_unit = checker->has_samples = false;
        return zv_slice_equal(line, "gauge") ? NULL : "a type that the collector may not know";
    }
    if (!zv_slice_same(checker->family, name) || checker->has_samples) {
        return "metadata of another family, or after its samples";
    }
    if (zv_slice_equal(keyword, "UNIT")) {
        checker->has_unit = true;
        return zv_slice_equal(line, "bytes") && zv_slice_ends(name, "_bytes")
                   ? NULL
                   : "a unit that does not end the name";
    }
    return zv_slice_equal(keyword, "HELP") ? NULL : "an unknown keyword";
}

/* name="value", with \\ \" \n the only escapes; rest starts behind it. */
static const char *check_label(struct zv_slice *rest)
{
    const struct zv_slice name = zv_slice_cut(rest, '=');
    if (!is_name(name, false) || rest->length == 0 || rest->at[0] != '"') {
        return "a label without a name or quotes";
    }
    (void)cut(rest, 1);
    while (rest->length != 0 && rest->at[0] != '"') {
        if (rest->at[0] == '\\' && (rest->length < 2 || strchr("\\\"n", rest->at[1]) == NULL)) {
            return "an unknown escape";
        }
        (void)cut(rest, rest->at[0] == '\\' ? 2 : 1);
    }
    if (rest->length == 0) {
        return "a label that does not end";
    }
    (void)cut(rest, 1);
    return NULL;
}

static const char *check_labels(struct zv_slice *rest)
{
    do {
        (void)cut(rest, 1);
        const char *const wrong = check_label(rest);
        if (wrong != NULL) {
            return wrong;
        }
    } while (rest->length != 0 && rest->at[0] == ',');
    if (rest->length == 0 || rest->at[0] != '}') {
        return "labels that do not end";
    }
    (void)cut(rest, 1);
    return NULL;
}

static const char *check_sample(struct checker *checker, struct zv_slice line)
{
    uint64_t value;
    const struct zv_slice whole = line;
    const size_t length = strcspn(line.at, "{ \n");
    const struct zv_slice name = cut(&line, length < line.length ? length : line.length);
    if (!zv_slice_same(name, checker->family) || !is_name(name, true)) {
        return "a sample of another family";
    }
    if (zv_slice_ends(name, "_bytes") != checker->has_unit) {
        return "bytes without their unit";
    }
    const char *const wrong = line.length != 0 && line.at[0] == '{' ? check_labels(&line) : NULL;
    if (wrong != NULL) {
        return wrong;
    }
    const struct zv_slice series = {whole.at, (size_t)(line.at - whole.at)};
    if (line.length == 0 || line.at[0] != ' ') {
        return "a sample without a value";
    }
    (void)cut(&line, 1);
    if (!zv_slice_u64(line, &value)) {
        return "a value that is no whole number";
    }
    for (size_t i = 0; i < checker->series_count; i++) {
        if (zv_slice_same(checker->series[i], series)) {
            return "a series twice";
        }
    }
    if (checker->series_count == MAX_SERIES) {
        return "more series than the checker holds";
    }
    checker->series[checker->series_count++] = series;
    checker->has_samples = true;
    return NULL;
}

const char *openmetrics_check(struct zv_slice text, size_t *samples)
{
    static struct checker checker;
    struct zv_slice line;
    bool ended = false;
    checker = (struct checker){0};
    if (!zv_slice_ends(text, "# EOF\n")) {
        return "no # EOF at the end";
    }
    while (zv_slice_line(&text, &line)) {
        const char *wrong = NULL;
        if (ended) {
            return "something behind # EOF";
        }
        if (zv_slice_equal(line, "# EOF")) {
            ended = true;
        } else if (zv_slice_starts(line, "# ")) {
            (void)cut(&line, 2);
            wrong = check_metadata(&checker, line);
        } else {
            wrong = check_sample(&checker, line);
        }
        if (wrong != NULL) {
            return wrong;
        }
    }
    *samples = checker.series_count;
    return NULL;
}
