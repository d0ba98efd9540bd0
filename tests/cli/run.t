# A command of the user's: its output unchanged, its end kept. Times are hidden by sed.
$ zirve run -- sh -c 'echo out; echo err >&2; exit 3' 2>$TMP/words; echo "status $?"; sed 's/[0-9.]* s$/TIME/' $TMP/words
out
status 3
err
zirve run: failed, exit status 3, TIME
$ echo abc | zirve run -o $TMP/run.json -- tr a-c A-C 2>/dev/null
ABC
$ sed 's/"wall_ms": .*/"wall_ms": TIME,/; s/memory_kills": .*/memory_kills": N,/' $TMP/run.json
{
  "schema": "zirve.run/1",
  "command": [
    "tr",
    "a-c",
    "A-C"
  ],
  "timeout_ms": null,
  "outcome": "passed",
  "exit_status": 0,
  "signal": null,
  "wall_ms": TIME,
  "left_running": false,
  "kernel_memory_kills": N,
  "memory": null,
  "output_bytes": 4,
  "error_bytes": 0,
  "lines": 1,
  "last_lines": [
    {
      "stream": "output",
      "text": "ABC",
      "cut_bytes": 0
    }
  ]
}
# What exists is refused before anything starts.
$ zirve run -o $TMP/run.json -- touch $TMP/started; echo "status $?"; ls $TMP
zirve run: TMP/run.json: exists already and is not overwritten
status 125
run.json
words
$ zirve run -o $TMP/none/run.json -- touch $TMP/started; echo "status $?"; ls $TMP
zirve run: TMP/none/run.json: cannot be written
status 125
run.json
words
# --json alone: standard output is the result's.
$ zirve run --json --lines 1 -- sh -c 'echo one; echo "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.64 GiB of which 1.00 GiB is free. Of the allocated memory 20.00 GiB is allocated by PyTorch, and 1.50 GiB is reserved by PyTorch but unallocated."; echo bye; exit 1' 2>/dev/null | sed -n '/"command"/,/\]/d; s/"wall_ms": .*/"wall_ms": TIME,/; s/memory_kills": .*/memory_kills": N,/; p'
{
  "schema": "zirve.run/1",
  "timeout_ms": null,
  "outcome": "out of memory",
  "exit_status": 1,
  "signal": null,
  "wall_ms": TIME,
  "left_running": false,
  "kernel_memory_kills": N,
  "memory": {
    "kind": "device",
    "said_by": "PyTorch",
    "lines": 1,
    "text": "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.64 GiB of which 1.00 GiB is free. Of the allocated memory 20.00 GiB is allocated by PyTorch, and 1.50 GiB is reserved by PyTorch but unallocated.",
    "requested_bytes": 2147483648,
    "allocated_bytes": 21474836480,
    "reserved_bytes": 23085449216,
    "device_free_bytes": 1073741824,
    "capacity_bytes": 25383256719
  },
  "output_bytes": 259,
  "error_bytes": 0,
  "lines": 3,
  "last_lines": [
    {
      "stream": "output",
      "text": "bye",
      "cut_bytes": 0
    }
  ]
}
# What its output says of memory, and that it is no pass to have skipped what failed.
$ zirve run -- sh -c 'echo "allocating 8345.50 MiB on device 0: cudaMalloc failed: out of memory"; exit 1' 2>&1 | sed 's/[0-9.]* s$/TIME/'
allocating 8345.50 MiB on device 0: cudaMalloc failed: out of memory
zirve run: out of device memory, exit status 1, TIME
  llama.cpp says: allocating 8345.50 MiB on device 0: cudaMalloc failed: out of
  memory
$ zirve run -- sh -c 'echo "WARNING: CUDA out of memory, batch skipped"' 2>&1 | sed 's/[0-9.]* s$/TIME/'
WARNING: CUDA out of memory, batch skipped
zirve run: a request failed: out of device memory, exit status 0, TIME
  PyTorch says: WARNING: CUDA out of memory, batch skipped
  It went on after that request: a run that skipped work proves no load.
