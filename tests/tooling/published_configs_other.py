"""More models for published_configs.MODELS: later mixtures, hybrids, older decoders,
encoders, encoder-decoders, and models that see or hear.  See there for the fields."""

from published_configs import REMOVE, model, note, with_

BF16 = {"torch_dtype": "bfloat16", "transformers_version": "4.51.0", "use_cache": True}
SILU = {"hidden_act": "silu", "initializer_range": 0.02, "attention_dropout": 0.0}

# ---------------------------------------------------------------- mixtures of experts

QWEN3_NEXT = {
    "architectures": ["Qwen3NextForCausalLM"], **SILU, "attention_bias": False,
    "bos_token_id": 151643, "decoder_sparse_step": 1, "eos_token_id": 151645,
    "full_attention_interval": 4, "head_dim": 256, "hidden_size": 2048,
    "intermediate_size": 5120, "linear_conv_kernel_dim": 4, "linear_key_head_dim": 128,
    "linear_num_key_heads": 16, "linear_num_value_heads": 32, "linear_value_head_dim": 128,
    "max_position_embeddings": 262144, "mlp_only_layers": [], "model_type": "qwen3_next",
    "moe_intermediate_size": 512, "norm_topk_prob": True, "num_attention_heads": 16,
    "num_experts": 512, "num_experts_per_tok": 10, "num_hidden_layers": 48,
    "num_key_value_heads": 2, "output_router_logits": False, "partial_rotary_factor": 0.25,
    "rms_norm_eps": 1e-06, "rope_scaling": None, "rope_theta": 10000000,
    "router_aux_loss_coef": 0.001, "shared_expert_intermediate_size": 512,
    "tie_word_embeddings": False, "use_sliding_window": False, "vocab_size": 151936,
    **BF16, "transformers_version": "4.57.0.dev0",
}
note("qwen3-next-80b-a3b", "three gated-delta layers, then one full attention (gated: q_proj is twice as wide); the published file also holds an mtp. module that the class skips; -reduced has 48 of 512 experts too")
model("qwen3-next-80b-a3b", QWEN3_NEXT, reduce={"num_hidden_layers": 4, "num_experts": 48})

GPT_OSS_20B = {
    "architectures": ["GptOssForCausalLM"], "attention_bias": True, **SILU,
    "eos_token_id": 200002, "experts_per_token": 4, "head_dim": 64, "hidden_size": 2880,
    "initial_context_length": 4096, "intermediate_size": 2880,
    "layer_types": ["sliding_attention", "full_attention"] * 12,
    "max_position_embeddings": 131072, "model_type": "gpt_oss", "num_attention_heads": 64,
    "num_experts_per_tok": 4, "num_hidden_layers": 24, "num_key_value_heads": 8,
    "num_local_experts": 32, "output_router_logits": False, "pad_token_id": 199999,
    "rms_norm_eps": 1e-05, "rope_theta": 150000,
    "rope_scaling": {"beta_fast": 32.0, "beta_slow": 1.0, "factor": 32.0,
                     "original_max_position_embeddings": 4096, "rope_type": "yarn",
                     "truncate": False},
    "router_aux_loss_coef": 0.9, "sliding_window": 128, "swiglu_limit": 7.0,
    "tie_word_embeddings": False, "vocab_size": 201088, **BF16,
    "transformers_version": "4.55.0.dev0",
}
GPT_OSS_120B = with_(GPT_OSS_20B, num_hidden_layers=36, num_local_experts=128,
                     layer_types=["sliding_attention", "full_attention"] * 18)
note("gpt-oss-20b-bf16", "not quantised; the published form is MXFP4 (gpt-oss-20b); attention sinks are parameters, experts have a bias")
model("gpt-oss-20b-bf16", GPT_OSS_20B, config_only=True, published=20_914_757_184)

GLM4_9B = {
    "architectures": ["Glm4ForCausalLM"], "attention_bias": True, **SILU,
    "eos_token_id": [151329, 151336, 151338], "head_dim": 128, "hidden_size": 4096,
    "intermediate_size": 13696, "max_position_embeddings": 32768, "model_type": "glm4",
    "num_attention_heads": 32, "num_hidden_layers": 40, "num_key_value_heads": 2,
    "pad_token_id": 151329, "partial_rotary_factor": 0.5, "rms_norm_eps": 1e-05,
    "rope_theta": 10000.0, "tie_word_embeddings": False, "vocab_size": 151552, **BF16,
}
note("glm-4-9b-0414", "fused gate_up_proj, separate q, k, v; four norms per layer")
model("glm-4-9b-0414", GLM4_9B, published=9_400_279_040)
model("glm-4-9b-chat", with_(GLM4_9B, architectures=["GlmForCausalLM"], model_type="glm",
                             max_position_embeddings=131072,
                             rms_norm_eps=1.5625e-07), config_only=True,
      published=9_399_951_360)
GLM45_AIR = {
    "architectures": ["Glm4MoeForCausalLM"], "attention_bias": True, **SILU,
    "eos_token_id": [151329, 151336, 151338], "first_k_dense_replace": 1, "head_dim": 128,
    "hidden_size": 4096, "intermediate_size": 10944, "max_position_embeddings": 131072,
    "model_type": "glm4_moe", "moe_intermediate_size": 1408, "n_group": 1,
    "n_routed_experts": 128, "n_shared_experts": 1, "norm_topk_prob": True,
    "num_attention_heads": 96, "num_experts_per_tok": 8, "num_hidden_layers": 46,
    "num_key_value_heads": 8, "num_nextn_predict_layers": 1, "pad_token_id": 151329,
    "partial_rotary_factor": 0.5, "rms_norm_eps": 1e-05, "rope_scaling": None,
    "rope_theta": 1000000, "routed_scaling_factor": 1.0, "tie_word_embeddings": False,
    "topk_group": 1, "use_qk_norm": False, "vocab_size": 151552, **BF16,
}
note("glm-4.5-air", "heads * head_dim = 12288 is three times hidden_size; the published file also holds one multi-token-prediction layer that the class skips")
model("glm-4.5-air", GLM45_AIR, reduce={"num_hidden_layers": 2},
      dtypes=[("e_score_correction_bias", "F32")])
model("glm-4.5", with_(GLM45_AIR, first_k_dense_replace=3, hidden_size=5120,
                       intermediate_size=12288, moe_intermediate_size=1536,
                       n_routed_experts=160, num_hidden_layers=92,
                       routed_scaling_factor=2.5, use_qk_norm=True), config_only=True,
      dtypes=[("e_score_correction_bias", "F32")])
model("olmoe-1b-7b", {
    "architectures": ["OlmoeForCausalLM"], "attention_bias": False, **SILU,
    "clip_qkv": None, "eos_token_id": 50279, "hidden_size": 2048,
    "intermediate_size": 1024, "max_position_embeddings": 4096, "model_type": "olmoe",
    "norm_topk_prob": False, "num_attention_heads": 16, "num_experts": 64,
    "num_experts_per_tok": 8, "num_hidden_layers": 16, "num_key_value_heads": 16,
    "pad_token_id": 1, "rms_norm_eps": 1e-05, "rope_theta": 10000.0,
    "tie_word_embeddings": False, "vocab_size": 50304, **BF16},
      reduce={"num_hidden_layers": 2}, published=6_919_161_856)
model("granite-3.1-1b-a400m", {
    "architectures": ["GraniteMoeForCausalLM"], "attention_bias": False,
    "attention_dropout": 0.1, "attention_multiplier": 0.015625,
    "embedding_multiplier": 12.0, "hidden_act": "silu", "hidden_size": 1024,
    "initializer_range": 0.02, "intermediate_size": 512, "logits_scaling": 6.0,
    "max_position_embeddings": 131072, "model_type": "granitemoe",
    "num_attention_heads": 16, "num_experts_per_tok": 8, "num_hidden_layers": 24,
    "num_key_value_heads": 8, "num_local_experts": 32, "residual_multiplier": 0.22,
    "rms_norm_eps": 1e-06, "rope_theta": 1500000, "tie_word_embeddings": True,
    "vocab_size": 49155, **BF16}, published=1_334_628_352)
