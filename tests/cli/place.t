# Blocks from CSV: the load, what is proven, a plan; a block with an offset stays there.
$ printf 'id,lower,upper,size\nb1,0,3,4\nb2,3,9,4\nb3,0,9,4\nb4,9,21,4\nb5,0,21,4\n' >$TMP/blocks.csv
$ zirve place $TMP/blocks.csv
5 blocks, 0 of them fixed, in 3 sections of time

  load                                             12 B
  proven infeasible below                          12 B
  height                                           12 B

The plan is optimal, by skyline, order TWA.
$ zirve place $TMP/blocks.csv --csv -o $TMP/plan.csv; cat $TMP/plan.csv
id,lower,upper,size,offset
b1,0,3,4,8
b2,3,9,4,8
b3,0,9,4,4
b4,9,21,4,4
b5,0,21,4,0
$ zirve place $TMP/plan.csv --json
{
  "schema": "zirve.place/1",
  "blocks": 5,
  "fixed_blocks": 5,
  "state": "optimal",
  "load_bytes": 12,
  "infeasible_below_bytes": 12,
  "height_bytes": 12,
  "gap_bytes": 0,
  "found_by": "TWA",
  "ended_by": "proved",
  "nodes": 0,
  "sections": 3,
  "capacity_bytes": null,
  "fits": null
}
$ sed '2s/4$/9/' $TMP/blocks.csv | zirve place - --capacity 12; sed '2s/4$/9/' $TMP/blocks.csv | zirve place - --capacity 17 --csv
5 blocks, 0 of them fixed, in 3 sections of time

  load                                             17 B
  proven infeasible below                          17 B
  height                                           17 B

The plan is optimal, by skyline, order TWA.
Capacity 12 B: does not fit, whatever the placement.
id,lower,upper,size,offset
b1,0,3,9,8
b2,3,9,4,8
b3,0,9,4,4
b4,9,21,4,4
b5,0,21,4,0
# Alignment can keep every placement above the load: less is proven infeasible. Without a search it is not.
$ printf 'buffer,start,end,size,alignment,hint\na,0,1,1,4,\nb,1,3,1,4,\nc,1,2,2,,\n' >$TMP/aligned.csv
$ zirve place $TMP/aligned.csv
zirve: the column "hint" means nothing here and is not used
3 blocks, 0 of them fixed, in 1 sections of time

  load                                              4 B
  proven infeasible below                           5 B
  height                                            5 B

The plan is optimal (above the load: less is proven infeasible), by skyline,
order TWA, nodes 1.
$ zirve place $TMP/aligned.csv --nodes 0
zirve: the column "hint" means nothing here and is not used
3 blocks, 0 of them fixed, in 1 sections of time

  load                                              4 B
  proven infeasible below                           4 B
  height                                            5 B

The plan is best found, gap 1 B (25.000 %) to the load, by skyline, order TWA;
the limit of nodes ended it.
# Records and op lists: three peaks that are never mixed.
$ zirve place tests/data/ops/hole.txt
  Emulated: an op list, run on the simulated card; allocator torch-2.6; settings
  default.

Peaks, each of its own instant:
  reserved                           7.46 GiB (8.01 GB)  after event 33
  in non-empty segments              7.46 GiB (8.01 GB)  after event 34
  load                               5.59 GiB (6.00 GB)  after event 24

A perfect plan: 5.59 GiB (6.00 GB), optimal, by skyline, order TWA.
Between the peaks: no cached segments that hold nothing; 1.87 GiB (2.01 GB) is
stranded between live blocks or in them beyond what was asked for, which only
another placement would save.
This bounds from above what any placement could save for this record; it is no
promise about another run.
$ zirve place tests/data/ops/pools.txt
  Emulated: an op list, run on the simulated card; allocator torch-2.6; settings
  default.

Peaks, each of its own instant:
  reserved                         40.00 MiB (41.94 MB)  after event 5
  in non-empty segments            20.00 MiB (20.97 MB)  after event 2
  load                               4.77 MiB (5.00 MB)  after event 2

