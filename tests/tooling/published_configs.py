"""The models: the config.json each one was published with, and how its checkpoint was saved.

One entry of MODELS:

    config        the published config.json (keys that only name files or tokens left out)
    class         model class, when it is not architectures[0]
    dtype         dtype of the checkpoint, when the config does not say it
    dtypes        (regex, dtype): tensors saved in another dtype
    keep_tied     the published file holds both copies of tied weights
    renames       (regex, replacement): names in the published file differ from the class
    extras        config -> tensors that only the published file holds
    shard_bytes   shard size of the published file (default 5 GB)
    reduce        {"a.b": value}: a header is written for NAME-reduced with these values,
                  NAME itself is then config only
    config_only   no header at all
    published     elements in the published checkpoint, where known; checked
"""

MODELS = {}
NOTES = {}


def model(name, config, **spec):
    assert name not in MODELS, name
    MODELS[name] = {"config": config, **spec}


def note(name, text):
    """A surprise that a reader of NOTES.md should know."""
    NOTES[name] = text


def with_(config, **changes):
    """A copy of a config with some keys changed; None removes a key."""
    out = {**config, **changes}
    return {k: v for k, v in out.items() if v is not REMOVE}


REMOVE = object()

# ---------------------------------------------------------------- llama and its relatives

LLAMA_2_7B = {
    "architectures": ["LlamaForCausalLM"], "bos_token_id": 1, "eos_token_id": 2,
    "hidden_act": "silu", "hidden_size": 4096, "initializer_range": 0.02,
    "intermediate_size": 11008, "max_position_embeddings": 4096, "model_type": "llama",
    "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 32,
    "pretraining_tp": 1, "rms_norm_eps": 1e-05, "rope_scaling": None,
    "tie_word_embeddings": False, "torch_dtype": "float16",
    "transformers_version": "4.31.0.dev0", "use_cache": True, "vocab_size": 32000,
}
# The published file still holds one rotary table per layer, in float16.
note("llama-2-7b", "holds rotary_emb.inv_freq (F16) once per layer: buffers that later versions no longer save")
model("llama-2-7b", LLAMA_2_7B, shard_bytes=10_000_000_000, published=6_738_417_664,
      extras=lambda c: [(f"model.layers.{i}.self_attn.rotary_emb.inv_freq", "F16", (64,))
                        for i in range(c.num_hidden_layers)])
model("llama-2-70b", with_(LLAMA_2_7B, hidden_size=8192, intermediate_size=28672,
                           num_attention_heads=64, num_key_value_heads=8,
                           num_hidden_layers=80), config_only=True)

LLAMA_3_8B = {
    "architectures": ["LlamaForCausalLM"], "attention_bias": False,
    "attention_dropout": 0.0, "bos_token_id": 128000, "eos_token_id": 128001,
    "hidden_act": "silu", "hidden_size": 4096, "initializer_range": 0.02,
    "intermediate_size": 14336, "max_position_embeddings": 8192, "model_type": "llama",
    "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 8,
    "pretraining_tp": 1, "rms_norm_eps": 1e-05, "rope_scaling": None,
    "rope_theta": 500000.0, "tie_word_embeddings": False, "torch_dtype": "bfloat16",
    "transformers_version": "4.40.0.dev0", "use_cache": True, "vocab_size": 128256,
}
LLAMA_31_ROPE = {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                 "original_max_position_embeddings": 8192, "rope_type": "llama3"}
LLAMA_31_8B = with_(LLAMA_3_8B, max_position_embeddings=131072, mlp_bias=False,
                    rope_scaling=LLAMA_31_ROPE, transformers_version="4.43.0.dev0")
model("llama-3-8b", LLAMA_3_8B, config_only=True, published=8_030_261_248)
model("llama-3.1-8b", LLAMA_31_8B, published=8_030_261_248)
model("llama-3.1-70b", with_(LLAMA_31_8B, hidden_size=8192, intermediate_size=28672,
                             num_attention_heads=64, num_hidden_layers=80),
      config_only=True, published=70_553_706_496)
model("llama-3.1-405b", with_(LLAMA_31_8B, hidden_size=16384, intermediate_size=53248,
                              num_attention_heads=128, num_hidden_layers=126),
      config_only=True, published=405_853_388_800)
LLAMA_32_1B = with_(LLAMA_31_8B, head_dim=64, hidden_size=2048, intermediate_size=8192,
                    num_hidden_layers=16, tie_word_embeddings=True,
                    rope_scaling={**LLAMA_31_ROPE, "factor": 32.0},
                    transformers_version="4.45.0.dev0")
