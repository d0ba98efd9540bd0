# One step of a small run; a parameter lived before the record.
$ zirve explain tests/data/snapshots/gen6.pickle
PEAK 3.00 MiB (3.15 MB) allocated, after event 3 of 5, 0.002 s into the record.
No allocation failed.
Held by: train.py:41 step 100.0%.

Device 0, after event 3 of 5, 0.002 s into the record:
  reserved         22.00 MiB (23.07 MB)       from the driver
    free in cache  19.00 MiB (19.92 MB)       reserved less active
    largest hole   17.00 MiB (17.83 MB)
    inactive split 19.00 MiB (19.92 MB)       free, but not releasable
  active           3.00 MiB (3.15 MB)
  allocated        3.00 MiB (3.15 MB)
  requested        3.00 MiB (3.15 MB)
    rounding       448 B                      active less requested

Pool, stream        reserved   allocated   requested inactive split largest hole
  large, 0         20.00 MiB    3.00 MiB    3.00 MiB      17.00 MiB    17.00 MiB
  small, 0          2.00 MiB    2.00 KiB    1.56 KiB       2.00 MiB     2.00 MiB

Active bytes by frame:
      3.00 MiB 100.0%       2 x  train.py:41 step
      1.00 KiB   0.0%       1 x  model.py:12 load

Active bytes by role:
      3.00 MiB 100.0%       3 x  other

Reserved but unused:
  free parts       19.00 MiB (19.92 MB)       of segments with live blocks
  empty segments   0 B                        empty_cache() releases them
Segments that cannot be released, least live bytes first (2 in all):
  2.00 MiB free of 2.00 MiB at 0x7f0000000000, pinned by 2 blocks:
        1.00 KiB  model.py:12 load
        1.00 KiB  train.py:41 step
  17.00 MiB free of 20.00 MiB at 0x7f0000200000, pinned by 1 block:
        3.00 MiB  train.py:41 step

Peaks: 3.00 MiB (3.15 MB) allocated, 22.00 MiB (23.07 MB) reserved (first
reached after event 1 of 5, 0.000 s into the record). They are of different
instants and must not be subtracted.
replay: exact 2/2 allocations and 1/1 segments, at the recorded addresses
  Written by PyTorch 2.10 or later; allocator torch-2.14; settings default.
  Before the first event: 1.00 KiB (1.02 kB) live in 1 block, 2.00 MiB (2.10 MB)
  reserved (the end state with the history undone). The history is a ring
  buffer; whether it dropped older events is not recorded.
  Memory outside this allocator (CUDA context, NCCL, cuBLAS, other processes) is
  not in the file: a higher reading in nvidia-smi alone is no sign of a leak.

Placement: peak reserved 22.00 MiB (23.07 MB), peak of non-empty segments 22.00
MiB (23.07 MB), a perfect plan 3.00 MiB (3.15 MB): no placement needs less
(zirve place).

Next:
  settings that reserve less   zirve replay tests/data/snapshots/gen6.pickle --advise
  what grows, never empties    zirve explain tests/data/snapshots/gen6.pickle --habits
  memory over time, as a page  zirve view tests/data/snapshots/gen6.pickle -o report.html
$ zirve explain tests/data/snapshots/gen6.pickle --at end --by stack --by size --by age --by pool --by stream
PEAK 3.00 MiB (3.15 MB) allocated, after event 3 of 5, 0.002 s into the record.
No allocation failed.
Held by: train.py:41 step 100.0%.

Device 0, after event 5 of 5, 0.004 s into the record:
  reserved         22.00 MiB (23.07 MB)       from the driver
    free in cache  22.00 MiB (23.07 MB)       reserved less active
    largest hole   20.00 MiB (20.97 MB)
    inactive split 2.00 MiB (2.10 MB)         free, but not releasable
  active           2.00 KiB (2.05 kB)
  allocated        2.00 KiB (2.05 kB)
  requested        1.56 KiB (1.60 kB)
    rounding       448 B                      active less requested

Pool, stream        reserved   allocated   requested inactive split largest hole
  large, 0         20.00 MiB         0 B         0 B            0 B    20.00 MiB
  small, 0          2.00 MiB    2.00 KiB    1.56 KiB       2.00 MiB     2.00 MiB

Active bytes by stack:
      1.00 KiB  50.0%       1 x  model.py:12 load
                                 < train.py:90 main
      1.00 KiB  50.0%       1 x  train.py:41 step
                                 < train.py:90 main

Active bytes by size:
      2.00 KiB 100.0%       2 x  1 KiB and more, less than twice that

Active bytes by age:
      1.00 KiB  50.0%       1 x  for up to 10 events
      1.00 KiB  50.0%       1 x  since before the record

Active bytes by pool:
      2.00 KiB 100.0%       2 x  small

Active bytes by stream:
      2.00 KiB 100.0%       2 x  stream 0x0

Peaks: 3.00 MiB (3.15 MB) allocated, 22.00 MiB (23.07 MB) reserved (first
reached after event 1 of 5, 0.000 s into the record). They are of different
instants and must not be subtracted.
replay: exact 2/2 allocations and 1/1 segments, at the recorded addresses
  Written by PyTorch 2.10 or later; allocator torch-2.14; settings default.
  Before the first event: 1.00 KiB (1.02 kB) live in 1 block, 2.00 MiB (2.10 MB)
  reserved (the end state with the history undone). The history is a ring
  buffer; whether it dropped older events is not recorded.
  Memory outside this allocator (CUDA context, NCCL, cuBLAS, other processes) is
  not in the file: a higher reading in nvidia-smi alone is no sign of a leak.

Placement: peak reserved 22.00 MiB (23.07 MB), peak of non-empty segments 22.00
MiB (23.07 MB), a perfect plan 3.00 MiB (3.15 MB): no placement needs less
(zirve place).

Next:
  settings that reserve less   zirve replay tests/data/snapshots/gen6.pickle --advise
  what grows, never empties    zirve explain tests/data/snapshots/gen6.pickle --habits
  memory over time, as a page  zirve view tests/data/snapshots/gen6.pickle -o report.html
$ zirve explain tests/data/snapshots/gen4.pickle --at 2 --by annotation --by context --by file --by function
PEAK 3.00 MiB (3.15 MB) allocated, after event 3 of 5, 0.002 s into the record.
No allocation failed.
Held by: train.py:41 step 100.0%.

Device 0, after event 2 of 5, 0.001 s into the record:
  reserved         22.00 MiB (23.07 MB)       from the driver
    free in cache  19.00 MiB (19.92 MB)       reserved less active
    largest hole   17.00 MiB (17.83 MB)
    inactive split 19.00 MiB (19.92 MB)       free, but not releasable
  active           3.00 MiB (3.15 MB)
  allocated        3.00 MiB (3.15 MB)
  requested        3.00 MiB (3.15 MB)
    rounding       24 B                       active less requested

Pool, stream        reserved   allocated   requested inactive split largest hole
  large, 0         20.00 MiB    3.00 MiB    3.00 MiB      17.00 MiB    17.00 MiB
  small, 0          2.00 MiB    1.00 KiB      1000 B       2.00 MiB     2.00 MiB

Active bytes by annotation:
      3.00 MiB 100.0%       1 x  Optimizer.step#SGD.step
      1.00 KiB   0.0%       1 x  (none)

Active bytes by context:
      3.00 MiB 100.0%       2 x  (none)

Active bytes by file:
      3.00 MiB 100.0%       1 x  /home/user/train.py
      1.00 KiB   0.0%       1 x  C:\users\user\model.py

Active bytes by function:
      3.00 MiB 100.0%       1 x  step
      1.00 KiB   0.0%       1 x  load

Peaks: 3.00 MiB (3.15 MB) allocated, 22.00 MiB (23.07 MB) reserved (first
reached after event 1 of 5, 0.000 s into the record). They are of different
instants and must not be subtracted.
replay: exact 2/2 allocations and 1/1 segments, at the recorded addresses
  Written by PyTorch 2.6 to 2.7; allocator torch-2.6; settings default.
  Before the first event: 1.00 KiB (1.02 kB) live in 1 block, 2.00 MiB (2.10 MB)
  reserved (the end state with the history undone). The history is a ring
  buffer; whether it dropped older events is not recorded.
  Memory outside this allocator (CUDA context, NCCL, cuBLAS, other processes) is
  not in the file: a higher reading in nvidia-smi alone is no sign of a leak.

Placement: peak reserved 22.00 MiB (23.07 MB), peak of non-empty segments 22.00
MiB (23.07 MB), a perfect plan 3.00 MiB (3.15 MB): no placement needs less
(zirve place).

Next:
  settings that reserve less   zirve replay tests/data/snapshots/gen4.pickle --advise
  what grows, never empties    zirve explain tests/data/snapshots/gen4.pickle --habits
  memory over time, as a page  zirve view tests/data/snapshots/gen4.pickle -o report.html
$ zirve explain tests/data/snapshots/gen6.pickle --pattern "[a-z]+\.py" --at end
PEAK 3.00 MiB (3.15 MB) allocated, after event 3 of 5, 0.002 s into the record.
No allocation failed.
Held by: train.py:41 step 100.0%.

Device 0, after event 5 of 5, 0.004 s into the record:
  reserved         22.00 MiB (23.07 MB)       from the driver
    free in cache  22.00 MiB (23.07 MB)       reserved less active
    largest hole   20.00 MiB (20.97 MB)
    inactive split 2.00 MiB (2.10 MB)         free, but not releasable
  active           2.00 KiB (2.05 kB)
  allocated        2.00 KiB (2.05 kB)
  requested        1.56 KiB (1.60 kB)
    rounding       448 B                      active less requested

Pool, stream        reserved   allocated   requested inactive split largest hole
  large, 0         20.00 MiB         0 B         0 B            0 B    20.00 MiB
  small, 0          2.00 MiB    2.00 KiB    1.56 KiB       2.00 MiB     2.00 MiB