$ zirve run -- python3 -c 'raise MemoryError' 2>&1 | sed -n 's/[0-9.]* s$/TIME/; /^zirve/,$p'
zirve run: out of host memory, exit status 1, TIME
  Python says: MemoryError
# Bounds and mistakes.
$ zirve run --timeout 0.2 -- sleep 20 2>$TMP/words; echo "status $?"; sed 's/[0-9.]* s$/TIME/' $TMP/words
status 124
zirve run: timed out, signal 15, TIME
$ zirve run -- sh -c 'kill -TERM $$' 2>/dev/null
? 143
$ zirve run -- sh -c 'exit 64' 2>/dev/null
? 64
$ zirve run
zirve run: expected a command: zirve run -- COMMAND ...
? 125
$ zirve run --
zirve run: expected a command after --
? 125
$ zirve run --timeout soon -- true
zirve run: --timeout soon: expected a time such as 90s, 10m or 2h
? 125
$ zirve run --timeout 0 -- true
zirve run: --timeout 0: expected a time such as 90s, 10m or 2h
? 125
$ zirve run --lines 1e6 -- true
zirve run: --lines: at most 1000
? 125
$ zirve run --time 3 -- true
zirve run: unknown option --time: 'zirve run --help' lists them
? 125
$ zirve run $TMP/none
zirve run: TMP/none: cannot be started: No such file or directory
? 125
$ zirve run $TMP
zirve run: TMP: cannot be started: Permission denied
? 125
# Its own options are its own.
$ zirve run echo --json --lines 2>/dev/null
--json --lines
$ zirve run -- yes 2>/dev/null | sed 2q
y
y
# The largest value with which it passes; every try is kept, and its last line.
$ zirve run --search batch=1..64 -- sh tests/data/run/train.sh --batch {} 2>/dev/null | sed 's/[0-9.]* s$/TIME/'
batch 24 passes, batch 25 does not for want of memory.
That what fits ends there and does not begin again is taken for granted
(--confirm N asks).

10 tries, in their order
  batch 1: passed, exit status 0, TIME
      batch 1: step 10 loss 2.1
  batch 2: passed, exit status 0, TIME
      batch 2: step 10 loss 2.1
  batch 4: passed, exit status 0, TIME
      batch 4: step 10 loss 2.1
  batch 8: passed, exit status 0, TIME
      batch 8: step 10 loss 2.1
  batch 16: passed, exit status 0, TIME
      batch 16: step 10 loss 2.1
  batch 32: out of device memory, exit status 1, TIME
      torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 32.00 MiB.
  batch 24: passed, exit status 0, TIME
      batch 24: step 10 loss 2.1
  batch 28: out of device memory, exit status 1, TIME
      torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 28.00 MiB.
  batch 26: out of device memory, exit status 1, TIME
      torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 26.00 MiB.
  batch 25: out of device memory, exit status 1, TIME
      torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 25.00 MiB.
$ zirve run --search batch=1..4 -o $TMP/search.json -- env FITS=1 sh tests/data/run/train.sh --batch {batch} {} >/dev/null 2>&1; echo "status $?"
status 0
$ sed '/_lines"/,/\]/d; s/"wall_ms": .*/"wall_ms": TIME,/; s/memory_kills": .*/memory_kills": N,/' $TMP/search.json
{
  "schema": "zirve.run_search/1",
  "command": [
    "env",
    "FITS=1",
    "sh",
    "tests/data/run/train.sh",
    "--batch",
    "{batch}",
    "{}"
  ],
  "dimension": "batch",
  "from": 1,
  "to": 4,
  "timeout_ms": null,
  "verdict": "boundary",
  "value": 1,
  "confirmed": null,
  "contrary_value": null,
  "tries": [
    {
      "value": 1,
      "answer": "passes",
      "outcome": "passed",
      "exit_status": 0,
      "signal": null,
      "wall_ms": TIME,
      "left_running": false,
      "kernel_memory_kills": N,
      "memory": null,
      "output_bytes": 42,
      "error_bytes": 0,
      "lines": 2,
    },
    {
      "value": 2,
      "answer": "does not",
      "outcome": "out of memory",
      "exit_status": 1,
      "signal": null,
      "wall_ms": TIME,
      "left_running": false,
      "kernel_memory_kills": N,
      "memory": {
        "kind": "device",
        "said_by": "PyTorch",
        "lines": 1,
        "text": "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 MiB.",
        "requested_bytes": 2097152,
        "allocated_bytes": null,
        "reserved_bytes": null,
        "device_free_bytes": null,
        "capacity_bytes": null
      },
      "output_bytes": 16,
      "error_bytes": 72,
      "lines": 2,
    }
  ]
}
# Another failure is no boundary; neither is a limit that was not reached, or one of two.
$ zirve run --search batch=1..64 -- env BAD=8 sh tests/data/run/train.sh --batch {} 2>/dev/null | sed -n 1,3p
STOPPED at batch 8, which ended for another reason than memory (failed): that is
no "does not fit". The largest that passed before is 4.