note("llama-3.2-1b", "tied: no lm_head.weight; head_dim is written")
model("llama-3.2-1b", LLAMA_32_1B, published=1_235_814_400)
model("llama-3.2-3b", with_(LLAMA_32_1B, head_dim=128, hidden_size=3072,
                            num_attention_heads=24, num_hidden_layers=28),
      config_only=True, published=3_212_749_824)

MISTRAL_7B = {
    "architectures": ["MistralForCausalLM"], "bos_token_id": 1, "eos_token_id": 2,
    "hidden_act": "silu", "hidden_size": 4096, "initializer_range": 0.02,
    "intermediate_size": 14336, "max_position_embeddings": 32768, "model_type": "mistral",
    "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 8,
    "rms_norm_eps": 1e-05, "rope_theta": 10000.0, "sliding_window": 4096,
    "tie_word_embeddings": False, "torch_dtype": "bfloat16",
    "transformers_version": "4.34.0.dev0", "use_cache": True, "vocab_size": 32000,
}
model("mistral-7b-v0.1", MISTRAL_7B, shard_bytes=10_000_000_000, published=7_241_732_096)
model("mistral-7b-v0.3", with_(MISTRAL_7B, rope_theta=1000000.0, sliding_window=None,
                               vocab_size=32768),
      config_only=True, published=7_248_023_552)
# head_dim 128 although hidden_size / num_attention_heads is 160.
note("mistral-nemo-12b", "head_dim 128 is not hidden_size / num_attention_heads = 160")
model("mistral-nemo-12b", with_(
    MISTRAL_7B, attention_dropout=0.0, head_dim=128, hidden_size=5120,
    max_position_embeddings=1024000, num_hidden_layers=40, rope_theta=1000000.0,
    sliding_window=None, vocab_size=131072), published=12_247_782_400)

MIXTRAL_8X7B = {
    "architectures": ["MixtralForCausalLM"], "attention_dropout": 0.0, "bos_token_id": 1,
    "eos_token_id": 2, "hidden_act": "silu", "hidden_size": 4096,
    "initializer_range": 0.02, "intermediate_size": 14336,
    "max_position_embeddings": 32768, "model_type": "mixtral", "num_attention_heads": 32,
    "num_experts_per_tok": 2, "num_hidden_layers": 32, "num_key_value_heads": 8,
    "num_local_experts": 8, "output_router_logits": False, "rms_norm_eps": 1e-05,
    "rope_theta": 1000000.0, "router_aux_loss_coef": 0.02, "sliding_window": None,
    "tie_word_embeddings": False, "torch_dtype": "bfloat16",
    "transformers_version": "4.36.0.dev0", "use_cache": True, "vocab_size": 32000,
}
model("mixtral-8x7b", MIXTRAL_8X7B, reduce={"num_hidden_layers": 6}, published=46_702_792_704)
model("mixtral-8x22b", with_(MIXTRAL_8X7B, hidden_size=6144, intermediate_size=16384,
                             max_position_embeddings=65536, num_attention_heads=48,
                             num_hidden_layers=56, vocab_size=32768), config_only=True)

LLAMA_4_SCOUT = {
    "architectures": ["Llama4ForConditionalGeneration"], "boi_token_index": 200080,
    "eoi_token_index": 200081, "image_token_index": 200092, "model_type": "llama4",
    "text_config": {
        "_attn_implementation_autoset": True, "attention_bias": False,
        "attention_chunk_size": 8192, "attention_dropout": 0.0, "attn_scale": 0.1,
        "attn_temperature_tuning": True, "bos_token_id": 200000,
        "eos_token_id": [200001, 200007, 200008], "floor_scale": 8192,
        "for_llm_compressor": False, "head_dim": 128, "hidden_act": "silu",
        "hidden_size": 5120, "initializer_range": 0.02, "interleave_moe_layer_step": 1,
        "intermediate_size": 8192, "intermediate_size_mlp": 16384,
        "max_position_embeddings": 10485760, "model_type": "llama4_text",
        "no_rope_layers": [], "num_attention_heads": 40, "num_experts_per_tok": 1,
        "num_hidden_layers": 48, "num_key_value_heads": 8, "num_local_experts": 16,
        "output_router_logits": False, "pad_token_id": 200018, "rms_norm_eps": 1e-05,
        "rope_scaling": {"factor": 16.0, "high_freq_factor": 1.0, "low_freq_factor": 1.0,
                         "original_max_position_embeddings": 8192, "rope_type": "llama3"},
        "rope_theta": 500000.0, "router_aux_loss_coef": 0.001, "router_jitter_noise": 0.0,
        "torch_dtype": "bfloat16", "use_cache": True, "use_qk_norm": True,
        "vocab_size": 202048,
    },
    "torch_dtype": "bfloat16", "transformers_version": "4.51.0.dev0",
    "vision_config": {
        "_attn_implementation_autoset": True, "attention_dropout": 0.0,
        "hidden_act": "gelu", "hidden_size": 1408, "image_size": 336,
        "initializer_range": 0.02, "intermediate_size": 5632,
        "model_type": "llama4_vision_model", "multi_modal_projector_bias": False,
        "norm_eps": 1e-05, "num_attention_heads": 16, "num_channels": 3,
        "num_hidden_layers": 34, "patch_size": 14, "pixel_shuffle_ratio": 0.5,
        "projector_dropout": 0.0, "projector_input_dim": 4096,
        "projector_output_dim": 4096, "rope_theta": 10000, "vision_feature_layer": -1,
        "vision_feature_select_strategy": "default", "vision_output_dim": 4096,
    },
}
note("llama-4-scout", "experts are fused: feed_forward.experts.gate_up_proj [experts, hidden, 2*inner]")
model("llama-4-scout", LLAMA_4_SCOUT, reduce={"text_config.num_hidden_layers": 8,
                                              "vision_config.num_hidden_layers": 4},
      published=108_641_793_536)