Active bytes by pattern:
      1.00 KiB  50.0%       1 x  model.py
      1.00 KiB  50.0%       1 x  train.py

Peaks: 3.00 MiB (3.15 MB) allocated, 22.00 MiB (23.07 MB) reserved (first
reached after event 1 of 5, 0.000 s into the record). They are of different
instants and must not be subtracted.
replay: exact 2/2 allocations and 1/1 segments, at the recorded addresses
  Written by PyTorch 2.10 or later; allocator torch-2.14; settings default.
  Before the first event: 1.00 KiB (1.02 kB) live in 1 block, 2.00 MiB (2.10 MB)
  reserved (the end state with the history undone). The history is a ring
  buffer; whether it dropped older events is not recorded.
  Memory outside this allocator (CUDA context, NCCL, cuBLAS, other processes) is
  not in the file: a higher reading in nvidia-smi alone is no sign of a leak.

Placement: peak reserved 22.00 MiB (23.07 MB), peak of non-empty segments 22.00
MiB (23.07 MB), a perfect plan 3.00 MiB (3.15 MB): no placement needs less
(zirve place).

Next:
  settings that reserve less   zirve replay tests/data/snapshots/gen6.pickle --advise
  what grows, never empties    zirve explain tests/data/snapshots/gen6.pickle --habits
  memory over time, as a page  zirve view tests/data/snapshots/gen6.pickle -o report.html
# No history, other generations, other devices.
$ zirve explain tests/data/snapshots/bare-list.pickle --unit MiB
ONE STATE, no history: 0.00 MiB allocated of 22.00 MiB reserved. What the peak
was, the file cannot say.
Held by: model.py:12 load 50.0%, train.py:41 step 50.0%.

Device 0, the one state there is:
  reserved         22.00 MiB                  from the driver
    free in cache  22.00 MiB                  reserved less active
    largest hole   20.00 MiB
    inactive split 2.00 MiB                   free, but not releasable
  active           0.00 MiB
  allocated        0.00 MiB
  requested        0.00 MiB
    rounding       0.00 MiB                   active less requested

Pool, stream        reserved   allocated   requested inactive split largest hole
  large, 0         20.00 MiB    0.00 MiB    0.00 MiB       0.00 MiB    20.00 MiB
  small, 0          2.00 MiB    0.00 MiB    0.00 MiB       2.00 MiB     2.00 MiB

Active bytes by frame:
      0.00 MiB  50.0%       1 x  model.py:12 load
      0.00 MiB  50.0%       1 x  train.py:41 step

Active bytes by role:
      0.00 MiB 100.0%       2 x  other

Reserved but unused:
  free parts       2.00 MiB                   of segments with live blocks
  empty segments   20.00 MiB                  empty_cache() releases them
Segments that cannot be released, least live bytes first (1 in all):
  2.00 MiB free of 2.00 MiB at 0x7f0000000000, pinned by 2 blocks:
        0.00 MiB  model.py:12 load
        0.00 MiB  train.py:41 step
replay: no allocation was recorded, so there is nothing to prove
  Written by PyTorch 2.1; allocator torch-2.6; settings default (assumed: not in
  the file).
  No history was recorded: only this one state is known.
  Memory outside this allocator (CUDA context, NCCL, cuBLAS, other processes) is
  not in the file: a higher reading in nvidia-smi alone is no sign of a leak.

Next:
  before the run, in Python    torch.cuda.memory._record_memory_history()
  memory over time, as a page  zirve view tests/data/snapshots/bare-list.pickle -o report.html
$ zirve explain tests/data/snapshots/empty.pickle
ONE STATE, no history: 0 B allocated of 0 B reserved. What the peak was, the
file cannot say.

Device 0, the one state there is:
  reserved         0 B                        from the driver
    free in cache  0 B                        reserved less active
    largest hole   0 B
    inactive split 0 B                        free, but not releasable
  active           0 B
  allocated        0 B
  requested        0 B
    rounding       0 B                        active less requested

Active bytes by frame:
  nothing

Active bytes by role:
  nothing
replay: no allocation was recorded, so there is nothing to prove
  Written by PyTorch up to 2.0; allocator torch-2.6; settings default (assumed:
  not in the file).
  No history was recorded: only this one state is known.
  Memory outside this allocator (CUDA context, NCCL, cuBLAS, other processes) is
  not in the file: a higher reading in nvidia-smi alone is no sign of a leak.

Next:
  before the run, in Python    torch.cuda.memory._record_memory_history()
  memory over time, as a page  zirve view tests/data/snapshots/empty.pickle -o report.html
$ zirve explain tests/data/snapshots/no-segments.pickle --segments
PEAK 5.00 MiB (5.24 MB) allocated, after event 3 of 9, 0.002 s into the record.
No allocation failed.
Held by: train.py:41 step 60.0%, model.py:12 load 40.0%.

Device 0, after event 3 of 9, 0.002 s into the record:
  reserved         5.00 MiB (5.24 MB)         at least
    unrecorded     5.00 MiB (5.24 MB)         live, in no recorded segment
    free in cache  0 B                        reserved less active
    largest hole   0 B
    inactive split 0 B                        free, but not releasable
  active           5.00 MiB (5.24 MB)
  allocated        5.00 MiB (5.24 MB)
  requested        5.00 MiB (5.24 MB)
    rounding       424 B                      active less requested

Pool, stream        reserved   allocated   requested inactive split largest hole
  unrecorded, 0     5.00 MiB    5.00 MiB    5.00 MiB            0 B          0 B

Active bytes by frame:
      3.00 MiB  60.0%       2 x  train.py:41 step
      2.00 MiB  40.0%       1 x  model.py:12 load

Active bytes by role:
      5.00 MiB 100.0%       3 x  other

Segments (3):
  address                 size          live  largest hole  pool, stream
  0x7f0000000200      1.00 KiB      1.00 KiB           0 B  unrecorded 0
  0x7f0000500000      2.00 MiB      2.00 MiB           0 B  unrecorded 0
  0x7f0000200000      3.00 MiB      3.00 MiB           0 B  unrecorded 0

Peaks: reserved bytes are not recorded; allocated bytes are sums of the events,
a lower bound.
replay: exact up to event 0 of 9, then it leaves the record (0/3 allocations
exact)
  Recorded: alloc of 3145728 B at 0x7f0000200000; replayed: oom of 3145728 B at
  0x10000000000 (another event). From there on, sizes are requests rounded,
  larger where addresses or the end state show it.
  Written by PyTorch 2.10 or later; allocator torch-2.14; settings default.
  Before the first event nothing was reserved: the history is complete.
  Memory outside this allocator (CUDA context, NCCL, cuBLAS, other processes) is
  not in the file: a higher reading in nvidia-smi alone is no sign of a leak.

Next:
  settings that reserve less   zirve replay tests/data/snapshots/no-segments.pickle --advise
  what grows, never empties    zirve explain tests/data/snapshots/no-segments.pickle --habits
  memory over time, as a page  zirve view tests/data/snapshots/no-segments.pickle -o report.html
$ zirve explain tests/data/snapshots/no-segments.pickle --json | grep -E '_segment|"pool"|recorded"'
    "in_no_recorded_segment_bytes": 5243904,
        "pool": null,
        "pool": null,
        "recorded": false
        "pool": null,
        "recorded": false
        "pool": null,
        "recorded": false
    "exact_segments": 0,
$ zirve explain tests/data/snapshots/second-device.pickle --top 1 --by frame
PEAK 3.00 MiB (3.15 MB) allocated, after event 3 of 5, 0.002 s into the record.
No allocation failed.
Held by: train.py:41 step 100.0%.

Device 1, after event 3 of 5, 0.002 s into the record:
  reserved         22.00 MiB (23.07 MB)       from the driver
    free in cache  19.00 MiB (19.92 MB)       reserved less active
    largest hole   17.00 MiB (17.83 MB)
    inactive split 19.00 MiB (19.92 MB)       free, but not releasable
  active           3.00 MiB (3.15 MB)
  allocated        3.00 MiB (3.15 MB)
  requested        3.00 MiB (3.15 MB)
    rounding       448 B                      active less requested

Pool, stream        reserved   allocated   requested inactive split largest hole
  large, 0         20.00 MiB    3.00 MiB    3.00 MiB      17.00 MiB    17.00 MiB
  and 1 more

Active bytes by frame:
      3.00 MiB 100.0%       2 x  train.py:41 step
  and 1 more with 1.00 KiB (1.02 kB)

Reserved but unused:
  free parts       19.00 MiB (19.92 MB)       of segments with live blocks
  empty segments   0 B                        empty_cache() releases them
Segments that cannot be released, least live bytes first (2 in all):
  2.00 MiB free of 2.00 MiB at 0x7f0000000000, pinned by 2 blocks:
        1.00 KiB  model.py:12 load
        1.00 KiB  train.py:41 step

Peaks: 3.00 MiB (3.15 MB) allocated, 22.00 MiB (23.07 MB) reserved (first
reached after event 1 of 5, 0.000 s into the record). They are of different
instants and must not be subtracted.
replay: exact 2/2 allocations and 1/1 segments, at the recorded addresses
  Written by PyTorch 2.10 or later; allocator torch-2.14; settings default.
  Before the first event: 1.00 KiB (1.02 kB) live in 1 block, 2.00 MiB (2.10 MB)
  reserved (the end state with the history undone). The history is a ring
  buffer; whether it dropped older events is not recorded.
  Memory outside this allocator (CUDA context, NCCL, cuBLAS, other processes) is
  not in the file: a higher reading in nvidia-smi alone is no sign of a leak.

Placement: peak reserved 22.00 MiB (23.07 MB), peak of non-empty segments 22.00
MiB (23.07 MB), a perfect plan 3.00 MiB (3.15 MB): no placement needs less
(zirve place).

