/* Source: pickletools of CPython 3.13 (names and operands). */
#include "format/pickle_opcodes.h"

#define DATA(name, operand)                                                                        \
    {                                                                                              \
        name, PICKLE_DATA, operand                                                                 \
    }
#define CODE(name)                                                                                 \
    {                                                                                              \
        name, PICKLE_RUNS_CODE, 0                                                                  \
    }
#define OTHER(name)                                                                                \
    {                                                                                              \
        name, PICKLE_UNSUPPORTED, 0                                                                \
    }
#define OLD(name)                                                                                  \
    {                                                                                              \
        name, PICKLE_PROTOCOL_0, 0                                                                 \
    }

const struct pickle_opcode_row pickle_opcodes[256] = {
    [OP_MARK] = DATA("MARK", 0),
    [OP_STOP] = DATA("STOP", 0),
    [OP_POP] = DATA("POP", 0),
    [OP_POP_MARK] = DATA("POP_MARK", 0),
    [OP_DUP] = DATA("DUP", 0),
    [OP_BINFLOAT] = DATA("BINFLOAT", 8),
    [OP_BININT] = DATA("BININT", 4),
    [OP_BININT1] = DATA("BININT1", 1),
    [OP_BININT2] = DATA("BININT2", 2),
    [OP_NONE] = DATA("NONE", 0),
    [OP_BINSTRING] = DATA("BINSTRING", 4),
    [OP_SHORT_BINSTRING] = DATA("SHORT_BINSTRING", 1),
    [OP_BINUNICODE] = DATA("BINUNICODE", 4),
    [OP_EMPTY_LIST] = DATA("EMPTY_LIST", 0),
    [OP_APPEND] = DATA("APPEND", 0),
    [OP_DICT] = DATA("DICT", 0),
    [OP_EMPTY_DICT] = DATA("EMPTY_DICT", 0),
    [OP_APPENDS] = DATA("APPENDS", 0),
    [OP_BINGET] = DATA("BINGET", 1),
    [OP_LONG_BINGET] = DATA("LONG_BINGET", 4),
    [OP_LIST] = DATA("LIST", 0),
    [OP_BINPUT] = DATA("BINPUT", 1),
    [OP_LONG_BINPUT] = DATA("LONG_BINPUT", 4),
    [OP_SETITEM] = DATA("SETITEM", 0),
    [OP_TUPLE] = DATA("TUPLE", 0),
    [OP_EMPTY_TUPLE] = DATA("EMPTY_TUPLE", 0),
    [OP_SETITEMS] = DATA("SETITEMS", 0),
    [OP_BINBYTES] = DATA("BINBYTES", 4),
    [OP_SHORT_BINBYTES] = DATA("SHORT_BINBYTES", 1),
    [OP_PROTO] = DATA("PROTO", 1),
    [OP_TUPLE1] = DATA("TUPLE1", 0),
    [OP_TUPLE2] = DATA("TUPLE2", 0),
    [OP_TUPLE3] = DATA("TUPLE3", 0),
    [OP_NEWTRUE] = DATA("NEWTRUE", 0),
    [OP_NEWFALSE] = DATA("NEWFALSE", 0),
    [OP_LONG1] = DATA("LONG1", 1),
    [OP_LONG4] = DATA("LONG4", 4),
    [OP_SHORT_BINUNICODE] = DATA("SHORT_BINUNICODE", 1),
    [OP_BINUNICODE8] = DATA("BINUNICODE8", 8),
    [OP_BINBYTES8] = DATA("BINBYTES8", 8),
    [OP_MEMOIZE] = DATA("MEMOIZE", 0),
    [OP_FRAME] = DATA("FRAME", 8),

    ['c'] = CODE("GLOBAL"),
    [0x93] = CODE("STACK_GLOBAL"),
    ['R'] = CODE("REDUCE"),
    ['b'] = CODE("BUILD"),
    ['i'] = CODE("INST"),
    ['o'] = CODE("OBJ"),
    [0x81] = CODE("NEWOBJ"),
    [0x92] = CODE("NEWOBJ_EX"),
    ['P'] = CODE("PERSID"),
    ['Q'] = CODE("BINPERSID"),
    [0x82] = CODE("EXT1"),
    [0x83] = CODE("EXT2"),
    [0x84] = CODE("EXT4"),

    [0x8f] = OTHER("EMPTY_SET"),
    [0x90] = OTHER("ADDITEMS"),
    [0x91] = OTHER("FROZENSET"),
    [0x96] = OTHER("BYTEARRAY8"),
    [0x97] = OTHER("NEXT_BUFFER"),
    [0x98] = OTHER("READONLY_BUFFER"),

    ['F'] = OLD("FLOAT"),
    ['I'] = OLD("INT"),
    ['L'] = OLD("LONG"),
    ['S'] = OLD("STRING"),
    ['V'] = OLD("UNICODE"),
    ['g'] = OLD("GET"),
    ['p'] = OLD("PUT"),
};