MAVERICK = {**LLAMA_4_SCOUT, "text_config": {
    **LLAMA_4_SCOUT["text_config"], "interleave_moe_layer_step": 2,
    "num_local_experts": 128, "attn_temperature_tuning": True, "use_qk_norm": False,
    "max_position_embeddings": 1048576, "rope_scaling": None}}
note("llama-4-maverick", "every second layer is dense with intermediate_size_mlp")
model("llama-4-maverick", MAVERICK, config_only=True, published=401_583_781_376)

# ---------------------------------------------------------------- qwen

QWEN2_7B = {
    "architectures": ["Qwen2ForCausalLM"], "attention_dropout": 0.0,
    "bos_token_id": 151643, "eos_token_id": 151643, "hidden_act": "silu",
    "hidden_size": 3584, "initializer_range": 0.02, "intermediate_size": 18944,
    "max_position_embeddings": 131072, "max_window_layers": 28, "model_type": "qwen2",
    "num_attention_heads": 28, "num_hidden_layers": 28, "num_key_value_heads": 4,
    "rms_norm_eps": 1e-06, "rope_theta": 1000000.0, "sliding_window": 131072,
    "tie_word_embeddings": False, "torch_dtype": "bfloat16",
    "transformers_version": "4.37.2", "use_cache": True, "use_sliding_window": False,
    "vocab_size": 152064,
}
model("qwen2-7b", QWEN2_7B, shard_bytes=4_000_000_000, published=7_615_616_512)
QWEN25_05B = with_(QWEN2_7B, hidden_size=896, intermediate_size=4864,
                   max_position_embeddings=32768, max_window_layers=24,
                   num_attention_heads=14, num_hidden_layers=24, num_key_value_heads=2,
                   sliding_window=32768, tie_word_embeddings=True, vocab_size=151936,
                   transformers_version="4.40.1", use_mrope=False)
note("qwen2.5-0.5b", "tied; q, k and v have a bias although the config does not say so")
model("qwen2.5-0.5b", QWEN25_05B, published=494_032_768)
model("qwen2.5-1.5b", with_(QWEN25_05B, hidden_size=1536, intermediate_size=8960,
                            max_position_embeddings=131072, max_window_layers=28,
                            num_attention_heads=12, num_hidden_layers=28),
      config_only=True, published=1_543_714_304)
QWEN25_7B = with_(QWEN2_7B, max_position_embeddings=32768, rms_norm_eps=1e-06,
                  transformers_version="4.43.1")
model("qwen2.5-7b", QWEN25_7B, config_only=True, shard_bytes=4_000_000_000, published=7_615_616_512)
model("qwen2.5-72b", with_(QWEN25_7B, hidden_size=8192, intermediate_size=29568,
                           max_window_layers=70, num_attention_heads=64,
                           num_hidden_layers=80, num_key_value_heads=8),
      config_only=True, published=72_706_203_648)

