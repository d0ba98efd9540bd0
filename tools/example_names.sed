s|\./Qwen2\.5-7B|@ROOT@/tests/data/models/qwen2.5-7b/config.json|g
s|\./Llama-3\.1-8B|@ROOT@/tests/data/models/llama-3.1-8b/config.json|g
s|\bYOUR_MODEL\b|@ROOT@/tests/data/models/llama-3.1-8b/config.json|g
s|\(\./\)*\bmodel\.gguf\b|@ROOT@/tests/data/models/llama-3.1-8b/config.json|g