model("phi-3.5-moe", {
    "architectures": ["PhimoeForCausalLM"], "attention_bias": True, **SILU,
    "bos_token_id": 1, "eos_token_id": 32000, "hidden_size": 4096,
    "input_jitter_noise": 0.01, "intermediate_size": 6400, "lm_head_bias": True,
    "max_position_embeddings": 131072, "model_type": "phimoe", "num_attention_heads": 32,
    "num_experts_per_tok": 2, "num_hidden_layers": 32, "num_key_value_heads": 8,
    "num_local_experts": 16, "original_max_position_embeddings": 4096,
    "rms_norm_eps": 1e-05, "rope_theta": 10000.0,
    "rope_scaling": {"long_factor": [1.0] * 64, "short_factor": [1.0] * 64,
                     "long_mscale": 1.243163121016122, "short_mscale": 1.243163121016122,
                     "original_max_position_embeddings": 4096, "type": "longrope"},
    "sliding_window": 131072, "tie_word_embeddings": False, "vocab_size": 32064, **BF16},
      config_only=True, published=41_873_153_344)
ERNIE = {
    "architectures": ["Ernie4_5ForCausalLM"], "bos_token_id": 1, "eos_token_id": 2,
    "head_dim": 128, "hidden_act": "silu", "hidden_size": 1024, "intermediate_size": 3072,
    "max_position_embeddings": 131072, "model_type": "ernie4_5", "num_attention_heads": 16,
    "num_hidden_layers": 18, "num_key_value_heads": 2, "pad_token_id": 0,
    "rms_norm_eps": 1e-05, "rope_theta": 500000, "tie_word_embeddings": True,
    "use_bias": False, "vocab_size": 103424, **BF16,
}
model("ernie-4.5-0.3b", ERNIE, published=360_748_032)
note("ernie-4.5-21b-a3b", "moe_statics.e_score_correction_bias is kept in F32")
model("ernie-4.5-21b-a3b", with_(
    ERNIE, architectures=["Ernie4_5_MoeForCausalLM"], model_type="ernie4_5_moe",
    head_dim=REMOVE, hidden_size=2560, intermediate_size=12288, num_attention_heads=20,
    num_hidden_layers=28, num_key_value_heads=4, moe_capacity=[64, 64, 64],
    moe_gate="topk", moe_intermediate_size=1536, moe_k=6, moe_layer_end_index=27,
    moe_layer_interval=1, moe_layer_start_index=1, moe_num_experts=64,
    moe_num_shared_experts=2), reduce={"num_hidden_layers": 3},
      dtypes=[("e_score_correction_bias|mlp.gate.weight", "F32")])

# ---------------------------------------------------------------- hybrids

note("jamba-v0.1", "attention in every eighth layer (offset 4), 16 experts in every second (offset 1), mamba elsewhere")
model("jamba-v0.1", {
    "architectures": ["JambaForCausalLM"], "attention_dropout": 0.0,
    "attn_layer_offset": 4, "attn_layer_period": 8, "bos_token_id": 1, "eos_token_id": 2,
    "expert_layer_offset": 1, "expert_layer_period": 2, "hidden_act": "silu",
    "hidden_size": 4096, "initializer_range": 0.02, "intermediate_size": 14336,
    "mamba_conv_bias": True, "mamba_d_conv": 4, "mamba_d_state": 16, "mamba_dt_rank": 256,
    "mamba_expand": 2, "mamba_proj_bias": False, "model_type": "jamba", "n_ctx": 262144,
    "num_attention_heads": 32, "num_experts": 16, "num_experts_per_tok": 2,
    "num_hidden_layers": 32, "num_key_value_heads": 8, "num_logits_to_keep": 1,
    "output_router_logits": False, "pad_token_id": 0, "rms_norm_eps": 1e-06,
    "router_aux_loss_coef": 0.001, "sliding_window": None, "tie_word_embeddings": False,
    "use_mamba_kernels": True, "vocab_size": 65536, **BF16},
      reduce={"num_hidden_layers": 8}, published=51_570_323_328)
model("bamba-9b", {
    "architectures": ["BambaForCausalLM"], "attention_bias": False,
    "attention_dropout": 0.0, "attn_layer_indices": [9, 18, 27], "attn_rotary_emb": 64,
    "bos_token_id": 128000, "eos_token_id": 128001, "hidden_act": "silu",
    "hidden_size": 4096, "initializer_range": 0.02, "intermediate_size": 14336,
    "mamba_chunk_size": 256, "mamba_conv_bias": True, "mamba_d_conv": 4,
    "mamba_d_head": 64, "mamba_d_state": 128, "mamba_expand": 2, "mamba_n_groups": 1,
    "mamba_n_heads": 128, "mamba_proj_bias": False, "max_position_embeddings": 262144,
    "mlp_bias": False, "model_type": "bamba", "num_attention_heads": 32,
    "num_hidden_layers": 32, "num_key_value_heads": 8, "num_logits_to_keep": 1,
    "pad_token_id": 0, "rms_norm_eps": 1e-05, "tie_word_embeddings": False,
    "vocab_size": 128256, **BF16}, reduce={"num_hidden_layers": 11,
                                           "attn_layer_indices": [9]})
note("falcon-h1-0.5b", "attention and mamba2 side by side in every layer")
model("falcon-h1-0.5b", {
    "architectures": ["FalconH1ForCausalLM"], "attention_bias": False,
    "attention_dropout": 0.0, "attention_in_multiplier": 1.0,
    "attention_out_multiplier": 0.9375, "bos_token_id": 1,
    "embedding_multiplier": 5.656854249492381, "eos_token_id": 11, "head_dim": 64,
    "hidden_act": "silu", "hidden_size": 1024, "initializer_range": 0.02,
    "intermediate_size": 2048, "key_multiplier": 0.390625,
    "lm_head_multiplier": 0.0390625, "mamba_chunk_size": 128, "mamba_conv_bias": True,
    "mamba_d_conv": 4, "mamba_d_head": 64, "mamba_d_ssm": 1536, "mamba_d_state": 128,
    "mamba_expand": 2, "mamba_n_groups": 1, "mamba_n_heads": 24,
    "mamba_norm_before_gate": False, "mamba_proj_bias": False, "mamba_rms_norm": False,
    "mamba_use_mlp": True, "max_position_embeddings": 16384, "mlp_bias": False,
    "mlp_expansion_factor": 8, "mlp_multipliers": [0.8838834764831844, 0.5859375],
    "model_type": "falcon_h1", "num_attention_heads": 8, "num_hidden_layers": 36,
    "num_key_value_heads": 2, "num_logits_to_keep": 1, "pad_token_id": 0,
    "projectors_bias": False, "rms_norm_eps": 1e-05, "rope_scaling": None,
    "rope_theta": 100000000000.0, "ssm_in_multiplier": 1.25,
    "ssm_multipliers": [0.3535533905932738, 0.25, 0.3535533905932738, 0.5,
                        0.3535533905932738],
    "ssm_out_multiplier": 0.23570226039551587, "tie_word_embeddings": False,
    "vocab_size": 32784, **BF16}, published=521_411_104)
note("zamba2-1.2b", "one transformer block is shared by all hybrid layers, each with its own low-rank adapter; the shared weights stand once in the file")
model("zamba2-1.2b", {
    "add_bias_linear": False, "adapter_rank": 128, "architectures": ["Zamba2ForCausalLM"],
    "attention_dropout": 0.0, "attention_head_dim": 128, "attention_hidden_size": 4096,
    "bos_token_id": 1, "chunk_size": 256, "conv_dimension": 4, "eos_token_id": 2,
    "ffn_hidden_size": 8192, "hidden_act": "gelu", "hidden_size": 2048,
    "hybrid_layer_ids": [5, 11, 17, 23, 29, 35], "initializer_range": 0.02,
    "intermediate_size": 8192, "kv_channels": 128,
    "layers_block_type": ["hybrid" if i in (5, 11, 17, 23, 29, 35) else "mamba"
                          for i in range(38)],
    "mamba_d_conv": 4, "mamba_d_state": 128, "mamba_expand": 2, "mamba_headdim": 64,
    "mamba_ngroups": 1, "max_position_embeddings": 4096, "model_type": "zamba2",
    "n_mamba_heads": 64, "num_attention_heads": 32, "num_hidden_layers": 38,
    "num_key_value_heads": 32, "num_logits_to_keep": 1, "num_mem_blocks": 1,
    "num_query_groups": 32, "pad_token_id": 0, "rms_norm_eps": 1e-05, "rope_theta": 10000,
    "state_size": 128, "tie_word_embeddings": True, "time_step_floor": 0.0001,
    "time_step_limit": None, "time_step_max": 0.1, "time_step_min": 0.001,
    "use_conv_bias": True, "use_long_context": False, "use_mem_rope": True,
    "use_shared_attention_adapter": True, "use_shared_mlp_adapter": True,
    "vocab_size": 32000, **BF16}, published=1_215_064_704)
