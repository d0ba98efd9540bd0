#include <string.h>

#include "base/fail.h"
#include "kv/trace_line.h"
#include "kv/trace_time.h"

enum { ARRIVAL, PROMPT, OUTPUT, ROLES };

/* Names that traces use for the three roles; the first row is our own. */
static const char *const known_names[][ROLES] = {
    {"arrival", "prompt", "output"},
    {"TIMESTAMP", "ContextTokens", "GeneratedTokens"},
    {"arrived_at", "num_prefill_tokens", "num_decode_tokens"},
};
enum { KNOWN_NAMES = sizeof known_names / sizeof known_names[0] };

static const char *const role_names[ROLES] = {"arrival", "prompt", "output"};

/* Cuts the next cell, without quotes around it. */
static struct zv_slice next_cell(struct zv_slice *rest)
{
    struct zv_slice cell = zv_slice_trim(zv_slice_cut(rest, ','));
    if (cell.length >= 2 && cell.at[0] == '"' && cell.at[cell.length - 1] == '"') {
        cell.at++;
        cell.length -= 2;
    }
    return cell;
}

static int find_column(struct zv_slice header, struct zv_slice name)
{
    for (int at = 0; header.length != 0; at++) {
        if (zv_slice_same(next_cell(&header), name)) {
            return at;
        }
    }
    return -1;
}

static struct zv_slice mapped(const struct zv_request_trace *trace, int role)
{
    const struct zv_slice names[ROLES] = {
        trace->options.arrival_column, trace->options.prompt_column, trace->options.output_column};
    return names[role];
}

/* A mapped name must be there; without one the known names are tried, all three of a kind. */
static enum zv_status find_role(struct zv_request_trace *trace, struct zv_slice line, int role,
                                struct zv_error *err)
{
    const struct zv_slice name = mapped(trace, role);
    trace->columns[role] = -1;
    if (name.length != 0) {
        trace->columns[role] = find_column(line, name);
        if (trace->columns[role] < 0) {
            return zv_fail_line(err, ZV_E_SYNTAX, trace->line, "no column %.*s in '%.*s'",
                                (int)(name.length < 80 ? name.length : 80), name.at,
                                (int)(line.length < 200 ? line.length : 200), line.at);
        }
        return ZV_OK;
    }
    for (size_t i = 0; i < KNOWN_NAMES && trace->columns[role] < 0; i++) {
        trace->columns[role] = find_column(line, zv_slice_of(known_names[i][role]));
    }
    if (trace->columns[role] < 0 && role != ARRIVAL) {
        return zv_fail_line(err, ZV_E_SYNTAX, trace->line,
                            "no known column for the %s tokens in '%.*s': say which one is with "
                            "--columns %s=NAME",
                            role_names[role], (int)(line.length < 200 ? line.length : 200), line.at,
                            role_names[role]);
    }
    return ZV_OK;
}

enum zv_status kv_trace_header(struct zv_request_trace *trace, struct zv_slice line,
                               struct zv_error *err)
{
    size_t commas = 0;
    enum zv_status status = ZV_OK;
    for (size_t i = 0; i < line.length; i++) {
        commas += line.at[i] == ',';
    }
    if (commas >= ZV_REQUEST_MAX_COLUMNS) {
        return zv_fail_line(err, ZV_E_LIMIT, trace->line, "more than %d columns",
                            (int)ZV_REQUEST_MAX_COLUMNS);
    }
    for (int role = 0; role < ROLES && status == ZV_OK; role++) {
        status = find_role(trace, line, role, err);
    }
    return status;
}

static enum zv_status wrong_cell(const struct zv_request_trace *trace, int role,
                                 struct zv_slice cell, const char *expected, struct zv_error *err)
{
    return zv_fail_line(err, ZV_E_SYNTAX, trace->line, "%s '%.*s': expected %s", role_names[role],
                        (int)(cell.length < 80 ? cell.length : 80), cell.at, expected);
}

enum zv_status kv_trace_csv_line(const struct zv_request_trace *trace, struct zv_slice line,
                                 struct zv_request *request, struct zv_error *err)
{
    struct zv_slice cells[ROLES] = {{0}};
    int at = 0;
    for (; line.length != 0; at++) {
        const struct zv_slice cell = next_cell(&line);
        for (int role = 0; role < ROLES; role++) {
            if (trace->columns[role] == at) {
                cells[role] = cell;
            }
        }
    }
    request->arrival_ticks = 0;
    if (trace->columns[ARRIVAL] >= 0 &&
        !kv_trace_time(cells[ARRIVAL], trace->options.unit, &request->arrival_ticks)) {
        return wrong_cell(trace, ARRIVAL, cells[ARRIVAL], "a time or a number", err);
    }
    if (!zv_slice_fixed(cells[PROMPT], 0, &request->prompt_tokens)) {
        return wrong_cell(trace, PROMPT, cells[PROMPT], "a whole number", err);
    }
    if (!zv_slice_fixed(cells[OUTPUT], 0, &request->output_tokens)) {
        return wrong_cell(trace, OUTPUT, cells[OUTPUT], "a whole number", err);
    }
    return ZV_OK;
}