Next:
  settings that reserve less   zirve replay tests/data/snapshots/second-device.pickle --advise
  what grows, never empties    zirve explain tests/data/snapshots/second-device.pickle --habits
  memory over time, as a page  zirve view tests/data/snapshots/second-device.pickle -o report.html
$ zirve explain tests/data/snapshots/second-device.pickle --device 2
zirve explain: tests/data/snapshots/second-device.pickle: device 2: the file has 2 (0 to 1)
? 3
$ zirve explain tests/data/snapshots/pending.pickle --by frame
ONE STATE, no history: 0 B allocated of 2.00 MiB (2.10 MB) reserved. What the
peak was, the file cannot say.
Held by: model.py:12 load 100.0%.

Device 0, after event 1 of 1, 0.000 s into the record:
  reserved         2.00 MiB (2.10 MB)         from the driver
    free in cache  2.00 MiB (2.10 MB)         reserved less active
    largest hole   2.00 MiB (2.10 MB)
    inactive split 2.00 MiB (2.10 MB)         free, but not releasable
  active           1.00 KiB (1.02 kB)
    pending        1.00 KiB (1.02 kB)         freed, in use on other streams
  allocated        0 B
  requested        1000 B
    rounding       24 B                       active less requested

Pool, stream        reserved   allocated   requested inactive split largest hole
  small, 0          2.00 MiB         0 B      1000 B       2.00 MiB     2.00 MiB

Active bytes by frame:
      1.00 KiB 100.0%       1 x  model.py:12 load

Reserved but unused:
  free parts       2.00 MiB (2.10 MB)         of segments with live blocks
  empty segments   0 B                        empty_cache() releases them
Segments that cannot be released, least live bytes first (1 in all):
  2.00 MiB free of 2.00 MiB at 0x7f0000000000, pinned by 1 block:
        1.00 KiB  model.py:12 load
replay: no allocation was recorded, so there is nothing to prove
  Written by PyTorch 2.10 or later; allocator torch-2.14; settings default.
  Before the first event: 1.00 KiB (1.02 kB) live in 1 block, 2.00 MiB (2.10 MB)
  reserved (the end state with the history undone). The history is a ring
  buffer; whether it dropped older events is not recorded.
  Memory outside this allocator (CUDA context, NCCL, cuBLAS, other processes) is
  not in the file: a higher reading in nvidia-smi alone is no sign of a leak.

Next:
  before the run, in Python    torch.cuda.memory._record_memory_history()
  memory over time, as a page  zirve view tests/data/snapshots/pending.pickle -o report.html
$ zirve explain tests/data/snapshots/expandable.pickle --json --by frame
{
  "schema": "zirve.explain/1",
  "source": "snapshot",
  "known": "measured",
  "known_by": null,
  "backend": "native",
  "device": 0,
  "devices": 1,
  "events_left_out_before": 0,
  "verdict": {
    "kind": "peak",
    "out_of_memory": false,
    "requested_bytes": null,
    "device_free_bytes": null,
    "capacity_bytes": null,
    "outside_bytes": null,
    "missing_bytes": null,
    "pool_free_bytes": null,
    "pool_largest_hole_bytes": null
  },
  "peak_allocated": {
    "after_event": 2,
    "usage": {
      "allocated_bytes": 31457280,
      "reserved_bytes": 41943040,
      "active_bytes": 31457280,
      "requested_bytes": 31457280,
      "inactive_split_bytes": 0
    }
  },
  "peak_reserved": {
    "after_event": 1,
    "usage": {
      "allocated_bytes": 15728640,
      "reserved_bytes": 41943040,
      "active_bytes": 15728640,
      "requested_bytes": 15728640,
      "inactive_split_bytes": 0
    }
  },
  "end": {
    "usage": {
      "allocated_bytes": 31457280,
      "reserved_bytes": 41943040,
      "active_bytes": 31457280,
      "requested_bytes": 31457280,
      "inactive_split_bytes": 0
    }
  },
  "instant": {
    "after_event": 2,
    "usage": {
      "allocated_bytes": 31457280,
      "reserved_bytes": 41943040,
      "active_bytes": 31457280,
      "requested_bytes": 31457280,
      "inactive_split_bytes": 0
    },
    "free_in_cache_bytes": 10485760,
    "largest_hole_bytes": 10485760,
    "rounding_bytes": 0,
    "live_since_before_the_record_bytes": 15728640,
    "without_stack_bytes": 0,
    "in_no_recorded_segment_bytes": 0,
    "pools": [
      {
        "pool": "large",
        "pool_id": [
          0,
          0
        ],
        "stream": 0,
        "segments": 1,
        "usage": {
          "allocated_bytes": 31457280,
          "reserved_bytes": 41943040,
          "active_bytes": 31457280,
          "requested_bytes": 31457280,
          "inactive_split_bytes": 0
        },
        "largest_hole_bytes": 10485760
      }
    ],
    "segments": [
      {
        "address": 139637978824704,
        "bytes": 41943040,
        "live_bytes": 31457280,
        "free_bytes": 10485760,
        "largest_hole_bytes": 10485760,
        "allocated_bytes": 31457280,
        "requested_bytes": 31457280,
        "inactive_split_bytes": 0,
        "pool": "large",
        "pool_id": [
          0,
          0
        ],
        "stream": 0,
        "expandable": true,
        "recorded": true
      }
    ]
  },
  "held_by": {
    "frame": [
      {
        "label": "model.py:12 load",
        "bytes": 15728640,
        "requested_bytes": 15728640,
        "blocks": 1
      },
      {
        "label": "train.py:41 step",
        "bytes": 15728640,
        "requested_bytes": 15728640,
        "blocks": 1
      }
    ]
  },
  "expandable_segments_not_with": [
    {
      "with": "memory pools with an allocator of their own",
      "what": "the pool's own allocator is not called (MemPool over CUDAPluggableAllocator; open since February 2025)",
      "source": "pytorch/pytorch#147851"
    },
    {
      "with": "NCCL user buffers",
      "what": "registration expects memory from ncclMemAlloc; pools for it work unreliably beside them",
      "source": "pytorch/pytorch#165419"
    },
    {
      "with": "CUDA IPC",
      "what": "cudaIpcGetMemHandle does not take such memory; PyTorch passes its own handles, which in 2.13 differ within one segment",
      "source": "pytorch/pytorch#198305"
    },
    {
      "with": "RDMA",
      "what": "registering such memory fails (Bad address)",
      "source": "uccl-project/uccl#839"
    },
    {
      "with": "torch_memory_saver",
      "what": "it refuses to start (used by SGLang to release memory, and in colocated training)",
      "source": "fzyzcjy/torch_memory_saver"
    }
  ],
  "replay": {
    "emulated": false,
    "exact": true,
    "exact_events": 2,
    "events": 2,
    "exact_allocations": 1,
    "allocations": 1,
    "exact_segments": 1,
    "segments": 1,
    "why": null,
    "profile": "torch-2.14",
    "alloc_conf": "expandable_segments:True",
    "alloc_conf_known": true,
    "live_before_bytes": 15728640,
    "reserved_before_bytes": 20971520,
    "stray_events": 0
  }
}
# What changed.
$ zirve explain tests/data/snapshots/gen6.pickle --diff tests/data/snapshots/pending.pickle
ACTIVE +1.00 KiB: from 1.00 KiB (1.02 kB) to 2.00 KiB (2.05 kB).
Reserved +20.00 MiB: from 2.00 MiB (2.10 MB) to 22.00 MiB (23.07 MB).

       +1.00 KiB       0 to      1 x  train.py:41 step
