"""python -m zirve measure: the lab exercise in PyTorch, with the options of `zirve measure`.

Exit status: 0 done, 2 no PyTorch or no GPU (nothing is written), 3 the result's file exists,
6 partial, 64 usage.
"""

import argparse
import os
import sys

from .lab import DTYPES, OPTIMIZERS, lab
from .phases import result, save


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.print_usage(sys.stderr)
        self.exit(64, "zirve: %s\n" % message)


def parse(words):
    parser = Parser(prog="python -m zirve", description=__doc__.split("\n")[0])
    verbs = parser.add_subparsers(dest="verb", required=True, parser_class=Parser)
    verb = verbs.add_parser("measure", help="the lab exercise")
    verb.add_argument("--device", default="cuda:0", metavar="cuda:N")
    for name, value in (("batch", 1), ("context", 16), ("width", 64), ("depth", 2), ("warmup", 1),
                        ("repeats", 2), ("seed", 0)):
        verb.add_argument("--" + name, type=int, default=value, metavar="N")
    verb.add_argument("--dtype", choices=sorted(DTYPES), default="float32")
    verb.add_argument("--train", action="store_true")
    verb.add_argument("--optimizer", choices=OPTIMIZERS, default="adam")
    verb.add_argument("--output", "-o", metavar="FILE", help="the result as JSON; never overwritten")
    return vars(parser.parse_args(words))


def cell(value):
    return "unknown" if value is None else format(value, ",")


def show(answer):
    """Two columns a counter; allocated and reserved are never added."""
    for run in answer["runs"]:
        device = run["device"]
        print("%s  %s, %s, by %s%s" % (device["name"], device["model"], device["backend"],
                                       run["allocator"]["engine"],
                                       ", EMULATED" if device["emulated_by"] else ""))
        print("  %-16s %29s | %29s" % ("bytes", "allocated     ", "reserved      "))
        print("  %-16s %14s %14s | %14s %14s" % ("phase", "peak", "at its end", "peak",
                                                 "at its end"))
        for one in run["phases"]:
            print("  %-16s %14s %14s | %14s %14s" % (
                one["name"], cell(one["peak"]["allocated_bytes"]),
                cell(one["after"]["allocated_bytes"]), cell(one["peak"]["reserved_bytes"]),
                cell(one["after"]["reserved_bytes"])))
        if run["failed_phase"]:
            print("  PARTIAL: %s failed: %s" % (run["failed_phase"], run["message"]))
    for caution in answer["cautions"]:
        print("- " + caution)


def main(words=None):
    options = parse(words)
    options.pop("verb")
    output = options.pop("output")
    if output and os.path.lexists(output):
        print("zirve: %s: exists already and is not overwritten" % output, file=sys.stderr)
        return 3
    try:
        session = lab(**options)
    except ValueError as error:
        print("zirve: %s" % error, file=sys.stderr)
        return 64
    answer = result(session)
    if output:
        save(output, session)
    show(answer)
    return 0 if answer["outcome"] == "complete" else 6


if __name__ == "__main__":
    sys.exit(main())
