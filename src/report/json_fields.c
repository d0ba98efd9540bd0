#include "report/json_fields.h"

void json_bytes(struct zv_json_writer *json, const char *key, bool known, uint64_t bytes)
{
    zv_json_write_key(json, key);
    if (known) {
        zv_json_write_u64(json, bytes);
    } else {
        zv_json_write_null(json);
    }
}

void json_text(struct zv_json_writer *json, const char *key, const char *text)
{
    zv_json_write_key(json, key);
    zv_json_write_string(json, text);
}

void json_slice(struct zv_json_writer *json, const char *key, struct zv_slice text)
{
    zv_json_write_key(json, key);
    zv_json_write_slice(json, text);
}

void json_bool(struct zv_json_writer *json, const char *key, bool value)
{
    zv_json_write_key(json, key);
    zv_json_write_bool(json, value);
}

void json_signed(struct zv_json_writer *json, const char *key, bool below, uint64_t bytes)
{
    const int64_t value = bytes > INT64_MAX ? INT64_MAX : (int64_t)bytes;
    zv_json_write_key(json, key);
    zv_json_write_i64(json, below ? -value : value);
}
