# One op list under several settings; a request that fails for want of a hole.
$ zirve replay tests/data/ops/hole.txt --capacity 6.6GB --alloc-conf "" --alloc-conf expandable_segments:True
21 operations
  [1] default settings
  [2] expandable_segments:True

                      [1]                           [2]
allocator             caching, torch-2.6            caching, torch-2.6
card                  6.15 GiB (6.60 GB)            6.15 GiB (6.60 GB)
peak allocated        5.59 GiB (6.00 GB)            5.59 GiB (6.00 GB)
peak reserved         5.59 GiB (6.01 GB)            5.61 GiB (6.02 GB)
  not requested       5.95 MiB (6.24 MB) 0.1%       17.95 MiB (18.83 MB) 0.3%
driver calls          6, about 1 ms                 11, about 30 ms
retries               1                             1
out of memory         1, first in line 22           never
  request             1.86 GiB (2.00 GB)            -
  free on the card    566.25 MiB (593.76 MB)        -
  free in the cache   4.66 GiB (5.01 GB)            -
  largest hole there  1.17 GiB (1.25 GB)            -
$ zirve replay tests/data/ops/hole.txt --capacity 6.6GB --unit GB
21 operations
settings: default

allocator             caching, torch-2.6
card                  6.60 GB
peak allocated        6.00 GB
peak reserved         6.01 GB
  not requested       0.01 GB 0.1%
driver calls          6, about 1 ms
retries               1
out of memory         1, first in line 22
  request             2.00 GB
  free on the card    0.59 GB
  free in the cache   5.01 GB
  largest hole there  1.25 GB
$ zirve replay tests/data/ops/hole.txt --capacity 6.6GB --policy direct --policy cuda-malloc-async --torch 2.14
21 operations
  [1] default settings
  [2] default settings

                      [1]                           [2]
allocator             direct, torch-2.14 *          cuda-malloc-async, torch-2.14 *
card                  6.15 GiB (6.60 GB)            6.15 GiB (6.60 GB)
peak allocated        5.59 GiB (6.00 GB)            5.59 GiB (6.00 GB)
peak reserved         5.60 GiB (6.01 GB)            5.59 GiB (6.01 GB)
  not requested       13.95 MiB (14.63 MB) 0.2%     5.95 MiB (6.24 MB) 0.1%
driver calls          21, about 4 ms                5, about 171 ms
retries               0                             0
out of memory         never                         never

* unchecked: written from the sources of PyTorch 2.13 and 2.14, not yet compared
with a run of them.

cuda-malloc-async: what it reserves is a lower bound; the driver does not
document where it places blocks.
$ zirve replay tests/data/ops/hole.txt --card 4090 --unit GiB
21 operations
settings: default

allocator             caching, torch-2.6
card                  23.51 GiB
peak allocated        5.59 GiB
peak reserved         7.46 GiB
  not requested       4.66 GiB 62.5%
driver calls          5, about 1 ms
retries               0
out of memory         never
$ zirve replay tests/data/ops/hole.txt --capacity 6.6GB --json
{
  "schema": "zirve.replay/1",
  "known": "emulated",
  "runs": [
    {
      "policy": "caching",
      "profile": "torch-2.6",
      "checked": true,
      "lower_bound": false,
      "alloc_conf": "",
      "card": null,
      "capacity_bytes": 6600000000,
      "baseline_bytes": 0,
      "operations": 21,
      "peak_allocated_bytes": 6000003072,
      "peak_reserved_bytes": 6006243328,
      "allocated_at_peak_reserved_bytes": 6000002560,
      "requested_at_peak_reserved_bytes": 6000000000,
      "ooms": 1,
      "first_oom": {
        "line": 22,
        "requested_bytes": 2000000000,
        "device_free_bytes": 593756672,
        "cached_free_bytes": 5006241792,
        "largest_hole_bytes": 1251560448
      },
      "driver_calls": {
        "allocate": 4,
        "allocate_failed": 2,
        "release": 0,
        "reserve": 0,
        "unreserve": 0,
        "map": 0,
        "map_failed": 0,
        "map_pages": 0,
        "unmap": 0,
        "unmap_pages": 0,
        "memory_info": 2,
        "wait": 0,
        "assumed_time_ns": 1376288
      }
    }
  ]
}
$ zirve replay tests/data/ops/streams.txt --counters $TMP/c.tsv --events $TMP/e.tsv --unit B && cat $TMP/c.tsv $TMP/e.tsv
13 operations
settings: default