A perfect plan: 4.77 MiB (5.00 MB), optimal, by skyline, order TWA.
Between the peaks: 20.00 MiB (20.97 MB) is cached segments that hold nothing,
which an out-of-memory would release; 15.23 MiB (15.97 MB) is stranded between
live blocks or in them beyond what was asked for, which only another placement
would save.
This bounds from above what any placement could save for this record; it is no
promise about another run.
$ zirve place tests/data/snapshots/gen6.pickle --json
{
  "schema": "zirve.place/1",
  "known": "measured",
  "known_by": null,
  "peak_reserved_bytes": 23068672,
  "peak_reserved_after_event": 1,
  "peak_reserved_is_inherited": false,
  "peak_non_empty_bytes": 23068672,
  "peak_non_empty_after_event": 2,
  "expandable": false,
  "in_no_event_bytes": 0,
  "blocks": 3,
  "plan": {
    "load_bytes": 3147776,
    "infeasible_below_bytes": 3147776,
    "height_bytes": 3147776,
    "arenas": [
      {
        "pool": [
          0,
          0
        ],
        "stream": null,
        "blocks": 3,
        "state": "optimal",
        "load_bytes": 3147776,
        "infeasible_below_bytes": 3147776,
        "height_bytes": 3147776,
        "gap_bytes": 0,
        "found_by": "TWA",
        "ended_by": "proved",
        "nodes": 0,
        "sections": 1
      }
    ]
  },
  "plan_by_stream": {
    "load_bytes": 3147776,
    "infeasible_below_bytes": 3147776,
    "height_bytes": 3147776,
    "arenas": [
      {
        "pool": [
          0,
          0
        ],
        "stream": 0,
        "blocks": 3,
        "state": "optimal",
        "load_bytes": 3147776,
        "infeasible_below_bytes": 3147776,
        "height_bytes": 3147776,
        "gap_bytes": 0,
        "found_by": "TWA",
        "ended_by": "proved",
        "nodes": 0,
        "sections": 1
      }
    ]
  },
  "fixed": {
    "blocks": 1,
    "pinned_bytes": 2097152,
    "state": "optimal",
    "load_bytes": 3147776,
    "infeasible_below_bytes": 5242880,
    "height_bytes": 5242880,
    "gap_bytes": 0,
    "found_by": "TWA",
    "ended_by": "proved",
    "nodes": 0,
    "sections": 1
  },
  "capacity_bytes": null,
  "fits": null
}
$ zirve place tests/data/snapshots/gen6.pickle --csv
id,lower,upper,size,offset
0,0,6,1024,0
1,3,6,1024,3146752
2,2,5,3145728,1024
$ zirve place tests/data/snapshots/expandable.pickle --unit MiB --capacity 1MiB
replay: exact up to event 1 of 2, then it leaves the record (0/1 allocations and
1/1 segments exact)
  Recorded: alloc of 15728640 B at 0x7f0001100000; replayed: alloc of 15728640 B
  at 0x7f0001600000 (another event). From there on, sizes are requests rounded,
  larger where addresses or the end state show it.
  Written by PyTorch 2.10 or later; allocator torch-2.14; settings
  expandable_segments:True.
  Before the first event: 15.00 MiB live in 1 block, 20.00 MiB reserved (the end
  state with the history undone). The history is a ring buffer; whether it
  dropped older events is not recorded.

Peaks, each of its own instant:
  reserved                                    40.00 MiB  after event 1
  in non-empty pieces                         40.00 MiB  after event 2
  load                                        30.00 MiB  after event 2

A perfect plan: 30.00 MiB, optimal, by skyline, order TWA.
Between the peaks: no cached segments that hold nothing; 10.00 MiB is stranded
between live blocks or in them beyond what was asked for, which only another
placement would save.
Kept where it was, what was live before the record (1 block, segments of 20.00
MiB): 35.00 MiB, optimal.
Capacity 1.00 MiB: does not fit, whatever the placement.
This bounds from above what any placement could save for this record; it is no
promise about another run.
? 1
# What is wrong has a line.
$ printf 'id,lower,upper,size\na,4,4,1\n' | zirve place -
zirve place: -: line 2: its life ends before it starts: from 4 to 4, not included
? 3
$ printf 'id,lower,upper,size\na,0,4,1\na,5,6,1\n' | zirve place -
zirve place: -: line 3: the id 'a' was there in line 2
? 3
$ printf 'id,lower,upper,size,offset\na,0,4,8,0\nb,1,2,8,4\n' | zirve place -
zirve place: -: among the fixed ones, counted from 0, blocks 0 and 1 share bytes from 4 while both live
? 3
$ zirve place $TMP/blocks.csv --csv --json; zirve place $TMP/blocks.csv --seconds 0
zirve place: --csv and --json are two forms of the result
zirve place: --seconds 0: expected more than 0, such as 10 or 0.5
? 64
$ zirve place $TMP/plan.csv --csv -o $TMP/plan.csv
zirve place: TMP/plan.csv: exists already and is not overwritten
? 3
# The plan as a page: nothing is written where something is, and doubles count no further.
$ zirve place $TMP/blocks.csv --html $TMP/plan.html | head -n 1; sed -n 's/^<p class="verdict">//p' $TMP/plan.html
5 blocks, 0 of them fixed, in 3 sections of time
5 blocks in 12 B, optimal: no placement needs less.</p>
$ sed -n '/"boxes": {/,$p' $TMP/plan.html | head -n 22
  "boxes": {
    "title": "Where it lies",
    "note": "Planned addresses, not recorded ones.",
    "array": 3,
    "count": 5,
    "unit": 4,
    "first": 0,
    "height": 12,
    "lines": [
      {
        "name": "height",
        "value": 12
      },
      {
        "name": "proven infeasible below",
        "value": 12
      }
    ]
  }
}
</script>
<script>"use strict";
$ zirve place tests/data/snapshots/gen6.pickle --html $TMP/gen6.html | tail -n 2; grep -o 'A plan for[^"]*' $TMP/gen6.html
This bounds from above what any placement could save for this record; it is no
promise about another run.
A plan for the lives that were recorded. Time is counted in events.
$ zirve place $TMP/blocks.csv --html $TMP/plan.html
zirve place: TMP/plan.html: exists already and is not overwritten
? 3
$ printf 'id,lower,upper,size\na,0,9007199254740992,1\n' | zirve place - --html $TMP/far.html; test -e $TMP/far.html
zirve place: block 0: a page draws times and bytes below 2^53
? 1
$ printf 'id,lower,upper,size\n' | zirve place - --html $TMP/none.html
zirve place: no blocks: there is nothing to draw
? 64
# An alignment beyond all memory leaves a block the address 0.
$ printf 'buffer,start,end,size,alignment\na,0,4,8,9\nb,0,3,20,8888888888888816\nc,3,9,5,3\n' | zirve place - --csv
id,lower,upper,size,alignment,offset
a,0,5,8,9,27
b,0,4,20,8888888888888816,0
c,3,10,5,3,21
