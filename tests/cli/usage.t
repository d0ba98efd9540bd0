# Mistakes are named, with what was expected, and end with 64.
$ zirve
zirve: how much GPU memory a job needs, and how that is known

usage: zirve VERB [options] [FILE...]

  estimate     what should it need?
  cards        what cards are there, what can they really allocate?
  replay       what if another setting, another card?
  selftest     how accurate is all this?

'zirve VERB --help' tells more. Every figure says how it is known: calculated,
measured, emulated, assumed or unknown.

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
$ zirve estimate /nonexistent
zirve estimate: /nonexistent: cannot be opened: No such file or directory
? 3
$ zirve estimate --item nonsense --parameters 1
zirve estimate: item 'nonsense': expected NAME=SIZE or NAME=SIZE:KNOWN
? 64