allocator             caching, torch-2.6
card                  no limit
peak allocated        9000960 B
peak reserved         20971520 B
  not requested       17971520 B 85.6%
driver calls          2, about 0 ms
retries               0
out of memory         never
op	status	addr	allocated	reserved	active	requested	inactive_split	segments	alloc_retries	ooms	device_alloc	device_free
1	ok	m+0	3000320	20971520	3000320	3000000	17971200	1	0	0	1	0
2	ok	-	3000320	20971520	3000320	3000000	17971200	1	0	0	1	0
3	ok	-	3000320	20971520	3000320	3000000	17971200	1	0	0	1	0
4	ok	-	0	20971520	3000320	3000000	17971200	1	0	0	1	0
5	ok	m+2dc800	3000320	20971520	6000640	6000000	14970880	1	0	0	1	0
6	ok	-	3000320	20971520	6000640	6000000	14970880	1	0	0	1	0
7	ok	m+5b9000	6000640	20971520	9000960	9000000	11970560	1	0	0	1	0
8	ok	-	6000640	20971520	9000960	9000000	11970560	1	0	0	1	0
9	ok	m+0	9000960	20971520	9000960	9000000	11970560	1	0	0	1	0
10	ok	-	6000640	20971520	6000640	6000000	14970880	1	0	0	1	0
11	ok	-	3000320	20971520	3000320	3000000	17971200	1	0	0	1	0
12	ok	-	0	20971520	0	0	0	1	0	0	1	0
13	ok	-	0	0	0	0	0	0	0	0	1	1
op	action	addr	size	stream
1	segment_alloc	m+0	20971520	0
1	alloc	m+0	3000000	0
4	free_requested	m+0	3000000	0
5	alloc	m+2dc800	3000000	0
7	alloc	m+5b9000	3000000	0
9	free_completed	m+0	3000000	0
9	alloc	m+0	3000000	0
10	free_requested	m+2dc800	3000000	0
10	free_completed	m+2dc800	3000000	0
11	free_requested	m+5b9000	3000000	0
11	free_completed	m+5b9000	3000000	0
12	free_requested	m+0	3000000	0
12	free_completed	m+0	3000000	0
13	segment_free	m+0	20971520	0
$ zirve replay tests/data/ops/pools.txt --events -
op	action	addr	size	stream
3	segment_alloc	m+0	20971520	0
3	alloc	m+0	5000000	0
4	free_requested	m+0	5000000	0
4	free_completed	m+0	5000000	0
6	segment_alloc	m+1400000	20971520	0
6	alloc	m+1400000	5000000	0
9	segment_free	m+0	20971520	0
10	free_requested	m+1400000	5000000	0
10	free_completed	m+1400000	5000000	0
11	segment_free	m+1400000	20971520	0
11 operations
settings: default

allocator             caching, torch-2.6
card                  no limit
peak allocated        4.77 MiB (5.00 MB)
peak reserved         40.00 MiB (41.94 MB)
  not requested       35.23 MiB (36.94 MB) 88.0%