$ zirve run --search batch=1..64 -- env BAD=8 sh tests/data/run/train.sh --batch {} >/dev/null 2>&1
? 6
$ zirve run --search batch=3..20 --confirm 2 -- sh tests/data/run/train.sh --batch {} 2>/dev/null | sed 's/[0-9.]* s$/TIME/'
batch 20 passes, the end of the range: more was not asked.
The values asked to confirm it agree.

6 tries, in their order
  batch 3: passed, exit status 0, TIME
      batch 3: step 10 loss 2.1
  batch 6: passed, exit status 0, TIME
      batch 6: step 10 loss 2.1
  batch 12: passed, exit status 0, TIME
      batch 12: step 10 loss 2.1
  batch 20: passed, exit status 0, TIME
      batch 20: step 10 loss 2.1
  batch 11: passed, exit status 0, TIME
      batch 11: step 10 loss 2.1
  batch 19: passed, exit status 0, TIME
      batch 19: step 10 loss 2.1
$ zirve run --search batch=30..64 -- sh tests/data/run/train.sh --batch {} 2>/dev/null >$TMP/none; echo "status $?"; sed 's/[0-9.]* s$/TIME/' $TMP/none
status 1
NONE: not even batch 30 passes.
That what fits ends there and does not begin again is taken for granted
(--confirm N asks).

1 try
  batch 30: out of device memory, exit status 1, TIME
      torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 30.00 MiB.
$ zirve run --search batch=1..64 --confirm 3 -- env AGAIN=60 sh tests/data/run/train.sh --batch {} 2>/dev/null >$TMP/two; echo "status $?"; sed 3q $TMP/two
status 6
batch 24 passes, batch 25 does not for want of memory.
NOT MONOTONE: batch 64 passes, against that: there is no one boundary.

$ zirve run --search n=1..64 --timeout 0.2 -- sleep {} 2>/dev/null >$TMP/two; echo "status $?"; sed 3q $TMP/two
status 6
STOPPED at n 1, which ended for another reason than memory (timed out): that is
no "does not fit". None passed before.

$ zirve run --search batch=1..64 -- sh tests/data/run/train.sh --batch 8
zirve run: the command has no {} for the value of batch
? 125
$ zirve run --search batch -- true {}
zirve run: --search batch: expected a name and its least and largest value, such as batch=1..64
? 125
$ zirve run --search batch=5..2 -- true {}
zirve run: --search batch=5..2: expected a name and its least and largest value, such as batch=1..64
? 125
$ zirve run --search =1..2 -- true {}
zirve run: --search =1..2: expected a name and its least and largest value, such as batch=1..64
? 125
$ zirve run --search b=1..2 --confirm 61 -- true {}
zirve run: --confirm: at most 60
? 125
$ zirve run --confirm 2 -- true
zirve run: --confirm is for --search
? 125
$ zirve run --search n=1..3 -- /nonexistent/{n}
zirve run: /nonexistent/1: cannot be started: No such file or directory
? 125