$ zirve explain tests/data/snapshots/gen6.pickle --diff tests/data/snapshots/pending.pickle --json
{
  "schema": "zirve.explain_difference/1",
  "before_known": "measured",
  "after_known": "measured",
  "before": {
    "allocated_bytes": 0,
    "reserved_bytes": 2097152,
    "active_bytes": 1024,
    "requested_bytes": 1000,
    "inactive_split_bytes": 2096128
  },
  "after": {
    "allocated_bytes": 2048,
    "reserved_bytes": 23068672,
    "active_bytes": 2048,
    "requested_bytes": 1600,
    "inactive_split_bytes": 2095104
  },
  "changes": [
    {
      "label": "train.py:41 step",
      "before_bytes": 0,
      "after_bytes": 1024,
      "before_blocks": 0,
      "after_blocks": 1
    },
    {
      "label": "model.py:12 load",
      "before_bytes": 1024,
      "after_bytes": 1024,
      "before_blocks": 1,
      "after_blocks": 1
    }
  ]
}
# Bad input and bad questions.
$ head -c 700 tests/data/snapshots/gen6.pickle >$TMP/cut.pickle; zirve explain $TMP/cut.pickle
zirve explain: TMP/cut.pickle: byte 2: truncated: a frame of 1303 bytes begins, 689 follow
? 3
$ printf '\200\004cos\nsystem\n.' >$TMP/code.pickle; zirve explain $TMP/code.pickle
zirve explain: TMP/code.pickle: byte 2: this pickle would run code (GLOBAL); a memory snapshot never does
? 3
$ echo '{"traceEvents":[{"name":"x"}]}' | zirve explain -
zirve explain: -: no memory event of a GPU in it: record with profile_memory=True
? 3
$ echo 'hello' | zirve explain -
zirve explain: -: neither a memory snapshot (pickle), a profiler trace (JSON), an op list nor a text with an out-of-memory message
? 4
$ printf 'PK\003\004' | zirve explain -
zirve explain: -: a zip archive, as torch.save writes: expected a memory snapshot, which pickle.dump or _dump_snapshot writes
? 4
$ zirve explain tests/data/snapshots/gen6.pickle --at 6
zirve explain: --at 6: expected an event (0 to 5), a time such as 1.5s, peak, reserved-peak, oom or end
? 64
$ zirve explain tests/data/snapshots/gen6.pickle --at oom
zirve explain: --at oom: no request failed in this record
? 64
$ zirve explain tests/data/snapshots/gen6.pickle --by person
zirve explain: --by person: no such word (see zirve explain --help)
? 64
$ zirve explain tests/data/snapshots/gen6.pickle --pattern "("
zirve explain: --pattern (: Unmatched ( or \(
? 64
# Profiler traces: totals where they were recorded, sums where not.
$ echo '{"deviceProperties":[{"id":0,"totalGlobalMem":17179869184}],"traceEvents":[{"ph":"i","name":"[memory]","ts":5,"args":{"Device Type":1,"Device Id":0,"Addr":4096,"Bytes":512,"Total Allocated":1536,"Total Reserved":2097152}},{"name":"other","args":{"x":[[1],[]]}},{"name":"[memory]","ts":7.5,"args":{"Device Type":1,"Device Id":0,"Addr":4096,"Bytes":-512,"Total Allocated":1024,"Total Reserved":2097152}},{"name":"[memory]","ts":8,"args":{"Device Type":0,"Device Id":-1,"Bytes":99}}]}' >$TMP/trace.json; zirve explain $TMP/trace.json
PEAK 1.50 KiB (1.54 kB) allocated, after event 1 of 2, 0.000 s into the record.
No allocation failed.

Peaks: 1.50 KiB (1.54 kB) allocated, 2.00 MiB (2.10 MB) reserved (first reached
after event 1 of 2, 0.000 s into the record).
replay: only bounds: a profiler writes rounded sizes and no streams
  The allocator's backend is not in the file: with cudaMallocAsync reserved
  peaks are upper bounds.
  Memory outside this allocator (CUDA context, NCCL, cuBLAS, other processes) is
  not in the file: a higher reading in nvidia-smi alone is no sign of a leak.

Next:
  settings that reserve less   zirve replay TMP/trace.json --advise
  memory over time, as a page  zirve view TMP/trace.json -o report.html
$ gzip -c $TMP/trace.json | zirve explain - --json
{
  "schema": "zirve.explain/1",
  "source": "profiler",
  "known": "measured",
  "known_by": null,
  "backend": null,
  "device": 0,
  "devices": 1,
  "events_left_out_before": 0,
  "verdict": {
    "kind": "peak",
    "out_of_memory": false,
    "requested_bytes": null,
    "device_free_bytes": null,
    "capacity_bytes": 17179869184,
    "outside_bytes": null,
    "missing_bytes": null,
    "pool_free_bytes": null,
    "pool_largest_hole_bytes": null
  },
  "peak_allocated": {
    "after_event": 1,
    "usage": {
      "allocated_bytes": 1536,
      "reserved_bytes": 2097152,
      "active_bytes": null,
      "requested_bytes": null,
      "inactive_split_bytes": null
    }
  },
  "peak_reserved": {
    "after_event": 1,
    "usage": {
      "allocated_bytes": 1536,
      "reserved_bytes": 2097152,
      "active_bytes": null,
      "requested_bytes": null,
      "inactive_split_bytes": null
    }
  },
  "end": {
    "usage": {
      "allocated_bytes": 1024,
      "reserved_bytes": 2097152,
      "active_bytes": null,
      "requested_bytes": null,
      "inactive_split_bytes": null
    }
  },
  "replay": {
    "emulated": false,
    "exact": false,
    "exact_events": 0,
    "events": 2,
    "exact_allocations": 0,
    "allocations": 0,
    "exact_segments": 0,
    "segments": 0,
    "why": "a profiler writes no streams and no requests",
    "profile": "torch-2.14",
    "alloc_conf": "",
    "alloc_conf_known": false,
    "live_before_bytes": null,
    "reserved_before_bytes": null,
    "stray_events": 0
  }
}
$ echo '[[-1,1,1000,0],[5000,2,300,4],[6000,4,-300,4]]' | zirve explain -
PEAK 1.27 KiB (1.30 kB) allocated, after event 2 of 3. No allocation failed.
Held by: parameter 76.9%, activation 23.1%.

Allocated bytes by category:
        1000 B  76.9%       1 x  parameter
         300 B  23.1%       1 x  activation

Peaks: reserved bytes are not recorded; allocated bytes are sums of the events,
a lower bound.
replay: only bounds: a profiler writes rounded sizes and no streams
  Memory outside this allocator (CUDA context, NCCL, cuBLAS, other processes) is
  not in the file: a higher reading in nvidia-smi alone is no sign of a leak.
$ echo '[[-1,1,1000]]' | zirve explain -
zirve explain: -: byte 12: no row of a memory timeline: expected [ns, 1-4, bytes, 0-7], as in .raw.json.gz, or [times, sizes by category], as in .json
? 3
# Pasted messages and logs.
$ echo 'CUDA out of memory. Tried to allocate 2.26 GiB (GPU 0; 6.00 GiB total capacity; 781.59 MiB already allocated; 3.03 GiB free; 1.24 GiB reserved in total by PyTorch)' | zirve explain -
OUT OF MEMORY although the card had room: 2.26 GiB (2.43 GB) requested, 3.03 GiB
(3.25 GB) free. A limit of the process or the system, or memory that was freed
after the request failed.

The message of line 1 says (measured, two decimals):
  requested                2.26 GiB (2.43 GB)
  card                     6.00 GiB (6.44 GB)         as the process sees it
  free on the card         3.03 GiB (3.25 GB)
  allocated                781.59 MiB (819.56 MB)     by PyTorch
  reserved, not allocated  488.17 MiB (511.88 MB)
  this process, all        unknown
  others and outside       1.73 GiB (1.86 GB)         card less free less reserved
Who held it, and where the holes are, only a memory snapshot tells
(torch.cuda.memory._record_memory_history, then _dump_snapshot).
$ echo 'Tried to allocate 1.00 GiB. GPU 3 has a total capacity of 64.00 GiB of which 0 bytes is free. Of the allocated memory 20.00 GiB is allocated by PyTorch, and 512.00 MiB is reserved by PyTorch but unallocated.' | zirve explain - --json
{
  "schema": "zirve.explain_message/1",
  "line": 1,
  "memory": "device",
  "words": null,
  "verdict": "outside",
  "within_printed_precision": false,
  "requested_bytes": 1073741824,
  "capacity_bytes": 68719476736,
  "device_free_bytes": 0,
  "allowed_bytes": null,
  "allocated_bytes": 21474836480,
  "private_pool_bytes": null,
  "reserved_unallocated_bytes": 536870912,
  "reserved_bytes": 22011707392,
  "this_process_bytes": null,
  "outside_bytes": 46707769344,
  "missing_bytes": 536870912
}
$ zirve explain tests/data/logs/vllm-oom.log
OUT OF MEMORY: 136.00 MiB (142.61 MB) requested. Why, this text does not say.

The message of line 5 says (measured, two decimals):
  requested                136.00 MiB (142.61 MB)
  card                     22.36 GiB (24.01 GB)       as the process sees it
  free on the card         120.88 MiB (126.75 MB)
  allocated                unknown
  reserved, not allocated  unknown
  this process, all        unknown
  others and outside       unknown
Who held it, and where the holes are, only a memory snapshot tells
(torch.cuda.memory._record_memory_history, then _dump_snapshot).
$ zirve explain tests/data/logs/llamacpp-oom.log --unit GiB
OUT OF MEMORY: 29.30 GiB requested. Why, this text does not say.

The message of line 3 says (measured, two decimals):
  requested                29.30 GiB
  card                     unknown
  free on the card         unknown
  allocated                unknown
  reserved, not allocated  unknown
  this process, all        unknown
  others and outside       unknown
Who held it, and where the holes are, only a memory snapshot tells
(torch.cuda.memory._record_memory_history, then _dump_snapshot).
# A request that fails for want of a hole, recorded by a replay; Python reads what is written.
$ zirve replay tests/data/ops/hole.txt --capacity 6.6GB --snapshot $TMP/hole.pickle >/dev/null; zirve explain $TMP/hole.pickle --by size
OUT OF MEMORY by fragmentation: 1.86 GiB (2.00 GB) requested; 4.66 GiB (5.01 GB)
free in the cache and 566.25 MiB (593.76 MB) on the card, but the largest hole
is 1.17 GiB (1.25 GB).
Held by: (no stack recorded) 100.0%.

Device 0, after event 32 of 33:
  reserved         5.59 GiB (6.01 GB)         from the driver
    free in cache  4.66 GiB (5.01 GB)         reserved less active
    largest hole   1.17 GiB (1.25 GB)
    inactive split 4.66 GiB (5.01 GB)         free, but not releasable
  active           953.68 MiB (1000.00 MB)
  allocated        953.68 MiB (1000.00 MB)
  requested        953.67 MiB (1000.00 MB)
    rounding       1.50 KiB (1.54 kB)         active less requested

Pool, stream        reserved   allocated   requested inactive split largest hole
  large, 0          5.59 GiB  953.68 MiB  953.67 MiB       4.66 GiB     1.17 GiB

Active bytes by size:
    953.68 MiB 100.0%       4 x  128 MiB and more, less than twice that

Reserved but unused:
  free parts       4.66 GiB (5.01 GB)         of segments with live blocks
  empty segments   0 B                        empty_cache() releases them
Segments that cannot be released, least live bytes first (4 in all):
  1.17 GiB free of 1.40 GiB at 0x1000000000000, pinned by 1 block:
      238.42 MiB  (no stack recorded)
  1.17 GiB free of 1.40 GiB at 0x1000059800000, pinned by 1 block:
      238.42 MiB  (no stack recorded)
  1.17 GiB free of 1.40 GiB at 0x10000b3000000, pinned by 1 block:
      238.42 MiB  (no stack recorded)
  1.17 GiB free of 1.40 GiB at 0x100010c800000, pinned by 1 block:
      238.42 MiB  (no stack recorded)

Peaks: 5.59 GiB (6.00 GB) allocated, 5.59 GiB (6.01 GB) reserved (first reached
after event 19 of 33). They are of different instants and must not be
subtracted.
replay: exact 12/12 allocations and 4/4 segments, at the emulated addresses
  Emulated: an op list, run on the simulated card; allocator torch-2.14;
  settings default.
  Before the first event nothing was reserved: the history is complete.
  953.68 MiB (1000.00 MB) of the active bytes has no stack.
  Memory outside this allocator (CUDA context, NCCL, cuBLAS, other processes) is
  not in the file: a higher reading in nvidia-smi alone is no sign of a leak.

Placement: peak reserved 5.59 GiB (6.01 GB), peak of non-empty segments 5.59 GiB
(6.01 GB), a perfect plan 5.59 GiB (6.00 GB): no placement needs less (zirve
place).

Next:
  settings under which it fits zirve replay TMP/hole.pickle --capacity 6600000000B --advise
  what to change               zirve explain TMP/hole.pickle --advise
  memory over time, as a page  zirve view TMP/hole.pickle -o report.html
$ zirve explain $TMP/hole.pickle --capacity 40GB --top 1 --by pool | head -3
OUT OF MEMORY by fragmentation: 1.86 GiB (2.00 GB) requested; 4.66 GiB (5.01 GB)
free in the cache and 566.25 MiB (593.76 MB) on the card, but the largest hole
is 1.17 GiB (1.25 GB).
$ zirve replay tests/data/ops/hole.txt --capacity 2GB --snapshot $TMP/small.pickle >/dev/null; zirve explain $TMP/small.pickle --at oom | head -3
OUT OF MEMORY for lack of capacity: 476.84 MiB (500.00 MB) live and 1.86 GiB
(2.00 GB) requested are at least 476.84 MiB (500.00 MB) more than this process
could get.
$ zirve replay tests/data/ops/hole.txt --capacity 2GB --snapshot $TMP/small.pickle
zirve replay: TMP/small.pickle: exists already and is not overwritten
? 3
# Against an estimate.
$ zirve estimate $M/llama-3.1-8b/config.json --task train --seq-length 64 --json >$TMP/estimate.json; zirve explain tests/data/snapshots/gen6.pickle --against $TMP/estimate.json --by size | tail -16
difference: recorded less estimated):
                                estimated       recorded     difference
  weights, cache, inputs        14.96 GiB        unknown
  gradients                     14.96 GiB        unknown
  optimizer states              29.92 GiB        unknown
  activations                   14.96 GiB        unknown
  rounding of blocks                    -          448 B
  allocated                     74.79 GiB       3.00 MiB     -74.78 GiB
  cached, not in use                    -      19.00 MiB
  outside the allocator        286.10 MiB        unknown
No stack tells who allocated what: only the sums can be compared.

Next:
  settings that reserve less   zirve replay tests/data/snapshots/gen6.pickle --advise
  what grows, never empties    zirve explain tests/data/snapshots/gen6.pickle --habits
  memory over time, as a page  zirve view tests/data/snapshots/gen6.pickle -o report.html
$ zirve explain tests/data/snapshots/gen6.pickle --against tests/data/snapshots/gen6.pickle
zirve explain: tests/data/snapshots/gen6.pickle: byte 0: JSON: expected a value
? 3
$ zirve explain tests/data/snapshots/gen6.pickle --habits --against $TMP/estimate.json --json
zirve explain: --json: --habits and --against are a document each, expected one of them
? 64
$ echo '{"schema":"other"}' >$TMP/other.json; zirve explain tests/data/snapshots/gen6.pickle --against $TMP/other.json
zirve explain: TMP/other.json: no estimate: expected the output of 'zirve estimate --json'
? 4
# Our own form, and a part of a record.
$ zirve explain tests/data/snapshots/gen6.pickle --capture $TMP/gen6.zv | sed /^Next/q >$TMP/one; zirve explain $TMP/gen6.zv | sed /^Next/q >$TMP/two; cmp $TMP/one $TMP/two && echo the same
the same
$ gzip -c $TMP/gen6.zv | zirve explain - --range 0-2 --by frame
PEAK 3.00 MiB (3.15 MB) allocated, after event 2 of 2, 0.001 s into the record.
No allocation failed.
Held by: train.py:41 step 100.0%.
Only events 1 to 2 of the file; they are counted from 1 here.

Device 0, after event 2 of 2, 0.001 s into the record:
  reserved         22.00 MiB (23.07 MB)       from the driver
    free in cache  19.00 MiB (19.92 MB)       reserved less active
    largest hole   17.00 MiB (17.83 MB)
    inactive split 19.00 MiB (19.92 MB)       free, but not releasable
  active           3.00 MiB (3.15 MB)
  allocated        3.00 MiB (3.15 MB)
  requested        3.00 MiB (3.15 MB)
    rounding       24 B                       active less requested

Pool, stream        reserved   allocated   requested inactive split largest hole
  large, 0         20.00 MiB    3.00 MiB    3.00 MiB      17.00 MiB    17.00 MiB
  small, 0          2.00 MiB    1.00 KiB      1000 B       2.00 MiB     2.00 MiB

Active bytes by frame:
      3.00 MiB 100.0%       1 x  train.py:41 step
      1.00 KiB   0.0%       1 x  model.py:12 load

Reserved but unused:
  free parts       19.00 MiB (19.92 MB)       of segments with live blocks
  empty segments   0 B                        empty_cache() releases them
Segments that cannot be released, least live bytes first (2 in all):
  2.00 MiB free of 2.00 MiB at 0x7f0000000000, pinned by 1 block:
        1.00 KiB  model.py:12 load
  17.00 MiB free of 20.00 MiB at 0x7f0000200000, pinned by 1 block:
        3.00 MiB  train.py:41 step

Peaks: 3.00 MiB (3.15 MB) allocated, 22.00 MiB (23.07 MB) reserved (first
reached after event 1 of 2, 0.000 s into the record). They are of different
instants and must not be subtracted.
replay: exact 1/1 allocations and 1/1 segments, at the recorded addresses
  Written by PyTorch 2.10 or later; allocator torch-2.14; settings default.
  Before the first event: 1.00 KiB (1.02 kB) live in 1 block, 2.00 MiB (2.10 MB)
  reserved (the end state with the history undone). The history is a ring
  buffer; whether it dropped older events is not recorded.
  Memory outside this allocator (CUDA context, NCCL, cuBLAS, other processes) is
  not in the file: a higher reading in nvidia-smi alone is no sign of a leak.

Placement: peak reserved 22.00 MiB (23.07 MB), peak of non-empty segments 22.00
MiB (23.07 MB), a perfect plan 3.00 MiB (3.15 MB): no placement needs less
(zirve place).
$ zirve explain tests/data/snapshots/gen6.pickle --range 0.001s-0.002s --json --by role | head -13
{
  "schema": "zirve.explain/1",
  "source": "snapshot",
  "known": "measured",
  "known_by": null,
  "backend": "native",
  "device": 0,
  "devices": 1,
  "events_left_out_before": 1,
  "verdict": {
    "kind": "static",
    "out_of_memory": false,
    "requested_bytes": null,
$ zirve explain tests/data/snapshots/gen6.pickle --range 3
zirve explain: --range 3: expected events (1000-2000) or seconds (1.5s-2s)
? 64
$ head -c 300 $TMP/gen6.zv | zirve explain -
zirve explain: -: byte 300: capture: truncated: it does not end with its index
? 3
$ zirve replay $TMP/gen6.zv --capacity 1GB | head -5
replay: exact 2/2 allocations and 1/1 segments, at the recorded addresses
  Written by PyTorch 2.10 or later; allocator torch-2.14; settings default.
  Before the first event: 1.00 KiB (1.02 kB) live in 1 block, 2.00 MiB (2.10 MB)
  reserved (the end state with the history undone). The history is a ring
  buffer; whether it dropped older events is not recorded.
# A time is an instant too: after its last event.
$ zirve explain tests/data/snapshots/gen6.pickle --at 0.0015s --by frame | grep ^Device
Device 0, after event 2 of 5, 0.001 s into the record:
$ zirve explain tests/data/snapshots/gen6.pickle --at 1.5x
zirve explain: --at 1.5x: expected an event (0 to 5), a time such as 1.5s, peak, reserved-peak, oom or end
? 64
# The stream of a block in no recorded segment that was live before the first event: nobody wrote it down.
$ zirve explain tests/data/snapshots/no-segments.pickle --range 3-9 --at 0 --segments --by stream --by pool | sed -n '/^Pool/,/^Peaks/p'
Pool, stream        reserved   allocated   requested inactive split largest hole
  unrecorded        5.00 MiB    5.00 MiB    5.00 MiB            0 B          0 B

Active bytes by stream:
      5.00 MiB 100.0%       3 x  (not recorded)

Active bytes by pool:
      5.00 MiB 100.0%       3 x  (not recorded)

Segments (3):
  address                 size          live  largest hole  pool, stream
  0x7f0000000200      1.00 KiB      1.00 KiB           0 B  unrecorded unknown
  0x7f0000500000      2.00 MiB      2.00 MiB           0 B  unrecorded unknown
  0x7f0000200000      3.00 MiB      3.00 MiB           0 B  unrecorded unknown

Peaks: 5.00 MiB (5.24 MB) allocated, 5.00 MiB (5.24 MB) reserved (first reached
$ zirve explain tests/data/snapshots/no-segments.pickle --range 3-9 --at 0 --json --by pool | grep -E '"(pool|pool_id|stream|recorded)"'
        "pool": null,
        "pool_id": null,
        "stream": null,
        "pool": null,
        "pool_id": null,
        "stream": null,
        "recorded": false
        "pool": null,
        "pool_id": null,
        "stream": null,
        "recorded": false
        "pool": null,
        "pool_id": null,
        "stream": null,
        "recorded": false
    "pool": [
# Words without figures.
$ echo 'RuntimeError: CUDA error: out of memory' | zirve explain -
OUT OF DEVICE MEMORY: PyTorch printed "CUDA error: out of memory". The text does
not say how much was requested, or why there was no room.

Line 1 says it without figures.
A call to the driver or to a library failed, not a request to PyTorch's
allocator: memory that the allocator keeps cached is not free for such calls.
'zirve environment' shows who uses the card.
$ printf 'a\njaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 8589934592 bytes.\n' | zirve explain - --json | head -9
{
  "schema": "zirve.explain_message/1",
  "line": 2,
  "memory": "device",
  "words": "RESOURCE_EXHAUSTED: Out of memory",
  "verdict": null,
  "within_printed_precision": false,
  "requested_bytes": null,
  "capacity_bytes": null,
$ echo 'std::bad_alloc' | zirve explain -
OUT OF HOST MEMORY: C++ printed "std::bad_alloc". The text does not say how much
was requested, or why there was no room.

Line 1 says it without figures.
# Habits.
$ zirve explain tests/data/snapshots/gen6.pickle --habits --by size | tail -8
Segments present throughout and never empty: 1, 2.00 MiB (2.10 MB), of which
2.00 KiB (2.05 kB) is live at the end.
      1.00 KiB         1 x  model.py:12 load
      1.00 KiB         1 x  train.py:41 step

Next:
  settings that reserve less   zirve replay tests/data/snapshots/gen6.pickle --advise
  memory over time, as a page  zirve view tests/data/snapshots/gen6.pickle -o report.html
$ printf 'a 1 20000000 0\na 2 30000000 0\ns 1 5\nf 1\na 3 1000 0\nf 3\ny 5\na 4 20000000 0\nf 2\nf 4\n' >$TMP/late.txt; zirve explain $TMP/late.txt --habits | sed -n '/^Frees/,/^Segments/p'
Frees that waited for another stream: 1, at most 19.07 MiB (20.00 MB) at once,
the longest for 5 events.
     19.07 MiB         1 x  (no stack recorded)
Segments present throughout and never empty: 0, 0 B, of which 0 B is live at the
$ echo '{"schema":"zirve.step/1"}' >$TMP/step.json; zirve explain tests/data/snapshots/gen6.pickle --against $TMP/step.json
zirve explain: TMP/step.json: a step run op by op has no items to compare: expected the output of 'zirve estimate --json' without --framework
? 4
$ zirve explain tests/data/snapshots/gen6.pickle --habits --json
{
  "schema": "zirve.explain_habits/1",
  "known": "measured",
  "by_optimizer_steps": false,
  "growing": [],
  "late_frees": 0,
  "late_peak_bytes": 0,
  "late_longest_events": 0,
  "late_by": [],
  "never_empty_segments": 1,
  "never_empty_bytes": 2097152,
  "never_empty_live_bytes": 2048,
  "never_empty_by": [
    {
      "label": "model.py:12 load",
      "bytes": 1024,
      "blocks": 1
    },
    {
      "label": "train.py:41 step",
      "bytes": 1024,
      "blocks": 1
    }
  ]
}
$ zirve explain tests/data/snapshots/bare-list.pickle --habits
zirve explain: habits need a memory snapshot with a history
? 4
# Peaks of 8 GiB allocated and 12 GiB reserved are of different instants (gaps of 2 and 6 GiB): not subtracted.
$ echo '{"traceEvents":[{"name":"[memory]","ts":1,"args":{"Device Type":1,"Device Id":0,"Addr":1,"Bytes":8589934592,"Total Allocated":8589934592,"Total Reserved":10737418240}},{"name":"[memory]","ts":2,"args":{"Device Type":1,"Device Id":0,"Addr":1,"Bytes":-2147483648,"Total Allocated":6442450944,"Total Reserved":12884901888}}]}' | zirve explain - --unit GiB
PEAK 8.00 GiB allocated, after event 1 of 2, 0.000 s into the record. No
allocation failed.

Peaks: 8.00 GiB allocated, 12.00 GiB reserved (first reached after event 2 of 2,
0.000 s into the record). They are of different instants and must not be
subtracted.
replay: only bounds: a profiler writes rounded sizes and no streams
  The allocator's backend is not in the file: with cudaMallocAsync reserved
  peaks are upper bounds.
  Memory outside this allocator (CUDA context, NCCL, cuBLAS, other processes) is
  not in the file: a higher reading in nvidia-smi alone is no sign of a leak.
# An op list is run first; its segments. Settings that do not go together with other parts are named.
$ zirve explain tests/data/ops/hole.txt --capacity 6.6GB --segments --top 2 --by size
OUT OF MEMORY by fragmentation: 1.86 GiB (2.00 GB) requested; 4.66 GiB (5.01 GB)
free in the cache and 566.25 MiB (593.76 MB) on the card, but the largest hole
is 1.17 GiB (1.25 GB).
Held by: (no stack recorded) 100.0%.

Device 0, after event 32 of 33:
  reserved         5.59 GiB (6.01 GB)         from the driver
    free in cache  4.66 GiB (5.01 GB)         reserved less active
    largest hole   1.17 GiB (1.25 GB)
    inactive split 4.66 GiB (5.01 GB)         free, but not releasable
  active           953.68 MiB (1000.00 MB)
  allocated        953.68 MiB (1000.00 MB)
  requested        953.67 MiB (1000.00 MB)
    rounding       1.50 KiB (1.54 kB)         active less requested

Pool, stream        reserved   allocated   requested inactive split largest hole
  large, 0          5.59 GiB  953.68 MiB  953.67 MiB       4.66 GiB     1.17 GiB

Active bytes by size:
    953.68 MiB 100.0%       4 x  128 MiB and more, less than twice that

Reserved but unused:
  free parts       4.66 GiB (5.01 GB)         of segments with live blocks
  empty segments   0 B                        empty_cache() releases them
Segments that cannot be released, least live bytes first (4 in all):
  1.17 GiB free of 1.40 GiB at 0x1000000000000, pinned by 1 block:
      238.42 MiB  (no stack recorded)
  1.17 GiB free of 1.40 GiB at 0x1000059800000, pinned by 1 block:
      238.42 MiB  (no stack recorded)

Segments (4):
  address                 size          live  largest hole  pool, stream
  0x1000000000000      1.40 GiB    238.42 MiB      1.17 GiB  large 0
  0x1000059800000      1.40 GiB    238.42 MiB      1.17 GiB  large 0
  and 2 more

Peaks: 5.59 GiB (6.00 GB) allocated, 5.59 GiB (6.01 GB) reserved (first reached
after event 19 of 33). They are of different instants and must not be
subtracted.
replay: exact 12/12 allocations and 4/4 segments, at the emulated addresses
  Emulated: an op list, run on the simulated card; allocator torch-2.6; settings
  default.
  Before the first event nothing was reserved: the history is complete.
  953.68 MiB (1000.00 MB) of the active bytes has no stack.
  Memory outside this allocator (CUDA context, NCCL, cuBLAS, other processes) is
  not in the file: a higher reading in nvidia-smi alone is no sign of a leak.

Placement: peak reserved 5.59 GiB (6.01 GB), peak of non-empty segments 5.59 GiB
(6.01 GB), a perfect plan 5.59 GiB (6.00 GB): no placement needs less (zirve
place).

Next:
  settings under which it fits zirve replay tests/data/ops/hole.txt --capacity 6600000000B --advise
  what to change               zirve explain tests/data/ops/hole.txt --advise
  memory over time, as a page  zirve view tests/data/ops/hole.txt -o report.html
$ zirve explain tests/data/ops/streams.txt --alloc-conf expandable_segments:True --by pool
PEAK 8.58 MiB (9.00 MB) allocated, after event 7 of 14. No allocation failed.
Held by: (no stack recorded) 100.0%.

Device 0, after event 7 of 14:
  reserved         20.00 MiB (20.97 MB)       from the driver
    free in cache  11.42 MiB (11.97 MB)       reserved less active
    largest hole   11.42 MiB (11.97 MB)
    inactive split 0 B                        free, but not releasable
  active           8.58 MiB (9.00 MB)
  allocated        8.58 MiB (9.00 MB)
  requested        8.58 MiB (9.00 MB)
    rounding       960 B                      active less requested

Pool, stream        reserved   allocated   requested inactive split largest hole
  large, 0         20.00 MiB    8.58 MiB    8.58 MiB            0 B    11.42 MiB

Active bytes by pool:
      8.58 MiB 100.0%       3 x  large

Reserved but unused:
  free parts       11.42 MiB (11.97 MB)       of segments with live blocks
  empty segments   0 B                        empty_cache() releases them
Segments that cannot be released, least live bytes first (1 in all):
  11.42 MiB free of 20.00 MiB at 0x1000000000000000, pinned by 3 blocks:
        2.86 MiB  (no stack recorded)
        2.86 MiB  (no stack recorded)
        2.86 MiB  (no stack recorded)

Peaks: 8.58 MiB (9.00 MB) allocated, 20.00 MiB (20.97 MB) reserved (first
reached after event 1 of 14). They are of different instants and must not be
subtracted.
replay: exact 4/4 allocations and 1/1 segments, at the emulated addresses
  Emulated: an op list, run on the simulated card; allocator torch-2.6; settings
  expandable_segments:True.
  Before the first event nothing was reserved: the history is complete.

expandable_segments conflicts with:
  memory pools with an allocator of their own: the pool's own allocator is not
  called (MemPool over CUDAPluggableAllocator; open since February 2025)
  (pytorch/pytorch#147851)
  NCCL user buffers: registration expects memory from ncclMemAlloc; pools for it
  work unreliably beside them (pytorch/pytorch#165419)
  CUDA IPC: cudaIpcGetMemHandle does not take such memory; PyTorch passes its
  own handles, which in 2.13 differ within one segment (pytorch/pytorch#198305)
  RDMA: registering such memory fails (Bad address) (uccl-project/uccl#839)
  torch_memory_saver: it refuses to start (used by SGLang to release memory, and
  in colocated training) (fzyzcjy/torch_memory_saver)
  8.58 MiB (9.00 MB) of the active bytes has no stack.
  Memory outside this allocator (CUDA context, NCCL, cuBLAS, other processes) is
  not in the file: a higher reading in nvidia-smi alone is no sign of a leak.

Placement: peak reserved 20.00 MiB (20.97 MB), peak of non-empty segments 20.00
MiB (20.97 MB), a perfect plan 8.58 MiB (9.00 MB): no placement needs less
(zirve place).

Next:
  settings that reserve less   zirve replay tests/data/ops/streams.txt --advise
  what grows, never empties    zirve explain tests/data/ops/streams.txt --habits
  memory over time, as a page  zirve view tests/data/ops/streams.txt -o report.html
# A memory timeline, processed: who held what by category.
$ echo '[[10,20,30],[[0,100,0,0,0,0,0,0,0],[0,100,0,0,0,2500,300,0,0],[0,100,7,0,0,0,300,0,0]]]' | zirve explain -
PEAK 2.84 KiB (2.91 kB) allocated, after event 4 of 5, 0.000 s into the record.
No allocation failed.
Held by: activation 86.0%, gradient 10.3%, parameter 3.4%.

Allocated bytes by category:
      2.44 KiB  86.0%       1 x  activation
         300 B  10.3%       1 x  gradient
         100 B   3.4%       1 x  parameter
           7 B   0.2%       1 x  optimizer state

Peaks: reserved bytes are not recorded; allocated bytes are sums of the events,
a lower bound.
replay: only bounds: a profiler writes rounded sizes and no streams
  Memory outside this allocator (CUDA context, NCCL, cuBLAS, other processes) is
  not in the file: a higher reading in nvidia-smi alone is no sign of a leak.
$ echo '[[10],[[0,100,0,0,0,0,0,0,0]]]' | zirve explain - --at end --json | sed -n '/held_by/,/^  \]/p'
  "held_by": {
    "category": [
      {
        "label": "parameter",
        "bytes": 100,
        "requested_bytes": 100,
        "blocks": 1
      }
    ]
  },
  "replay": {
    "emulated": false,
    "exact": false,
    "exact_events": 0,
    "events": 1,
    "exact_allocations": 0,
    "allocations": 0,
    "exact_segments": 0,
    "segments": 0,
    "why": "a profiler writes no streams and no requests",
    "profile": "torch-2.14",
    "alloc_conf": "",
    "alloc_conf_known": false,
    "live_before_bytes": null,
    "reserved_before_bytes": null,
    "stray_events": 0
  }
}
$ echo '[[10,20],[[0,100,0,0,0,0,0,0,0]]]' | zirve explain -
zirve explain: -: byte 31: no row of a memory timeline: expected [ns, 1-4, bytes, 0-7], as in .raw.json.gz, or [times, sizes by category], as in .json
? 3
# What begins with a bracket may be a log.
$ echo '[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.' | zirve explain - | head -1
OUT OF MEMORY: 2.00 GiB (2.15 GB) requested. Why, this text does not say.
$ printf "{'loss': 1.5}\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n" | zirve explain - | head -1
OUT OF MEMORY: 2.00 GiB (2.15 GB) requested. Why, this text does not say.
$ printf '{"step": 1}\n{"error": "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."}\n' | zirve explain - | head -1
OUT OF MEMORY: 2.00 GiB (2.15 GB) requested. Why, this text does not say.
$ printf '{"error": "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."}' | zirve explain - --json | head -2
{
  "schema": "zirve.explain_message/1",
$ echo '{INFO} all is well' | zirve explain -
zirve explain: -: neither a memory snapshot (pickle), a profiler trace (JSON), an op list nor a text with an out-of-memory message
? 4
$ printf '{"step": 1}\n{"step": 2}\n' | zirve explain -
zirve explain: -: byte 12: JSON: expected ',' or a closing bracket
? 3
$ printf '{"traceEvents": [' | zirve explain -
zirve explain: -: byte 17: JSON: unexpected end
? 3
# Engines that stopped in their own words.
$ printf 'INFO x\nValueError: Free memory on device cuda:0 (34.34/121.63 GiB) on startup is less than desired GPU memory utilization (0.8, 97.3 GiB).\n' | zirve explain - --unit GiB
NOT STARTED because of memory outside this process: vLLM takes 97.30 GiB of the
card, and 34.34 GiB was free.

Line 2 says (vLLM):
  card                     121.63 GiB
  free at the start        34.34 GiB
  share                    0.80 (--gpu-memory-utilization)
  to be taken              97.30 GiB
  missing                  62.96 GiB
A larger share makes it worse here: end what uses the card, or lower the share
to what is free, if weights and one request fit in that.
Everything else is unknown: the text does not say it.
$ echo "To serve at least one request with the models's max seq len (131072), (4.00 GiB KV cache is needed, which is larger than the available KV cache memory (0.65 GiB). Based on the available memory, the estimated maximum model length is 21440." | zirve explain -
NOT STARTED for lack of capacity: one request of the longest context needs 4.00
GiB (4.29 GB) of cache, and 665.60 MiB (697.93 MB) is left for it.

Line 1 says (vLLM):
  needed                   4.00 GiB (4.29 GB)
  left for the cache       665.60 MiB (697.93 MB)
  missing                  3.35 GiB (3.60 GB)
  longest context          131,072 tokens
  would fit                21,440 tokens
A shorter context (--max-model-len) is the exact remedy; a larger share, or a
smaller type for the cache, the others.
Everything else is unknown: the text does not say it.
$ echo 'RuntimeError: Not enough memory. Please try to increase --mem-fraction-static.' | zirve explain - --json
{
  "schema": "zirve.explain_engine/1",
  "line": 1,
  "engine": "SGLang",
  "stopped_by": "no_cache",
  "option": "--mem-fraction-static",
  "device_total_bytes": null,
  "device_free_bytes": null,
  "share_hundredths": null,
  "needed_bytes": null,
  "available_bytes": null,
  "missing_bytes": null,
  "context_tokens": null,
  "fitting_tokens": null,
  "device": null,
  "purpose": null
}
$ echo 'llama_kv_cache: failed to allocate CUDA1 buffer of size 1073741824' | zirve explain - --unit MiB
OUT OF MEMORY: llama.cpp requested a buffer of 1024.00 MiB. Why there was no
room, this text does not say.

Line 1 says (llama.cpp):
  needed                   1024.00 MiB
  device                   CUDA1
Fewer layers on the device, a shorter context or a smaller batch ask for less.
Everything else is unknown: the text does not say it.
$ zirve explain tests/data/ops/hole.txt --json | grep -E '"(known|emulated)"'
  "known": "emulated",
    "emulated": true,
# What was not recorded says so wherever it is read again, and how it came about.
$ zirve replay tests/data/ops/hole.txt --snapshot $TMP/run.pickle >/dev/null; zirve explain $TMP/run.pickle --capture $TMP/run.zv >/dev/null
$ for verb in explain view place; do for file in run.pickle run.zv; do zirve $verb $TMP/$file --json | grep -E '"known(_by)?"'; done; done
  "known": "emulated",
  "known_by": "an op list, run on the simulated card",
  "known": "emulated",
  "known_by": "an op list, run on the simulated card",
  "known": "emulated",
  "known_by": "an op list, run on the simulated card",
  "known": "emulated",
  "known_by": "an op list, run on the simulated card",
  "known": "emulated",
  "known_by": "an op list, run on the simulated card",
  "known": "emulated",
  "known_by": "an op list, run on the simulated card",
$ zirve explain $TMP/run.zv | grep -A 1 Emulated
  Emulated: an op list, run on the simulated card; allocator torch-2.14;
  settings default.
$ zirve place $TMP/run.zv | head -2
  Emulated: an op list, run on the simulated card; allocator torch-2.14;
  settings default.
$ zirve replay $TMP/run.zv | grep -A 1 -E 'replay|Emulated'
replay: exact 13/13 allocations and 5/5 segments, at the emulated addresses
  Emulated: an op list, run on the simulated card; allocator torch-2.14;
  settings default.
$ zirve replay $TMP/run.zv --json | grep -E '"known(_by)?"'
  "known": "emulated",
    "known": "emulated",
    "known_by": "an op list, run on the simulated card",
$ zirve replay $TMP/run.zv --snapshot $TMP/again.pickle >/dev/null; zirve explain $TMP/again.pickle --json | grep known_by
  "known_by": "the requests of a record, run on the simulated card",
$ zirve explain $TMP/run.zv --diff tests/data/snapshots/gen6.pickle | sed -n 3p
The earlier file is recorded, this one emulated.
$ zirve view $TMP/run.zv | sed -n 's/.*"basis": //p'
"Emulated: an op list, run on the simulated card.",
# Logs are unpacked as records are, also those that begin like a record; a damaged one says where.
$ gzip -c tests/data/run/backward.log >$TMP/log.gz; zirve explain $TMP/log.gz | sed 3q
OUT OF MEMORY because of memory outside this allocator: 21.50 GiB (23.09 GB)
live and 1.96 GiB (2.10 GB) requested would fit the card, but 860.16 MiB (901.94
MB) of it is used by others.
$ zstd -qc tests/data/run/backward.log >$TMP/log.zst; zirve explain $TMP/log.zst --json | sed 3q; zirve explain --advise $TMP/log.zst | sed 2q
{
  "schema": "zirve.explain_message/1",
  "line": 8,
OUT OF DEVICE MEMORY in backward (in backward)
  torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.96 GiB. GPU 0
$ { echo "{'loss': 1}"; cat tests/data/run/backward.log; } | gzip >$TMP/lines.gz; zirve explain $TMP/lines.gz | sed 1q
OUT OF MEMORY because of memory outside this allocator: 21.50 GiB (23.09 GB)
$ { echo '{"loss": 1}'; cat tests/data/run/backward.log; } | gzip >$TMP/json.gz; zirve explain $TMP/json.gz | sed 1q
OUT OF MEMORY because of memory outside this allocator: 21.50 GiB (23.09 GB)
$ head -c 300 $TMP/log.gz >$TMP/cut.gz; zirve explain $TMP/cut.gz
zirve explain: TMP/cut.gz: byte 300: compressed data: truncated gzip
? 3
$ gzip -c tests/data/ops/hole.txt >$TMP/hole.gz; zirve explain $TMP/hole.gz | sed 2q
PEAK 5.59 GiB (6.00 GB) allocated, after event 24 of 34. No allocation failed.
Held by: (no stack recorded) 100.0%.
# What a file cannot answer is not passed over in silence.
$ zirve explain tests/data/run/backward.log --capture $TMP/none.zv; ls $TMP/none.zv
zirve explain: --capture: the file is a message and has no events
ls: cannot access 'TMP/none.zv': No such file or directory
? 2
$ echo '[[-1,1,1000,0],[5000,2,300,4]]' >$TMP/timeline.json; zirve explain $TMP/timeline.json --by stack
zirve explain: --by: a profiler records neither stacks nor segments: expected a memory snapshot
? 4
$ zirve explain tests/data/snapshots/gen6.pickle --diff $TMP/timeline.json
zirve explain: --diff needs two memory snapshots
? 4
$ zirve explain $TMP/timeline.json --diff tests/data/snapshots/gen6.pickle
zirve explain: --diff: a profiler records neither stacks nor segments: expected a memory snapshot
? 4
# Settings that are newer than this allocator: the rest of the file is explained, and they are named.
$ zirve replay tests/data/ops/hole.txt --alloc-conf max_split_size_mb:64 --snapshot $TMP/s.pickle >/dev/null; LC_ALL=C sed 's/max_split_size_mb:64/max_splot_size_mb:64/' $TMP/s.pickle >$TMP/newer.pickle; zirve explain $TMP/newer.pickle | sed -n '/^PEAK/,/^$/p; /settings/,/understood/p'
PEAK 5.59 GiB (6.01 GB) allocated, after event 29 of 39. No allocation failed.
Held by: (no stack recorded) 100.0%.

  settings default (assumed: "max_splot_size_mb:64" is not understood).
  Before the first event nothing was reserved: the history is complete.
  5.59 GiB (6.01 GB) of the active bytes has no stack.
  Memory outside this allocator (CUDA context, NCCL, cuBLAS, other processes) is
  not in the file: a higher reading in nvidia-smi alone is no sign of a leak.

Placement: peak reserved 8.86 GiB (9.52 GB), peak of non-empty segments 5.60 GiB
(6.01 GB), a perfect plan 5.59 GiB (6.00 GB): no placement needs less (zirve
place).

Next:
  settings that reserve less   zirve replay TMP/newer.pickle --advise
  what grows, never empties    zirve explain TMP/newer.pickle --habits
  memory over time, as a page  zirve view TMP/newer.pickle -o report.html
$ zirve explain $TMP/newer.pickle --json | grep alloc_conf
    "alloc_conf": "",
    "alloc_conf_known": false,
    "alloc_conf_unread": "max_splot_size_mb:64",
$ zirve explain $TMP/newer.pickle --alloc-conf max_split_size_mb:64 --json | grep alloc_conf
    "alloc_conf": "max_split_size_mb:64",
    "alloc_conf_known": true,
$ zirve explain $TMP/newer.pickle --alloc-conf max_splot_size_mb:64
zirve explain: TMP/newer.pickle: allocator setting max_splot_size_mb: not known to torch-2.14 (expected key:value pairs, separated by commas)
? 3
# Options that say nothing of the question are no help: they are not passed over.
$ zirve explain tests/data/snapshots/gen6.pickle --diff tests/data/snapshots/gen5.pickle --by nonsense
zirve explain: --by nonsense: no such word (see zirve explain --help)
? 64
$ zirve explain tests/data/snapshots/gen6.pickle --diff tests/data/snapshots/gen5.pickle --by size --by age
zirve explain: --diff: expected --by once
? 64
$ zirve explain tests/data/snapshots/gen6.pickle --diff tests/data/snapshots/gen5.pickle --by pattern
zirve explain: --by pattern needs --pattern
? 64
$ zirve explain tests/data/snapshots/gen6.pickle --diff tests/data/snapshots/gen5.pickle --capture $TMP/never.zvt
zirve explain: --diff and --capture are questions of their own: expected one of them
? 64
$ zirve explain tests/data/snapshots/gen6.pickle --phase forward
zirve explain: --phase needs --advise
? 64
$ zirve explain tests/data/snapshots/failed.pickle --advise --at end
zirve explain: --advise and --at are questions of their own: expected one of them
? 64
# A range without an event is no state without a history.
$ zirve explain tests/data/snapshots/gen6.pickle --range 500-600
zirve explain: tests/data/snapshots/gen6.pickle: no event is in the range: the record has 5
? 64
$ printf '\200\002}q\000(X\010\000\000\000segmentsq\001]q\002X\015\000\000\000device_tracesq\003]q\004]q\005(}q\006(X\006\000\000\000actionq\007X\015\000\000\000segment_allocq\010X\004\000\000\000addrq\011J\000\000\040\000X\004\000\000\000sizeq\012J\000\000\040\000X\006\000\000\000streamq\013K\000u}q\014(h\007X\005\000\000\000allocq\015h\011J\000\000\040\000h\012Kdh\013K\000u}q\016(h\007X\016\000\000\000free_requestedq\017h\011J\000\000\040\000h\012Kdh\013K\000u}q\020(h\007X\016\000\000\000free_completedq\021h\011J\000\000\040\000h\012Kdh\013K\000u}q\022(h\007X\014\000\000\000segment_freeq\023h\011J\000\000\040\000h\012J\000\000\040\000h\013K\000ueau.' >$TMP/untimed.pickle; zirve explain $TMP/untimed.pickle --range 0s-1s
zirve explain: TMP/untimed.pickle: a range of time: the record has no times, expected events
? 4
$ zirve explain $TMP/untimed.pickle --range 1-3 | head -2
PEAK 512 B allocated, after event 1 of 2. No allocation failed.
Held by: (no stack recorded) 100.0%.
# Names that a terminal would act on, cut between characters.
$ printf '\200\002}q\000(X\010\000\000\000segmentsq\001]q\002}q\003(X\006\000\000\000deviceq\004K\000X\007\000\000\000addressq\005J\000\000\040\000X\012\000\000\000total_sizeq\006J\000\000\040\000X\006\000\000\000streamq\007K\000X\014\000\000\000segment_typeq\010X\005\000\000\000smallq\011X\006\000\000\000blocksq\012]q\013(}q\014(h\005J\000\000\040\000X\004\000\000\000sizeq\015M\000\002X\016\000\000\000requested_sizeq\016M\364\001X\005\000\000\000stateq\017X\020\000\000\000active_allocatedq\020X\006\000\000\000framesq\021]q\022}q\023(X\010\000\000\000filenameq\024X\024\000\000\000\057x\057a\033\1332J\302\23331m\342\200\256b.pyq\025X\004\000\000\000nameq\026X\215\000\000\000f\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251q\027X\004\000\000\000lineq\030K\003uau}q\031(h\005J\000\002\040\000h\015J\000\376\037\000h\016K\000h\017X\010\000\000\000inactiveq\032h\021]q\033ueuaX\015\000\000\000device_tracesq\034]q\035u.' >$TMP/names.pickle; zirve explain $TMP/names.pickle --by frame | grep ' x '
         512 B 100.0%       1 x  a?[2J??31m???b....?éééééééééééééé
# What no device can hold, and pickles of before there were snapshots.
$ printf '\200\002}q\000(X\010\000\000\000segmentsq\001]q\002X\015\000\000\000device_tracesq\003]q\004]q\005}q\006(X\006\000\000\000actionq\007X\005\000\000\000allocq\010X\004\000\000\000addrq\011M\000\002X\004\000\000\000sizeq\012\212\010\000\000\000\000\000\000\000\004uaau.' | zirve explain -
zirve explain: -: byte 114: snapshot: "size" of the record that ends here is more than an address space has (2^57)
? 3
$ printf '(dp0\012Vsegments\012p1\012(lp2\012s.' | zirve explain -
zirve explain: -: a pickle of protocol 0 or 1: expected 2 to 5, as PyTorch writes them
? 4
# Segments and blocks of nothing.
$ printf '\200\002}q\000(X\010\000\000\000segmentsq\001]q\002X\015\000\000\000device_tracesq\003]q\004]q\005(}q\006(X\006\000\000\000actionq\007X\013\000\000\000segment_mapq\010X\004\000\000\000addrq\011M\000\020X\004\000\000\000sizeq\012K\000X\006\000\000\000streamq\013K\000u}q\014(h\007X\005\000\000\000allocq\015h\011M\000\020h\012K\000h\013K\000u}q\016(h\007X\015\000\000\000segment_unmapq\017h\011M\000\020h\012K\000h\013K\000u}q\020(h\007X\015\000\000\000segment_allocq\021h\011M\000\020h\012K\000h\013K\000u}q\022(h\007X\016\000\000\000free_requestedq\023h\011M\000\020h\012K\000h\013K\000u}q\024(h\007X\016\000\000\000free_completedq\025h\011M\000\020h\012K\000h\013K\000u}q\026(h\007X\014\000\000\000segment_freeq\027h\011M\000\020h\012K\000h\013K\000ueau.' >$TMP/nothing.pickle; zirve explain $TMP/nothing.pickle --segments | sed -n '1,/^$/p;/^replay/,/exact)/p'
PEAK 0 B allocated, before event 1 of 7. No allocation failed.

replay: exact up to event 0 of 7, then it leaves the record (0/1 allocations and
0/2 segments exact)
