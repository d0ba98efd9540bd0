"""The cases of a recorded table: lines of cases.tsv, and a process for each where stand-ins are for one."""
import os
import subprocess
import sys


def cases_of(folder):
    """The words of each line that is no comment."""
    with open(os.path.join(folder, "cases.tsv")) as f:
        for line in f:
            if line[0] != "#" and line.strip():
                yield line.split()


def row_of(words, events):
    """A line of a table: config, class or builder, settings, events."""
    return "\t".join([words[0], words[1], " ".join(words[2:]), " ".join(events)])


def each_in_a_process(folder, script, head):
    """Prints the head and what script prints for each case."""
    print(f"# {head}: tests/tooling/{os.path.basename(script)}", flush=True)
    for words in cases_of(folder):
        subprocess.run([sys.executable, script, folder] + words, check=False)
