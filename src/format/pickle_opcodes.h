/* The opcodes of pickle: names, operands, and what becomes of them. Room-internal. */
#ifndef ZIRVE_FORMAT_PICKLE_OPCODES_H
#define ZIRVE_FORMAT_PICKLE_OPCODES_H

#include <stdint.h>

enum pickle_opcode {
    OP_MARK = '(',
    OP_STOP = '.',
    OP_POP = '0',
    OP_POP_MARK = '1',
    OP_DUP = '2',
    OP_BINFLOAT = 'G',
    OP_BININT = 'J',
    OP_BININT1 = 'K',
    OP_BININT2 = 'M',
    OP_NONE = 'N',
    OP_BINSTRING = 'T',
    OP_SHORT_BINSTRING = 'U',
    OP_BINUNICODE = 'X',
    OP_EMPTY_LIST = ']',
    OP_APPEND = 'a',
    OP_DICT = 'd',
    OP_EMPTY_DICT = '}',
    OP_APPENDS = 'e',
    OP_BINGET = 'h',
    OP_LONG_BINGET = 'j',
    OP_LIST = 'l',
    OP_BINPUT = 'q',
    OP_LONG_BINPUT = 'r',
    OP_SETITEM = 's',
    OP_TUPLE = 't',
    OP_EMPTY_TUPLE = ')',
    OP_SETITEMS = 'u',
    OP_BINBYTES = 'B',
    OP_SHORT_BINBYTES = 'C',
    OP_PROTO = 0x80,
    OP_TUPLE1 = 0x85,
    OP_TUPLE2 = 0x86,
    OP_TUPLE3 = 0x87,
    OP_NEWTRUE = 0x88,
    OP_NEWFALSE = 0x89,
    OP_LONG1 = 0x8a,
    OP_LONG4 = 0x8b,
    OP_SHORT_BINUNICODE = 0x8c,
    OP_BINUNICODE8 = 0x8d,
    OP_BINBYTES8 = 0x8e,
    OP_MEMOIZE = 0x94,
    OP_FRAME = 0x95
};

enum pickle_use {
    PICKLE_UNKNOWN,
    PICKLE_DATA,
    PICKLE_RUNS_CODE,   /* imports or calls something */
    PICKLE_UNSUPPORTED, /* data of a kind that is not read here */
    PICKLE_PROTOCOL_0   /* text opcodes that protocols 2 and later do not write */
};

struct pickle_opcode_row {
    const char *name;
    uint8_t use;     /* enum pickle_use */
    uint8_t operand; /* fixed bytes after the opcode; of a text or long: those of its length */
};

extern const struct pickle_opcode_row pickle_opcodes[256];

#endif