driver calls          4, about 0 ms
retries               0
out of memory         never
$ zirve replay tests/data/ops/streams.txt --summary
|===========================================================================|
|                  PyTorch CUDA memory summary, device ID 0                 |
|---------------------------------------------------------------------------|
|            CUDA OOMs: 0            |        cudaMalloc retries: 0         |
|===========================================================================|
|        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  |
|---------------------------------------------------------------------------|
| Allocated memory      |      0 B   |   8790 KiB |  11720 KiB |  11720 KiB |
|       from large pool |      0 B   |   8790 KiB |  11720 KiB |  11720 KiB |
|       from small pool |      0 B   |      0 KiB |      0 KiB |      0 KiB |
|---------------------------------------------------------------------------|
| Active memory         |      0 B   |   8790 KiB |  11720 KiB |  11720 KiB |
|       from large pool |      0 B   |   8790 KiB |  11720 KiB |  11720 KiB |
|       from small pool |      0 B   |      0 KiB |      0 KiB |      0 KiB |
|---------------------------------------------------------------------------|
| Requested memory      |      0 B   |   8789 KiB |  11718 KiB |  11718 KiB |
|       from large pool |      0 B   |   8789 KiB |  11718 KiB |  11718 KiB |
|       from small pool |      0 B   |      0 KiB |      0 KiB |      0 KiB |
|---------------------------------------------------------------------------|
| GPU reserved memory   |      0 B   |  20480 KiB |  20480 KiB |  20480 KiB |
|       from large pool |      0 B   |  20480 KiB |  20480 KiB |  20480 KiB |
|       from small pool |      0 B   |      0 KiB |      0 KiB |      0 KiB |
|---------------------------------------------------------------------------|
| Non-releasable memory |      0 B   |  17550 KiB |  26340 KiB |  26340 KiB |
|       from large pool |      0 B   |  17550 KiB |  26340 KiB |  26340 KiB |
|       from small pool |      0 B   |      0 KiB |      0 KiB |      0 KiB |
|---------------------------------------------------------------------------|
| Allocations           |       0    |       3    |       4    |       4    |
|       from large pool |       0    |       3    |       4    |       4    |
|       from small pool |       0    |       0    |       0    |       0    |
|---------------------------------------------------------------------------|
| Active allocs         |       0    |       3    |       4    |       4    |
|       from large pool |       0    |       3    |       4    |       4    |
|       from small pool |       0    |       0    |       0    |       0    |
|---------------------------------------------------------------------------|
| GPU reserved segments |       0    |       1    |       1    |       1    |
|       from large pool |       0    |       1    |       1    |       1    |
|       from small pool |       0    |       0    |       0    |       0    |
|---------------------------------------------------------------------------|
| Non-releasable allocs |       0    |       2    |       3    |       3    |
|       from large pool |       0    |       2    |       3    |       3    |
|       from small pool |       0    |       0    |       0    |       0    |
|---------------------------------------------------------------------------|
| Oversize allocations  |       0    |       0    |       0    |       0    |
|---------------------------------------------------------------------------|
| Oversize GPU segments |       0    |       0    |       0    |       0    |
|===========================================================================|
$ zirve replay tests/data/ops/streams.txt --stats
active.all.allocated 4
active.all.current 0
active.all.freed 4
active.all.peak 3
active.large_pool.allocated 4
active.large_pool.current 0
active.large_pool.freed 4
active.large_pool.peak 3
active.small_pool.allocated 0
active.small_pool.current 0
active.small_pool.freed 0
active.small_pool.peak 0
active_bytes.all.allocated 12001280
active_bytes.all.current 0
active_bytes.all.freed 12001280
active_bytes.all.peak 9000960
active_bytes.large_pool.allocated 12001280
active_bytes.large_pool.current 0
active_bytes.large_pool.freed 12001280
active_bytes.large_pool.peak 9000960
active_bytes.small_pool.allocated 0
active_bytes.small_pool.current 0
active_bytes.small_pool.freed 0
active_bytes.small_pool.peak 0
allocated_bytes.all.allocated 12001280
allocated_bytes.all.current 0
allocated_bytes.all.freed 12001280
allocated_bytes.all.peak 9000960
allocated_bytes.large_pool.allocated 12001280
allocated_bytes.large_pool.current 0
allocated_bytes.large_pool.freed 12001280
allocated_bytes.large_pool.peak 9000960
allocated_bytes.small_pool.allocated 0
allocated_bytes.small_pool.current 0
allocated_bytes.small_pool.freed 0
allocated_bytes.small_pool.peak 0
allocation.all.allocated 4
allocation.all.current 0
allocation.all.freed 4
allocation.all.peak 3
allocation.large_pool.allocated 4
allocation.large_pool.current 0
allocation.large_pool.freed 4
allocation.large_pool.peak 3
allocation.small_pool.allocated 0
allocation.small_pool.current 0
allocation.small_pool.freed 0
allocation.small_pool.peak 0
inactive_split.all.allocated 3
inactive_split.all.current 0
inactive_split.all.freed 3
inactive_split.all.peak 2
inactive_split.large_pool.allocated 3
inactive_split.large_pool.current 0
inactive_split.large_pool.freed 3
inactive_split.large_pool.peak 2
inactive_split.small_pool.allocated 0
inactive_split.small_pool.current 0
inactive_split.small_pool.freed 0
inactive_split.small_pool.peak 0
inactive_split_bytes.all.allocated 26972160
inactive_split_bytes.all.current 0
inactive_split_bytes.all.freed 26972160
inactive_split_bytes.all.peak 17971200
inactive_split_bytes.large_pool.allocated 26972160
inactive_split_bytes.large_pool.current 0
inactive_split_bytes.large_pool.freed 26972160
inactive_split_bytes.large_pool.peak 17971200
inactive_split_bytes.small_pool.allocated 0
inactive_split_bytes.small_pool.current 0
inactive_split_bytes.small_pool.freed 0
inactive_split_bytes.small_pool.peak 0
max_split_size -1
num_alloc_retries 0
num_device_alloc 1
num_device_free 1
num_ooms 0
num_sync_all_streams 1
oversize_allocations.allocated 0
oversize_allocations.current 0
oversize_allocations.freed 0
oversize_allocations.peak 0
oversize_segments.allocated 0
oversize_segments.current 0
oversize_segments.freed 0
oversize_segments.peak 0
requested_bytes.all.allocated 12000000
requested_bytes.all.current 0
requested_bytes.all.freed 12000000
requested_bytes.all.peak 9000000
requested_bytes.large_pool.allocated 12000000
requested_bytes.large_pool.current 0
requested_bytes.large_pool.freed 12000000
requested_bytes.large_pool.peak 9000000
requested_bytes.small_pool.allocated 0
requested_bytes.small_pool.current 0
requested_bytes.small_pool.freed 0
requested_bytes.small_pool.peak 0
reserved_bytes.all.allocated 20971520
reserved_bytes.all.current 0
reserved_bytes.all.freed 20971520
reserved_bytes.all.peak 20971520
reserved_bytes.large_pool.allocated 20971520
reserved_bytes.large_pool.current 0
reserved_bytes.large_pool.freed 20971520
reserved_bytes.large_pool.peak 20971520
reserved_bytes.small_pool.allocated 0
reserved_bytes.small_pool.current 0
reserved_bytes.small_pool.freed 0
reserved_bytes.small_pool.peak 0
segment.all.allocated 1
segment.all.current 0
segment.all.freed 1
segment.all.peak 1
segment.large_pool.allocated 1
segment.large_pool.current 0
segment.large_pool.freed 1
segment.large_pool.peak 1
segment.small_pool.allocated 0
segment.small_pool.current 0
segment.small_pool.freed 0
segment.small_pool.peak 0
# Hostile lists: an error that names the line, and nothing is written.
$ printf 'a 1 512 0\nf 1\nf 1\n' | zirve replay - --counters $TMP/none.tsv; test -e $TMP/none.tsv || echo nothing written
zirve replay: -: line 3: id 1 is not allocated (never was, or is freed already)
nothing written
$ printf 'a 1 512 0\nf 2\n' | zirve replay - --counters - --events -
zirve replay: -: line 2: id 2 is not allocated (never was, or is freed already)
? 3
$ printf 'a 1 512 0\n\n# a comment\nf 2\n' | zirve replay -
zirve replay: -: line 4: id 2 is not allocated (never was, or is freed already)
? 3
$ printf 'a 1 512 0\na 1 512 0\n' | zirve replay -
zirve replay: -: line 2: id 1 is allocated already
? 3
$ printf 'a 1 281474976710657 0\n' | zirve replay -
zirve replay: -: neither a memory snapshot, a capture, a profiler trace, a memory timeline nor an op list: line 1: a request of more than 2^48 bytes
? 3
$ printf 'a 1 281474976710656 0\n' | zirve replay - --capacity 8GB --unit GiB
1 operations
settings: default

