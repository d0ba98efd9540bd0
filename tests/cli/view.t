# One file that holds everything it shows; what it is made of, without the long parts.
$ zirve view tests/data/snapshots/gen6.pickle -o $TMP/page.html
$ head -c 15 $TMP/page.html; tail -c 16 $TMP/page.html
<!doctype html></body>
</html>
$ grep -c "default-src 'none'" $TMP/page.html; grep -c -e 'https*:' -e 'src="' $TMP/page.html
1
0
? 1
$ sed -n 's/^<p class="verdict">//p' $TMP/page.html
PEAK 3.00 MiB (3.15 MB) allocated, after event 3 of 5, 0.002 s into the record. No allocation failed.
$ sed -n '/<script type="application.json" id="data">/,/"what-if"/p' $TMP/page.html
<script type="application/json" id="data">{
  "schema": "zirve.page/1",
  "unit": "both",
  "instants": 6,
  "basis": "Recorded events; sizes by replay, which is exact for 5 of 5 events.",
  "times": {
    "name": "time",
    "role": "time",
    "count": 6,
    "unit": 8,
    "array": 17,
    "low": 15,
    "high": 16,
    "columns": 6,
    "largest": 4000
  },
  "charts": [
    {
      "id": "memory",
      "title": "Memory over time",
      "unit": "bytes",
      "count": 6,
      "series": [
        {
          "name": "allocated",
          "role": "allocated",
          "count": 6,
          "unit": 1024,
          "array": 2,
          "low": 0,
          "high": 1,
          "columns": 6,
          "largest": 3147776
        },
        {
          "name": "reserved",
          "role": "reserved",
          "count": 6,
          "unit": 2097152,
          "array": 5,
          "low": 3,
          "high": 4,
          "columns": 6,
          "largest": 23068672
        },
        {
          "name": "active",
          "role": "active",
          "count": 6,
          "unit": 1024,
          "array": 8,
          "low": 6,
          "high": 7,
          "columns": 6,
          "largest": 3147776
        }
      ],
      "lines": [],
      "marks": [
        {
          "name": "peak of allocated",
          "key": "p",
          "at": 3
        },
        {
          "name": "peak of reserved",
          "key": "r",
          "at": 1
        }
      ]
    },
    {
      "id": "what-if",
$ sed -n '/"runs":/,/}/p; /"start"/,/<.script>/p' $TMP/page.html
      "runs": [
        {
          "name": "default settings",
          "role": "reserved",
          "asRun": true,
          "reserved": 23068672,
          "failures": 0,
          "firstFailure": null,
          "calls": 2
        },
  "start": 3,
  "heap": {
    "unit": 1024,
    "blocks": 9,
    "blockCount": 3,
    "spans": 10,
    "spanCount": 2,
    "scopes": 14,
    "isSnapshot": true,
    "streams": [
      0
    ]
  },
  "stacks": {
    "frames": 11,
    "frameCount": 5,
    "stacks": 12,
    "stackCount": 5,
    "roles": 13,
    "roleNames": [
      "other",
      "forward",
      "backward",
      "optimizer"
    ],
    "texts": [
      "",
      "C:\\users\\user\\model.py",
      "load",
      "??",
      "/home/user/train.py",
      "main",
      "step",
      "N/A",
      "Optimizer.step#SGD.step"
    ]
  }
}
</script>
# An existing file stays as it is.
$ zirve view tests/data/snapshots/gen6.pickle -o $TMP/page.html
zirve view: TMP/page.html: exists already and is not overwritten
? 3
$ zirve view tests/data/snapshots/gen6.pickle --json
{
  "schema": "zirve.view/1",
  "file": "gen6.pickle",
  "known": "measured",
  "known_by": null,
  "verdict": "peak",
  "events": 5,
  "blocks": 3,
  "segments": 2,
  "peak_allocated_bytes": 3147776,
  "peak_reserved_bytes": 23068672,
  "capacity_bytes": null,
  "replay": {
    "emulated": false,
    "exact": true,
    "exact_events": 5,
    "events": 5,
    "exact_allocations": 2,
    "allocations": 2,
    "exact_segments": 1,
    "segments": 1,
    "why": null,
    "profile": "torch-2.14",
    "alloc_conf": "",
    "alloc_conf_known": true,
    "live_before_bytes": 1024,
    "reserved_before_bytes": 2097152,
    "stray_events": 0
  }
}
$ zirve view tests/data/ops/hole.txt --capacity 8GB --json
{
  "schema": "zirve.view/1",
  "file": "hole.txt",
  "known": "emulated",
  "known_by": "an op list, run on the simulated card",
  "verdict": "fragmentation",
  "events": 33,
  "blocks": 12,
  "segments": 4,
  "peak_allocated_bytes": 6000003072,
  "peak_reserved_bytes": 6006243328,
  "capacity_bytes": 8000000000,
  "replay": {
    "emulated": true,
    "exact": true,
    "exact_events": 33,
    "events": 33,
    "exact_allocations": 12,
    "allocations": 12,
    "exact_segments": 4,
    "segments": 4,
    "why": null,
    "profile": "torch-2.6",
    "alloc_conf": "",
    "alloc_conf_known": true,
    "live_before_bytes": 0,
    "reserved_before_bytes": 0,
    "stray_events": 0
  }
}
$ zirve view tests/data/ops/hole.txt | sed -n 's/.*"basis": //p'
"Emulated: an op list, run on the simulated card.",
$ zirve view tests/data/snapshots/gen3.pickle --card 4090 --range 0-2 | sed -n '/"lines"/,/]/p'
      "lines": [
        {
          "name": "card",
          "value": 25246564352
        }
      ],
      "lines": [
        {
          "name": "card",
          "value": 25246564352
        }
      ],
$ zirve view README.md -o $TMP/none.html; ls $TMP
zirve view: README.md: neither a memory snapshot, a capture, a profiler trace, a memory timeline nor an op list: line 3: no operation: How (expected one of a f s y e r F C p q b n E c)
page.html
$ zirve view -o $TMP/none.html
zirve view: expected one file ('-' for standard input)
? 64
$ zirve view tests/data/snapshots/gen6.pickle --device 7 -o $TMP/none.html
zirve view: tests/data/snapshots/gen6.pickle: device 7: the file has 1 (0 to 0)
? 3
