#include "format/pickle_writer.h"

#include <string.h>

#include "format/pickle_opcodes.h"

static void put_bytes(struct zv_pickle_writer *writer, const unsigned char *bytes, size_t size)
{
    char text[16];
    memcpy(text, bytes, size);
    zv_sink_write(writer->sink, text, size);
}

static void put_opcode(struct zv_pickle_writer *writer, unsigned opcode)
{
    const unsigned char byte = (unsigned char)opcode;
    put_bytes(writer, &byte, 1);
}

/* An opcode and its operand, little-endian. */
static void put_operand(struct zv_pickle_writer *writer, unsigned opcode, uint64_t value,
                        unsigned size)
{
    unsigned char bytes[9] = {(unsigned char)opcode};
    for (unsigned i = 0; i < size; i++) {
        bytes[i + 1] = (unsigned char)(value >> (8 * i));
    }
    put_bytes(writer, bytes, size + 1);
}

void zv_pickle_begin(struct zv_pickle_writer *writer)
{
    put_operand(writer, OP_PROTO, 4, 1);
}

void zv_pickle_finish(struct zv_pickle_writer *writer)
{
    put_opcode(writer, OP_STOP);
}

void zv_pickle_write_list(struct zv_pickle_writer *writer)
{
    put_opcode(writer, OP_EMPTY_LIST);
}

void zv_pickle_write_dict(struct zv_pickle_writer *writer)
{
    put_opcode(writer, OP_EMPTY_DICT);
}

void zv_pickle_open(struct zv_pickle_writer *writer)
{
    put_opcode(writer, OP_MARK);
}

void zv_pickle_close_list(struct zv_pickle_writer *writer)
{
    put_opcode(writer, OP_APPENDS);
}

void zv_pickle_close_dict(struct zv_pickle_writer *writer)
{
    put_opcode(writer, OP_SETITEMS);
}

void zv_pickle_write_text(struct zv_pickle_writer *writer, struct zv_slice text)
{
    if (text.length < 256) {
        put_operand(writer, OP_SHORT_BINUNICODE, text.length, 1);
    } else {
        put_operand(writer, OP_BINUNICODE, text.length, 4);
    }
    zv_sink_write(writer->sink, text.at, text.length);
}

/* Two's complement in as few bytes as it takes. */
static void put_long(struct zv_pickle_writer *writer, uint64_t low, unsigned char high)
{
    unsigned char bytes[11] = {OP_LONG1, 9};
    for (unsigned i = 0; i < 8; i++) {
        bytes[i + 2] = (unsigned char)(low >> (8 * i));
    }
    bytes[10] = high;
    while (bytes[1] > 1 && bytes[bytes[1] + 1] == high &&
           (bytes[bytes[1]] & 0x80) == (high & 0x80)) {
        bytes[1]--;
    }
    put_bytes(writer, bytes, 2 + (size_t)bytes[1]);
}

void zv_pickle_write_u64(struct zv_pickle_writer *writer, uint64_t value)
{
    if (value < 256) {
        put_operand(writer, OP_BININT1, value, 1);
    } else if (value < 65536) {
        put_operand(writer, OP_BININT2, value, 2);
    } else if (value <= INT32_MAX) {
        put_operand(writer, OP_BININT, value, 4);
    } else {
        put_long(writer, value, 0);
    }
}

void zv_pickle_write_i64(struct zv_pickle_writer *writer, int64_t value)
{
    if (value >= 0) {
        zv_pickle_write_u64(writer, (uint64_t)value);
    } else if (value >= INT32_MIN) {
        put_operand(writer, OP_BININT, (uint64_t)value, 4);
    } else {
        put_long(writer, (uint64_t)value, 0xff);
    }
}

void zv_pickle_write_double(struct zv_pickle_writer *writer, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_operand(writer, OP_BINFLOAT, __builtin_bswap64(bits), 8); /* big-endian */
}

void zv_pickle_write_bool(struct zv_pickle_writer *writer, bool value)
{
    put_opcode(writer, value ? OP_NEWTRUE : OP_NEWFALSE);
}

void zv_pickle_write_pair(struct zv_pickle_writer *writer)
{
    put_opcode(writer, OP_TUPLE2);
}

uint32_t zv_pickle_put(struct zv_pickle_writer *writer)
{
    put_opcode(writer, OP_MEMOIZE);
    return writer->memo_count++;
}

void zv_pickle_get(struct zv_pickle_writer *writer, uint32_t number)
{
    if (number < 256) {
        put_operand(writer, OP_BINGET, number, 1);
    } else {
        put_operand(writer, OP_LONG_BINGET, number, 4);
    }
}