note("granite-4.0-h-tiny", "attention in 4 of 40 layers, no position embedding; 64 experts fused in one tensor, and a shared MLP")
model("granite-4.0-h-tiny", {
    "architectures": ["GraniteMoeHybridForCausalLM"], "attention_bias": False,
    "attention_dropout": 0.0, "attention_multiplier": 0.0078125,
    "bos_token_id": 100257, "embedding_multiplier": 12, "eos_token_id": 100257,
    "hidden_act": "silu", "hidden_size": 1536, "initializer_range": 0.1,
    "intermediate_size": 512,
    "layer_types": ["attention" if i in (5, 15, 25, 35) else "mamba" for i in range(40)],
    "logits_scaling": 6, "mamba_chunk_size": 256, "mamba_conv_bias": True,
    "mamba_d_conv": 4, "mamba_d_head": 64, "mamba_d_state": 128, "mamba_expand": 2,
    "mamba_n_groups": 1, "mamba_n_heads": 48, "mamba_proj_bias": False,
    "max_position_embeddings": 131072, "model_type": "granitemoehybrid",
    "normalization_function": "rmsnorm", "num_attention_heads": 12,
    "num_experts_per_tok": 6, "num_hidden_layers": 40, "num_key_value_heads": 4,
    "num_local_experts": 64, "output_router_logits": False, "pad_token_id": 100256,
    "position_embedding_type": "nope", "residual_multiplier": 0.22,
    "rms_norm_eps": 1e-05, "rope_scaling": None, "rope_theta": 10000,
    "router_aux_loss_coef": 0.0, "shared_intermediate_size": 1024,
    "tie_word_embeddings": True, "vocab_size": 100352, **BF16})
note("lfm2-1.2b", "keys of its own (block_dim, block_ff_dim, num_heads, tie_embedding); the inner width is 2/3 of block_ff_dim, rounded up: 8192; six attention layers, ten short convolutions")
model("lfm2-1.2b", {
    "architectures": ["Lfm2ForCausalLM"], "block_auto_adjust_ff_dim": True,
    "block_dim": 2048, "block_ff_dim": 12288, "block_ffn_dim_multiplier": 1.0,
    "block_mlp_init_scale": 1.0, "block_multiple_of": 256, "block_norm_eps": 1e-05,
    "block_out_init_scale": 1.0, "block_use_swiglu": True,
    "block_use_xavier_init": True, "bos_token_id": 1, "conv_L_cache": 3,
    "conv_bias": False, "conv_dim": 2048, "conv_dim_out": 2048,
    "conv_use_xavier_init": True, "eos_token_id": 7,
    "full_attn_idxs": [2, 5, 8, 10, 12, 14], "hidden_size": 2048,
    "initializer_range": 0.02, "max_position_embeddings": 128000, "model_type": "lfm2",
    "norm_eps": 1e-05, "num_attention_heads": 32, "num_heads": 32,
    "num_hidden_layers": 16, "num_key_value_heads": 8, "pad_token_id": 0,
    "rope_theta": 1000000.0, "use_pos_enc": True, "vocab_size": 65536, **BF16},
      published=1_170_340_608)
model("falcon-mamba-7b", {
    "architectures": ["FalconMambaForCausalLM"], "bos_token_id": 0, "conv_kernel": 4,
    "eos_token_id": 11, "expand": 16, "hidden_act": "silu", "hidden_size": 4096,
    "initializer_range": 0.1, "intermediate_size": 8192, "layer_norm_epsilon": 1e-05,
    "model_type": "falcon_mamba", "num_hidden_layers": 64, "pad_token_id": 11,
    "rescale_prenorm_residual": False, "residual_in_fp32": True, "state_size": 16,
    "tie_word_embeddings": False, "time_step_floor": 0.0001,
    "time_step_init_scheme": "random", "time_step_max": 0.1, "time_step_min": 0.001,
    "time_step_rank": 256, "time_step_scale": 1.0, "use_bias": False,
    "use_conv_bias": True, "vocab_size": 65024, **BF16},
      config_only=True, published=7_272_665_088)
model("recurrentgemma-2b", {
    "architectures": ["RecurrentGemmaForCausalLM"], "attention_bias": False,
    "attention_dropout": 0.0, "attention_window_size": 2048,
    "block_types": ["recurrent", "recurrent", "attention"], "bos_token_id": 2,
    "conv1d_width": 4, "embeddings_scale_by_sqrt_dim": True, "eos_token_id": 1,
    "head_dim": 256, "hidden_activation": "gelu_pytorch_tanh", "hidden_size": 2560,
    "intermediate_size": 15360, "logits_soft_cap": 30.0, "lru_width": 2560,
    "model_type": "recurrent_gemma", "num_attention_heads": 10,
    "num_hidden_layers": 26, "num_key_value_heads": 1, "pad_token_id": 0,
    "partial_rotary_factor": 0.5, "rms_norm_eps": 1e-06, "rope_theta": 10000.0,
    "vocab_size": 256000, "w_init_variance_scale": 0.01, **BF16}, config_only=True)

# ---------------------------------------------------------------- dense decoders

FALCON_7B = {
    "alibi": False, "apply_residual_connection_post_layernorm": False,
    "architectures": ["FalconForCausalLM"], "attention_dropout": 0.0, "bias": False,
    "bos_token_id": 11, "eos_token_id": 11, "hidden_dropout": 0.0, "hidden_size": 4544,
    "initializer_range": 0.02, "layer_norm_epsilon": 1e-05, "model_type": "falcon",
    "multi_query": True, "new_decoder_architecture": False, "num_attention_heads": 71,
    "num_hidden_layers": 32, "parallel_attn": True, "vocab_size": 65024, **BF16,
    "transformers_version": "4.27.4",
}
note("falcon-7b", "multi_query means one key/value head although the config has no such number; tied, yet the file holds lm_head.weight")
model("falcon-7b", FALCON_7B, keep_tied=True, shard_bytes=10_000_000_000,
      published=7_217_189_760)
note("falcon-40b", "new_decoder_architecture: num_kv_heads counts, multi_query does not")
model("falcon-40b", with_(FALCON_7B, hidden_size=8192, new_decoder_architecture=True,
                          num_attention_heads=128, num_hidden_layers=60, num_kv_heads=8),
      keep_tied=True, reduce={"num_hidden_layers": 4}, published=41_835_970_560)
model("falcon-rw-1b", with_(FALCON_7B, alibi=True, bias=True, hidden_size=2048,
                            multi_query=False, num_attention_heads=32,
                            num_hidden_layers=24, parallel_attn=False, vocab_size=50304),
      config_only=True, published=1_311_625_216)
PYTHIA = {
    "architectures": ["GPTNeoXForCausalLM"], "bos_token_id": 0, "eos_token_id": 0,
    "hidden_act": "gelu", "hidden_size": 2048, "initializer_range": 0.02,
    "intermediate_size": 8192, "layer_norm_eps": 1e-05, "max_position_embeddings": 2048,
    "model_type": "gpt_neox", "num_attention_heads": 16, "num_hidden_layers": 24,
    "rotary_emb_base": 10000, "rotary_pct": 0.25, "tie_word_embeddings": False,
    "torch_dtype": "float16", "transformers_version": "4.24.0", "use_cache": True,
    "use_parallel_residual": True, "vocab_size": 50304,
}


