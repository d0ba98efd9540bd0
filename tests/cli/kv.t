# A request trace under paging policies; rows of expected figures.
$ zirve kv tests/data/kv/mini.csv --model $M/llama-3.1-8b/config.json --runtime vllm@0.30.0 --card 4090 --context 4k --pp 1
150 requests over 40 s
  prompt  302.3 tokens on average, at most 3,142
  answer  33.7 tokens on average, at most 409

    RTX 4090                                 23.51 GiB (25.25 GB)
  = 0.920 of it                              21.63 GiB (23.23 GB)
  - token embedding                      1002.00 MiB (1050.67 MB)
  - output projection                    1002.00 MiB (1050.67 MB)
  - norms                                  520.00 KiB (532.48 kB)
  - attention                                  2.50 GiB (2.68 GB)
  - MLP                                      10.50 GiB (11.27 GB)
  - logits and sampling *                  438.38 MiB (459.67 MB)
  - hidden states kept *                     32.00 MiB (33.55 MB)
  - rotary table *                           32.00 MiB (33.55 MB)
  - context, libraries, communicat *       245.76 MiB (257.70 MB)
  - CUDA graphs *                          563.20 MiB (590.56 MB)
  = KV cache                                   5.39 GiB (5.79 GB)
  / page of 16 tokens: 65,536 B x 32 layers = 2,760 pages and a placeholder
  = 44,176 tokens as vLLM prints it
  a request of 4,096 tokens takes 256 pages: 10.8 fit at once
  * assumed: a rule of thumb, or seen in another run

                           at         holds   to be   waste   waste   pre-  hits
policy                   once  mean  tokens    held  inside outside empted      
one piece: 4096            10   3.2    2.5%    0.4%   26.8%    0.0%      -     -
one piece: 2^n, all        13   3.2    2.5%    0.4%    1.2%    0.0%      -     -
one piece: 2^n, answer     13   3.2    2.5%    0.4%    0.3%    0.0%      -     -
one piece: exact           13   3.2    2.5%    0.4%    0.0%    0.0%      -     -
static batches of 8         8     -       -       -   71.7%       -      -     -
pages of 16                13   3.2    2.5%       -    0.1%       -      0     -

Shares of the cache's memory, on average over steps. To be held: set aside and
written later. Inside: set aside and never written. Outside: free, and in no
hole large enough for who waits. Static: of what a batch takes.

Rules: vLLM 0.30.0.

$ zirve kv tests/data/kv/mini.jsonl --pages 60 --block-size 512,128,100 --occupancy
120 requests over 26 s
  prompt  4752.1 tokens on average, at most 7,680
  answer  165.9 tokens on average, at most 862

                           at         holds   to be   waste   waste   pre-  hits
policy                   once  mean  tokens    held  inside outside empted      
one piece: 7724             3   2.9   48.3%    2.7%   22.1%    0.0%      -     -
  |##################################################++::| 171 s
one piece: 2^n, all         5   3.2   53.8%    3.0%   20.7%    3.7%      -     -
  |+%@%%%%%%##%%%%%%@@%%%@@%%#*#**+%%%%%%%%%%%%*+-::| 153 s
one piece: 2^n, answer      7   3.9   64.0%    3.6%    3.0%   17.6%      -     -
  |=*%%##%%####**###%##%+--###%%%%%%%###=:::| 129 s
one piece: exact            7   3.8   63.5%    3.5%    0.0%   25.0%      -     -
  |=*%##*****#%*+########*=+*##***######*-::| 130 s
static batches of 8         8     -       -       -   29.6%       -      -     -
pages of 512                7   5.0   82.9%       -    4.5%       -      5     -
  |=#%@%%@%@@@@@@@%@%@@@@@%%@@@@@-:| 99 s
pages of 512, prefixes     14   7.4   84.3%       -       -       -     18 66.4%
  |:===+@@@@@@@@@@@@@@@@@@@@@%@@@@@@@%******=| 67 s
pages of 128                8   5.0   83.9%       -    1.1%       -      5     -
  |=*%@%%@%%@@@@@@%%%%%%@@%%%@@@*:| 98 s
pages of 128, prefixes     16   7.9   82.0%       -       -       -      7 69.4%
  |:=-=+#@@@@@@@@@@@@@@@@@%@%%@@@@@*******+| 63 s
