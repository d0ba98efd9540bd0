# The largest value that fits, proven at its neighbour; who ends it, the card or the model.
$ zirve estimate $M/llama-3.1-8b/config.json --concurrency 4 --runtime vllm@0.19.0 --card 4090 --search context | sed -n '/^RTX/,/^Assumed/p'
RTX 4090
  23.51 GiB (25.25 GB) to 23.68 GiB (25.43 GB); lowest of 4 published readings
  of what a runtime sees
  usable: 21.16 GiB (22.72 GB); the runtime may use 0.9 of the card
  FITS by calculation, with a margin of 4.66 MiB (4.88 MB). A calculation never
  proves that a job runs.
  The runtime's pool would be 5.47 GiB (5.88 GB): 2,802 blocks, 44,832 tokens,
  4.00 sequences of full length (assumed: it rests on the assumed items).

largest context: 11,200 tokens
  with 11,201: cannot tell, 3.34 MiB (3.51 MB) missing

Assumed because it was not given:
$ zirve estimate $M/llama-3.1-8b/config.json --runtime vllm@0.19.0 --card H100 --search context --json | sed -n '/"search"/,/}/p'
  "search": {
    "dimension": "context",
    "value": 131072,
    "verdict": "fits",
    "next_value": null,
    "next_value_verdict": null,
    "limit": 131072,
    "limit_basis": "the most the model declares",
    "stopped_by": "the most the model declares",
    "estimates": 18
  },
$ zirve estimate $M/llama-3.1-8b/config.json --context 8192 --runtime vllm@0.19.0 --card 4090 --search concurrency --json | sed -n '/"search"/,/}/p'
  "search": {
    "dimension": "concurrency",
    "value": 5,
    "verdict": "fits",
    "next_value": 6,
    "next_value_verdict": "cannot tell",
    "limit": 1048576,
    "limit_basis": "the end of this search",
    "stopped_by": "the card",
    "estimates": 6
  },
$ zirve estimate $M/llama-3.1-8b/config.json --task train --lora-rank 16 --micro-batch 1 --card 4090 --search seq-length | sed -n '/^largest/,/^Assumed/p'
largest seq-length: 1,402 tokens
  with 1,403: cannot tell, 349.25 KiB (357.63 kB) missing

Assumed because it was not given:
# batch is concurrency when serving, the micro-batch in training
$ zirve estimate $M/llama-3.1-8b/config.json --context 8192 --runtime vllm@0.19.0 --card 4090 --search batch | sed -n '/^largest/,/^Assumed/p'
largest concurrency: 5 sequences
  with 6: cannot tell, 539.34 MiB (565.54 MB) missing

Assumed because it was not given:
$ zirve estimate $M/llama-3.1-8b/config.json --task train --lora-rank 16 --seq-length 512 --card 4090 --search batch | sed -n '/^largest/,/^Assumed/p'
largest micro-batch: 2 sequences
  with 3: cannot tell, 793.86 MiB (832.42 MB) missing

Assumed because it was not given:
$ zirve estimate $M/llama-3.1-8b/config.json --search batch --batch 4 --card 4090
zirve estimate: --search concurrency finds the largest: leave out --concurrency
? 64
$ zirve estimate $M/llama-3.1-70b/config.json --card 4090 --search context --runtime vllm@0.19.0 | sed -n '/DOES NOT/,/^Assumed/p'; zirve estimate $M/llama-3.1-70b/config.json --card 4090 --search context --runtime vllm@0.19.0 >/dev/null
  DOES NOT FIT: what is known alone exceeds it; 111.02 GiB (119.21 GB) missing
  for what is expected.
  The runtime's pool would be 0 B: 0 blocks, 0 tokens, 0.00 sequences of full
  length (assumed: it rests on the assumed items).

largest context: none, not even 1 token goes in (111.02 GiB (119.21 GB) missing)

Assumed because it was not given:
? 1
$ zirve estimate $M/llama-3.1-8b/config.json --search context
zirve estimate: --search needs --card: what should it fit?
? 64
$ zirve estimate $M/llama-3.1-8b/config.json --search micro-batch --card 4090
zirve estimate: no micro-batch in a job that serves
? 64
$ zirve estimate $M/llama-3.1-8b/config.json --search context --context 8k --card 4090
zirve estimate: --search context finds the largest: leave out --context
? 64
$ zirve estimate $M/llama-3.1-8b/config.json --search width --card 4090
zirve estimate: --search width: expected one of context, concurrency, micro-batch, seq-length, batch
? 64