allocator             caching, torch-2.6
card                  7.45 GiB
peak allocated        0.00 GiB
peak reserved         0.00 GiB
  not requested       0.00 GiB 0.0%
driver calls          2, about 0 ms
retries               1
out of memory         1, first in line 1
  request             262144.00 GiB
  free on the card    7.45 GiB
  free in the cache   0.00 GiB
  largest hole there  0.00 GiB
$ printf 'a 1 18446744073709551616 0\n' | zirve replay -
zirve replay: -: neither a memory snapshot, a capture, a profiler trace, a memory timeline nor an op list: line 1: the number of bytes is no number below 2^64: 18446744073709551616
? 3
$ printf 'a 1 -5 0\n' | zirve replay -
zirve replay: -: neither a memory snapshot, a capture, a profiler trace, a memory timeline nor an op list: line 1: the number of bytes is no number below 2^64: -5
? 3
$ printf 'a 1 512 65536\n' | zirve replay -
zirve replay: -: neither a memory snapshot, a capture, a profiler trace, a memory timeline nor an op list: line 1: a stream above 65535
? 3
$ printf 'a 1 512 x\n' | zirve replay -
zirve replay: -: neither a memory snapshot, a capture, a profiler trace, a memory timeline nor an op list: line 1: the stream is no number below 2^64: x
? 3
$ printf 'a 1 512\n' | zirve replay -
zirve replay: -: neither a memory snapshot, a capture, a profiler trace, a memory timeline nor an op list: line 1: the stream is missing
? 3
$ printf 'a 1 512 0 0\n' | zirve replay -
zirve replay: -: neither a memory snapshot, a capture, a profiler trace, a memory timeline nor an op list: line 1: more words than 'a' takes
? 3
$ printf 's 1 0\n' | zirve replay -
zirve replay: -: line 1: id 1 is not allocated (never was, or is freed already)
? 3
$ printf 'z\n' | zirve replay -
zirve replay: -: neither a memory snapshot, a capture, a profiler trace, a memory timeline nor an op list: line 1: no operation: z (expected one of a f s y e r F C p q b n E c)
? 3
$ printf 'F 1.5\n' | zirve replay -
zirve replay: -: neither a memory snapshot, a capture, a profiler trace, a memory timeline nor an op list: line 1: a fraction must be a number from 0 to 1
? 3
$ printf 'C max_split_size_mb:20\n' | zirve replay -
zirve replay: -: line 1: allocator setting max_split_size_mb: expected MB, above 20
? 3
$ printf 'b 3\n' | zirve replay -
zirve replay: -: line 1: no such pool in use
? 3
$ printf 'y 1 2\n' | zirve replay -
zirve replay: -: neither a memory snapshot, a capture, a profiler trace, a memory timeline nor an op list: line 1: more words than 'y' takes
? 3
# Usage.
$ zirve replay
zirve replay: expected one op list or record ('-' for standard input)
? 64
$ zirve replay tests/data/ops/hole.txt --alloc-conf expandable_segments:yes
zirve replay: allocator setting expandable_segments: expected True or False
? 3
$ zirve replay tests/data/ops/hole.txt --alloc-conf a:b --torch 2.14
zirve replay: allocator setting a: not known to torch-2.14 (expected key:value pairs, separated by commas)
? 3
$ zirve replay tests/data/ops/hole.txt --torch 1.13
zirve replay: --torch 1.13: expected 2.1 or later
? 4
$ zirve replay tests/data/ops/hole.txt --policy none
zirve replay: --policy none: expected caching, cuda-malloc-async or direct
? 64
$ zirve replay tests/data/ops/hole.txt --capacity 24GB --card 4090
zirve replay: --capacity and --card both say how much memory there is
? 64
$ zirve replay tests/data/ops/hole.txt --capacity 300TiB
zirve replay: --capacity 300TiB: expected a size such as 24GB, at most 2^48 bytes
? 64
$ zirve replay tests/data/ops/hole.txt --alloc-conf "" --alloc-conf expandable_segments:True --events $TMP/x
zirve replay: --counters and --events need one run, not 2
? 64
$ echo mine >$TMP/mine; zirve replay tests/data/ops/hole.txt --events $TMP/mine; cat $TMP/mine
zirve replay: TMP/mine: exists already and is not overwritten
mine
$ zirve replay --case tests/data/ops
zirve replay: tests/data/ops/case.json: cannot be opened: No such file or directory
? 3
# Recorded answers of a real allocator, one of them changed.
$ cp -r tests/data/replay_case $TMP/case && zirve replay --case $TMP/case
TMP/case: exact, 60 operations, 86 events (torch-2.6)
$ sed -i '12s/[0-9]$/9/' $TMP/case/expected.tsv && zirve replay --case $TMP/case
TMP/case: differs in expected.tsv, line 12
  replayed  10	ok	m+3202600	2107904	54525952	2107904	2106880	20960768	4	0	0	4	0
  recorded  10	ok	m+3202600	2107904	54525952	2107904	2106880	20960768	4	0	0	4	9