pages of 100                8   5.1   84.4%       -    0.8%       -      2     -
  |=*%@%%@%%@%@@@@%@%%%%@%%@%@@@+:| 98 s

prefixes alone, 60 blocks of 512 tokens, without time:
  lru_front 64.7%, lru_rev 67.1%, fifo 54.2%, lfu 71.5%, lengthaware 66.3%

Shares of the cache's memory, on average over steps. To be held: set aside and
written later. Inside: set aside and never written. Outside: free, and in no
hole large enough for who waits. Static: of what a batch takes.

Rules: vLLM's scheduler after its changes of 2026.

$ zirve kv tests/data/kv/mini.jsonl --pages 60 --block-size 512 --paged-only --prefix-cache on --rules before-2026 | tail -n +6 | head -n 2
policy                   once  mean  tokens    held  inside outside empted      
pages of 512, prefixes     14   7.4   84.3%       -       -       -     19 66.4%
$ zirve kv tests/data/kv/mini.csv --pages 120 --paged-only --search concurrency | tail -n +6 | head -n 3
policy                   once  mean  tokens    held  inside outside empted      
pages of 16                 3   2.8   39.9%       -    1.1%       -      0     -
  3 requests do not fit even alone
$ zirve kv tests/data/kv/mini.csv --model $M/gemma-3-27b --card H100 --runtime vllm@0.30.0 --kv-cache-dtype auto,fp8 --paged-only | grep -E 'cache |page of|tokens as|pages of'
cache auto
  = KV cache                                 17.27 GiB (18.55 GB)
  / page of 16 tokens: 131,072 B x 10 layers = 14,148 pages and a placeholder
  = 159,133 tokens as vLLM prints it, in 7 groups of layers
pages of 16                13   3.2    3.0%       -       -       -      0     -
cache fp8
  = KV cache                                 17.27 GiB (18.55 GB)
  / page of 16 tokens: 65,536 B x 10 layers = 28,297 pages and a placeholder
  = 318,266 tokens as vLLM prints it, in 7 groups of layers
pages of 16                13   3.2    1.5%       -       -       -      0     -
# Nothing is left for a page.
$ zirve kv tests/data/kv/mini.csv --model $M/llama-3.1-70b/config.json --card 4090 --runtime vllm@0.30.0 | grep -E 'KV cache|missing'; zirve kv tests/data/kv/mini.csv --model $M/llama-3.1-70b/config.json --card 4090 --runtime vllm@0.30.0 >/dev/null
  = KV cache                                                  0 B
  ! missing before a first page            111.10 GiB (119.29 GB)