def pythia_buffers(config):
    """What older versions saved besides the weights: masks, a scalar, rotary tables."""
    for i in range(config.num_hidden_layers):
        layer = f"gpt_neox.layers.{i}.attention."
        yield layer + "bias", "BOOL", (1, 1, 2048, 2048)
        yield layer + "masked_bias", "F16", ()
        yield layer + "rotary_emb.inv_freq", "F16", (16,)


note("pythia-1.4b", "buffers as older versions saved them: attention.bias (BOOL masks), masked_bias (shape []), rotary_emb.inv_freq; sums include them")
model("pythia-1.4b", PYTHIA, extras=pythia_buffers)
model("pythia-6.9b", with_(PYTHIA, hidden_size=4096, intermediate_size=16384,
                           num_attention_heads=32, num_hidden_layers=32,
                           vocab_size=50432), config_only=True, published=6_857_302_016)
model("gpt-j-6b", {
    "activation_function": "gelu_new", "architectures": ["GPTJForCausalLM"],
    "attn_pdrop": 0.0, "bos_token_id": 50256, "embd_pdrop": 0.0, "eos_token_id": 50256,
    "initializer_range": 0.02, "layer_norm_epsilon": 1e-05, "model_type": "gptj",
    "n_embd": 4096, "n_head": 16, "n_inner": None, "n_layer": 28, "n_positions": 2048,
    "resid_pdrop": 0.0, "rotary": True, "rotary_dim": 64, "scale_attn_weights": True,
    "tie_word_embeddings": False, "use_cache": True, "vocab_size": 50400},
      dtype="float16", published=6_050_882_784)
BLOOM = {
    "apply_residual_connection_post_layernorm": False,
    "architectures": ["BloomForCausalLM"], "attention_dropout": 0.0,
    "attention_softmax_in_fp32": True, "bias_dropout_fusion": True, "bos_token_id": 1,
    "eos_token_id": 2, "hidden_dropout": 0.0, "initializer_range": 0.02,
    "layer_norm_epsilon": 1e-05, "masked_softmax_fusion": True, "model_type": "bloom",
    "n_embed": 1024, "n_inner": None, "n_layer": 24, "num_attention_heads": 16,
    "offset_alibi": 100, "pad_token_id": 3, "pretraining_tp": 1, "skip_bias_add": True,
    "skip_bias_add_qkv": False, "slow_but_exact": False, "unk_token_id": 0,
    "use_cache": True, "vocab_size": 250880,
}
note("bloom-560m", "n_embed is the published word for hidden_size; no transformer. prefix; tied")
model("bloom-560m", BLOOM, dtype="float16", renames=[(r"^transformer\.", "")],
      published=559_214_592)
model("bloom-7b1", with_(BLOOM, n_embed=4096, n_layer=30, num_attention_heads=32),
      dtype="float16", config_only=True, published=7_069_016_064)
OPT = {
    "_remove_final_layer_norm": False, "activation_dropout": 0.0,
    "activation_function": "relu", "architectures": ["OPTForCausalLM"],
    "attention_dropout": 0.0, "bos_token_id": 2, "do_layer_norm_before": True,
    "dropout": 0.1, "eos_token_id": 2, "ffn_dim": 3072, "hidden_size": 768,
    "init_std": 0.02, "layerdrop": 0.0, "max_position_embeddings": 2048,
    "model_type": "opt", "num_attention_heads": 12, "num_hidden_layers": 12,
    "pad_token_id": 1, "prefix": "</s>", "torch_dtype": "float16",
    "transformers_version": "4.21.0.dev0", "use_cache": True, "vocab_size": 50272,
    "word_embed_proj_dim": 768,
}
note("opt-125m", "2050 learned positions (an offset of 2); tied")
model("opt-125m", OPT, published=125_239_296)
note("opt-350m", "embeddings are 512 wide and projected to and from 1024; no final norm")
model("opt-350m", with_(OPT, do_layer_norm_before=False, ffn_dim=4096, hidden_size=1024,
                        num_attention_heads=16, num_hidden_layers=24,
                        word_embed_proj_dim=512), published=331_196_416)
model("opt-1.3b", with_(OPT, ffn_dim=8192, hidden_size=2048, num_attention_heads=32,
                        num_hidden_layers=24, word_embed_proj_dim=2048),
      config_only=True, published=1_315_758_080)
STABLELM = {
    "architectures": ["StableLmForCausalLM"], "bos_token_id": 100257,
    "eos_token_id": 100257, "hidden_act": "silu", "hidden_size": 2048,
    "initializer_range": 0.02, "intermediate_size": 5632, "layer_norm_eps": 1e-05,
    "max_position_embeddings": 4096, "model_type": "stablelm",
    "num_attention_heads": 32, "num_hidden_layers": 24, "num_key_value_heads": 32,
    "partial_rotary_factor": 0.25, "rope_theta": 10000, "tie_word_embeddings": False,
    "torch_dtype": "float16", "transformers_version": "4.38.0", "use_cache": True,
    "use_qkv_bias": True, "vocab_size": 100352,
}
model("stablelm-2-1.6b", STABLELM, published=1_644_515_328)
note("stablelm-2-12b", "a norm per head for q and k: q_layernorm.norms.N; one norm per layer (parallel residual)")
model("stablelm-2-12b", with_(
    STABLELM, hidden_size=5120, intermediate_size=13824, num_hidden_layers=40,
    num_key_value_heads=8, qk_layernorm=True, use_parallel_residual=True,
    use_qkv_bias=False, torch_dtype="bfloat16"), config_only=True,
      published=12_143_185_920)
model("starcoder2-3b", {
    "architectures": ["Starcoder2ForCausalLM"], "attention_dropout": 0.1,
    "bos_token_id": 0, "embedding_dropout": 0.1, "eos_token_id": 0,
    "hidden_act": "gelu_pytorch_tanh", "hidden_size": 3072,
    "initializer_range": 0.018042, "intermediate_size": 12288,
    "max_position_embeddings": 16384, "mlp_type": "default",
    "model_type": "starcoder2", "norm_epsilon": 1e-05, "norm_type": "layer_norm",
    "num_attention_heads": 24, "num_hidden_layers": 30, "num_key_value_heads": 2,
    "residual_dropout": 0.1, "rope_theta": 999999.4420358813, "sliding_window": 4096,
    "transformers_version": "4.37.0.dev0", "use_bias": True, "use_cache": True,
    "vocab_size": 49152}, dtype="float32", published=3_030_371_328)
model("starcoderbase-1b", {
    "activation_function": "gelu_pytorch_tanh", "architectures": ["GPTBigCodeForCausalLM"],
    "attention_softmax_in_fp32": True, "attn_pdrop": 0.1, "bos_token_id": 0,
    "embd_pdrop": 0.1, "eos_token_id": 0, "initializer_range": 0.02,
    "layer_norm_epsilon": 1e-05, "model_type": "gpt_bigcode", "multi_query": True,
    "n_embd": 2048, "n_head": 16, "n_inner": 8192, "n_layer": 24, "n_positions": 8192,
    "resid_pdrop": 0.1, "scale_attn_weights": True, "torch_dtype": "float32",
    "transformers_version": "4.28.1", "use_cache": True, "vocab_size": 49152},
      published=1_137_207_296)
model("mpt-7b", {
    "architectures": ["MptForCausalLM"],
    "attn_config": {"alibi": True, "alibi_bias_max": 8, "attn_impl": "torch",
                    "attn_pdrop": 0, "attn_type": "multihead_attention",
                    "attn_uses_sequence_id": False, "clip_qkv": None,
                    "prefix_lm": False, "qk_ln": False, "softmax_scale": None},
    "d_model": 4096, "emb_pdrop": 0, "expansion_ratio": 4, "init_device": "cpu",
    "learned_pos_emb": True, "logit_scale": None, "max_seq_len": 2048,
    "model_type": "mpt", "n_heads": 32, "n_layers": 32, "no_bias": True,
    "norm_type": "low_precision_layernorm", "resid_pdrop": 0, "use_cache": False,
    "vocab_size": 50432, "torch_dtype": "bfloat16", "transformers_version": "4.28.1"},
      config_only=True, published=6_649_286_656)