QWEN15_MOE = {
    "architectures": ["Qwen2MoeForCausalLM"], "attention_dropout": 0.0,
    "bos_token_id": 151643, "decoder_sparse_step": 1, "eos_token_id": 151643,
    "hidden_act": "silu", "hidden_size": 2048, "initializer_range": 0.02,
    "intermediate_size": 5632, "max_position_embeddings": 8192, "max_window_layers": 21,
    "model_type": "qwen2_moe", "moe_intermediate_size": 1408, "norm_topk_prob": False,
    "num_attention_heads": 16, "num_experts": 60, "num_experts_per_tok": 4,
    "num_hidden_layers": 24, "num_key_value_heads": 16, "output_router_logits": False,
    "rms_norm_eps": 1e-06, "rope_theta": 1000000.0, "router_aux_loss_coef": 0.001,
    "shared_expert_intermediate_size": 5632, "sliding_window": 32768,
    "tie_word_embeddings": False, "torch_dtype": "bfloat16",
    "transformers_version": "4.39.0.dev0", "use_cache": True, "use_sliding_window": False,
    "vocab_size": 151936,
}
model("qwen1.5-moe-a2.7b", QWEN15_MOE, reduce={"num_hidden_layers": 3},
      published=14_315_784_192)

QWEN3_8B = {
    "architectures": ["Qwen3ForCausalLM"], "attention_bias": False,
    "attention_dropout": 0.0, "bos_token_id": 151643, "eos_token_id": 151645,
    "head_dim": 128, "hidden_act": "silu", "hidden_size": 4096,
    "initializer_range": 0.02, "intermediate_size": 12288,
    "max_position_embeddings": 40960, "max_window_layers": 36, "model_type": "qwen3",
    "num_attention_heads": 32, "num_hidden_layers": 36, "num_key_value_heads": 8,
    "rms_norm_eps": 1e-06, "rope_scaling": None, "rope_theta": 1000000,
    "sliding_window": None, "tie_word_embeddings": False, "torch_dtype": "bfloat16",
    "transformers_version": "4.51.0", "use_cache": True, "use_sliding_window": False,
    "vocab_size": 151936,
}
model("qwen3-8b", QWEN3_8B, shard_bytes=4_000_000_000, published=8_190_735_360)
# Tied, but the published 0.6B holds lm_head.weight as well.
note("qwen3-0.6b", "tied, yet the file holds lm_head.weight too: elements exceed module_parameters")
model("qwen3-0.6b", with_(QWEN3_8B, hidden_size=1024, intermediate_size=3072,
                          max_window_layers=28, num_attention_heads=16,
                          num_hidden_layers=28, tie_word_embeddings=True),
      keep_tied=True, published=751_632_384)
note("qwen3-4b", "tied: lm_head.weight left out")
model("qwen3-4b", with_(QWEN3_8B, hidden_size=2560, intermediate_size=9728,
                        tie_word_embeddings=True), config_only=True, published=4_022_468_096)
QWEN3_MOE = {
    "architectures": ["Qwen3MoeForCausalLM"], "attention_bias": False,
    "attention_dropout": 0.0, "bos_token_id": 151643, "decoder_sparse_step": 1,
    "eos_token_id": 151645, "head_dim": 128, "hidden_act": "silu", "hidden_size": 2048,
    "initializer_range": 0.02, "intermediate_size": 6144,
    "max_position_embeddings": 40960, "max_window_layers": 48, "mlp_only_layers": [],
    "model_type": "qwen3_moe", "moe_intermediate_size": 768, "norm_topk_prob": True,
    "num_attention_heads": 32, "num_experts": 128, "num_experts_per_tok": 8,
    "num_hidden_layers": 48, "num_key_value_heads": 4, "output_router_logits": False,
    "rms_norm_eps": 1e-06, "rope_scaling": None, "rope_theta": 1000000.0,
    "router_aux_loss_coef": 0.001, "sliding_window": None, "tie_word_embeddings": False,
    "torch_dtype": "bfloat16", "transformers_version": "4.51.0", "use_cache": True,
    "use_sliding_window": False, "vocab_size": 151936,
}
model("qwen3-30b-a3b", QWEN3_MOE, reduce={"num_hidden_layers": 2},
      published=30_532_122_624)
model("qwen3-235b-a22b", with_(QWEN3_MOE, hidden_size=4096, intermediate_size=12288,
                               moe_intermediate_size=1536, max_window_layers=94,
                               num_attention_heads=64, num_hidden_layers=94),
      config_only=True, published=235_093_634_560)

# ---------------------------------------------------------------- gemma

