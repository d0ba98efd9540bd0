# Mistakes are named, with what was expected, and end with 64.
$ zirve
zirve: how much GPU memory a job needs, and how that is known

usage: zirve VERB [options] [FILE...]

  estimate     what should it need?
  cards        what cards are there, what can they really allocate?
  choose       which card or offer, under these needs?
  explain      why this peak, why out of memory?
  replay       what if another setting, another card?
  view         show me
  place        what would the best placement need?
  run          what became of my program?
  record       keep it: what was declared, calculated, measured, decided
  compare      what differs?
  kv           how many requests fit, what does paging waste?
  environment  what is this machine: devices, drivers, capacities, settings?
  measure      what does the lab exercise take here?
  selftest     how accurate is all this?

'zirve VERB --help' tells more; 'zirve --version' which zirve this is.

Every figure says how it is known: calculated (exact), measured (read from a log
or a card), emulated, assumed (by a formula or one published reading: it may be
off) or unknown. 'at least' is the sum of what is known; 'expected' adds what is
assumed.

Exit status: 0 done or yes; 1 a clean no; 2 no usable GPU; 3 input or output bad;
4 unsupported or unknown version; 6 partial or cannot tell; 64 usage; 70 our bug.
? 64
$ zirve --version
zirve 0.1.0
$ zirve crads
zirve: unknown verb 'crads': did you mean 'cards'?
? 64
$ zirve estimate --bist 4
zirve estimate: unknown option --bist: did you mean --bits?
? 64
$ zirve estimate --parameters
zirve estimate: --parameters: expected N after it
? 64
$ zirve estimate --parameters 7B
zirve estimate: --parameters 7B: expected a whole number such as 8192, 32k or 7e9
? 64
$ zirve estimate --unit parsec --parameters 1
zirve estimate: --unit parsec: expected both, B, kB, MB, GB, TB, KiB, MiB, GiB or TiB
? 64
$ zirve estimate --tp x $M/llama-3.1-8b/config.json
zirve estimate: --tp x: expected a whole number such as 8192, 32k or 7e9
? 64
$ zirve estimate --json=yes
zirve estimate: --json takes no value
? 64
$ zirve estimate --context 1 --ctx-size 2 x
zirve estimate: --ctx-size is given twice (1 and 2): expected it once
? 64
$ zirve estimate
zirve estimate: expected a model (a folder, .gguf, .safetensors or config.json), or --parameters and --bits
? 64
# An option that the job has no use for is not left out in silence.
$ zirve estimate --seq-length 4096 $M/llama-3.1-8b/config.json
zirve estimate: --seq-length is for training: add --task train, or leave it out
? 64
$ zirve estimate --task train --max-model-len 4096 $M/llama-3.1-8b/config.json
zirve estimate: --max-model-len is for serving: with --task train it is --seq-length
? 64
$ zirve estimate --task train --seq-length 4096 --zero 3 $M/llama-3.1-8b/config.json
zirve estimate: --zero shares out over data-parallel ranks: add --dp N, a rank for each card
? 64
$ zirve estimate --task train --seq-length 4096 --fsdp --gpus 4 $M/llama-3.1-8b/config.json
zirve estimate: --fsdp shares out over data-parallel ranks: add --dp N, a rank for each card
? 64
$ zirve estimate --runtime vllm --gpus 2 $M/llama-3.1-8b/config.json
zirve estimate: --gpus spreads the layers of llama.cpp; other runtimes and training take --tp, --pp or --dp
? 64
$ zirve estimate --card 2x4090 $M/llama-3.1-8b/config.json
zirve estimate: card '2x4090': name the card once, and give how many share the job: --tp, --pp or --dp, --gpus for llama.cpp
? 64
$ cd $M/qwen2.5-7b && zirve estimate . | sed 1q
family qwen2: 7,615,616,512 parameters, bf16
$ zirve estimate --runtime vllm --tp 8 $M/qwen2.5-7b
zirve estimate: vllm refuses tensor parallelism over 8: it must divide the model's 28 query heads
? 64
# Names on a hub, as pasted command lines have them.
$ zirve estimate meta-llama/Llama-3.1-8B
zirve estimate: meta-llama/Llama-3.1-8B: no such file, and names on a hub are not looked up: give the folder with its files
? 3
$ zirve estimate --command "vllm serve meta-llama/Llama-3.1-8B"
zirve estimate: meta-llama/Llama-3.1-8B: no such file, and names on a hub are not looked up: give the folder with its files as MODEL beside --command
? 3
$ zirve estimate --command "vllm serve meta-llama/Llama-3.1-8B" $M/llama-3.1-8b/config.json | sed 1q
zirve: no version given: the newest known, vllm 0.33.0
family llama: 8,030,261,248 parameters, bf16
$ zirve estimate $M/llama-3.1-8b
zirve estimate: tests/data/models/llama-3.1-8b/model-00004-of-00004.safetensors: 4 of 4 shards are missing, such as this one; a config.json alone, named itself, is enough
? 3
$ zirve estimate /nonexistent
zirve estimate: /nonexistent: cannot be opened: No such file or directory
? 3
$ zirve estimate --item nonsense --parameters 1
zirve estimate: item 'nonsense': expected NAME=SIZE or NAME=SIZE:KNOWN
? 64
