/* SHA-256 of bytes, by the system's libcrypto. */
#ifndef ZIRVE_BASE_SHA256_H
#define ZIRVE_BASE_SHA256_H

#include "base/slice.h"
#include "zirve/error.h"

enum { ZV_SHA256_TEXT = 65 }; /* 64 hexadecimal digits and the end */

/* Errors: ZV_E_NOMEM when libcrypto refuses. */
enum zv_status zv_sha256(char to[ZV_SHA256_TEXT], struct zv_slice data, struct zv_error *err);

#endif
