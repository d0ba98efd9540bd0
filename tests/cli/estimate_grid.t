# One table of fits. Lists need --grid; the exit status says whether anything fits.
$ zirve estimate $M/llama-3.1-8b/config.json --context 4k,8k,32k --concurrency 1,4,16 --card 4090,L40S,24GB --runtime vllm@0.19.0 --grid
zirve: 24GB is taken literally; a real card of that name allows less or more
RTX 4090: 23.51 GiB (25.25 GB)
  weights: as stored
     context          x 1          x 4         x 16
       4,096 fits   +4.97 fits   +3.47 no     -2.53
       8,192 fits   +4.47 fits   +1.47 no    -10.53
      32,768 fits   +1.47 no    -10.53 no    -58.53

L40S: 44.49 GiB (47.77 GB)
  weights: as stored
     context          x 1          x 4         x 16
       4,096 fits  +23.85 fits  +22.35 fits  +16.35
       8,192 fits  +23.35 fits  +20.35 fits   +8.35
      32,768 fits  +20.35 fits   +8.35 no    -39.65

24GB: 22.35 GiB (24.00 GB)
  weights: as stored
     context          x 1          x 4         x 16
       4,096 fits   +3.93 fits   +2.43 no     -3.57
       8,192 fits   +3.43 fits   +0.43 no    -11.57
      32,768 fits   +0.43 no    -11.57 no    -59.57

18 of 27 combinations fit by calculation, 9 do not, 0 cannot be told. Columns:
concurrency; margins in GiB to what the runtime may use, - is missing. A
calculation never proves that a job runs.
$ zirve estimate $M/llama-3.1-8b/config.json --context 8k --concurrency 1,2,4,8,16,32 --card 4090 --runtime vllm@0.19.0 --grid --unit GB
RTX 4090: 25.25 GB
  weights: as stored
     context          x 1          x 2          x 4          x 8         x 16
       8,192 fits   +4.80 fits   +3.73 fits   +1.58 no     -2.71 no    -11.30
     context         x 32
       8,192 no    -28.48

3 of 6 combinations fit by calculation, 3 do not, 0 cannot be told. Columns:
concurrency; margins in GB to what the runtime may use, - is missing. A
calculation never proves that a job runs.
$ zirve estimate $M/llama-3.1-8b/config.json --context 8k --concurrency 4,16 --card 4090 --runtime vllm@0.19.0 --grid --json
{
  "schema": "zirve.estimate-grid/1",
  "by": "calculation",
  "cards": [
    {
      "card": "RTX 4090",
      "capacity_low_bytes": 25246564352,
      "capacity_high_bytes": 25426206392,
      "capacity_known": "measured",
      "capacity_basis": "lowest of 4 published readings of what a runtime sees"
    }
  ],
  "rows": [
    {
      "card": "RTX 4090",
      "quantization": "as stored",
      "context_tokens": 8192,
      "concurrency": 4,
      "at_least_bytes": 20355489792,
      "expected_bytes": 21139966198,
      "unknown_items": 0,
      "verdict": "fits",
      "margin_bytes": 1581941718,
      "reason": null
    },
    {
      "card": "RTX 4090",
      "quantization": "as stored",
      "context_tokens": 8192,
      "concurrency": 16,
      "at_least_bytes": 33240391680,
      "expected_bytes": 34024868086,
      "unknown_items": 0,
      "verdict": "does not fit",
      "margin_bytes": -11302960170,
      "reason": null
    }
  ],
  "fit": 1,
  "fit_not": 1,
  "open": 0
}
$ zirve estimate $M/llama-3.1-70b/config.json --context 4k --card 4090 --grid
RTX 4090: 23.51 GiB (25.25 GB)
  weights: as stored
     context          x 1
       4,096 no   -110.22

0 of 1 combinations fit by calculation, 1 do not, 0 cannot be told. Columns:
concurrency; margins in GiB to what the runtime may use, - is missing. A
calculation never proves that a job runs.
? 1
$ zirve estimate $M/llama-3.1-8b/config.json --task train --lora-rank 16 --seq-length 1k,4k --micro-batch 1,8 --card 4090,H100 --grid
RTX 4090: 23.51 GiB (25.25 GB)
  weights: as stored
  seq-length          x 1          x 8
       1,024 fits   +2.21 ?     -39.56
       4,096 ?     -15.69 ?    -182.75