GEMMA_2B = {
    "architectures": ["GemmaForCausalLM"], "attention_bias": False,
    "attention_dropout": 0.0, "bos_token_id": 2, "eos_token_id": 1, "head_dim": 256,
    "hidden_act": "gelu", "hidden_activation": None, "hidden_size": 2048,
    "initializer_range": 0.02, "intermediate_size": 16384,
    "max_position_embeddings": 8192, "model_type": "gemma", "num_attention_heads": 8,
    "num_hidden_layers": 18, "num_key_value_heads": 1, "pad_token_id": 0,
    "rms_norm_eps": 1e-06, "rope_scaling": None, "rope_theta": 10000.0,
    "torch_dtype": "bfloat16", "transformers_version": "4.38.0.dev0", "use_cache": True,
    "vocab_size": 256000,
}
note("gemma-2b", "tie_word_embeddings is absent: tied by default of the class")
model("gemma-2b", GEMMA_2B, published=2_506_172_416)
model("gemma-7b", with_(GEMMA_2B, hidden_size=3072, intermediate_size=24576,
                        num_attention_heads=16, num_hidden_layers=28,
                        num_key_value_heads=16), config_only=True, published=8_537_680_896)
GEMMA_2_2B = {
    "architectures": ["Gemma2ForCausalLM"], "attention_bias": False,
    "attention_dropout": 0.0, "attn_logit_softcapping": 50.0, "bos_token_id": 2,
    "cache_implementation": "hybrid", "eos_token_id": 1,
    "final_logit_softcapping": 30.0, "head_dim": 256, "hidden_act": "gelu_pytorch_tanh",
    "hidden_activation": "gelu_pytorch_tanh", "hidden_size": 2304,
    "initializer_range": 0.02, "intermediate_size": 9216,
    "max_position_embeddings": 8192, "model_type": "gemma2", "num_attention_heads": 8,
    "num_hidden_layers": 26, "num_key_value_heads": 4, "pad_token_id": 0,
    "query_pre_attn_scalar": 256, "rms_norm_eps": 1e-06, "rope_theta": 10000.0,
    "sliding_window": 4096, "torch_dtype": "float32",
    "transformers_version": "4.42.4", "use_cache": True, "vocab_size": 256000,
}
model("gemma-2-2b", GEMMA_2_2B, published=2_614_341_888)
model("gemma-2-9b", with_(GEMMA_2_2B, hidden_size=3584, intermediate_size=14336,
                          num_attention_heads=16, num_hidden_layers=42,
                          num_key_value_heads=8), config_only=True, published=9_241_705_984)
model("gemma-2-27b", with_(GEMMA_2_2B, head_dim=128, hidden_size=4608,
                           intermediate_size=36864, num_attention_heads=32,
                           num_hidden_layers=46, num_key_value_heads=16,
                           query_pre_attn_scalar=144),
      config_only=True, published=27_227_128_320)
GEMMA_3_1B = {
    "architectures": ["Gemma3ForCausalLM"], "attention_bias": False,
    "attention_dropout": 0.0, "attn_logit_softcapping": None, "bos_token_id": 2,
    "cache_implementation": "hybrid", "eos_token_id": [1, 106],
    "final_logit_softcapping": None, "head_dim": 256,
    "hidden_activation": "gelu_pytorch_tanh", "hidden_size": 1152,
    "initializer_range": 0.02, "intermediate_size": 6912,
    "max_position_embeddings": 32768, "model_type": "gemma3_text",
    "num_attention_heads": 4, "num_hidden_layers": 26, "num_key_value_heads": 1,
    "pad_token_id": 0, "query_pre_attn_scalar": 256, "rms_norm_eps": 1e-06,
    "rope_local_base_freq": 10000, "rope_scaling": None, "rope_theta": 1000000,
    "sliding_window": 512, "sliding_window_pattern": 6, "torch_dtype": "bfloat16",
    "transformers_version": "4.50.0.dev0", "use_cache": True, "vocab_size": 262144,
}
model("gemma-3-1b", GEMMA_3_1B, published=999_885_952)
GEMMA_3_VISION = {"hidden_size": 1152, "image_size": 896, "intermediate_size": 4304,
                  "model_type": "siglip_vision_model", "num_attention_heads": 16,
                  "num_hidden_layers": 27, "patch_size": 14, "vision_use_head": False}
