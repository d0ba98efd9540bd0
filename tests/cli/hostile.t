# Bad input: one line says what and where, nothing is written, no control byte reaches the terminal.
$ printf '{"model_type":"e\\u001b[31m\\nvil\\u009b\\u202e","_name_or_path":"x\\nfits"}' >$TMP/hostile.json; zirve estimate $TMP/hostile.json | head -n 1
x?fits, family e?[31m?vil?????: 0 parameters
$ printf '{"id":"a\\nb\\u001b","kind":"k\\u202e","arch":"l\\n","runtime":"r\\n","measured":{"x":1}}\n' | zirve selftest -v - | head -n 3
a?b? row: unchecked
    a kind of row that is not known

$ printf '\033[31m\302\233\342\200\256=1GiB\n' >$TMP/hostile_items; zirve estimate --parameters 1 --items $TMP/hostile_items | grep -a 1.00; zirve estimate --parameters 1 --items $TMP/hostile_items --json | grep -a 31m
  reserve                1.00 GiB (1.07 GB)         assumed
  indicative envelope    1.00 GiB (1.07 GB)         assumed
? 1
$ zirve "$(printf '\033[31m\377')"
zirve: unknown verb '?[31m?': 'zirve --help' lists them
? 64
$ zirve cards show "$(printf '\302\233\342\200\256')"
zirve cards: '?????' is no card's name
? 3
$ zirve estimate --parameters 7e9 --color always --unit GiB | head -n 1
[1m7,000,000,000 values of 16 bits[0m
# Notes are of an answer: a failure stands alone.
$ zirve estimate $M/llama-3.1-8b/config.json --card 80GB --kv-cache-dtype none
zirve estimate: KV cache type none: no such type
? 64
$ zirve --help >/dev/full
zirve: standard output cannot be written
? 3
$ zirve view tests/data/snapshots/gen6.pickle >/dev/full
zirve view: standard output cannot be written
? 3
$ zirve cards >/dev/full
zirve cards: standard output cannot be written
? 3
$ zirve cards >&-
zirve cards: standard output cannot be written
? 3
# A file that a folder or the user's settings lead to must be a regular one: nobody waits for a pipe.
$ mkdir $TMP/hostile_pipes && mkfifo $TMP/hostile_pipes/config.json && zirve estimate $TMP/hostile_pipes
zirve estimate: TMP/hostile_pipes/config.json: is no regular file
? 3
$ rm $TMP/hostile_pipes/config.json && cp $M/llama-3.1-8b/config.json $TMP/hostile_pipes && ln -s /dev/zero $TMP/hostile_pipes/model.safetensors && zirve estimate $TMP/hostile_pipes
zirve estimate: TMP/hostile_pipes/model.safetensors: is no regular file
? 3
$ mkdir -p $TMP/hostile_xdg/zirve/families && mkfifo $TMP/hostile_xdg/zirve/families/x.family && XDG_CONFIG_HOME=$TMP/hostile_xdg zirve estimate $M/llama-3.1-8b/config.json
zirve estimate: TMP/hostile_xdg/zirve/families/x.family: is no regular file
? 3
$ mkfifo $TMP/hostile_xdg/zirve/cards.tsv && XDG_CONFIG_HOME=$TMP/hostile_xdg zirve cards
zirve cards: TMP/hostile_xdg/zirve/cards.tsv: is no regular file
? 3
$ cat $M/llama-3.1-8b/config.json | zirve estimate /dev/stdin | head -n 1
family llama: 8,030,261,248 parameters, bf16
# Patterns are held to what they may cost.
$ zirve estimate --command "llama-server -m $M/llama-3.1-8b/config.json -c 4096 -ngl 99 -ot '((x{1,255}){1,255}){1,255}=CPU'"
zirve estimate: tensor override '((x{1,255}){1,255}){1,255}': repeats that are more than 32768 bytes written out
? 3
$ zirve estimate --command "llama-server -m $M/llama-3.1-8b/config.json -c 4096 -ngl 99 -ot '(.*)\\1=CPU'"
zirve estimate: tensor override '(.*)\1': a reference back to a group
? 4
$ seq 20000 | sed 's/.*/"re:.*layers.&.*q"/' | paste -sd, | sed 's/.*/{"model_type":"llama","hidden_size":4096,"num_hidden_layers":900,"num_attention_heads":32,"vocab_size":1000,"intermediate_size":9000,"torch_dtype":"bfloat16","quantization_config":{"quant_method":"fp8","modules_to_not_convert":[&]}}/' >$TMP/hostile.json; zirve estimate $TMP/hostile.json
zirve estimate: TMP/hostile.json: a quantisation that excludes by 20000 patterns, with 8103 tensors to try
? 3
# Shards without an index: each from first to last, of one set.
$ mkdir $TMP/hostile_shards && cd $TMP/hostile_shards && printf '\002\0\0\0\0\0\0\0{}' >model-00001-of-00002.safetensors && zirve estimate .
zirve estimate: .: 1 of 2 shards are there and no index says which
? 3
$ cd $TMP/hostile_shards && cp model-00001-of-00002.safetensors model-00001-of-00001.safetensors && zirve estimate .
zirve estimate: .: 2 shards of 1 are not those from first to last, and no index says which belong together
? 3
$ cd $TMP/hostile_shards && mv model-00001-of-00001.safetensors model-00003-of-00002.safetensors && zirve estimate .
zirve estimate: .: 2 shards of 2 are not those from first to last, and no index says which belong together
? 3
$ cd $TMP/hostile_shards && mv model-00003-of-00002.safetensors other-00001-of-00001.safetensors && zirve estimate .
zirve estimate: .: 1 of 2 shards are there and no index says which
? 3
$ cd $TMP/hostile_shards && mv other-00001-of-00001.safetensors model-00002-of-00002.safetensors && zirve estimate . | head -n 1
family unknown: 0 parameters
