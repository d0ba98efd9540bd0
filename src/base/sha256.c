#include "base/sha256.h"

#include <openssl/evp.h>

#include "base/fail.h"

enum zv_status zv_sha256(char to[ZV_SHA256_TEXT], struct zv_slice data, struct zv_error *err)
{
    static const char digits[] = "0123456789abcdef";
    unsigned char hash[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    if (EVP_Digest(data.at, data.length, hash, &size, EVP_sha256(), NULL) != 1 || size != 32) {
        return zv_fail_memory(err, "a hash");
    }
    for (unsigned i = 0; i < size; i++) {
        to[2 * i] = digits[hash[i] >> 4];
        to[2 * i + 1] = digits[hash[i] & 15];
    }
    to[64] = 0;
    return ZV_OK;
}
