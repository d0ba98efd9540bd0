# A job file with every key, commented; estimate and choose read it back.
$ zirve record init -o $TMP/job.yaml && zirve estimate $TMP/job.yaml --unit GiB && zirve choose $TMP/job.yaml --offers tests/data/decide/offers.csv --today 2026-11-29 | grep '^[0-9t]'
7,000,000,000 values of 16 bits
  weights only           13.04 GiB                  calculated
    7000000000 values x 16 bits
  reserve                6.00 GiB                   assumed
    given by the user
  indicative envelope    19.04 GiB                  assumed
to verify: 2
1. 1 x RTX 4090, 47.14 USD  tests/data/decide/offers.csv line 2
2. 1 x RTX 6000 Ada, 55.71 USD  tests/data/decide/offers.csv line 3
$ zirve record init -o $TMP/job.yaml
zirve record: TMP/job.yaml: exists already and is not overwritten
? 3
# A record: its job, an estimate, evidence, raw readings, a decision.
$ cp tests/data/decide/*.yaml tests/data/decide/*.csv $TMP/ && cd $TMP && zirve record new r job-quality.yaml --today 2026-11-29 && zirve estimate job-quality.yaml --json -o rest.json && zirve record add r rest.json proven.yaml --today 2026-11-29 && printf raw >4090.json && zirve record add r 4090.json --kind measurement --today 2026-11-29 && zirve choose r --offers offers-dated.csv --today 2026-11-29 --json -o ch.json && zirve record add r ch.json --note "offer 17" --today 2026-11-29 && zirve record show r
untitled job

job
  model.parameters                  7000000000
  model.bits                        16
  model.revision                    r1
  sizes.context                     8192
  sizes.concurrency                 4
  resident.0.name                   reserve
  resident.0.bytes                  6GiB
  quality.criterion                 exact match on 500 questions
  quality.minimum                   0.80
  card of the first run             RTX 4090

calculated
  weights of one card               13.04 GiB (14.00 GB) (calculated)
  at least, of one card             13.04 GiB (14.00 GB) (calculated)
  expected of one card              19.04 GiB (20.44 GB) (assumed)
  margin: longer input              512.00 MiB (536.87 MB) (measured)
  margin: other users of the card   300.00 MiB (314.57 MB) (assumed)
  margin: export                    64.00 MiB (67.11 MB) (assumed)
  cards; unknown items              1; 0 (calculated)

measured
  largest load that passed          context 8192, concurrency 4 (run-1)
                                    (measured)
  run-1                             measurement, passed on RTX 4090: context
                                    8192, concurrency 4; runs/4090.json
                                    (measured)
  run-1 load                        passed (measured)
  run-1 load allocated_peak         13.10 GiB (14.07 GB) (measured)
  run-1 load reserved_peak          13.20 GiB (14.17 GB) (measured; backend
                                    native)
  run-1 load allocated_end          13.10 GiB (14.07 GB) (measured)
  run-1 load reserved_end           13.20 GiB (14.17 GB) (measured)
  run-1 generation                  passed (measured)
  run-1 generation allocated_peak   19.20 GiB (20.62 GB) (measured)
  run-1 generation reserved_peak    19.60 GiB (21.05 GB) (measured; backend
                                    native)
  run-1 generation allocated_end    13.10 GiB (14.07 GB) (measured)
  run-1 generation reserved_end     19.60 GiB (21.05 GB) (measured)

documents
  eval-1                            quality, passed, value 0.840000;
                                    eval/report.pdf (stated)

decision
  admissible                        2 (calculated)
  to_verify                         1 (calculated)
  excluded                          1 (calculated)
  first candidate                   RTX 4090, admissible (calculated)
  ch.json                           offer 17

attached
  files/0001-job-quality.yaml       job, 2026-11-29, 510 B, SHA-256
                                    531bdd40d38ae8d9... (assumed)
  files/0002-rest.json              estimate, 2026-11-29, 999 B, SHA-256
                                    c5939225f9664675... (calculated)
  files/0003-proven.yaml            evidence, 2026-11-29, 693 B, SHA-256
                                    6eb532e24ec4498d... (measured)
  files/0004-4090.json              measurement, 2026-11-29, 3 B, SHA-256
                                    d7439bee24773bcb... (measured)
  files/0005-ch.json                decision, 2026-11-29, 10327 B, SHA-256
                                    e43da4f5a916d382...; offer 17 (calculated)
$ cat $TMP/r/0001.json
{
  "schema": "zirve.record/1",
  "entry": 1,
  "kind": "job",
  "known": "assumed",
  "date": "2026-11-29",
  "name": "job-quality.yaml",
  "file": "files/0001-job-quality.yaml",
  "bytes": 510,
  "sha256": "531bdd40d38ae8d9158b9c52fa8ca87f636a0ddfeb8975504a9aeebcc48cd85c",
  "previous": null,
  "note": null
}
$ zirve record check $TMP/r
  job: inputs.set is open
  job: inputs.usual is open
  job: inputs.long is open
  job: inputs.limit is open
  job: environment.gpu is open
  job: environment.driver is open
  job: environment.pytorch is open
  job: environment.backend is open
  eval-1: its document eval/report.pdf is not attached
0 changed, 9 open
? 1
$ zirve record check $TMP/r --json | head -n 8
{
  "schema": "zirve.check/1",
  "findings": [
    {
      "changed": false,
      "where": "job",
      "text": "inputs.set is open"
    },
$ zirve record show $TMP/r --json | head -n 30
{
  "schema": "zirve.sheet/1",
  "title": "untitled job",
  "rows": [
    {
      "section": "job",
      "label": "model.parameters",
      "value": "7000000000",
      "bytes": null,
      "known": null,
      "note": null
    },
    {
      "section": "job",
      "label": "model.bits",
      "value": "16",
      "bytes": null,
      "known": null,
      "note": null
    },
    {
      "section": "job",
      "label": "model.revision",
      "value": "r1",
      "bytes": null,
      "known": null,
      "note": null
    },
    {
      "section": "job",
$ zirve record show $TMP/r --html | sed -n '/<main/,/revision/p'
<main class="sheet">
<h1 class="title">untitled job</h1>
<table>
<tr><th colspan="3">job</th></tr>
<tr><td class="label">model.parameters</td>
<td class="value">7000000000</td>
<td class="known">declared</td>
</tr>
<tr><td class="label">model.bits</td>
<td class="value">16</td>
<td class="known">declared</td>
</tr>
<tr><td class="label">model.revision</td>
$ zirve record new $TMP/r tests/data/decide/job.yaml
zirve record: TMP/r: exists already and is not overwritten
? 3
# What is not put in.
$ zirve record add $TMP/r tests/data/decide/job.yaml
zirve record: tests/data/decide/job.yaml: a record is of one job: another one is another record
? 64
$ zirve record add $TMP/r tests/data/decide/offers.csv
zirve record: tests/data/decide/offers.csv: states no schema that is known: give --kind measurement, log, document ...
? 64
$ zirve record add $TMP/r tests/data/decide/proven.yaml --kind log
zirve record: tests/data/decide/proven.yaml: --kind log, but the file says it is evidence
? 64
$ zirve record add $TMP/r tests/data/decide/proven.yaml --kind gossip
zirve record: tests/data/decide/proven.yaml: --kind gossip: expected estimate, measurement, emulation, explain, run, evidence, environment, decision, log or document
? 64
$ zirve record add $TMP/r tests/data/decide
zirve record: tests/data/decide: a folder: attach its files
? 3
$ printf 'schema: zirve.evidence/1\nevidence: [{id: x}]\n' >$TMP/bad.yaml; zirve record add $TMP/r $TMP/bad.yaml
zirve record: TMP/bad.yaml: line 2: column 12: expected a document with id and kind
? 3
$ zirve record add $TMP/none x
zirve record: TMP/none: no record: 'zirve record new' makes one
? 3
$ zirve record show $TMP
zirve record: TMP: no record: 'zirve record new' makes one
? 3
$ zirve record new $TMP/new tests/data/decide/proven.yaml; ls $TMP/new
zirve record: tests/data/decide/proven.yaml: line 1: column 1: no job file: expected 'schema: zirve.job/1' in it
ls: cannot access 'TMP/new': No such file or directory
? 2
$ zirve record
zirve record: expected init, new, add, check or show
? 64
$ zirve record shwo $TMP/r
zirve record: expected init, new, add, check or show
? 64
# A changed attachment, a changed entry, an entry that points out of the record, a file of nobody.
$ cp -r $TMP/r $TMP/t1 && printf x >>$TMP/t1/files/0004-4090.json && zirve record check $TMP/t1; zirve record show $TMP/t1; zirve choose $TMP/t1 --offers tests/data/decide/offers.csv
  CHANGED files/0004-4090.json: changed since it was attached: its hash differs
1 changed, 0 open
zirve record: TMP/t1/files/0004-4090.json: changed since it was attached: its hash differs
zirve choose: TMP/t1/files/0004-4090.json: changed since it was attached: its hash differs
? 3
$ cp -r $TMP/r $TMP/t2 && sed -i s/2026-11-29/2026-11-28/ $TMP/t2/0002.json && zirve record check $TMP/t2
  CHANGED 0002.json: changed since the next entry was added
1 changed, 0 open
? 1
$ cp -r $TMP/r $TMP/t3 && sed -i 's|files/0002-rest.json|files/../../x|' $TMP/t3/0002.json && zirve record check $TMP/t3
zirve record: TMP/t3/0002.json: expected entry 2 with its attachment and hash
? 3
$ cp -r $TMP/r $TMP/t4 && printf x >$TMP/t4/files/stray && rm $TMP/t4/files/0005-ch.json && zirve record check $TMP/t4
  CHANGED files/0005-ch.json: cannot be opened: No such file or directory
  CHANGED files: 1 files that no entry names
2 changed, 0 open
? 1
$ cp -r $TMP/r $TMP/t5 && printf '{"schema": "zirve.record/2"}' >$TMP/t5/0001.json && zirve record show $TMP/t5
zirve record: TMP/t5/0001.json: expected an entry of schema zirve.record/1
? 4
$ cp -r $TMP/r $TMP/t6 && printf '{' >$TMP/t6/0003.json && zirve record show $TMP/t6
zirve record: TMP/t6/0003.json: byte 1: JSON: unexpected end
? 3
$ mkdir -p $TMP/t7/files && zirve record show $TMP/t7
zirve record: TMP/t7: a record without its job
? 3
# Results unpacked: verdict, counters, what they may prove; a change to try where a run failed.
$ cd $TMP && zirve record new results job.yaml --today 2026-11-29
$ zirve run -o $TMP/run.json -- sh -c 'cat tests/data/run/backward.log; exit 1' >/dev/null 2>&1; zirve run -o $TMP/search.json --search n=1..8 -- env FITS=3 sh tests/data/run/train.sh --n {} >/dev/null 2>&1; zirve explain --json -o $TMP/explain.json tests/data/snapshots/failed.pickle; zirve explain --json -o $TMP/message.json tests/data/run/backward.log; zirve explain --advise --json -o $TMP/advice.json tests/data/run/backward.log
$ zirve record add $TMP/results $TMP/run.json $TMP/search.json $TMP/explain.json $TMP/message.json $TMP/advice.json tests/data/decide/failed.yaml --today 2026-11-29 && zirve record add $TMP/results tests/data/run/evaluation.log tests/data/logs/llamacpp-2026.log --kind log --today 2026-11-29 && zirve record show $TMP/results | sed -n '/^results/,/^attached/p'
results
  0002 run.json                     out of memory, exit status 1:
                                    torch.OutOfMemoryError: CUDA out of memory.
                                    Tried to allocate 1.96 GiB. GPU 0 has a
                                    total capacity of 23.64 GiB of which 1.00
                                    GiB is free. Of the allocated memory 21.50
                                    GiB is allocated by PyTorch, an (measured)
  0002 may prove                    that the command ended so, once; no need of
                                    memory, for none was measured, and no load,
                                    for what it processed is not known
  0003 search.json                  boundary: n 3 is the largest that passed, 4
                                    tried (measured)
  0003 may prove                    that boundary, of that command, where it
                                    ran; no need in bytes
  0004 explain.json                 out of memory: capacity, 4.00 GiB asked for
                                    (measured)
  0004 allocated_peak               3.00 MiB (3.15 MB) (measured)
  0004 reserved_peak                22.00 MiB (23.07 MB) (measured; backend
                                    native)
  0004 allocated_end                2.00 KiB (2.05 kB) (measured)
  0004 reserved_end                 22.00 MiB (23.07 MB) (measured; backend
                                    native)
  0004 may prove                    what the allocator of that process held; not
                                    what others held or its context took, and no
                                    load
  0005 message.json                 out of memory: outside, 1.96 GiB asked for
                                    (measured)
  0005 may prove                    that a request failed, with the figures it
                                    printed; no need
  0006 advice.json                  out of memory in backward; 9 changes to try,
                                    first: a smaller micro-batch, accumulated to
                                    the same batch (calculated)
  0006 may prove                    nothing: it says what to try
  0008 evaluation.log               out of device memory in evaluation:
                                    torch.OutOfMemoryError: CUDA out of memory.
                                    Tried to allocate 7.83 GiB. GPU 0 has a
                                    total capacity of 23.64 GiB of which 1.00
                                    GiB is free. Including non-PyTorch memory,
                                    this process has 22.60 GiB memo (measured)
  0008 may prove                    nothing of memory but that its program said
                                    so
  0009 llamacpp-2026.log            no line says that memory ran out (measured)
  0009 may prove                    nothing of memory but that its program said
                                    so

one change to try
  run-9 generation                  weights in fewer bits; or a shorter context;
                                    or fewer sequences at once; or another
                                    cache: fewer bits, windows only, on the
                                    host; or a part of it on the host; or more
                                    cards of the same kind, with a layout that
                                    divides it

attached
$ zirve record show $TMP/results --json | grep -A3 '0004 reserved_end'
      "label": "0004 reserved_end",
      "value": null,
      "bytes": 23068672,
      "known": "measured",
$ printf '{"schema": "zirve.run/1",' >$TMP/cut.json; zirve record add $TMP/results $TMP/cut.json
zirve record: TMP/cut.json: byte 25: JSON: unexpected end
? 3
# Measures: the run that reserved most. Written in one line it is as emulated as before.
$ cd $TMP && zirve record new measures job-quality.yaml --today 2026-11-29 && zirve measure --emulate 4090 --width 1024 --series 2 -o m.json >/dev/null && tr -d ' \n' <m.json >line.json && zirve record add measures m.json line.json --today 2026-11-29 && grep -h known measures/000?.json && zirve record show measures | sed -n '/^results/,/^$/p'
  "known": "assumed",
  "known": "emulated",
  "known": "emulated",
results
  0002 m.json                       complete: 2 runs, the fullest on RTX 4090;
                                    batch 1, context 16, width 1024 (emulated)
  0002 allocated_peak               8.20 MiB (8.59 MB) (emulated)
  0002 reserved_peak                22.00 MiB (23.07 MB) (emulated; backend
                                    native)
  0002 allocated_end                8.07 MiB (8.46 MB) (emulated)
  0002 reserved_end                 22.00 MiB (23.07 MB) (emulated; backend
                                    native)
  0002 may prove                    what one allocator held in those phases, so
                                    run; no card's capacity for another model,
                                    and no load but that of the phases
  0003 line.json                    complete: 2 runs, the fullest on RTX4090;
                                    batch 1, context 16, width 1024 (emulated)
  0003 allocated_peak               8.20 MiB (8.59 MB) (emulated)
  0003 reserved_peak                22.00 MiB (23.07 MB) (emulated; backend
                                    native)
  0003 allocated_end                8.07 MiB (8.46 MB) (emulated)
  0003 reserved_end                 22.00 MiB (23.07 MB) (emulated; backend
                                    native)
  0003 may prove                    what one allocator held in those phases, so
                                    run; no card's capacity for another model,
                                    and no load but that of the phases

# An attachment that is no recording is not kept as one, and reserved bytes stand with their backend.
$ zirve record new $TMP/marks tests/data/decide/job.yaml --today 2026-11-29; zirve replay tests/data/ops/hole.txt --snapshot $TMP/emulated.pickle >/dev/null; zirve explain $TMP/emulated.pickle --capture $TMP/emulated.zv --json -o $TMP/emulated.json
$ printf '%s' '{"traceEvents":[{"ph":"i","name":"[memory]","ts":1,"pid":1,"tid":1,"args":{"Addr":16,"Bytes":512,"Total Allocated":512,"Total Reserved":2097152,"Device Type":1,"Device Id":0}}]}' | zirve explain - --json -o $TMP/chrome.json
$ zirve record add $TMP/marks $TMP/emulated.pickle $TMP/emulated.zv tests/data/snapshots/gen6.pickle --kind document --today 2026-11-29; zirve record add $TMP/marks $TMP/emulated.json $TMP/chrome.json --today 2026-11-29; grep -h '"known"' $TMP/marks/*.json
  "known": "assumed",
  "known": "emulated",
  "known": "emulated",
  "known": "unknown",
  "known": "emulated",
  "known": "measured",
$ zirve record show $TMP/marks | sed -n '/^results/,/^invalid/p'
results
  0005 emulated.json                no request failed; the peak of the record
                                    (emulated)
  0005 allocated_peak               5.59 GiB (6.00 GB) (emulated)
  0005 reserved_peak                7.46 GiB (8.01 GB) (emulated; backend
                                    native)
  0005 allocated_end                2.79 GiB (3.00 GB) (emulated)
  0005 reserved_end                 7.46 GiB (8.01 GB) (emulated; backend
                                    native)
  0005 may prove                    what the allocator of that process held; not
                                    what others held or its context took, and no
                                    load
  0006 chrome.json                  no request failed; the peak of the record
                                    (measured)
  0006 allocated_peak               512 B (measured)
  0006 reserved_peak                2.00 MiB (2.10 MB) (measured; backend
                                    unknown: with cudaMallocAsync an upper
                                    bound)
  0006 allocated_end                512 B (measured)
  0006 reserved_end                 2.00 MiB (2.10 MB) (measured; backend
                                    unknown: with cudaMallocAsync an upper
                                    bound)
  0006 may prove                    what the allocator of that process held; not
                                    what others held or its context took, and no
                                    load

attached
  files/0001-job.yaml               job, 2026-11-29, 212 B, SHA-256
                                    8fe73b764814baf4... (assumed)
  files/0002-emulated.pickle        document, 2026-11-29, 2433 B, SHA-256
                                    54befb75ded97987... (emulated)
  files/0003-emulated.zv            document, 2026-11-29, 806 B, SHA-256
                                    0800fc144bfd83de... (emulated)
  files/0004-gen6.pickle            document, 2026-11-29, 1314 B, SHA-256
                                    388a9c1da7ea1bda...
  files/0005-emulated.json          explain, 2026-11-29, 4728 B, SHA-256
                                    8fe4c73b4425f6b7... (emulated)
  files/0006-chrome.json            explain, 2026-11-29, 1537 B, SHA-256
                                    5034fb62221546f4... (measured)
$ zirve compare $TMP/marks $TMP/marks | grep backend
  in 1, 0005 reserved_peak: backend native
  in 2, 0005 reserved_peak: backend native
  in 1, 0005 reserved_end: backend native
  in 2, 0005 reserved_end: backend native
  in 1, 0006 reserved_peak: backend unknown: with cudaMallocAsync an upper bound
  in 2, 0006 reserved_peak: backend unknown: with cudaMallocAsync an upper bound
  in 1, 0006 reserved_end: backend unknown: with cudaMallocAsync an upper bound
  in 2, 0006 reserved_end: backend unknown: with cudaMallocAsync an upper bound
$ zirve compare $TMP/marks $TMP/marks --json | grep -c 'backend unknown'
4
# The backend of an allocator stands with its reserved peak: of evidence too, and that it is open.
$ sed 's/backend: native/backend: cudaMallocAsync/' tests/data/decide/proven.yaml >$TMP/async.yaml && zirve record new $TMP/async tests/data/decide/job.yaml && zirve record add $TMP/async $TMP/async.yaml && zirve record show $TMP/async | grep -A1 "load reserved_peak"
  run-1 load reserved_peak          13.20 GiB (14.17 GB) (measured; backend
                                    cudaMallocAsync: an upper bound)
$ sed '/backend: native/d' tests/data/decide/proven.yaml >$TMP/open.yaml && zirve record new $TMP/open tests/data/decide/job.yaml && zirve record add $TMP/open $TMP/open.yaml && zirve record show $TMP/open | grep -A2 "load reserved_peak"
  run-1 load reserved_peak          13.20 GiB (14.17 GB) (measured; backend
                                    unknown: with cudaMallocAsync an upper
                                    bound)