# The published config is this sparse: 8 heads, 4 key/value heads, head_dim 256 and
# vocab_size 262208 are defaults of the class.
GEMMA_3_4B = {
    "architectures": ["Gemma3ForConditionalGeneration"], "boi_token_index": 255999,
    "eoi_token_index": 256000, "eos_token_id": [1, 106], "image_token_index": 262144,
    "initializer_range": 0.02, "mm_tokens_per_image": 256, "model_type": "gemma3",
    "text_config": {"hidden_size": 2560, "intermediate_size": 10240,
                    "model_type": "gemma3_text", "num_hidden_layers": 34,
                    "rope_scaling": {"factor": 8.0, "rope_type": "linear"},
                    "sliding_window": 1024},
    "torch_dtype": "bfloat16", "transformers_version": "4.50.0.dev0",
    "vision_config": GEMMA_3_VISION,
}
note("gemma-3-4b", "sparse config: text heads, head_dim and vocab_size are class defaults; vocab 262208 (text-only 1b: 262144)")
model("gemma-3-4b", GEMMA_3_4B, published=4_300_079_472)
model("gemma-3-12b", {**GEMMA_3_4B, "text_config": {
    **GEMMA_3_4B["text_config"], "hidden_size": 3840, "intermediate_size": 15360,
    "num_attention_heads": 16, "num_hidden_layers": 48, "num_key_value_heads": 8}},
      config_only=True, published=12_187_325_040)
model("gemma-3-27b", {**GEMMA_3_4B, "text_config": {
    **GEMMA_3_4B["text_config"], "head_dim": 128, "hidden_size": 5376,
    "intermediate_size": 21504, "num_attention_heads": 32, "num_hidden_layers": 62,
    "num_key_value_heads": 16, "query_pre_attn_scalar": 168}},
      config_only=True, published=27_432_406_640)

# ---------------------------------------------------------------- phi

PHI_3_MINI = {
    "architectures": ["Phi3ForCausalLM"], "attention_dropout": 0.0, "bos_token_id": 1,
    "embd_pdrop": 0.0, "eos_token_id": 32000, "hidden_act": "silu", "hidden_size": 3072,
    "initializer_range": 0.02, "intermediate_size": 8192,
    "max_position_embeddings": 4096, "model_type": "phi3", "num_attention_heads": 32,
    "num_hidden_layers": 32, "num_key_value_heads": 32,
    "original_max_position_embeddings": 4096, "pad_token_id": 32000, "resid_pdrop": 0.0,
    "rms_norm_eps": 1e-05, "rope_scaling": None, "rope_theta": 10000.0,
    "sliding_window": 2047, "tie_word_embeddings": False, "torch_dtype": "bfloat16",
    "transformers_version": "4.40.2", "use_cache": True, "attention_bias": False,
    "vocab_size": 32064,
}
note("phi-3-mini-4k", "fused qkv_proj and gate_up_proj")
model("phi-3-mini-4k", PHI_3_MINI, published=3_821_079_552)
LONGROPE = {"long_factor": [1.0 + 0.5 * i for i in range(48)],
            "short_factor": [1.0 + 0.05 * i for i in range(48)], "type": "longrope"}
note("phi-3-mini-128k", "rope_scaling values are placeholders, their number is right")
model("phi-3-mini-128k", with_(PHI_3_MINI, max_position_embeddings=131072,
                               rope_scaling=LONGROPE, sliding_window=262144), config_only=True,
      published=3_821_079_552)
model("phi-3-medium-4k", with_(PHI_3_MINI, hidden_size=5120, intermediate_size=17920,
                               num_attention_heads=40, num_hidden_layers=40,
                               num_key_value_heads=10), config_only=True, published=13_960_238_080)
model("phi-4", with_(PHI_3_MINI, hidden_size=5120, intermediate_size=17920,
                     max_position_embeddings=16384, num_attention_heads=40,
                     num_hidden_layers=40, num_key_value_heads=10, rope_theta=250000,
                     original_max_position_embeddings=16384, sliding_window=None,
                     vocab_size=100352, bos_token_id=100257, eos_token_id=100265,
                     pad_token_id=100257), config_only=True, published=14_659_507_200)
note("phi-4-mini", "partial rotary; rope_scaling values are placeholders, their number is right")
model("phi-4-mini", with_(PHI_3_MINI, max_position_embeddings=131072,
                          num_attention_heads=24, num_key_value_heads=8,
                          full_attn_mod=1, interpolate_factor=1, lm_head_bias=False,
                          mlp_bias=False, partial_rotary_factor=0.75,
                          rope_scaling={**LONGROPE}, sliding_window=262144,
                          tie_word_embeddings=True, vocab_size=200064,
                          bos_token_id=199999, eos_token_id=199999,
                          pad_token_id=199999), published=3_836_021_760)
