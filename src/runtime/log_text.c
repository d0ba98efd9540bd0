#include "runtime/log_text.h"

#include <string.h>

#include "base/checked.h"

void log_open(struct log_line *line, struct zv_slice text)
{
    memset(line, 0, offsetof(struct log_line, clean));
    line->rest = text;
}

/* Copies a piece without escape sequences ("\033[1;36m") and control bytes. */
static void clean_piece(struct log_line *line, struct zv_slice piece)
{
    size_t used = 0;
    for (size_t i = 0; i < piece.length && used < sizeof line->clean; i++) {
        const unsigned char c = (unsigned char)piece.at[i];
        if (c == 0x1B && i + 1 < piece.length && piece.at[i + 1] == '[') {
            i += 2;
            while (i < piece.length && !(piece.at[i] >= 0x40 && piece.at[i] <= 0x7E)) {
                i++;
            }
        } else if (c == '\t') {
            line->clean[used++] = ' ';
        } else if (c >= 0x20 && c != 0x7F) {
            line->clean[used++] = (char)c;
        }
    }
    line->text = zv_slice_trim((struct zv_slice){line->clean, used});
}

static bool rank_word(struct zv_slice word)
{
    return (zv_slice_starts(word, "TP") || zv_slice_starts(word, "DP") ||
            zv_slice_starts(word, "PP") || zv_slice_starts(word, "EP")) &&
           word.length > 2 && zv_is_digit(word.at[2]);
}

/* "(Worker_TP0 pid=447)", "[2025-10-16 09:06:22 DP0 TP5]". */
static void find_rank(struct log_line *line)
{
    struct zv_slice after;
    line->rank = (struct zv_slice){0};
    if (log_after(line->text, "Worker_", NULL, &after)) {
        struct zv_slice word;
        if (zv_slice_word(&after, &word) && rank_word(word)) {
            line->rank = zv_slice_cut(&word, ')');
        }
        return;
    }
    struct zv_slice inside = line->text;
    (void)zv_slice_cut(&inside, '[');
    inside = zv_slice_cut(&inside, ']');
    struct zv_slice rest = inside;
    struct zv_slice word;
    while (zv_slice_word(&rest, &word)) {
        if (rank_word(word)) {
            const size_t length = (size_t)(inside.at + inside.length - word.at);
            line->rank = zv_slice_trim((struct zv_slice){word.at, length});
            return;
        }
    }
}

/* The next piece as it is in the text; false at the end. */
static bool next_piece(struct log_line *line, struct zv_slice *piece)
{
    if (line->pieces.length == 0) {
        if (line->rest.length == 0) {
            return false;
        }
        line->pieces = zv_slice_cut(&line->rest, '\n');
        line->number++;
    }
    *piece = zv_slice_cut(&line->pieces, '\r');
    return true;
}

bool log_next(struct log_line *line)
{
    struct zv_slice piece;
    do { /* empty lines say nothing, and 64 MiB of them are many */
        if (!next_piece(line, &piece)) {
            return false;
        }
    } while (piece.length == 0);
    clean_piece(line, piece);
    find_rank(line);
    return true;
}

bool log_after(struct zv_slice text, const char *words, struct zv_slice *before,
               struct zv_slice *after)
{
    const size_t length = strlen(words);
    const char *const found =
        text.length < length ? NULL : memmem(text.at, text.length, words, length);
    if (found != NULL) {
        const size_t at = (size_t)(found - text.at);
        if (before != NULL) {
            *before = (struct zv_slice){text.at, at};
        }
        *after = (struct zv_slice){found + length, text.length - at - length};
        return true;
    }
    return false;
}

struct zv_slice log_last_word(struct zv_slice text)
{
    text = zv_slice_trim(text);
    size_t start = text.length;
    while (start > 0 && text.at[start - 1] != ' ') {
        start--;
    }
    return (struct zv_slice){text.at + start, text.length - start};
}

static struct zv_slice skip_lead(struct zv_slice text)
{
    while (text.length != 0 && (text.at[0] == ' ' || text.at[0] == '=' || text.at[0] == ':')) {
        text.at++;
        text.length--;
    }
    return text;
}

