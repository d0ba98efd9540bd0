#include "runtime/versions.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/data.h"
#include "base/fail.h"
#include "base/text_table.h"
#include "runtime/version_text.h"

/* The table with its columns found, for one runtime. */
struct rule_table {
    struct zv_table table;
    int runtime;
    int entry;
    int since;
    int date;
    int value;
    int source;
    const char *name; /* of the runtime asked for */
    bool builds;      /* versions are build numbers */
};

struct release {
    struct version version;
    struct zv_slice text;  /* "0.19.0" */
    struct zv_slice alias; /* another name, may be empty */
    struct zv_slice date;  /* empty when not known */
};

/* What the asked-for version was found to be. */
struct resolved {
    struct version version; /* with its day where one is known */
    enum zv_version_match match;
    char text[48];
    char date[24];
    char note[256];
};

static enum zv_status open_table(struct rule_table *to, enum zv_runtime_kind kind,
                                 struct zv_arena *arena, struct zv_error *err)
{
    *to = (struct rule_table){.name = zv_runtime_name(kind)};
    to->builds = zv_runtime_is_llamacpp(kind);
    const enum zv_status status =
        zv_table_read(&to->table, zv_data_find("runtimes.tsv"), arena, err);
    if (status != ZV_OK) {
        return status;
    }
    to->runtime = zv_table_column(&to->table, "runtime");
    to->entry = zv_table_column(&to->table, "entry");
    to->since = zv_table_column(&to->table, "since");
    to->date = zv_table_column(&to->table, "date");
    to->value = zv_table_column(&to->table, "value");
    to->source = zv_table_column(&to->table, "source");
    return ZV_OK;
}

/* The next row at or after *row that is of this runtime and this entry; false at the end. */
static bool next_row(const struct rule_table *table, const char *entry, size_t *row)
{
    for (; *row < table->table.row_count; (*row)++) {
        if (zv_slice_equal(zv_table_cell(&table->table, *row, table->runtime), table->name) &&
            zv_slice_equal(zv_table_cell(&table->table, *row, table->entry), entry)) {
            return true;
        }
    }
    return false;
}

static struct release release_at(const struct rule_table *table, size_t row)
{
    struct release release = {.text = zv_table_cell(&table->table, row, table->since),
                              .alias = zv_table_cell(&table->table, row, table->value),
                              .date = zv_table_cell(&table->table, row, table->date)};
    (void)version_read(&release.version, release.text, table->builds);
    release.version.has_day = version_day(release.date, &release.version.day);
    return release;
}

static void set_text(char *to, size_t size, struct zv_slice text)
{
    (void)snprintf(to, size, "%.*s", (int)(text.length < 40 ? text.length : 40),
                   text.length != 0 ? text.at : "");
}

/* A version of a minor series is known up to the newest patch of that series in the table. */
static bool numbers_known(const struct version *asked, const struct version *release)
{
    return asked->part[0] == release->part[0] && asked->part[1] == release->part[1] &&
           (asked->parts < 3 || asked->part[2] <= release->part[2]);
}

/* The day of a build between two whose days are known. */
static int64_t interpolate(const struct version *low, const struct version *high, uint64_t build)
{
    const int64_t builds = (int64_t)(high->build - low->build);
    const int64_t into = (int64_t)(build - low->build);
    return builds > 0 ? low->day + (high->day - low->day) * into / builds : low->day;
}

static enum zv_status unknown_version(const struct rule_table *table, struct zv_slice asked,
                                      const struct release *below, const struct release *above,
                                      struct zv_error *err)
{
    const int length = (int)(asked.length < 60 ? asked.length : 60);
    if (below->text.length != 0 && above->text.length != 0) {
        return zv_fail(err, ZV_E_UNSUPPORTED,
                       "%s %.*s is not a known version: the nearest are %.*s and %.*s", table->name,
                       length, asked.at, (int)below->text.length, below->text.at,
                       (int)above->text.length, above->text.at);
    }
    const struct release *const one = below->text.length != 0 ? below : above;
    return zv_fail(err, ZV_E_UNSUPPORTED, "%s %.*s is not a known version: the %s known is %.*s",
                   table->name, length, asked.at, one == below ? "newest" : "oldest",
                   (int)one->text.length, one->text.at);
}

static void take_release(struct resolved *to, const struct release *release)
{
    to->version = release->version;
    set_text(to->text, sizeof to->text, release->text);
    set_text(to->date, sizeof to->date, release->date);
}

static void take_assumed(struct resolved *to, const struct rule_table *table, struct zv_slice asked,
                         const struct release *release)
{
    take_release(to, release);
    to->match = ZV_VERSION_ASSUMED;
    (void)snprintf(to->note, sizeof to->note, "%s %.*s is not known: the rules of %s are assumed",
                   table->name, (int)(asked.length < 60 ? asked.length : 60), asked.at, to->text);
}