? 1
$ zirve kv tests/data/kv/mini.csv --pages 20 --limit 3 --paged-only --json | head -n 60
{
  "schema": "zirve.kv/1",
  "file": "tests/data/kv/mini.csv",
  "rules": "Rules: vLLM's scheduler after its changes of 2026.",
  "scenarios": [
    {
      "name": "",
      "context_tokens": 0,
      "replicas": 1,
      "trace": {
        "requests": 3,
        "refused": 0,
        "prompt_tokens": 343,
        "output_tokens": 84,
        "longest_prompt": 259,
        "longest_output": 40,
        "longest_slots": 274,
        "with_ids": 0,
        "last_arrival_ns": 125875000
      },
      "budget": null,
      "runs": [
        {
          "policy": "pages of 16",
          "layout": "paged",
          "page_tokens": 16,
          "pages": 20,
          "groups": 1,
          "prefix_cache": false,
          "eviction": "queue",
          "kept_pages": 0,
          "unkeyed_first": false,
          "admit_whole": true,
          "watermark_pages": 0,
          "step_tokens": 8192,
          "max_sequences": 256,
          "figures": {
            "requests": 3,
            "rejected": 0,
            "completed": 3,
            "steps": 56,
            "last_step": 55,
            "preemptions": 1,
            "preempt_lost_tokens": 48,
            "peak_pages": 20,
            "sum_pages": 554,
            "peak_running": 2,
            "sum_running": 84,
            "sum_slots": 8230,
            "sched_tokens": 472,
            "hit_tokens_first": 0,
            "hit_tokens_resumed": 0,
            "prompt_tokens_first": 343,
            "evictions": 0,
            "sum_finish_step": 110,
            "block_digest": 16000057806695004359
          },
          "occupancy": [
            {
              "steps": 1,
# Which page loses its prefix first, and how much is kept.
$ zirve kv tests/data/kv/mini.jsonl --pages 60 --block-size 512 --paged-only --prefix-cache on --eviction queue,lru,lfu,fifo --limit 60 | grep '^pages of'
pages of 512, queue        14   6.1   59.8%       -       -       -      5 71.1%
pages of 512, lru          14   6.1   59.8%       -       -       -      5 71.1%
pages of 512, lfu          14   6.1   59.8%       -       -       -      5 72.5%
pages of 512, fifo         14   6.1   59.8%       -       -       -      5 70.5%
$ zirve kv tests/data/kv/mini.jsonl --pages 160 --block-size 512 --paged-only --prefix-cache on --eviction lru,lfu --cache-size 20 | grep -E '^pages of|prefixes alone|lru_front'
pages of 512, lru          23  12.1   43.3%       -       -       -      0 74.1%
pages of 512, lfu          23  12.1   43.3%       -       -       -      0 74.9%
prefixes alone, 20 blocks of 512 tokens, without time:
  lru_front 33.0%, lru_rev 43.8%, fifo 24.9%, lfu 46.0%, lengthaware 50.7%
$ zirve kv tests/data/kv/mini.jsonl --model $M/llama-3.1-8b/config.json --card 4090 --context 16k --runtime vllm@0.30.0 --block-size 512 --paged-only --prefix-cache on --cache-size 1GiB | grep -E '^pages of|prefixes alone|lru_front'
pages of 512, prefixes     18  10.2   72.0%       -       -       -      8 71.6%
prefixes alone, 16 blocks of 512 tokens, without time:
  lru_front 23.3%, lru_rev 37.1%, fifo 18.9%, lfu 44.3%, lengthaware 48.8%
$ zirve kv tests/data/kv/mini.jsonl --pages 60 --block-size 512 --prefix-cache on --cache-size 20 --eviction lfu --paged-only --json | grep -E '"(eviction|kept_pages|replicas)"'
      "replicas": 1,
          "eviction": "lfu",
          "kept_pages": 20,
# More cards, and windows.
$ zirve kv tests/data/kv/mini.jsonl --pages 60 --block-size 512 --paged-only --prefix-cache on --replicas 1,3 | grep -E '^replicas|^each|^pages of'
replicas 1
pages of 512, prefixes     14   7.4   84.3%       -       -       -     18 66.4%
replicas 3
each of 3 replicas: the busiest one's peak, the mean of all
pages of 512, prefixes     10   4.2   54.7%       -       -       -      0 62.5%
$ zirve kv tests/data/kv/mini.csv --pages 60 --paged-only --window none,128 | grep -E '^window|^pages of|alone'
window none
pages of 16                 8   2.5   66.0%       -    2.0%       -     15     -
  9 requests do not fit even alone
window 128
pages of 16                 7   3.0   38.5%       -       -       -      3     -
  9 requests do not fit even alone
$ zirve kv tests/data/kv/mini.csv --model $M/gemma-3-27b --card H100 --runtime vllm@0.30.0 --paged-only --window 512,none | grep -E '^window|page of|tokens as|pages of|request of'
window 512
  / page of 16 tokens: 131,072 B x 10 layers = 14,148 pages and a placeholder
  = 161,798 tokens as vLLM prints it, in 7 groups of layers
  a request of 131,072 tokens takes 11,462 pages: 1.2 fit at once
pages of 16                13   3.2    2.7%       -       -       -      0     -
window none
  / page of 16 tokens: 131,072 B x 62 layers = 2,281 pages and a placeholder
  = 36,512 tokens as vLLM prints it
  a request of 131,072 tokens takes 8,192 pages: 0.3 fit at once
pages of 16                13   3.2    3.0%       -    0.1%       -      0     -
# Recurrent states that are found again.
$ for mode in align all none; do zirve kv tests/data/kv/mini.jsonl --model $M/granite-4.0-h-tiny/config.json --runtime vllm@0.33.0 --card 4090 --block-size 1024 --context 16k --paged-only --prefix-cache on --mamba-cache-mode $mode --limit 40 | grep '^pages of'; done
pages of 1024, prefixes    12   4.1    5.3%       -       -       -      0 64.3%
pages of 1024, prefixes    11   4.1    5.3%       -       -       -      0 65.0%
zirve: no prefix caching: recurrent states are not kept (--mamba-cache-mode none)
pages of 1024              12   4.1    5.8%       -       -       -      0     -
$ zirve kv tests/data/kv/mini.jsonl --model $M/granite-4.0-h-tiny/config.json --runtime vllm@0.33.0 --card 4090 --block-size 1024 --context 16k --paged-only --prefix-cache on --max-num-batched-tokens 1000
zirve kv: states are kept at pages of 1024 tokens, a step has 1000: it would never reach one
? 64
$ zirve kv tests/data/kv/mini.csv --pages 5 --cache-size 1GiB
zirve kv: --cache-size 1GiB: bytes need --model and --card, which say what a page takes
? 64
$ zirve kv tests/data/kv/mini.csv --pages 5 --eviction lru,oldest
zirve kv: --eviction lru,oldest: expected some of queue, lru, lfu, fifo
? 64
$ zirve kv tests/data/kv/mini.csv --pages 5 --window 0
zirve kv: --window 0: expected tokens, or none
? 64
$ zirve kv tests/data/kv/mini.csv --pages 5 --replicas 1,0
zirve kv: --replicas 0: expected 1 to 1024
? 64
$ zirve kv tests/data/kv/mini.csv --pages 5 --replicas 1,2,3 --window 1,2,3
zirve kv: more than 8 combinations of --kv-cache-dtype, --tp, --context, --window and --replicas
? 64
$ zirve kv verify tests/data/kv/expected.tsv --data tests/data/kv
109 equal, 0 differ, 0 not run; 1115 figures compared
$ zirve kv verify tests/data/kv/expected.tsv --data /nowhere | tail -n 1; zirve kv verify tests/data/kv/expected.tsv --data /nowhere >/dev/null
0 equal, 0 differ, 109 not run; 0 figures compared
? 6
$ printf 'case\tparams\tresults\nfit\ttrace=mini.csv slots=16384 policy=paged arg=16\tfit=1\n' >$TMP/rows; zirve kv verify $TMP/rows --data tests/data/kv
line 2: fit trace=mini.csv slots=16384 policy=paged arg=16: fit is 49, expected 1
0 equal, 1 differ, 0 not run; 1 figures compared
? 1
# What makes no sense.
$ zirve kv tests/data/kv/mini.csv
zirve kv: expected --model and --card, or --pages by hand, to say how much memory there is
? 64
$ zirve kv --pages 5
zirve kv: expected one request trace ('-' for standard input)
? 64
$ zirve kv tests/data/kv/mini.csv --model $M/qwen2.5-7b --pages 5
zirve kv: expected --model and --card, or --pages by hand, to say how much memory there is
? 64
$ zirve kv tests/data/kv/mini.csv --model $M/llama-3.1-8b/config.json --card 4090 --runtime sglang@0.5.19 --context 4k --paged-only | sed -n '/RTX/,$p'
    RTX 4090                                 23.51 GiB (25.25 GB)
  - context and libraries *                286.10 MiB (300.00 MB)
  = 0.844 of it                              19.61 GiB (21.05 GB)
  - token embedding                      1002.00 MiB (1050.67 MB)
  - output projection                    1002.00 MiB (1050.67 MB)
  - norms                                  520.00 KiB (532.48 kB)
  - attention                                  2.50 GiB (2.68 GB)
  - MLP                                      10.50 GiB (11.27 GB)
  = KV cache                                   4.65 GiB (4.99 GB)
  / page of 1 tokens: 131,072 B in all layers = 38,104 pages
  = 38,104 tokens as SGLang prints it
  a request of 4,096 tokens takes 4,096 pages: 9.3 fit at once
  * assumed: a rule of thumb, or seen in another run

                           at         holds   to be   waste   waste   pre-  hits
policy                   once  mean  tokens    held  inside outside empted      
pages of 1                 13   3.2    2.9%       -    0.0%       -      0     -

Shares of the cache's memory, on average over steps. To be held: set aside and
written later. Inside: set aside and never written. Outside: free, and in no
hole large enough for who waits. Static: of what a batch takes.

Rules: memory of SGLang 0.5.19; steps, pages and pre-emption are vLLM's, with
whole prompts admitted. SGLang itself drops whole leaves of its tree of
prefixes, and retracts the requests that have answered least.

$ zirve kv tests/data/kv/mini.csv --model $M/gemma-3-27b --card H100 --runtime sglang@0.5.19
zirve kv: SGLang divides its pool for windows, states and draft models by rules that are not known here
? 4
$ zirve kv tests/data/kv/mini.csv --model $M/qwen2.5-7b --card 4090 --runtime llama.cpp@b6000 --assume
zirve kv: the memory that llama.cpp leaves to pages: only vLLM's and SGLang's is known
? 4
$ zirve kv tests/data/kv/mini.csv --pages 5 --columns x=y
zirve kv: --columns x: expected arrival=NAME, prompt=NAME or output=NAME
? 64
$ zirve kv tests/data/kv/mini.csv --pages 5 --columns prompt=Nope
zirve kv: tests/data/kv/mini.csv: line 1: no column Nope in 'TIMESTAMP,ContextTokens,GeneratedTokens'
? 3
$ zirve kv tests/data/kv/mini.csv --pages 20 --block-size 0
zirve kv: --block-size 0: expected whole numbers above 0, at most 16
? 64
$ zirve kv tests/data/kv/mini.csv --pages 99999999999
zirve kv: --pages 99999999999: expected 1 to 67108864
? 64
$ zirve kv tests/data/kv/mini.csv --pages 60000000 --block-size 999999999999
zirve kv: --pages and --block-size: more than 2^40 tokens
? 3
$ zirve kv tests/data/kv/mini.csv --pages 60000000 --block-size 16,1
zirve kv: 960000000 pages of 1 tokens: at most 2^26, take larger ones
? 3
$ printf 'prompt,output\n1,1\n0,4\n' >$TMP/bad.csv; zirve kv $TMP/bad.csv --pages 5
zirve kv: TMP/bad.csv: line 3: a prompt of 0 tokens
? 3
$ printf 'arrival,prompt,output\n2,1,1\n1,4,4\n' >$TMP/bad2.csv; zirve kv $TMP/bad2.csv --pages 5
zirve kv: TMP/bad2.csv: line 3: arrives before the request above it: sort the trace by time
? 3
$ printf 'prompt,output\n' >$TMP/none.csv; zirve kv $TMP/none.csv --pages 5
zirve kv: TMP/none.csv: a trace without requests
? 3
# Occupancy as a page beside the text; an existing one stays.
$ zirve kv tests/data/kv/mini.jsonl --pages 60 --block-size 512 --paged-only --html $TMP/kv.html | head -n 1
120 requests over 26 s
$ sed -n 's/^<p class="verdict">//p; s/.*<h1>//p' $TMP/kv.html
mini.jsonl</h1><div id="tools"></div></header>
120 requests under 2 policies; the longest takes 3,991 steps of 25 ms.</p>
$ sed -n '/<script type="application.json" id="data">/,/"title": "Requests"/p' $TMP/kv.html
<script type="application/json" id="data">{
  "schema": "zirve.page/1",
  "unit": "both",
  "instants": 480,
  "steps": 3991,
  "basis": "Simulated. Each column is a part of the longest run, by its busiest step; steps in which nothing runs or waits are passed over.",
  "charts": [
    {
      "title": "Memory in use, by policy",
      "unit": "share",
      "count": 480,
      "choice": null,
      "series": [
        {
          "name": "pages of 512",
          "role": "c0",
          "count": 480,
          "unit": 1,
          "array": 2,
          "low": 0,
          "high": 1,
          "columns": 480,
          "largest": 1000
        },
        {
          "name": "pages of 512, prefixes",
          "role": "c1",
          "count": 480,
          "unit": 1,
          "array": 20,
          "low": 18,
          "high": 19,
          "columns": 480,
          "largest": 1000
        }
      ],
      "lines": []
    },
    {
      "title": "Pages",
      "unit": "count",
      "count": 480,
      "choice": "pages of 512",
      "series": [
        {
          "name": "in use",
          "role": "allocated",
          "count": 480,
          "unit": 1,
          "array": 5,
          "low": 3,
          "high": 4,
          "columns": 480,
          "largest": 60
        }
      ],
      "lines": [
        {
          "name": "all there are",
          "value": 60
        }
      ]
    },
    {
      "title": "Requests",
$ zirve kv tests/data/kv/mini.jsonl --pages 60 --block-size 512 --html $TMP/kv.html
zirve kv: TMP/kv.html: exists already and is not overwritten
? 3
