/* zirve replay SNAPSHOT: the record first proves itself, then its requests meet other settings. */
#ifndef ZIRVE_CLI_REPLAY_RECORD_H
#define ZIRVE_CLI_REPLAY_RECORD_H

#include "cli/options.h"
#include "explain/record.h"
#include "explain/what_if.h"

struct replay_record {
    bool is_record; /* else the file is an op list */
    struct zv_record record;
    struct zv_requests requests;
};

/* Reads the file when it is a record; close after a failure too. */
enum zv_status replay_record_open(struct replay_record *to, struct zv_slice file,
                                  const struct arguments *args, struct zv_error *err);
void replay_record_close(struct replay_record *record);

#endif
