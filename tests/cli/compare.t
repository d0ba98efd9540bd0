# One variable: a comparison. Several, or another criterion: none, unless to explore.
$ sed 's/context: 8192/context: 4096/' tests/data/decide/job-quality.yaml >$TMP/short.yaml; zirve compare tests/data/decide/job-quality.yaml $TMP/short.yaml
1  tests/data/decide/job-quality.yaml: untitled job
2  TMP/short.yaml: untitled job

job
  model.parameters                7000000000             7000000000
  model.bits                      16                     16
  model.revision                  r1                     r1
* sizes.context                   8192                   4096
  sizes.concurrency               4                      4
  resident.0.name                 reserve                reserve
  resident.0.bytes                6GiB                   6GiB
  quality.criterion               exact match on 500 q.. exact match on 500 q..
  quality.minimum                 0.80                   0.80

varied: sizes.context
comparable
$ zirve compare tests/data/decide/job.yaml tests/data/decide/job.yaml | tail -n 3

varied: nothing, the same job again
comparable
$ sed 's/context: 8192, concurrency: 4/context: 4096, concurrency: 2/' tests/data/decide/job-quality.yaml >$TMP/two.yaml; zirve compare tests/data/decide/job-quality.yaml $TMP/short.yaml $TMP/two.yaml | tail -n 4

varied: sizes.context
varied: sizes.concurrency
  no comparison: more than one variable differs
$ sed 's/0.80/0.70/' tests/data/decide/job-quality.yaml >$TMP/worse.yaml; zirve compare tests/data/decide/job-quality.yaml $TMP/worse.yaml | tail -n 3

varied: quality.minimum
  no comparison: the quality criterion differs
$ zirve compare tests/data/decide/job-quality.yaml $TMP/worse.yaml --exploratory | tail -n 3
varied: quality.minimum
  no comparison: the quality criterion differs
shown side by side to explore; nothing follows from it
$ zirve compare tests/data/decide/job-quality.yaml $TMP/worse.yaml --json | head -n 30
{
  "schema": "zirve.compare/1",
  "records": [
    "tests/data/decide/job-quality.yaml",
    "TMP/worse.yaml"
  ],
  "comparable": false,
  "exploratory": false,
  "crosses_backends": false,
  "varied": [
    "quality.minimum"
  ],
  "reasons": [
    "the quality criterion differs"
  ],
  "rows": [
    {
      "section": "job",
      "label": "model.parameters",
      "values": [
        "7000000000",
        "7000000000"
      ],
      "known": [
        null,
        null
      ],
      "notes": [
        null,
        null
# Across backends.
$ { cat tests/data/decide/job.yaml; echo 'environment: {backend: CUDA 12.8}'; } >$TMP/a.yaml; { cat tests/data/decide/job.yaml; echo 'environment: {backend: ROCm 6.4}'; } >$TMP/b.yaml; zirve compare $TMP/a.yaml $TMP/b.yaml | tail -n 4

varied: environment.backend
CUDA and HIP: the same calls prove no equal kernels, precision or results.
comparable
# Other inputs, another preparation.
$ { cat tests/data/decide/job.yaml; echo 'inputs: {set: a, preparation: x}'; } >$TMP/a.yaml; { cat tests/data/decide/job.yaml; echo 'inputs: {set: b, preparation: y}'; } >$TMP/b.yaml; zirve compare $TMP/a.yaml $TMP/b.yaml | tail -n 5
varied: inputs.set
varied: inputs.preparation
  no comparison: the content of the inputs differs
  no comparison: the preparation of the inputs differs
  no comparison: more than one variable differs
# Records: readings are laid side by side; the card of the run is a variable.
$ zirve record new $TMP/ra tests/data/decide/job.yaml --today 2026-11-29 && zirve record add $TMP/ra tests/data/decide/proven.yaml --today 2026-11-29 && zirve record new $TMP/rb tests/data/decide/job.yaml --today 2026-11-29 && sed 's/RTX 4090/RTX 6000 Ada/; s/19.2GiB/19.3GiB/; s/, reserved_end: 19.6GiB//' tests/data/decide/proven.yaml >$TMP/pb.yaml && zirve record add $TMP/rb $TMP/pb.yaml --today 2026-11-29 && zirve compare $TMP/ra $TMP/rb
1  TMP/ra: 7B, 16 bits, inference
2  TMP/rb: 7B, 16 bits, inference

job
  model.parameters                7000000000             7000000000
  model.bits                      16                     16
  model.revision                  r1                     r1
  sizes.context                   8192                   8192
  sizes.concurrency               4                      4
  resident.0.name                 reserve                reserve
  resident.0.bytes                6GiB                   6GiB
  resident.0.known                assumed                assumed
* card of the first run           RTX 4090               RTX 6000 Ada

calculated
  weights of one card             unknown                unknown
  at least, of one card           unknown                unknown
  expected of one card            unknown                unknown

measured
  largest load that passed        context 8192, concur.. context 8192, concur..
* run-1                           measurement, passed .. measurement, passed ..
  run-1 load                      passed                 passed
  run-1 load allocated_peak       13.10 GiB              13.10 GiB
  run-1 load reserved_peak        13.20 GiB              13.20 GiB
  run-1 load allocated_end        13.10 GiB              13.10 GiB
  run-1 load reserved_end         13.20 GiB              13.20 GiB
  run-1 generation                passed                 passed
* run-1 generation allocated_peak 19.20 GiB              19.30 GiB
  run-1 generation reserved_peak  19.60 GiB              19.60 GiB
  run-1 generation allocated_end  13.10 GiB              13.10 GiB
* run-1 generation reserved_end   19.60 GiB              unknown

  in 1, run-1 load reserved_peak: backend native
  in 2, run-1 load reserved_peak: backend native
  in 1, run-1 generation reserved_peak: backend native
  in 2, run-1 generation reserved_peak: backend native
varied: card of the first run
comparable
$ zirve compare $TMP/ra
zirve compare: expected 2 to 8 records or job files
? 64
$ zirve compare $TMP/ra $TMP/nosuch
zirve compare: TMP/nosuch: no record: 'zirve record new' makes one
? 3