? 1
$ sed -i '9s/m+/v+/' $TMP/case/events.tsv && zirve replay --case $TMP/case --json
{
  "schema": "zirve.replay_case/1",
  "cases": [
    {
      "name": "TMP/case",
      "profile": "torch-2.6",
      "exact": false,
      "operations": 60,
      "events": 7,
      "where": "events.tsv, line 9",
      "replayed": "4\tsegment_alloc\tm+1e00000\t20971520\t0",
      "recorded": "4\tsegment_alloc\tv+1e00000\t20971520\t0"
    }
  ]
}
? 1
$ echo '{' >$TMP/case/case.json && zirve replay --case $TMP/case
zirve replay: TMP/case/case.json: byte 2: JSON: unexpected end
? 3
$ rm $TMP/case/case.json && zirve replay --case $TMP/case
zirve replay: TMP/case/case.json: cannot be opened: No such file or directory
? 3
# Records prove themselves first.
$ zirve replay tests/data/snapshots/gen6.pickle --capacity 8MiB --alloc-conf "" --alloc-conf expandable_segments:True
replay: exact 2/2 allocations and 1/1 segments, at the recorded addresses
  Written by PyTorch 2.10 or later; allocator torch-2.14; settings default.
  Before the first event: 1.00 KiB (1.02 kB) live in 1 block, 2.00 MiB (2.10 MB)
  reserved (the end state with the history undone). The history is a ring
  buffer; whether it dropped older events is not recorded.

