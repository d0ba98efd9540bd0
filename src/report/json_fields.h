/* Members of an open JSON object, one line each. Room-internal. */
#ifndef ZIRVE_REPORT_JSON_FIELDS_H
#define ZIRVE_REPORT_JSON_FIELDS_H

#include "format/json_writer.h"

void json_bytes(struct zv_json_writer *json, const char *key, bool known, uint64_t bytes);
void json_text(struct zv_json_writer *json, const char *key, const char *text); /* NULL: null */
void json_slice(struct zv_json_writer *json, const char *key, struct zv_slice text);
void json_bool(struct zv_json_writer *json, const char *key, bool value);

/* bytes, negative when below; what passes 2^63 is written as that. */
void json_signed(struct zv_json_writer *json, const char *key, bool below, uint64_t bytes);

#endif
