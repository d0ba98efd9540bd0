s|\./Qwen2\.5-7B|tests/data/models/qwen2.5-7b/config.json|g
s|\./Llama-3\.1-8B|tests/data/models/llama-3.1-8b/config.json|g
s|\bYOUR_MODEL\b|tests/data/models/llama-3.1-8b/config.json|g
s|\bmodel\.gguf\b|tests/data/models/llama-3.1-8b/config.json|g
