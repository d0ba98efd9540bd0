# Two runs by their requests: order, size, lifetime.
$ sed 's/^a 4 15.*/a 4 1234500000 0/; 18d' tests/data/ops/hole.txt >$TMP/other.txt; zirve replay tests/data/ops/hole.txt --against $TMP/other.txt
DIFFERENT after 2 equal requests.
  A tests/data/ops/hole.txt
  B TMP/other.txt

                                   A           B
requests                          13          13
  equal                           11          11
  another size                     1           1
  another lifetime                 1           1
  only there                       0           0
frees of older blocks              0           0

Differences (2):
  request 3 of A: another lifetime
  A line 5: 1250000000 B, freed after 12 requests
  B line 5: 1250000000 B, never freed
  request 4 of A: another size
  A line 6: 1500000000 B, freed after 4 requests
  B line 6: 1234500000 B, freed after 4 requests

Lifetimes are counted in requests that both have. Not compared: streams, pools,
addresses, times, and the order of frees between two requests.
? 1
$ zirve replay $TMP/other.txt --against tests/data/ops/hole.txt --json | head -60
{
  "schema": "zirve.replay_against/1",
  "a": {
    "file": "TMP/other.txt",
    "known": null,
    "requests": 13,
    "frees_of_earlier": 0
  },
  "b": {
    "file": "tests/data/ops/hole.txt",
    "known": null,
    "requests": 13,
    "frees_of_earlier": 0
  },
  "same": false,
  "sizes_rounded": false,
  "lifetimes_compared": true,
  "equal_from_first": 2,
  "equal": 11,
  "size": 1,
  "lifetime": 1,
  "only_in_a": 0,
  "only_in_b": 0,
  "differences": [
    {
      "change": "lifetime",
      "a": {
        "request": 2,
        "line": 5,
        "bytes": 1250000000,
        "freed_after_requests": null
      },
      "b": {
        "request": 2,
        "line": 5,
        "bytes": 1250000000,
        "freed_after_requests": 12
      }
    },
    {
      "change": "size",
      "a": {
        "request": 3,
        "line": 6,
        "bytes": 1234500000,
        "freed_after_requests": 4
      },
      "b": {
        "request": 3,
        "line": 6,
        "bytes": 1500000000,
        "freed_after_requests": 4
      }
    }
  ]
}
# A record against itself, as an op list that was made of it, and as an emulated run of that.
$ zirve replay tests/data/snapshots/gen6.pickle --against tests/data/snapshots/gen6.pickle
THE SAME: 2 requests, equal in order, size and lifetime.
  A tests/data/snapshots/gen6.pickle
  B tests/data/snapshots/gen6.pickle

                                   A           B
requests                           2           2
  equal                            2           2
  another size                     0           0
  another lifetime                 0           0
  only there                       0           0
frees of older blocks              0           0

Lifetimes are counted in requests that both have. Not compared: streams, pools,
addresses, times, and the order of frees between two requests.
$ zirve replay tests/data/ops/hole.txt --snapshot $TMP/hole.pickle --alloc-conf expandable_segments:True >/dev/null; zirve replay $TMP/hole.pickle --against tests/data/ops/hole.txt
THE SAME: 13 requests, equal in order, size and lifetime.
  A TMP/hole.pickle, emulated
  B tests/data/ops/hole.txt

                                   A           B
requests                          13          13
  equal                           13          13
  another size                     0           0
  another lifetime                 0           0
  only there                       0           0
frees of older blocks              0           0

Lifetimes are counted in requests that both have. Not compared: streams, pools,
addresses, times, and the order of frees between two requests.
# The first that one has and the other has not, with its stack.
$ printf 'a 1 3145728 0\na 2 1048576 0\nf 1\n' | zirve replay tests/data/snapshots/gen6.pickle --against -
DIFFERENT after 1 equal request.
  A tests/data/snapshots/gen6.pickle
  B -

                                   A           B
requests                           2           2
  equal                            1           1
  another size                     1           1
  another lifetime                 0           0
  only there                       0           0
frees of older blocks              0           0

Differences (1):
  request 2 of A: another size
  A event 2: 600 B, never freed, train.py:41 step
  B line 2: 1048576 B, never freed

Lifetimes are counted in requests that both have. Not compared: streams, pools,
addresses, times, and the order of frees between two requests.
? 1
# A profiler's sizes are of blocks.
$ echo '{"traceEvents":[{"name":"[memory]","ts":5,"args":{"Device Type":1,"Device Id":0,"Addr":4096,"Bytes":1024,"Total Allocated":1536,"Total Reserved":2097152}}]}' >$TMP/trace.json; printf 'a 1 1000 0' | zirve replay $TMP/trace.json --against -
THE SAME: 1 request, equal in order, size and lifetime.
  A TMP/trace.json
  B -

                                   A           B
requests                           1           1
  equal                            1           1
  another size                     0           0
  another lifetime                 0           0
  only there                       0           0
frees of older blocks              0           0

A profiler writes sizes of blocks: sizes were compared rounded up to 512 bytes.
Lifetimes are counted in requests that both have. Not compared: streams, pools,
addresses, times, and the order of frees between two requests.
$ echo '[[-1,1,1000,0]]' | zirve replay - --against tests/data/ops/hole.txt
zirve replay: -: a memory timeline has no addresses: nothing tells which free is of which allocation
? 4
$ printf 'a 1 512 0\nf 2\n' >$TMP/bad.txt; zirve replay tests/data/ops/hole.txt --against $TMP/bad.txt
zirve replay: TMP/bad.txt: line 2: id 2 is not allocated
? 3
$ zirve replay tests/data/ops/hole.txt --against $TMP/none
zirve replay: TMP/none: cannot be opened: No such file or directory
? 3
$ zirve replay tests/data/ops/hole.txt --against $TMP/other.txt --capacity 8GB
zirve replay: --against compares what two programs asked for: --capacity has no meaning beside it
? 64
$ zirve replay tests/data/snapshots/gen6.pickle --against tests/data/ops/hole.txt --device 4
zirve replay: tests/data/snapshots/gen6.pickle: device 4: the file has 1 (0 to 0)
? 3
