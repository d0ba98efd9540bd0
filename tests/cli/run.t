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