The same requests from an empty allocator; what was live before the first event
is allocated first, in address order: older fragmentation is not reproduced.
4 operations
  [1] default settings
  [2] expandable_segments:True

                      [1]                           [2]
allocator             caching, torch-2.14 *         caching, torch-2.14 *
card                  8.00 MiB (8.39 MB)            8.00 MiB (8.39 MB)
peak allocated        2.00 KiB (2.05 kB)            2.00 KiB (2.05 kB)
peak reserved         2.00 MiB (2.10 MB)            2.00 MiB (2.10 MB)
  not requested       2.00 MiB (2.10 MB) 99.9%      2.00 MiB (2.10 MB) 99.9%
driver calls          3, about 0 ms                 5, about 0 ms
retries               1                             1
out of memory         1, first at event 2           1, first at event 2
  request             3.00 MiB (3.15 MB)            3.00 MiB (3.15 MB)
  free on the card    6.00 MiB (6.29 MB)            6.00 MiB (6.29 MB)
  free in the cache   2.00 MiB (2.10 MB)            2.00 MiB (2.10 MB)
  largest hole there  2.00 MiB (2.10 MB)            2.00 MiB (2.10 MB)

* unchecked: written from the sources of PyTorch 2.13 and 2.14, not yet compared
with a run of them.
$ zirve replay tests/data/snapshots/gen5.pickle --json --capacity 8MiB
{
  "schema": "zirve.replay/1",
  "known": "emulated",
  "record": {
    "known": "measured",
    "known_by": null,
    "emulated": false,
    "exact": true,
    "exact_events": 5,
    "events": 5,
    "exact_allocations": 2,
    "allocations": 2,
    "exact_segments": 1,
    "segments": 1,
    "why": null,
    "profile": "torch-2.6",
    "alloc_conf": "",
    "alloc_conf_known": true,
    "live_before_bytes": 1024,
    "reserved_before_bytes": 2097152,
    "stray_events": 0
  },
  "runs": [
    {
      "policy": "caching",
      "profile": "torch-2.6",
      "checked": true,
      "lower_bound": false,
      "alloc_conf": "",
      "card": null,
      "capacity_bytes": 8388608,
      "baseline_bytes": 0,
      "operations": 4,
      "peak_allocated_bytes": 2048,
      "peak_reserved_bytes": 2097152,
      "allocated_at_peak_reserved_bytes": 1024,
      "requested_at_peak_reserved_bytes": 1000,
      "ooms": 1,
      "first_oom": {
        "line": 2,
        "event": 2,
        "requested_bytes": 3145728,
        "device_free_bytes": 6291456,
        "cached_free_bytes": 2096128,
        "largest_hole_bytes": 2096128
      },
      "driver_calls": {
        "allocate": 1,
        "allocate_failed": 2,
        "release": 0,
        "reserve": 0,
        "unreserve": 0,
        "map": 0,
        "map_failed": 0,
        "map_pages": 0,
        "unmap": 0,
        "unmap_pages": 0,
        "memory_info": 2,
        "wait": 0,
        "assumed_time_ns": 240292
      }
    }
  ]
}
$ zirve replay tests/data/snapshots/pending.pickle --write-ops $TMP/ops.txt >/dev/null; cat $TMP/ops.txt
a 1 1000 0
f 1
$ zirve replay tests/data/ops/hole.txt --device 1
zirve replay: tests/data/ops/hole.txt: --device: an op list has one device
? 64
$ zirve replay tests/data/ops/hole.txt --write-ops $TMP/never.txt
zirve replay: --write-ops needs a record, not an op list
? 64
$ echo "[[-1,1,1000,0]]" | zirve replay -
zirve replay: -: a memory timeline has no addresses: nothing tells which free is of which allocation
? 4
# Settings ranked.
$ zirve replay tests/data/ops/hole.txt --capacity 6.6GB --advise

