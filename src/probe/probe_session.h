/*
 * Session: one look at the machine while it lasts. Every source adds what it knows to the same
 * devices; the first that knows a field wins, so the order of the sources is their rank. The first
 * failure of ours (host memory) sticks in the session. Room-internal.
 */
#ifndef ZIRVE_PROBE_PROBE_SESSION_H
#define ZIRVE_PROBE_PROBE_SESSION_H

#include <dirent.h>
#include <stdio.h>

#include "probe/probe.h"

struct probe_session {
    struct zv_environment *env;
    struct zv_arena *arena;
    struct zv_probe_places places;
    enum zv_status status;
    struct zv_error *err;
};

/* Text in the arena; "" once host memory ran out, which the session remembers. What may not be
 * shown on a terminal is replaced. */
const char *probe_print(struct probe_session *session, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Host memory ran out. */
void probe_no_memory(struct probe_session *session);

/* Files and folders of /sys and /proc, below the root of the places; NULL when they cannot be read.
 * What is said of them names them without the root. */
FILE *probe_open(struct probe_session *session, const char *path);
DIR *probe_list(struct probe_session *session, const char *path);

/* First line of such a file, without white space around it; NULL when it cannot be read or is
 * empty. */
const char *probe_line(struct probe_session *session, const char *path);

/* A figure that is the whole of a file. */
void probe_read_bytes(struct probe_session *session, struct zv_probed *reading, const char *path);

/* A new source; never NULL (a spare one takes what has no room). */
struct zv_probe_source *probe_source(struct probe_session *session, const char *what,
                                     const char *place);

/* Known, unless an earlier source knew it. The texts must live as long as the arena. */
void reading_take(struct zv_probed *reading, uint64_t value, const char *source);
void word_take(struct zv_probed_text *word, const char *text, const char *source);

/* Not known, unless somebody knows or gave a reason already. */
void reading_miss(struct zv_probed *reading, const char *why);
void word_miss(struct zv_probed_text *word, const char *why);

/* The address in the form 0000:01:00.0, whatever the source's; false when it is none. */
enum { BUS_ID_TEXT = 32 };
bool bus_id_normal(char to[BUS_ID_TEXT], const char *from);

/*
 * The device with this PCI address or, failing that, UUID (NULL when not known); added when no
 * source had it: source is the call that gave the address. NULL when there is no room.
 */
struct zv_probed_device *probe_device(struct probe_session *session, enum zv_probe_vendor vendor,
                                      const char *bus_id, const char *uuid, const char *source);

/* A device of which nothing is known but that it is there; NULL when there is no room. */
struct zv_probed_device *probe_new_device(struct probe_session *session,
                                          enum zv_probe_vendor vendor);

/* The sources. */
void probe_nvml(struct probe_session *session);
void probe_cuda(struct probe_session *session);
void probe_amd_smi(struct probe_session *session);
void probe_rocm_smi(struct probe_session *session);
void probe_hip(struct probe_session *session);
void probe_amdgpu(struct probe_session *session);
void probe_kfd(struct probe_session *session);
void probe_nvidia_kernel(struct probe_session *session);
void probe_settings(struct probe_session *session);
void probe_pythons(struct probe_session *session);

#endif