COHERE = {
    "architectures": ["CohereForCausalLM"], "attention_bias": False,
    "attention_dropout": 0.0, "bos_token_id": 5, "eos_token_id": 255001,
    "hidden_act": "silu", "hidden_size": 8192, "initializer_range": 0.02,
    "intermediate_size": 22528, "layer_norm_eps": 1e-05, "logit_scale": 0.0625,
    "max_position_embeddings": 8192, "model_type": "cohere", "model_max_length": 131072,
    "num_attention_heads": 64, "num_hidden_layers": 40, "num_key_value_heads": 64,
    "pad_token_id": 0, "rope_theta": 8000000.0, "torch_dtype": "float16",
    "transformers_version": "4.38.2", "use_cache": True, "use_qk_norm": False,
    "vocab_size": 256000,
}
model("command-r-v01", COHERE, config_only=True, published=34_980_831_232)
note("command-r7b", "three sliding layers, then a full one without rotary (order_of_interleaved_layers, sliding_window_pattern 4); tied")
note("command-r-plus", "use_qk_norm: q_norm and k_norm hold one weight per head and element")
model("command-r-plus", with_(COHERE, hidden_size=12288, intermediate_size=33792,
                              num_attention_heads=96, num_hidden_layers=64,
                              num_key_value_heads=8, use_qk_norm=True,
                              logit_scale=0.8333333333333334),
      reduce={"num_hidden_layers": 2}, published=103_810_674_688)
note("aya-expanse-8b", "tied by default of the class; one norm per layer")
model("aya-expanse-8b", with_(COHERE, hidden_size=4096, intermediate_size=14336,
                              logit_scale=0.125, num_attention_heads=32,
                              num_hidden_layers=32, num_key_value_heads=8,
                              rope_theta=10000), published=8_028_033_024)
model("command-r7b", with_(
    COHERE, architectures=["Cohere2ForCausalLM"], model_type="cohere2",
    cache_implementation="hybrid", head_dim=128, hidden_size=4096,
    intermediate_size=14336, layer_switch=4, logit_scale=0.25,
    max_position_embeddings=132096, num_attention_heads=32, num_hidden_layers=32,
    num_key_value_heads=8, order_of_interleaved_layers="local_attn_first",
    position_embedding_type="rope_gptj", rope_scaling=None, rope_theta=50000,
    rotary_pct=1.0, sliding_window=4096, sliding_window_pattern=4,
    torch_dtype="bfloat16", use_embedding_sharing=True, use_gated_activation=True,
    use_parallel_block=True, use_parallel_embedding=False, model_max_length=REMOVE,
    use_qk_norm=False), config_only=True)
note("olmo-2-7b", "norms after attention and MLP, none before; q_norm and k_norm over the whole projection")
model("olmo-2-7b", {
    "architectures": ["Olmo2ForCausalLM"], "attention_bias": False, **SILU,
    "eos_token_id": 100257, "hidden_size": 4096, "intermediate_size": 11008,
    "max_position_embeddings": 4096, "model_type": "olmo2", "num_attention_heads": 32,
    "num_hidden_layers": 32, "num_key_value_heads": 32, "pad_token_id": 100277,
    "rms_norm_eps": 1e-06, "rope_scaling": None, "rope_theta": 500000,
    "tie_word_embeddings": False, "torch_dtype": "float32",
    "transformers_version": "4.47.0.dev0", "use_cache": True, "vocab_size": 100352})
model("granite-3.1-8b", {
    "architectures": ["GraniteForCausalLM"], "attention_bias": False,
    "attention_dropout": 0.1, "attention_multiplier": 0.0078125, "bos_token_id": 0,
    "embedding_multiplier": 12.0, "eos_token_id": 0, "hidden_act": "silu",
    "hidden_size": 4096, "initializer_range": 0.02, "intermediate_size": 12800,
    "logits_scaling": 16.0, "max_position_embeddings": 131072, "mlp_bias": False,
    "model_type": "granite", "num_attention_heads": 32, "num_hidden_layers": 40,
    "num_key_value_heads": 8, "pad_token_id": 0, "residual_multiplier": 0.22,
    "rms_norm_eps": 1e-05, "rope_scaling": None, "rope_theta": 10000000.0,
    "tie_word_embeddings": True, "vocab_size": 49155, **BF16}, config_only=True, published=8_170_848_256)
EXAONE = {
    "architectures": ["Exaone4ForCausalLM"], "attention_dropout": 0.0, "bos_token_id": 1,
    "eos_token_id": 361, "head_dim": 64, "hidden_act": "silu", "hidden_size": 2048,
    "initializer_range": 0.02, "intermediate_size": 4096,
    "layer_types": ["full_attention"] * 30, "max_position_embeddings": 65536,
    "model_type": "exaone4", "num_attention_heads": 32, "num_hidden_layers": 30,
    "num_key_value_heads": 8, "pad_token_id": 0, "rms_norm_eps": 1e-05,
    "rope_scaling": {"factor": 16.0, "high_freq_factor": 4.0, "low_freq_factor": 1.0,
                     "original_max_position_embeddings": 8192, "rope_type": "llama3"},
    "rope_theta": 1000000, "sliding_window": None, "sliding_window_pattern": None,
    "tie_word_embeddings": True, "vocab_size": 102400, **BF16,
}
model("exaone-4.0-1.2b", EXAONE, published=1_279_391_488)
note("exaone-4.0-32b", "sliding_window_pattern LLLG: three sliding layers, then a full one")
model("exaone-4.0-32b", with_(
    EXAONE, head_dim=128, hidden_size=5120, intermediate_size=27392,
    layer_types=(["sliding_attention"] * 3 + ["full_attention"]) * 16,
    max_position_embeddings=131072, num_attention_heads=40, num_hidden_layers=64,
    sliding_window=4096, sliding_window_pattern="LLLG", tie_word_embeddings=False),
      config_only=True)
note("smollm3-3b", "every fourth layer has no rotary embedding; same shapes")
model("smollm3-3b", {
    "architectures": ["SmolLM3ForCausalLM"], "attention_bias": False, **SILU,
    "bos_token_id": None, "eos_token_id": 128012, "hidden_size": 2048,
    "intermediate_size": 11008, "layer_types": ["full_attention"] * 36,
    "max_position_embeddings": 65536, "max_window_layers": 28, "mlp_bias": False,
    "model_type": "smollm3", "no_rope_layer_interval": 4,
    "no_rope_layers": [1, 1, 1, 0] * 9, "num_attention_heads": 16,
    "num_hidden_layers": 36, "num_key_value_heads": 4, "pad_token_id": 128004,
    "pretraining_tp": 2, "rms_norm_eps": 1e-06, "rope_scaling": None,
    "rope_theta": 5000000.0, "sliding_window": None, "tie_word_embeddings": True,
    "use_sliding_window": False, "vocab_size": 128256, **BF16},
      published=3_075_098_624)
note("minitron-4b", "relu2: no gate projection; norms with bias; partial rotary")
model("minitron-4b", {
    "architectures": ["NemotronForCausalLM"], "attention_bias": False,
    "attention_dropout": 0.0, "bos_token_id": 2, "eos_token_id": 3, "head_dim": 128,
    "hidden_act": "relu2", "hidden_size": 3072, "initializer_range": 0.0134,
    "intermediate_size": 9216, "max_position_embeddings": 4096, "mlp_bias": False,
    "model_type": "nemotron", "norm_eps": 1e-05, "num_attention_heads": 24,
    "num_hidden_layers": 32, "num_key_value_heads": 8, "partial_rotary_factor": 0.5,
    "rope_theta": 10000, "tie_word_embeddings": False, "vocab_size": 256000, **BF16})