/* A known build that is no row itself: its own text, its day between its neighbours. */
static void take_build(struct resolved *to, const struct version *asked,
                       const struct release *below, const struct release *above)
{
    to->version = *asked;
    (void)snprintf(to->text, sizeof to->text, "b%llu", (unsigned long long)asked->build);
    to->version.day = interpolate(&below->version, &above->version, asked->build);
    to->version.has_day = true;
    char day[16];
    version_day_print(day, to->version.day);
    (void)snprintf(to->date, sizeof to->date, "about %s", day);
}

/* The neighbours of a version among the releases, and a row that says it is known. */
struct neighbours {
    struct release below; /* empty text: none */
    struct release above;
    struct release newest; /* of the table */
    struct release exact;
};

static void find_neighbours(struct neighbours *to, const struct rule_table *table,
                            const struct version *asked, struct zv_slice text)
{
    for (size_t row = 0; next_row(table, "release", &row); row++) {
        const struct release release = release_at(table, row);
        to->newest = release;
        if (zv_slice_equal(text, "") || (asked->form == VERSION_DAY && !release.version.has_day)) {
            continue;
        }
        const bool same_alias = release.alias.length != 0 && zv_slice_same(release.alias, text);
        if (same_alias || (asked->form == VERSION_NUMBERS && !table->builds &&
                           numbers_known(asked, &release.version))) {
            to->exact = release;
        }
        const int64_t order = asked->form == VERSION_DAY ? release.version.day - asked->day
                                                         : version_compare(&release.version, asked);
        if (order <= 0) {
            to->below = release;
        } else if (to->above.text.length == 0) {
            to->above = release;
        }
    }
}

/* A version within a known minor series keeps the text that was asked for. */
static void take_series(struct resolved *to, const struct version *asked, struct zv_slice text,
                        const struct release *release)
{
    take_release(to, release);
    if (asked->form == VERSION_NUMBERS && asked->parts == 3 &&
        release->version.form == VERSION_NUMBERS) {
        const struct version kept = to->version;
        to->version = *asked;
        to->version.day = kept.day;
        to->version.has_day = kept.has_day;
        if (text.length > 1 && (text.at[0] == 'v' || text.at[0] == 'V')) {
            text.at++;
            text.length--;
        }
        set_text(to->text, sizeof to->text, text);
        if (!zv_slice_equal(text, "") && version_compare(asked, &release->version) != 0) {
            to->date[0] = 0; /* the date is the series' newest patch's */
        }
    }
}

static enum zv_status resolve_day(struct resolved *to, const struct rule_table *table,
                                  const struct neighbours *near, const struct version *asked,
                                  struct zv_error *err)
{
    if (near->below.text.length == 0) {
        return zv_fail(err, ZV_E_UNSUPPORTED,
                       "no version of %s is known that is as old; the oldest"
                       " is %.*s of %.*s",
                       table->name, (int)near->above.text.length, near->above.text.at,
                       (int)near->above.date.length, near->above.date.at);
    }
    take_release(to, &near->below);
    to->match = ZV_VERSION_BY_DATE;
    to->version.day = asked->day;
    to->version.has_day = true;
    char day[16];
    version_day_print(day, asked->day);
    (void)snprintf(to->note, sizeof to->note, "%s of %s: the rules of %s and of changes up to then",
                   table->name, day, to->text);
    /* Where versions are builds, changes between two rows count by their day. */
    if (table->builds) {
        to->version.form = VERSION_DAY;
    }
    return ZV_OK;
}

static enum zv_status resolve_version(struct resolved *to, const struct rule_table *table,
                                      struct zv_slice text, bool assume, struct zv_error *err)
{
    *to = (struct resolved){.match = ZV_VERSION_EXACT};
    struct version asked;
    text = zv_slice_trim(text);
    if (!version_read(&asked, text, table->builds)) {
        return zv_fail(err, ZV_E_SYNTAX, "'%.*s' is no version of %s: write %s, 2026-05 or latest",
                       (int)(text.length < 60 ? text.length : 60), text.at, table->name,
                       table->builds ? "b8211" : "0.19.0");
    }
    struct neighbours near = {0};
    find_neighbours(&near, table, &asked, text);
    if (asked.form == VERSION_NONE) {
        take_release(to, &near.newest);
        to->match = ZV_VERSION_NEWEST;
        (void)snprintf(to->note, sizeof to->note, "no version given: the newest known, %s %s",
                       table->name, to->text);
        return ZV_OK;
    }
    if (asked.form == VERSION_DAY) {
        return resolve_day(to, table, &near, &asked, err);
    }
    if (near.exact.text.length != 0) {
        take_series(to, &asked, text, &near.exact);
        return ZV_OK;
    }
    if (asked.form == VERSION_BUILD && near.below.text.length != 0) {
        if (near.below.version.build == asked.build) {
            take_release(to, &near.below);
            return ZV_OK;
        }
        if (near.above.text.length != 0) {
            take_build(to, &asked, &near.below, &near.above);
            return ZV_OK;
        }
    }
    if (!assume) {
        return unknown_version(table, text, &near.below, &near.above, err);
    }
    take_assumed(to, table, text, near.below.text.length != 0 ? &near.below : &near.above);
    return ZV_OK;
}

