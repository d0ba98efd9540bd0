#include "base/fail.h"
#include "base/memory.h"
#include "format/json_reader.h"
#include "format/json_tree.h"
#include "kv/trace_line.h"

enum {
    WINDOW = 4096,
    MAX_TOKEN = 64 * 1024,
    MAX_IDS = ZV_REQUEST_MAX_TOKENS / ZV_REQUEST_ID_TOKENS
};

struct line_reader {
    struct zv_request_trace *trace;
    struct zv_request *request;
    struct zv_json_reader json;
    bool has[3]; /* timestamp, input_length, output_length */
    struct zv_error *err;
};

static enum zv_status wrong(const struct line_reader *reader, const char *text)
{
    return zv_fail_line(reader->err, ZV_E_SYNTAX, reader->trace->line, "%s", text);
}

static enum zv_status bad_json(const struct line_reader *reader)
{
    const struct zv_error *const cause = &reader->json.err;
    return zv_fail_line(reader->err, cause->status != ZV_OK ? cause->status : ZV_E_SYNTAX,
                        reader->trace->line, "%s",
                        cause->status != ZV_OK ? cause->text : "expected one JSON object a line");
}

static enum zv_status number(const struct line_reader *reader, enum zv_json_token token,
                             const char *name, uint64_t *to)
{
    const struct zv_slice text = {reader->json.text, reader->json.length};
    if (token == ZV_JSON_ERROR) {
        return bad_json(reader);
    }
    return token == ZV_JSON_NUMBER && zv_json_number_u64(text, to)
               ? ZV_OK
               : zv_fail_line(reader->err, ZV_E_SYNTAX, reader->trace->line,
                              "\"%s\": expected a whole number", name);
}

static enum zv_status add_id(const struct line_reader *reader, uint64_t id)
{
    struct zv_request_trace *const trace = reader->trace;
    struct zv_request *const request = reader->request;
    if (request->id_count == trace->id_capacity) {
        const size_t capacity = trace->id_capacity == 0 ? 256 : trace->id_capacity * 2;
        uint64_t *const ids = zv_memory_resize(trace->ids, capacity * sizeof *ids);
        if (ids == NULL) {
            return zv_fail_memory(reader->err, "the ids of a request");
        }
        trace->ids = ids;
        trace->id_capacity = capacity;
    }
    if (request->id_count == MAX_IDS || id >> 63 != 0) {
        return zv_fail_line(reader->err, ZV_E_LIMIT, trace->line,
                            "hash_ids: at most %d, each below 2^63", (int)MAX_IDS);
    }
    trace->ids[request->id_count++] = id;
    return ZV_OK;
}

static enum zv_status read_ids(struct line_reader *reader)
{
    if (zv_json_next(&reader->json) != ZV_JSON_ARRAY_BEGIN) {
        return wrong(reader, "\"hash_ids\": expected an array of whole numbers");
    }
    reader->request->id_count = 0;
    for (;;) {
        uint64_t id = 0;
        const enum zv_json_token token = zv_json_next(&reader->json);
        if (token == ZV_JSON_ARRAY_END) {
            return ZV_OK;
        }
        enum zv_status status = number(reader, token, "hash_ids", &id);
        if (status == ZV_OK) {
            status = add_id(reader, id);
        }
        if (status != ZV_OK) {
            return status;
        }
    }
}

static enum zv_status skip_value(struct line_reader *reader)
{
    const int depth = reader->json.depth;
    do {
        const enum zv_json_token token = zv_json_next(&reader->json);
        if (token == ZV_JSON_ERROR || token == ZV_JSON_END) {
            return bad_json(reader);
        }
    } while (reader->json.depth > depth);
    return ZV_OK;
}

static enum zv_status read_member(struct line_reader *reader)
{
    static const char *const names[] = {"timestamp", "input_length", "output_length"};
    uint64_t *const to[] = {&reader->request->arrival_ticks, &reader->request->prompt_tokens,
                            &reader->request->output_tokens};
    const struct zv_slice key = {reader->json.text, reader->json.length};
    for (int i = 0; i < 3; i++) {
        if (zv_slice_equal(key, names[i])) {
            reader->has[i] = true;
            return number(reader, zv_json_next(&reader->json), names[i], to[i]);
        }
    }
    return zv_slice_equal(key, "hash_ids") ? read_ids(reader) : skip_value(reader);
}

static enum zv_status read_object(struct line_reader *reader)
{
    if (zv_json_next(&reader->json) != ZV_JSON_OBJECT_BEGIN) {
        return bad_json(reader);
    }
    for (;;) {
        const enum zv_json_token token = zv_json_next(&reader->json);
        if (token == ZV_JSON_OBJECT_END) {
            return zv_json_next(&reader->json) == ZV_JSON_END ? ZV_OK : bad_json(reader);
        }
        const enum zv_status status = token == ZV_JSON_KEY ? read_member(reader) : bad_json(reader);
        if (status != ZV_OK) {
            return status;
        }
    }
}

static enum zv_status finish(const struct line_reader *reader)
{
    struct zv_request *const request = reader->request;
    const uint64_t ms = ZV_TICKS_PER_SECOND / 1000;
    if (!reader->has[1] || !reader->has[2]) {
        return wrong(reader, "expected \"input_length\" and \"output_length\"");
    }
    if (request->arrival_ticks > (UINT64_C(1) << 62) / ms) {
        return wrong(reader, "\"timestamp\": more than 2^62 ticks of 100 ns");
    }
    request->arrival_ticks *= ms;
    request->ids = reader->trace->ids;
    const uint64_t blocks = request->prompt_tokens / ZV_REQUEST_ID_TOKENS +
                            (request->prompt_tokens % ZV_REQUEST_ID_TOKENS != 0);
    return request->id_count == 0 || request->id_count == blocks
               ? ZV_OK
               : zv_fail_line(reader->err, ZV_E_SYNTAX, reader->trace->line,
                              "%zu hash_ids for %llu tokens: expected one for every 512",
                              request->id_count, (unsigned long long)request->prompt_tokens);
}

enum zv_status kv_trace_json_line(struct zv_request_trace *trace, struct zv_slice line,
                                  struct zv_request *request, struct zv_error *err)
{
    struct line_reader reader = {.trace = trace, .request = request, .err = err};
    struct zv_slice source = line;
    enum zv_status status = zv_json_open(&reader.json, zv_read_slice, &source, WINDOW, MAX_TOKEN);
    if (status != ZV_OK) {
        return zv_fail_memory(err, "a line of a trace");
    }
    status = read_object(&reader);
    zv_json_close(&reader.json);
    return status == ZV_OK ? finish(&reader) : status;
}