H100 80GB: 79.19 GiB (85.03 GB)
  weights: as stored
  seq-length          x 1          x 8
       1,024 fits  +57.89 fits  +16.12
       4,096 fits  +39.99 ?    -127.07

4 of 8 combinations fit by calculation, 0 do not, 4 cannot be told. Columns:
micro-batch; margins in GiB to what the runtime may use, - is missing. A
calculation never proves that a job runs.
$ zirve estimate $M/llama-3.1-8b/config.json --context 8k --concurrency 1,18446744073709551615 --card 4090 --grid
RTX 4090: 23.51 GiB (25.25 GB)
  weights: as stored
     context          x 1 x 18,446,744,073,709,551,615
       8,192 fits   +6.49            -
  -: a size passes 2^64 bytes

1 of 2 combinations fit by calculation, 0 do not, 1 cannot be told. Columns:
concurrency; margins in GiB to what the runtime may use, - is missing. A
calculation never proves that a job runs.
$ zirve estimate $M/llama-3.1-8b/config.json --context 4k,8k
zirve estimate: --context 4k,8k: several values make a table: add --grid
? 64
$ zirve estimate $M/llama-3.1-8b/config.json --concurrency 4,8 --card 4090
zirve estimate: --concurrency 4,8: several values make a table: add --grid
? 64
$ zirve estimate $M/llama-3.1-8b/config.json --card 4090,L40S
zirve estimate: --card 4090,L40S: several values make a table: add --grid
? 64
$ zirve estimate $M/llama-3.1-8b/config.json --context 4k,8k --grid
zirve estimate: --grid is a table of fits: it needs --card NAME,NAME...
? 64
$ zirve estimate $M/llama-3.1-8b/config.json --context 4k,,8k --card 4090 --grid
zirve estimate: --context 4k,,8k: expected whole numbers above 0, at most 16
? 64
$ zirve estimate $M/llama-3.1-8b/config.json --card 4090 --grid --advise
zirve estimate: --grid is a table of its own: without --search, --advise
? 64
$ zirve estimate --parameters 7e9 --bits 16 --grid
zirve estimate: --grid needs a model: figures by hand have nothing to vary
? 64
$ zirve estimate $M/llama-3.1-8b/config.json --context 8k --concurrency 1,16 --card 4090 --runtime vllm@0.19.0 --quantization none,fp8,awq,nonsense --grid
RTX 4090: 23.51 GiB (25.25 GB)
  weights: none
     context          x 1         x 16
       8,192 fits   +4.47 no    -10.53
  weights: fp8
     context          x 1         x 16
       8,192 fits  +10.97 no     -4.03
  weights: awq
     context          x 1         x 16
       8,192 fits  +14.10 no     -0.90
  weights: nonsense
     context          x 1         x 16
       8,192            -            -
  -: "nonsense" is no element type that weights can be held in

3 of 8 combinations fit by calculation, 3 do not, 2 cannot be told. Columns:
concurrency; margins in GiB to what the runtime may use, - is missing. A
calculation never proves that a job runs.
$ zirve estimate $M/llama-3.1-8b-awq-int4/config.json --context 8k --card 4090 --runtime vllm@0.19.0 --quantization awq,fp8 --grid
RTX 4090: 23.51 GiB (25.25 GB)
  weights: awq
     context          x 1
       8,192 fits  +14.10
  weights: fp8
     context          x ?
       8,192            -
  -: the model is quantised already

1 of 2 combinations fit by calculation, 0 do not, 1 cannot be told. Columns:
concurrency; margins in GiB to what the runtime may use, - is missing. A
calculation never proves that a job runs.
# A pasted line keeps its sizes where no list replaces them: 4 slots share 32768 tokens.
$ zirve estimate --command "llama-server -m $M/llama-3.1-8b/config.json -c 32768 -np 4" --card 4090 --grid 2>/dev/null
RTX 4090: 23.51 GiB (25.25 GB)
  weights: as stored
     context          x 4
       8,192 fits   +5.00

1 of 1 combinations fit by calculation, 0 do not, 0 cannot be told. Columns:
concurrency; margins in GiB to what the runtime may use, - is missing. A
calculation never proves that a job runs.
$ zirve estimate --command "llama-server -m $M/llama-3.1-8b/config.json -c 32768 -np 4" --card 4090 2>/dev/null | grep -A1 FITS
  FITS by calculation, with a margin of 5.00 GiB (5.37 GB). A calculation never
  proves that a job runs.