model("seed-oss-36b", {
    "architectures": ["SeedOssForCausalLM"], "attention_bias": True,
    "attention_dropout": 0.1, "attention_out_bias": False, "bos_token_id": 0,
    "eos_token_id": 2, "head_dim": 128, "hidden_act": "silu", "hidden_size": 5120,
    "initializer_range": 0.02, "intermediate_size": 27648,
    "max_position_embeddings": 524288, "mlp_bias": False, "model_type": "seed_oss",
    "num_attention_heads": 80, "num_hidden_layers": 64, "num_key_value_heads": 8,
    "pad_token_id": 1, "residual_dropout": 0.1, "rms_norm_eps": 1e-06,
    "rope_scaling": {"rope_type": "default"}, "rope_theta": 10000000.0,
    "tie_word_embeddings": False, "vocab_size": 155136, **BF16},
      config_only=True, published=36_151_104_512)

# ---------------------------------------------------------------- encoders

BERT = {
    "architectures": ["BertForMaskedLM"], "attention_probs_dropout_prob": 0.1,
    "gradient_checkpointing": False, "hidden_act": "gelu", "hidden_dropout_prob": 0.1,
    "hidden_size": 768, "initializer_range": 0.02, "intermediate_size": 3072,
    "layer_norm_eps": 1e-12, "max_position_embeddings": 512, "model_type": "bert",
    "num_attention_heads": 12, "num_hidden_layers": 12, "pad_token_id": 0,
    "position_embedding_type": "absolute", "transformers_version": "4.6.0.dev0",
    "type_vocab_size": 2, "use_cache": True, "vocab_size": 30522,
}
note("bert-base-uncased", "the file holds both pre-training heads, and LayerNorm.gamma/beta instead of weight/bias")
model("bert-base-uncased", BERT, **{"class": "BertForPreTraining"}, dtype="float32",
      renames=[(r"LayerNorm\.weight$", "LayerNorm.gamma"),
               (r"LayerNorm\.bias$", "LayerNorm.beta")], published=110_106_428)
note("all-minilm-l6-v2", "no bert. prefix; position_ids is saved (I64)")
model("all-minilm-l6-v2", with_(BERT, architectures=["BertModel"], hidden_size=384,
                                intermediate_size=1536, num_hidden_layers=6),
      dtype="float32", published=22_713_728,
      extras=lambda c: [("embeddings.position_ids", "I64", (1, 512))])
ROBERTA = with_(BERT, architectures=["RobertaForMaskedLM"], model_type="roberta",
                bos_token_id=0, eos_token_id=2, pad_token_id=1, layer_norm_eps=1e-05,
                max_position_embeddings=514, type_vocab_size=1, vocab_size=50265,
                gradient_checkpointing=REMOVE, position_embedding_type=REMOVE)
note("roberta-base", "514 positions (an offset of 2); position_ids is saved (I64)")
model("roberta-base", ROBERTA, dtype="float32", published=124_697_947,
      extras=lambda c: [("roberta.embeddings.position_ids", "I64", (1, 514))])
model("xlm-roberta-base", with_(ROBERTA, architectures=["XLMRobertaForMaskedLM"],
                                model_type="xlm-roberta", vocab_size=250002),
      dtype="float32", config_only=True)
model("distilbert-base-uncased", {
    "activation": "gelu", "architectures": ["DistilBertForMaskedLM"],
    "attention_dropout": 0.1, "dim": 768, "dropout": 0.1, "hidden_dim": 3072,
    "initializer_range": 0.02, "max_position_embeddings": 512,
    "model_type": "distilbert", "n_heads": 12, "n_layers": 6, "pad_token_id": 0,
    "qa_dropout": 0.1, "seq_classif_dropout": 0.2, "sinusoidal_pos_embds": False,
    "tie_weights_": True, "transformers_version": "4.10.0.dev0", "vocab_size": 30522},
      dtype="float32", published=66_985_530)
note("albert-base-v2", "12 layers share the weights of one")
model("albert-base-v2", {
    "architectures": ["AlbertForMaskedLM"], "attention_probs_dropout_prob": 0,
    "bos_token_id": 2, "classifier_dropout_prob": 0.1, "down_scale_factor": 1,
    "embedding_size": 128, "eos_token_id": 3, "gap_size": 0, "hidden_act": "gelu_new",
    "hidden_dropout_prob": 0, "hidden_size": 768, "initializer_range": 0.02,
    "inner_group_num": 1, "intermediate_size": 3072, "layer_norm_eps": 1e-12,
    "max_position_embeddings": 512, "model_type": "albert", "net_structure_type": 0,
    "num_attention_heads": 12, "num_hidden_groups": 1, "num_hidden_layers": 12,
    "num_memory_blocks": 0, "pad_token_id": 0, "type_vocab_size": 2,
    "vocab_size": 30000}, dtype="float32")
note("modernbert-base", "fused Wqkv and Wi; every third layer is global, the others see 128 tokens")
model("modernbert-base", {
    "architectures": ["ModernBertForMaskedLM"], "attention_bias": False,
    "attention_dropout": 0.0, "bos_token_id": 50281, "classifier_activation": "gelu",
    "classifier_bias": False, "classifier_dropout": 0.0, "classifier_pooling": "mean",
    "cls_token_id": 50281, "decoder_bias": True, "deterministic_flash_attn": False,
    "embedding_dropout": 0.0, "eos_token_id": 50282, "global_attn_every_n_layers": 3,
    "global_rope_theta": 160000.0, "hidden_activation": "gelu", "hidden_size": 768,
    "initializer_cutoff_factor": 2.0, "initializer_range": 0.02,
    "intermediate_size": 1152, "layer_norm_eps": 1e-05, "local_attention": 128,
    "local_rope_theta": 10000.0, "max_position_embeddings": 8192, "mlp_bias": False,
    "mlp_dropout": 0.0, "model_type": "modernbert", "norm_bias": False,
    "norm_eps": 1e-05, "num_attention_heads": 12, "num_hidden_layers": 22,
    "pad_token_id": 50283, "sep_token_id": 50282, "tie_word_embeddings": True,
    "torch_dtype": "float32", "transformers_version": "4.47.0.dev0",
    "vocab_size": 50368})

# ---------------------------------------------------------------- encoder-decoders

T5 = {
    "architectures": ["T5ForConditionalGeneration"], "d_ff": 3072, "d_kv": 64,
    "d_model": 768, "decoder_start_token_id": 0, "dropout_rate": 0.1, "eos_token_id": 1,
    "initializer_factor": 1.0, "is_encoder_decoder": True, "layer_norm_epsilon": 1e-06,
    "model_type": "t5", "n_positions": 512, "num_heads": 12, "num_layers": 12,
    "output_past": True, "pad_token_id": 0, "relative_attention_num_buckets": 32,
    "use_cache": True, "vocab_size": 32128,
}
note("t5-base", "tied by default; the file holds one position table that the class no longer has")
model("t5-base", T5, dtype="float32", published=222_903_936, extras=lambda c: [
    ("decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight", "F32",
     (32, 12))])
FLAN = with_(T5, d_ff=2048, feed_forward_proj="gated-gelu", num_decoder_layers=12,
             relative_attention_max_distance=128, tie_word_embeddings=False)
note("flan-t5-base", "gated MLP, lm_head not tied")
model("flan-t5-base", FLAN, dtype="float32", published=247_577_856)
model("flan-t5-xl", with_(FLAN, d_ff=5120, d_model=2048, num_heads=32, num_layers=24,
                          num_decoder_layers=24), dtype="float32", config_only=True,
      published=2_849_757_184)
WHISPER = {
    "activation_dropout": 0.0, "activation_function": "gelu",
    "architectures": ["WhisperForConditionalGeneration"], "attention_dropout": 0.0,
    "bos_token_id": 50257, "d_model": 384, "decoder_attention_heads": 6,
    "decoder_ffn_dim": 1536, "decoder_layerdrop": 0.0, "decoder_layers": 4,
    "decoder_start_token_id": 50258, "dropout": 0.0, "encoder_attention_heads": 6,
    "encoder_ffn_dim": 1536, "encoder_layerdrop": 0.0, "encoder_layers": 4,
    "eos_token_id": 50257, "init_std": 0.02, "is_encoder_decoder": True,
    "max_source_positions": 1500, "max_target_positions": 448, "model_type": "whisper",
    "num_hidden_layers": 4, "num_mel_bins": 80, "pad_token_id": 50257,
    "scale_embedding": False, "torch_dtype": "float32",
    "transformers_version": "4.27.0.dev0", "use_cache": True, "vocab_size": 51865,
}
note("whisper-tiny", "k_proj has no bias, q and v have; sinusoidal encoder positions are saved; proj_out tied")
model("whisper-tiny", WHISPER, published=37_760_640)
model("whisper-large-v3", with_(
    WHISPER, d_model=1280, decoder_attention_heads=20, decoder_ffn_dim=5120,
    decoder_layers=32, encoder_attention_heads=20, encoder_ffn_dim=5120,
    encoder_layers=32, num_hidden_layers=32, num_mel_bins=128, vocab_size=51866,
    torch_dtype="float16"), config_only=True, published=1_543_490_560)
