# Storage and computation apart: weights as a scheme or a type would have them, and QLoRA on top.
$ zirve estimate $M/llama-3.1-8b/config.json --context 4096 --quantization nf4 | head -12
$ zirve estimate $M/llama-3.1-8b/config.json --context 4096 --quantization q8_0 --unit MiB | grep weights
$ zirve estimate $M/llama-3.1-8b/config.json --context 4096 --dtype f32 | head -8
$ zirve estimate $M/llama-3.1-8b-fp8-dynamic/config.json --context 4096 --quantization fp8 --runtime vllm@0.19.0 | head -6
$ zirve estimate $M/llama-3.1-8b/config.json --context 4096 --quantization q4_K_M
$ zirve estimate $M/llama-3.1-8b/config.json --context 4096 --quantization nonsense
$ zirve estimate $M/llama-3.1-8b-bnb-nf4/config.json --context 4096 --quantization awq
$ zirve estimate $M/llama-3.1-8b/config.json --quantization nf4-dq --task train --seq-length 512 --lora-rank 16 --lora-targets all-linear | sed -n 5,20p
$ zirve estimate $M/llama-3.1-8b-bnb-nf4/config.json --task train --seq-length 512
$ zirve estimate $M/gpt2/config.json --runtime vllm@0.19.0 | head -4
