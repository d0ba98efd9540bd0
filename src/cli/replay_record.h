/* zirve replay SNAPSHOT: the record first proves itself, then its requests meet other settings. */
#ifndef ZIRVE_CLI_REPLAY_RECORD_H
#define ZIRVE_CLI_REPLAY_RECORD_H

#include "base/buffer.h"
#include "cli/options.h"
#include "explain/record.h"

struct replay_record {
    bool is_record; /* else the file is an op list */
    struct zv_record record;
    struct zv_buffer ops;
    uint64_t *lines; /* of each event in ops */
};

/* Reads the file when it is a record; close after a failure too. */
enum zv_status replay_record_open(struct replay_record *to, struct zv_slice file,
                                  const struct arguments *args, struct zv_error *err);
void replay_record_close(struct replay_record *record);

/* The event (1-based) whose operation a line of ops holds; 0: before the first. */
uint64_t replay_record_event(const struct replay_record *record, uint64_t line);

#endif
