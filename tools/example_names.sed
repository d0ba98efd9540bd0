s|\btests/data/|@ROOT@/tests/data/|g
s|\./Qwen2\.5-7B|@ROOT@/tests/data/models/qwen2.5-7b/config.json|g
s|\./Qwen3-8B|@ROOT@/tests/data/models/qwen3-8b/config.json|g
s|\./Llama-3\.1-8B|@ROOT@/tests/data/models/llama-3.1-8b/config.json|g
s|\bYOUR_MODEL\b|@ROOT@/tests/data/models/llama-3.1-8b/config.json|g
s|\(\./\)*\bmodel\.gguf\b|@ROOT@/tests/data/models/llama-3.1-8b/config.json|g
s|\bmooncake\.jsonl\b|@ROOT@/tests/data/kv/mini.jsonl|g
s|\bkv trace\.csv\b|kv @ROOT@/tests/data/kv/mini.csv|g
s|\bexpected\.tsv --data traces\b|@ROOT@/tests/data/kv/expected.tsv --data @ROOT@/tests/data/kv|g