model("bart-base", {
    "activation_dropout": 0.1, "activation_function": "gelu",
    "architectures": ["BartForConditionalGeneration"], "attention_dropout": 0.1,
    "bos_token_id": 0, "d_model": 768, "decoder_attention_heads": 12,
    "decoder_ffn_dim": 3072, "decoder_layers": 6, "decoder_start_token_id": 2,
    "dropout": 0.1, "encoder_attention_heads": 12, "encoder_ffn_dim": 3072,
    "encoder_layers": 6, "eos_token_id": 2, "is_encoder_decoder": True,
    "max_position_embeddings": 1024, "model_type": "bart", "num_hidden_layers": 6,
    "pad_token_id": 1, "scale_embedding": False, "use_cache": True,
    "vocab_size": 50265}, dtype="float32", config_only=True)

# ---------------------------------------------------------------- vision, and vision with text

model("vit-base-patch16-in21k", {
    "architectures": ["ViTModel"], "attention_probs_dropout_prob": 0.0,
    "hidden_act": "gelu", "hidden_dropout_prob": 0.0, "hidden_size": 768,
    "image_size": 224, "initializer_range": 0.02, "intermediate_size": 3072,
    "layer_norm_eps": 1e-12, "model_type": "vit", "num_attention_heads": 12,
    "num_channels": 3, "num_hidden_layers": 12, "patch_size": 16, "qkv_bias": True,
    "transformers_version": "4.13.0.dev0"}, dtype="float32", published=86_389_248)
note("dinov2-base", "518-pixel position table (1370 positions) although it runs at 224")
model("dinov2-base", {
    "apply_layernorm": True, "architectures": ["Dinov2Model"],
    "attention_probs_dropout_prob": 0.0, "drop_path_rate": 0.0, "hidden_act": "gelu",
    "hidden_dropout_prob": 0.0, "hidden_size": 768, "image_size": 518,
    "initializer_range": 0.02, "layer_norm_eps": 1e-06, "layerscale_value": 1.0,
    "mlp_ratio": 4, "model_type": "dinov2", "num_attention_heads": 12,
    "num_channels": 3, "num_hidden_layers": 12, "patch_size": 14, "qkv_bias": True,
    "reshape_hidden_states": True, "torch_dtype": "float32",
    "transformers_version": "4.32.0.dev0", "use_swiglu_ffn": False},
      published=86_580_480)
note("resnet-50", "batch norms save running_mean, running_var and num_batches_tracked (I64, shape [])")
model("resnet-50", {
    "architectures": ["ResNetModel"], "depths": [3, 4, 6, 3],
    "downsample_in_first_stage": False, "embedding_size": 64, "hidden_act": "relu",
    "hidden_sizes": [256, 512, 1024, 2048], "layer_type": "bottleneck",
    "model_type": "resnet", "num_channels": 3, "torch_dtype": "float32",
    "transformers_version": "4.18.0.dev0"})
note("clip-vit-large-patch14", "two position_ids buffers are saved (I64); logit_scale has shape []")
model("clip-vit-large-patch14", {
    "architectures": ["CLIPModel"], "initializer_factor": 1.0,
    "logit_scale_init_value": 2.6592, "model_type": "clip", "projection_dim": 768,
    "text_config": {"attention_dropout": 0.0, "bos_token_id": 0, "dropout": 0.0,
                    "eos_token_id": 2, "hidden_act": "quick_gelu", "hidden_size": 768,
                    "intermediate_size": 3072, "layer_norm_eps": 1e-05,
                    "max_position_embeddings": 77, "model_type": "clip_text_model",
                    "num_attention_heads": 12, "num_hidden_layers": 12,
                    "projection_dim": 768, "vocab_size": 49408},
    "torch_dtype": "float32",
    "vision_config": {"attention_dropout": 0.0, "dropout": 0.0,
                      "hidden_act": "quick_gelu", "hidden_size": 1024,
                      "image_size": 224, "intermediate_size": 4096,
                      "layer_norm_eps": 1e-05, "model_type": "clip_vision_model",
                      "num_attention_heads": 16, "num_hidden_layers": 24,
                      "patch_size": 14, "projection_dim": 768}},
      published=427_616_847,
      extras=lambda c: [("text_model.embeddings.position_ids", "I64", (1, 77)),
                        ("vision_model.embeddings.position_ids", "I64", (1, 257))])
note("siglip-base-patch16-224", "the published config names no size at all: all are class defaults")
model("siglip-base-patch16-224", {
    "architectures": ["SiglipModel"], "initializer_factor": 1.0, "model_type": "siglip",
    "text_config": {"model_type": "siglip_text_model"}, "torch_dtype": "float32",
    "transformers_version": "4.37.0.dev0",
    "vision_config": {"model_type": "siglip_vision_model"}}, published=203_155_970)
SO400M = {"hidden_size": 1152, "intermediate_size": 4304, "num_attention_heads": 16,
          "num_hidden_layers": 27}
model("siglip-so400m-patch14-384", {
    "architectures": ["SiglipModel"], "initializer_factor": 1.0, "model_type": "siglip",
    "text_config": {**SO400M, "model_type": "siglip_text_model"},
    "torch_dtype": "float32", "transformers_version": "4.37.0.dev0",
    "vision_config": {**SO400M, "image_size": 384, "model_type": "siglip_vision_model",
                      "patch_size": 14}}, config_only=True)
note("llava-1.5-7b", "sparse text_config: llama-7b sizes are class defaults; vocab 32064 is padded")
model("llava-1.5-7b", {
    "architectures": ["LlavaForConditionalGeneration"], "ignore_index": -100,
    "image_token_index": 32000, "model_type": "llava", "pad_token_id": 32001,
    "projector_hidden_act": "gelu",
    "text_config": {"architectures": ["LlamaForCausalLM"],
                    "max_position_embeddings": 4096, "model_type": "llama",
                    "rms_norm_eps": 1e-05, "torch_dtype": "float16",
                    "vocab_size": 32064},
    "tie_word_embeddings": False, "torch_dtype": "float16",
    "transformers_version": "4.36.0.dev0",
    "vision_config": {"hidden_size": 1024, "image_size": 336,
                      "intermediate_size": 4096, "model_type": "clip_vision_model",
                      "num_attention_heads": 16, "num_hidden_layers": 24,
                      "patch_size": 14, "projection_dim": 768, "vocab_size": 32000},
    "vision_feature_layer": -2, "vision_feature_select_strategy": "default",
    "vocab_size": 32064}, published=7_063_427_072)