/* The run of digits, points and commas at the start of text. */
static struct zv_slice number_run(struct zv_slice text)
{
    size_t length = 0;
    while (length < text.length &&
           (zv_is_digit(text.at[length]) || text.at[length] == '.' || text.at[length] == ',')) {
        length++;
    }
    while (length > 0 && !zv_is_digit(text.at[length - 1])) {
        length--;
    }
    return (struct zv_slice){text.at, length};
}

/* Digits of a number without its separators; the last '.' or ',' is the decimal point when decimal
 * says so. */
struct digits {
    uint64_t value;
    unsigned decimals;
};

static bool read_digits(struct zv_slice run, bool decimal, struct digits *to)
{
    size_t point = SIZE_MAX;
    for (size_t i = 0; i < run.length && decimal; i++) {
        if (!zv_is_digit(run.at[i])) {
            point = i;
        }
    }
    *to = (struct digits){0};
    for (size_t i = 0; i < run.length; i++) {
        if (!zv_is_digit(run.at[i])) {
            if (run.at[i] == '.' && i != point) {
                return false; /* "1.2.3" */
            }
            continue;
        }
        if (!zv_mul(to->value, 10, &to->value) ||
            !zv_add(to->value, (uint64_t)(run.at[i] - '0'), &to->value)) {
            return false;
        }
        to->decimals += point != SIZE_MAX && i > point;
    }
    return run.length != 0 && zv_is_digit(run.at[0]) && to->decimals <= 9;
}

static bool unit_at(struct zv_slice text, uint64_t *bytes, size_t *length)
{
    static const struct {
        const char *name;
        uint64_t bytes;
    } units[] = {{"GiB", UINT64_C(1) << 30},
                 {"MiB", UINT64_C(1) << 20},
                 {"KiB", 1024},
                 {"GB", UINT64_C(1) << 30},
                 {"MB", UINT64_C(1) << 20},
                 {"KB", 1024},
                 {"bytes", 1},
                 {"B", 1}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (zv_slice_starts(text, units[i].name)) {
            *bytes = units[i].bytes;
            *length = strlen(units[i].name);
            return true;
        }
    }
    return false;
}

bool log_size_read(struct zv_slice text, struct log_size *to, struct zv_slice *rest)
{
    text = skip_lead(text);
    const struct zv_slice run = number_run(text);
    struct zv_slice after = {text.at + run.length, text.length - run.length};
    while (after.length != 0 && after.at[0] == ' ') {
        after.at++;
        after.length--;
    }
    uint64_t unit = 0;
    size_t unit_length = 0;
    struct digits digits;
    if (run.length == 0 || !unit_at(after, &unit, &unit_length) ||
        !read_digits(run, unit != 1, &digits)) {
        return false;
    }
    uint64_t scale = 1;
    for (unsigned i = 0; i < digits.decimals; i++) {
        scale *= 10;
    }
    uint64_t doubled = 0; /* rounded half up: floor((2·value·unit/scale + 1) / 2) */
    if (!zv_mul_div(digits.value, unit * 2, scale, &doubled)) {
        return false;
    }
    to->bytes = doubled / 2 + doubled % 2;
    to->half_unit_bytes = unit == 1 ? 0 : (unit / scale + 1) / 2;
    to->printed = (struct zv_slice){text.at, (size_t)(after.at - text.at) + unit_length};
    if (rest != NULL) {
        *rest = (struct zv_slice){after.at + unit_length, after.length - unit_length};
    }
    return true;
}

bool log_count_read(struct zv_slice text, uint64_t *to, struct zv_slice *rest)
{
    text = skip_lead(text);
    const struct zv_slice run = number_run(text);
    struct digits digits;
    for (size_t i = 0; i < run.length; i++) {
        if (run.at[i] == '.') {
            return false;
        }
    }
    if (!read_digits(run, false, &digits)) {
        return false;
    }
    *to = digits.value;
    if (rest != NULL) {
        *rest = (struct zv_slice){text.at + run.length, text.length - run.length};
    }
    return true;
}

bool log_millionths_read(struct zv_slice text, uint64_t *to)
{
    const struct zv_slice run = number_run(skip_lead(text));
    return zv_slice_fixed(run, 6, to);
}
