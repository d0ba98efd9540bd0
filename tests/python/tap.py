"""Runs the functions test_* of a module and prints TAP."""

import sys
import traceback


class Skip(Exception):
    """A test that cannot run here, with the reason."""


def main(names):
    tests = sorted((name, value) for name, value in names.items() if name.startswith("test_"))
    failed = False
    print("1..%d" % len(tests))
    for number, (name, test) in enumerate(tests, 1):
        try:
            test()
            print("ok %d - %s" % (number, name))
        except Skip as why:
            print("ok %d - %s # SKIP %s" % (number, name, why))
        except Exception:  # the next test runs all the same
            failed = True
            for line in traceback.format_exc().splitlines():
                print("# " + line)
            print("not ok %d - %s" % (number, name))
    sys.exit(failed)