Settings by requests that fail, then bytes reserved, then driver calls (14
tried):
  1. expandable_segments:True
     5.61 GiB (6.02 GB): 12.00 MiB (12.58 MB) more reserved, 11 driver calls
     the same with expandable_segments:True,garbage_collection_threshold:0.8
  2. expandable_segments:True,roundup_power2_divisions:16
     5.70 GiB (6.12 GB): 112.00 MiB (117.44 MB) more reserved, 11 driver calls
  3. max_split_size_mb:64
     5.83 GiB (6.26 GB): 246.00 MiB (257.95 MB) more reserved, 15 driver calls
     the same with max_split_size_mb:128; max_split_size_mb:256;
     max_split_size_mb:512;
     max_split_size_mb:64,garbage_collection_threshold:0.8
  4. max_split_size_mb:64,roundup_power2_divisions:16
     5.94 GiB (6.38 GB): 352.00 MiB (369.10 MB) more reserved, 15 driver calls
  5. default settings
     5.59 GiB (6.01 GB): fails 1 request, as it was run, 6 driver calls
     the same with garbage_collection_threshold:0.8
  6. roundup_power2_divisions:16
     5.75 GiB (6.17 GB): fails 1 request, 160.00 MiB (167.77 MB) more reserved,
     6 driver calls
  7. roundup_power2_divisions:4
     6.00 GiB (6.44 GB): fails 1 request, 416.00 MiB (436.21 MB) more reserved,
     6 driver calls
     the same with roundup_power2_divisions:8
Emulated, from an empty allocator. Driver calls cost time: about 0.1 ms each.
A perfect plan of all these requests: 5.59 GiB (6.00 GB), optimal, 17.95 MiB
(18.82 MB) less than the best of them reserves. That is an upper bound on what
any placement could save for this trace, not a promise.

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
$ zirve replay tests/data/ops/hole.txt --capacity 6.6GB --advise --alloc-conf "" --alloc-conf expandable_segments:True
zirve replay: --advise tries settings itself: one card and no --alloc-conf beside it
? 64
$ zirve replay tests/data/ops/hole.txt --capacity 6.6GB --advise --budget 2 | head -8

Settings by requests that fail, then bytes reserved, then driver calls (2 tried
within the budget):
  1. expandable_segments:True
     5.61 GiB (6.02 GB): 12.00 MiB (12.58 MB) more reserved, 11 driver calls
  2. default settings
     5.59 GiB (6.01 GB): fails 1 request, as it was run, 6 driver calls