QWEN25_VL = {
    "architectures": ["Qwen2_5_VLForConditionalGeneration"], "attention_dropout": 0.0,
    "bos_token_id": 151643, "eos_token_id": 151645, "hidden_act": "silu",
    "hidden_size": 3584, "image_token_id": 151655, "initializer_range": 0.02,
    "intermediate_size": 18944, "max_position_embeddings": 128000,
    "max_window_layers": 28, "model_type": "qwen2_5_vl", "num_attention_heads": 28,
    "num_hidden_layers": 28, "num_key_value_heads": 4, "rms_norm_eps": 1e-06,
    "rope_scaling": {"mrope_section": [16, 24, 24], "type": "mrope"},
    "rope_theta": 1000000.0, "sliding_window": 32768, "tie_word_embeddings": False,
    "torch_dtype": "bfloat16", "transformers_version": "4.41.2", "use_cache": True,
    "use_sliding_window": False, "video_token_id": 151656,
    "vision_config": {"depth": 32, "fullatt_block_indexes": [7, 15, 23, 31],
                      "hidden_act": "silu", "hidden_size": 1280, "in_chans": 3,
                      "intermediate_size": 3420, "num_heads": 16,
                      "out_hidden_size": 3584, "patch_size": 14,
                      "spatial_merge_size": 2, "spatial_patch_size": 14,
                      "temporal_patch_size": 2, "tokens_per_second": 2,
                      "window_size": 112},
    "vision_end_token_id": 151653, "vision_start_token_id": 151652,
    "vision_token_id": 151654, "vocab_size": 152064,
}
note("qwen2.5-vl-7b", "text keys stand at the top level, there is no text_config; vision tower under visual.")
model("qwen2.5-vl-7b", QWEN25_VL, shard_bytes=4_000_000_000, published=8_292_166_656)
note("qwen2-vl-2b", "vision_config.hidden_size is the text width; the tower's own is embed_dim")
model("qwen2-vl-2b", {**with_(
    QWEN25_VL, architectures=["Qwen2VLForConditionalGeneration"], model_type="qwen2_vl",
    hidden_size=1536, intermediate_size=8960, max_position_embeddings=32768,
    num_attention_heads=12, num_key_value_heads=2, tie_word_embeddings=True,
    vocab_size=151936), "vision_config": {
        "depth": 32, "embed_dim": 1280, "hidden_size": 1536, "in_chans": 3,
        "mlp_ratio": 4, "num_heads": 16, "patch_size": 14, "spatial_merge_size": 2,
        "spatial_patch_size": 14, "temporal_patch_size": 2}}, config_only=True, published=2_208_985_600)
model("qwen3-vl-4b", {
    "architectures": ["Qwen3VLForConditionalGeneration"], "image_token_id": 151655,
    "model_type": "qwen3_vl",
    "text_config": {"attention_bias": False, "attention_dropout": 0.0,
                    "bos_token_id": 151643, "dtype": "bfloat16",
                    "eos_token_id": 151645, "head_dim": 128, "hidden_act": "silu",
                    "hidden_size": 2560, "initializer_range": 0.02,
                    "intermediate_size": 9728, "max_position_embeddings": 262144,
                    "model_type": "qwen3_vl_text", "num_attention_heads": 32,
                    "num_hidden_layers": 36, "num_key_value_heads": 8,
                    "rms_norm_eps": 1e-06,
                    "rope_scaling": {"mrope_interleaved": True,
                                     "mrope_section": [24, 20, 20],
                                     "rope_type": "default"},
                    "rope_theta": 5000000, "tie_word_embeddings": True,
                    "use_cache": True, "vocab_size": 151936},
    "tie_word_embeddings": True, "transformers_version": "4.57.0.dev0",
    "video_token_id": 151656,
    "vision_config": {"deepstack_visual_indexes": [5, 11, 17], "depth": 24,
                      "hidden_act": "gelu_pytorch_tanh", "hidden_size": 1024,
                      "in_channels": 3, "initializer_range": 0.02,
                      "intermediate_size": 4096, "model_type": "qwen3_vl",
                      "num_heads": 16, "num_position_embeddings": 2304,
                      "out_hidden_size": 2560, "patch_size": 16,
                      "spatial_merge_size": 2, "temporal_patch_size": 2},
    "vision_end_token_id": 151653, "vision_start_token_id": 151652},
      dtype="bfloat16", config_only=True, published=4_437_815_808)
model("mistral-small-3.1-24b", {
    "architectures": ["Mistral3ForConditionalGeneration"], "image_token_index": 10,
    "model_type": "mistral3", "multimodal_projector_bias": False,
    "projector_hidden_act": "gelu", "spatial_merge_size": 2,
    "text_config": {"attention_dropout": 0.0, "head_dim": 128, "hidden_act": "silu",
                    "hidden_size": 5120, "initializer_range": 0.02,
                    "intermediate_size": 32768, "max_position_embeddings": 131072,
                    "model_type": "mistral", "num_attention_heads": 32,
                    "num_hidden_layers": 40, "num_key_value_heads": 8,
                    "rms_norm_eps": 1e-05, "rope_theta": 1000000000.0,
                    "sliding_window": None, "use_cache": True, "vocab_size": 131072},
    "torch_dtype": "bfloat16", "transformers_version": "4.50.0.dev0",
    "vision_config": {"attention_dropout": 0.0, "head_dim": 64, "hidden_act": "silu",
                      "hidden_size": 1024, "image_size": 1540,
                      "initializer_range": 0.02, "intermediate_size": 4096,
                      "model_type": "pixtral", "num_attention_heads": 16,
                      "num_channels": 3, "num_hidden_layers": 24, "patch_size": 14,
                      "rope_theta": 10000.0},
    "vision_feature_layer": -1}, config_only=True, published=24_011_361_280)
note("llama-3.2-11b-vision", "8 of 40 text layers attend to the image only: no growing cache there; embed_tokens has 8 rows more than lm_head")
model("llama-3.2-11b-vision", {
    "architectures": ["MllamaForConditionalGeneration"], "image_token_index": 128256,
    "model_type": "mllama",
    "text_config": {"bos_token_id": 128000,
                    "cross_attention_layers": [3, 8, 13, 18, 23, 28, 33, 38],
                    "dropout": 0, "eos_token_id": 128001, "hidden_act": "silu",
                    "hidden_size": 4096, "initializer_range": 0.02,
                    "intermediate_size": 14336, "max_position_embeddings": 131072,
                    "model_type": "mllama_text_model", "num_attention_heads": 32,
                    "num_hidden_layers": 40, "num_key_value_heads": 8,
                    "pad_token_id": 128004, "rms_norm_eps": 1e-05,
                    "rope_scaling": {"factor": 8.0, "high_freq_factor": 4.0,
                                     "low_freq_factor": 1.0,
                                     "original_max_position_embeddings": 8192,
                                     "rope_type": "llama3"},
                    "rope_theta": 500000.0, "tie_word_embeddings": False,
                    "torch_dtype": "bfloat16", "use_cache": True,
                    "vocab_size": 128256},
    "torch_dtype": "bfloat16", "transformers_version": "4.45.0.dev0",
    "vision_config": {"attention_heads": 16, "hidden_act": "gelu",
                      "hidden_size": 1280, "image_size": 560,
                      "intermediate_layers_indices": [3, 7, 15, 23, 30],
                      "intermediate_size": 5120, "max_num_tiles": 4,
                      "model_type": "mllama_vision_model", "norm_eps": 1e-05,
                      "num_channels": 3, "num_global_layers": 8,
                      "num_hidden_layers": 32, "patch_size": 14,
                      "supported_aspect_ratios": [[1, 1], [1, 2], [1, 3], [1, 4],
                                                  [2, 1], [2, 2], [3, 1], [4, 1]],
                      "torch_dtype": "bfloat16", "vision_output_dim": 7680}},
      config_only=True)
model("paligemma-3b", {
    "architectures": ["PaliGemmaForConditionalGeneration"], "bos_token_id": 2,
    "eos_token_id": 1, "hidden_size": 2048, "ignore_index": -100,
    "image_token_index": 257152, "model_type": "paligemma", "pad_token_id": 0,
    "projection_dim": 2048,
    "text_config": {"hidden_size": 2048, "intermediate_size": 16384,
                    "model_type": "gemma", "num_attention_heads": 8,
                    "num_hidden_layers": 18, "num_image_tokens": 256,
                    "num_key_value_heads": 1, "torch_dtype": "float32",
                    "vocab_size": 257216},
    "torch_dtype": "float32", "transformers_version": "4.41.0.dev0",
    "vision_config": {"hidden_size": 1152, "intermediate_size": 4304,
                      "model_type": "siglip_vision_model", "num_attention_heads": 16,
                      "num_hidden_layers": 27, "num_image_tokens": 256,
                      "patch_size": 14, "projection_dim": 2048,
                      "projector_hidden_act": "gelu_fast",
                      "vision_use_head": False}},
      config_only=True, published=2_923_466_480)