/* Whether the row's rule holds for the version. */
static bool row_applies(const struct rule_table *table, size_t row, const struct version *version)
{
    const struct zv_slice since = zv_table_cell(&table->table, row, table->since);
    struct version from = {0};
    if (since.length != 0 && version->form != VERSION_DAY &&
        version_read(&from, since, table->builds) && from.form == version->form) {
        return version_compare(version, &from) >= 0;
    }
    int64_t day = 0;
    return version->has_day && version_day(zv_table_cell(&table->table, row, table->date), &day) &&
           version->day >= day;
}

static const char *copy_cell(struct zv_arena *arena, struct zv_slice cell)
{
    return cell.length != 0 ? zv_arena_copy(arena, cell.at, cell.length) : "";
}

static enum zv_status read_rule(struct zv_rule *to, const struct rule_table *table,
                                const char *name, const struct version *version,
                                struct zv_arena *arena, struct zv_error *err)
{
    *to = (struct zv_rule){.since = "", .source = ""};
    size_t found = SIZE_MAX;
    for (size_t row = 0; next_row(table, name, &row); row++) {
        if (row_applies(table, row, version)) {
            found = row;
        }
    }
    if (found == SIZE_MAX) {
        return ZV_OK;
    }
    const struct zv_slice since = zv_table_cell(&table->table, found, table->since);
    const struct zv_slice date = zv_table_cell(&table->table, found, table->date);
    to->known = zv_slice_u64(zv_table_cell(&table->table, found, table->value), &to->value);
    to->since = copy_cell(arena, since.length != 0 ? since : date);
    to->source = copy_cell(arena, zv_table_cell(&table->table, found, table->source));
    return to->since == NULL || to->source == NULL ? zv_fail_memory(err, "runtime rules") : ZV_OK;
}

static enum zv_status fill_rules(struct zv_runtime_rules *rules, const struct rule_table *table,
                                 const struct resolved *resolved, struct zv_arena *arena,
                                 struct zv_error *err)
{
    static const struct {
        const char *name;
        size_t offset;
    } fields[] = {
#define FIELD(name) {#name, offsetof(struct zv_runtime_rules, name)},
        ZV_RULE_LIST(FIELD)
#undef FIELD
    };
    enum zv_status status = ZV_OK;
    for (size_t i = 0; i < sizeof fields / sizeof fields[0] && status == ZV_OK; i++) {
        struct zv_rule rule;
        status = read_rule(&rule, table, fields[i].name, &resolved->version, arena, err);
        memcpy((char *)rules + fields[i].offset, &rule, sizeof rule);
    }
    rules->match = resolved->match;
    rules->version = zv_arena_copy(arena, resolved->text, strlen(resolved->text));
    rules->date = zv_arena_copy(arena, resolved->date, strlen(resolved->date));
    rules->note = zv_arena_copy(arena, resolved->note, strlen(resolved->note));
    if (rules->version == NULL || rules->date == NULL || rules->note == NULL) {
        return zv_fail_memory(err, "runtime rules");
    }
    return status;
}

enum zv_status zv_runtime_resolve(struct zv_runtime_rules *rules, enum zv_runtime_kind kind,
                                  struct zv_slice version, bool assume, struct zv_arena *arena,
                                  struct zv_error *err)
{
    *rules = (struct zv_runtime_rules){
        .kind = kind, .match = ZV_VERSION_EXACT, .version = "", .date = "", .note = ""};
#define EMPTY(name) rules->name = (struct zv_rule){.since = "", .source = ""};
    ZV_RULE_LIST(EMPTY)
#undef EMPTY
    if (kind == ZV_RUNTIME_NONE) {
        return ZV_OK;
    }
    struct rule_table table;
    struct resolved resolved;
    enum zv_status status = open_table(&table, kind, arena, err);
    if (status == ZV_OK) {
        status = resolve_version(&resolved, &table, version, assume, err);
    }
    return status == ZV_OK ? fill_rules(rules, &table, &resolved, arena, err) : status;
}

uint64_t zv_rules_context_multiple(const struct zv_runtime_rules *rules, bool flash)
{
    const struct zv_rule *const with = &rules->context_multiple_flash;
    const struct zv_rule *const rule = flash && with->known ? with : &rules->context_multiple;
    return rule->known ? rule->value : 0;
}