model("phi-2", {
    "architectures": ["PhiForCausalLM"], "attention_dropout": 0.0, "bos_token_id": 50256,
    "embd_pdrop": 0.0, "eos_token_id": 50256, "hidden_act": "gelu_new",
    "hidden_size": 2560, "initializer_range": 0.02, "intermediate_size": 10240,
    "layer_norm_eps": 1e-05, "max_position_embeddings": 2048, "model_type": "phi",
    "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 32,
    "partial_rotary_factor": 0.4, "qk_layernorm": False, "resid_pdrop": 0.1,
    "rope_scaling": None, "rope_theta": 10000.0, "tie_word_embeddings": False,
    "torch_dtype": "float16", "transformers_version": "4.37.0", "use_cache": True,
    "vocab_size": 51200}, published=2_779_683_840)

# ---------------------------------------------------------------- deepseek

DEEPSEEK_V2_LITE = {
    "architectures": ["DeepseekV2ForCausalLM"], "attention_bias": False,
    "attention_dropout": 0.0, "aux_loss_alpha": 0.001, "bos_token_id": 100000,
    "eos_token_id": 100001, "first_k_dense_replace": 1, "hidden_act": "silu",
    "hidden_size": 2048, "initializer_range": 0.02, "intermediate_size": 10944,
    "kv_lora_rank": 512, "max_position_embeddings": 163840, "model_type": "deepseek_v2",
    "moe_intermediate_size": 1408, "moe_layer_freq": 1, "n_group": 1,
    "n_routed_experts": 64, "n_shared_experts": 2, "norm_topk_prob": False,
    "num_attention_heads": 16, "num_experts_per_tok": 6, "num_hidden_layers": 27,
    "num_key_value_heads": 16, "pretraining_tp": 1, "q_lora_rank": None,
    "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "rms_norm_eps": 1e-06,
    "rope_scaling": {"beta_fast": 32, "beta_slow": 1, "factor": 40, "mscale": 0.707,
                     "mscale_all_dim": 0.707, "original_max_position_embeddings": 4096,
                     "type": "yarn"},
    "rope_theta": 10000, "routed_scaling_factor": 1.0, "scoring_func": "softmax",
    "seq_aux": True, "tie_word_embeddings": False, "topk_group": 1,
    "topk_method": "greedy", "torch_dtype": "bfloat16",
    "transformers_version": "4.33.1", "use_cache": True, "v_head_dim": 128,
    "vocab_size": 102400,
}
note("deepseek-v2-lite", "MLA without q_lora (q_proj); first layer dense; 2 shared experts fused in one MLP")
model("deepseek-v2-lite", DEEPSEEK_V2_LITE, reduce={"num_hidden_layers": 4},
      published=15_706_484_224)
model("deepseek-v2", with_(
    DEEPSEEK_V2_LITE, hidden_size=5120, intermediate_size=12288,
    moe_intermediate_size=1536, n_group=8, n_routed_experts=160, num_attention_heads=128,
    num_hidden_layers=60, num_key_value_heads=128, q_lora_rank=1536, topk_group=3,
    topk_method="group_limited_greedy", routed_scaling_factor=16.0),
      config_only=True, published=235_741_434_880)
DEEPSEEK_V3 = {
    "architectures": ["DeepseekV3ForCausalLM"], "attention_bias": False,
    "attention_dropout": 0.0, "bos_token_id": 0, "eos_token_id": 1, "ep_size": 1,
    "first_k_dense_replace": 3, "hidden_act": "silu", "hidden_size": 7168,
    "initializer_range": 0.02, "intermediate_size": 18432, "kv_lora_rank": 512,
    "max_position_embeddings": 163840, "model_type": "deepseek_v3",
    "moe_intermediate_size": 2048, "moe_layer_freq": 1, "n_group": 8,
    "n_routed_experts": 256, "n_shared_experts": 1, "norm_topk_prob": True,
    "num_attention_heads": 128, "num_experts_per_tok": 8, "num_hidden_layers": 61,
    "num_key_value_heads": 128, "num_nextn_predict_layers": 1, "q_lora_rank": 1536,
    "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "rms_norm_eps": 1e-06,
    "rope_scaling": {"beta_fast": 32, "beta_slow": 1, "factor": 40, "mscale": 1.0,
                     "mscale_all_dim": 1.0, "original_max_position_embeddings": 4096,
                     "type": "yarn"},
    "rope_theta": 10000, "routed_scaling_factor": 2.5, "scoring_func": "sigmoid",
    "tie_word_embeddings": False, "topk_group": 4, "topk_method": "noaux_tc",
    "torch_dtype": "bfloat16", "transformers_version": "4.33.1", "use_cache": True,
    "v_head_dim": 128, "vocab_size": 129280,
}
# transformers skips the multi-token-prediction layer (model.layers.61) of the file.
note("deepseek-v3", "first 3 layers dense; e_score_correction_bias is a saved F32 buffer; the published file also holds one multi-token-prediction layer (model.layers.61) that the class skips")
model("deepseek-v3", DEEPSEEK_V3, config_only=True,
      dtypes=[("e_score_correction_bias", "F32")])

