"""PyTorch's own memory_summary() of statistics read from standard input.

Lines "name value" as `zirve replay --stats` prints them; a line "---" ends one set. Needs torch, no
device: only the formatter runs. Made tests/data/memory_summary.txt:

    memory_summary_test --stats | python tests/tooling/memory_summary.py >tests/data/memory_summary.txt
"""

import sys

import torch.cuda.memory as memory


def main():
    stats = {}
    memory._get_device_index = lambda device, optional=False: 0
    memory.memory_stats = lambda device=None: stats
    for line in sys.stdin:
        if line.strip() == "---":
            sys.stdout.write(memory.memory_summary())
            sys.stdout.write(memory.memory_summary(abbreviated=True))
            stats.clear()
        else:
            name, value = line.split()
            stats[name] = int(value)


main()