Emulated, from an empty allocator. Driver calls cost time: about 0.1 ms each.
$ zirve replay tests/data/ops/hole.txt --capacity 6.6GB --advise --json | sed -n '/alloc_conf/p; /same_as/p; /within_budget/,$p'
      "alloc_conf": "expandable_segments:True",
      "same_as": null
      "alloc_conf": "expandable_segments:True,garbage_collection_threshold:0.8",
      "same_as": "expandable_segments:True"
      "alloc_conf": "expandable_segments:True,roundup_power2_divisions:16",
      "same_as": null
      "alloc_conf": "max_split_size_mb:64",
      "same_as": null
      "alloc_conf": "max_split_size_mb:128",
      "same_as": "max_split_size_mb:64"
      "alloc_conf": "max_split_size_mb:256",
      "same_as": "max_split_size_mb:64"
      "alloc_conf": "max_split_size_mb:512",
      "same_as": "max_split_size_mb:64"
      "alloc_conf": "max_split_size_mb:64,garbage_collection_threshold:0.8",
      "same_as": "max_split_size_mb:64"
      "alloc_conf": "max_split_size_mb:64,roundup_power2_divisions:16",
      "same_as": null
      "alloc_conf": "",
      "same_as": null
      "alloc_conf": "garbage_collection_threshold:0.8",
      "same_as": ""
      "alloc_conf": "roundup_power2_divisions:16",
      "same_as": null
      "alloc_conf": "roundup_power2_divisions:4",
      "same_as": null
      "alloc_conf": "roundup_power2_divisions:8",
      "same_as": "roundup_power2_divisions:4"
  "within_budget": true,
  "perfect_plan": {
    "known": "calculated",
    "bytes": 6000003072,
    "bound_bytes": 6000003072,
    "optimal": true,
    "less_than_best_bytes": 18823168
  }
}
$ zirve replay tests/data/ops/hole.txt --capacity 6.6GB --advise --budget 2 --json | grep -A20 within_budget
  "within_budget": false,
  "perfect_plan": {
    "known": "calculated",
    "bytes": 6000003072,
    "bound_bytes": 6000003072,
    "optimal": true,
    "less_than_best_bytes": 18823168
  }
}
$ zirve replay tests/data/ops/hole.txt --advise --counters $TMP/y
zirve replay: --counters needs one run, not the many of --advise
? 64
$ gzip -c tests/data/ops/hole.txt >$TMP/hole.gz; zirve replay $TMP/hole.gz --capacity 6.6GB | sed 4q
21 operations
settings: default

allocator             caching, torch-2.6
$ zirve replay tests/data/ops/hole.txt --advise --budget many
zirve replay: --budget many: expected replays (5) or seconds (30s)
? 64
$ zirve replay tests/data/ops/hole.txt --budget 3
zirve replay: --budget is what --advise may spend
? 64
# A trace of 2021 has no addresses: frees are matched by size; what a profiler saw freed only was live before.
$ echo '[{"name":"[memory]","args":{"Device Type":1,"Device Id":0,"Bytes":3145728}},{"name":"[memory]","args":{"Device Type":1,"Device Id":0,"Bytes":-3145728}},{"name":"[memory]","args":{"Device Type":1,"Device Id":0,"Bytes":3145728}},{"name":"[memory]","args":{"Device Type":1,"Device Id":0,"Bytes":-1048576}}]' >$TMP/2021.json; zirve replay $TMP/2021.json --write-ops $TMP/2021.txt; cat $TMP/2021.txt
replay: only bounds: a profiler writes rounded sizes and no streams

Bounds only: the requests below are rounded blocks on one stream. What was live
before the first event comes first: blocks that are freed later, the rest as one
block.
No addresses were recorded: a free is taken to be of the latest live block of
its size.
5 operations
settings: default

allocator             caching, torch-2.14 *
card                  no limit
peak allocated        4.00 MiB (4.19 MB)
peak reserved         22.00 MiB (23.07 MB)
  not requested       18.00 MiB (18.87 MB) 81.8%
driver calls          2, about 0 ms
retries               0
out of memory         never

* unchecked: written from the sources of PyTorch 2.13 and 2.14, not yet compared
with a run of them.
a 1 1048576 0
a 2 3145728 0
f 2
a 3 3145728 0
f 1