# ---------------------------------------------------------------- gpt2

GPT2 = {
    "activation_function": "gelu_new", "architectures": ["GPT2LMHeadModel"],
    "attn_pdrop": 0.1, "bos_token_id": 50256, "embd_pdrop": 0.1, "eos_token_id": 50256,
    "initializer_range": 0.02, "layer_norm_epsilon": 1e-05, "model_type": "gpt2",
    "n_ctx": 1024, "n_embd": 768, "n_head": 12, "n_layer": 12, "n_positions": 1024,
    "resid_pdrop": 0.1, "vocab_size": 50257,
}
# Published without the "transformer." prefix and with the causal masks as buffers.
note("gpt2", "names without transformer. prefix; h.N.attn.bias are causal masks, not parameters; tied")
model("gpt2", GPT2, dtype="float32", published=137_022_720,
      renames=[(r"^transformer\.", "")],
      extras=lambda c: [(f"h.{i}.attn.bias", "F32", (1, 1, 1024, 1024))
                        for i in range(c.n_layer)])
model("gpt2-xl", with_(GPT2, n_embd=1600, n_head=25, n_layer=48), dtype="float32", config_only=True)

# ---------------------------------------------------------------- state space models

MAMBA_130M = {
    "architectures": ["MambaForCausalLM"], "bos_token_id": 0, "conv_kernel": 4,
    "d_inner": 1536, "d_model": 768, "eos_token_id": 0, "expand": 2, "fused_add_norm": True,
    "hidden_act": "silu", "hidden_size": 768, "initializer_range": 0.1,
    "intermediate_size": 1536, "layer_norm_epsilon": 1e-05, "model_type": "mamba",
    "n_layer": 24, "num_hidden_layers": 24, "pad_token_id": 0,
    "pad_vocab_size_multiple": 8, "rescale_prenorm_residual": False,
    "residual_in_fp32": True, "rms_norm": True, "ssm_cfg": {}, "state_size": 16,
    "time_step_floor": 0.0001, "time_step_init_scheme": "random", "time_step_max": 0.1,
    "time_step_min": 0.001, "time_step_rank": 48, "time_step_scale": 1.0,
    "torch_dtype": "float32", "transformers_version": "4.39.0.dev0", "use_bias": False,
    "use_cache": True, "use_conv_bias": True, "vocab_size": 50280,
}
note("mamba-130m", "tied by default of the class; A_log and D are parameters; d_model/n_layer repeat hidden_size/num_hidden_layers")
model("mamba-130m", MAMBA_130M, published=129_135_360)
model("mamba-2.8b", with_(MAMBA_130M, d_inner=5120, d_model=2560, hidden_size=2560,
                          intermediate_size=5120, n_layer=64, num_hidden_layers=64,
                          time_step_rank=160), config_only=True, published=2_768_345_600)
MAMBA2_2_7B = {
    "architectures": ["Mamba2ForCausalLM"], "bos_token_id": 0, "chunk_size": 256,
    "conv_kernel": 4, "eos_token_id": 0, "expand": 2, "head_dim": 64, "hidden_act": "silu",
    "hidden_size": 2560, "initializer_range": 0.1, "layer_norm_epsilon": 1e-05,
    "model_type": "mamba2", "n_groups": 1, "norm_before_gate": True, "num_heads": 80,
    "num_hidden_layers": 64, "pad_token_id": 0, "rescale_prenorm_residual": False,
    "residual_in_fp32": True, "rms_norm": True, "state_size": 128,
    "tie_word_embeddings": True, "time_step_floor": 0.0001,
    "time_step_limit": [0.0, float("inf")], "time_step_max": 0.1, "time_step_min": 0.001,
    "time_step_rank": 160, "torch_dtype": "float32", "transformers_version": "4.45.0",
    "use_bias": False, "use_cache": True, "use_conv_bias": True, "vocab_size": 50288,
}
note("mamba2-2.7b", "time_step_limit holds Infinity, which is not JSON; the published file writes it so")
model("mamba2-2.7b", MAMBA2_2_7B, config_only=True)
model("mamba2-130m", with_(MAMBA2_2_7B, hidden_size=768, num_heads=24,
                           num_hidden_layers=24, time_step_rank=48))
