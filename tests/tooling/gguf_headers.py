"""GGUF: the start of a file (metadata and tensor infos, up to the aligned data start).

Tensor names come from the gguf package's own name maps, shapes from the model classes,
types from llama.cpp's rules for a mix (llama_tensor_get_type for Q4_K_M).  Vocabularies
are cut to a few hundred entries (one file: 3000); token embeddings keep their real shape.
Folders hold one NAME.gguf.header each; the file goes on with `file_bytes - data_offset`
bytes of tensor data.
"""

import logging
import math
import re

import gguf
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType as Q, MODEL_ARCH

import published_configs_other  # noqa: F401  (adds to MODELS)
from family_headers import build, override, saved_tensors
from published_configs import MODELS

logging.getLogger("gguf").setLevel(logging.ERROR)

NOTES = {
    "every-type": "one tensor of every type in the package's table, two blocks of 3 rows each",
    "llama-3.1-8b-q4_k_m": "vocabulary cut to 3000 entries (arrays), rope_freqs is a tensor",
    "mixtral-8x7b-q4_k_m": "8 experts: attn_v and attn_k become Q8_0, attn_output Q5_K",
    "deepseek2-lite-mla-q4_k_m": "kv_b split into attn_k_b and attn_v_b; head_count_kv is 1, "
                                 "key_length 576 of the compressed cache",
    "deepseek2-lite-old-q4_k_m": "converted before the MLA split: attn_kv_b whole, "
                                 "head_count_kv 16, 8 layers",
    "deepseek3-mla-q4_k_m": "V3, 5 layers; exp_probs_b.bias, expert_gating_func 2",
    "gemma3-4b-q4_k_m": "text part only; no output.weight (tied), vocab 262208",
    "gpt-oss-20b-mxfp4": "experts MXFP4, attention and embeddings Q8_0, attn_sinks F32",
    "mamba-130m-f16": "no attention keys; output tied",
    "granite-h-tiny-q4_k_m": "attention.head_count_kv is an array, 0 in mamba layers",
    "jamba-q4_k_m": "8 layers; attention.head_count_kv is an array",
    "lfm2-1.2b-q4_k_m": "attention.head_count_kv is an array; shortconv tensors",
    "qwen3next-q4_k_m": "4 layers, 48 experts; in_proj_qkvz as ssm_in",
    "phi3-mini-q4_k_m": "fused attn_qkv and ffn_up; sliding_window",
    "minilm-l6-f16": "encoder: no output head, pooler left out",
    "llama-3.1-8b-split": "the same model in two files (split.no, split.count, "
                          "split.tensors.count); the second has no model metadata",
    "alignment-64": "general.alignment 64 instead of 32",
    "llama-2-7b-q4_0": "q4_0 with q6_K output; vocabulary with scores",
}


def row_bytes(kind, width):
    block, size = GGML_QUANT_SIZES[kind]
    assert width % block == 0, (kind, width)
    return width // block * size


def tensor_bytes(kind, shape):
    return row_bytes(kind, shape[-1]) * math.prod(shape[:-1])


# ---------------------------------------------------------------- types of a mix

FALLBACK = {Q.Q4_K: Q.Q5_0, Q.Q5_K: Q.Q5_1, Q.Q6_K: Q.Q8_0}
KEPT_F32 = ("ffn_gate_inp", "ssm_conv1d", "shortconv.conv", "position_embd", "token_types",
            "rope_f", "exp_probs_b")


def use_more_bits(i, n):
    return i < n // 8 or i >= 7 * n // 8 or (i - n // 8) % 3 == 2


def fits(kind, width):
    while width % GGML_QUANT_SIZES[kind][0]:
        kind = FALLBACK.get(kind, Q.F16)
    return kind


class Mix:
    """One file type: asks, tensor by tensor, which type llama-quantize would choose."""

    def __init__(self, base, layers, experts, tied):
        self.base, self.layers, self.experts, self.tied = base, layers, experts, tied
        self.values = 0

    def kind(self, name, shape):
        if len(shape) < 2 or not name.endswith("weight") or any(k in name for k in KEPT_F32):
            return Q.F32
        if self.base in (Q.F16, Q.BF16):
            return self.base
        if self.base in (Q.Q8_0, Q.MXFP4):
            is_expert = "_exps" in name
            return Q.MXFP4 if self.base == Q.MXFP4 and is_expert else fits(Q.Q8_0, shape[-1])
        if name == "output.weight" or (name == "token_embd.weight" and self.tied):
            return fits(Q.Q6_K, shape[-1])
        return fits(self.mixed(name) if self.base == Q.Q4_K else self.base, shape[-1])

    def mixed(self, name):
        layer = int(re.match(r"blk\.(\d+)\.", name)[1]) if name.startswith("blk.") else 0
        if "attn_v.weight" in name:
            more = use_more_bits(self.values, self.value_tensors)
            self.values += 1
            return Q.Q8_0 if self.experts == 8 else Q.Q6_K if more else Q.Q4_K
        if "attn_k.weight" in name and self.experts == 8:
            return Q.Q8_0
        if "attn_output.weight" in name and self.experts == 8:
            return Q.Q5_K
        if "attn_qkv.weight" in name:
            return Q.Q5_K
        if "ffn_down" in name and use_more_bits(layer, self.layers):
            return Q.Q6_K
        return Q.Q4_K


# ---------------------------------------------------------------- tensors

def merge_experts(tensors):
    """One [experts, out, in] tensor for what the checkpoint holds expert by expert."""
    counts = {}
    for name, _ in tensors:
        match = re.match(r"(.*\.experts)\.(\d+)\.(.*)", name)
        if match:
            key = f"{match[1]}.{match[3]}"
            counts[key] = max(counts.get(key, 0), int(match[2]) + 1)
    done = set()
    for name, shape in tensors:
        match = re.match(r"(.*\.experts)\.(\d+)\.(.*)", name)
        if not match:
            yield name, shape
            continue
        key = f"{match[1]}.{match[3]}"
        if key not in done:
            done.add(key)
            yield key, (counts[key], *shape)


def mla_split(config):
    def hook(name, shape):
        if name.endswith("kv_b_proj.weight"):
            heads, rank = config.num_attention_heads, config.kv_lora_rank
            stem = name.removesuffix("kv_b_proj.weight")
            return [(stem + "k_b_proj.weight", (heads, rank, config.qk_nope_head_dim)),
                    (stem + "v_b_proj.weight", (heads, config.v_head_dim, rank))]
        return [(name, shape)]
    return hook


def gpt_oss_split(name, shape):
    """gate_up is stored [experts, in, 2 * out] in the class; GGUF has gate and up apart."""
    if name.endswith("experts.gate_up_proj"):
        stem = name.removesuffix("gate_up_proj")
        half = (shape[0], shape[2] // 2, shape[1])
        return [(stem + "gate_proj.weight", half), (stem + "up_proj.weight", half)]
    if name.endswith("experts.gate_up_proj_bias"):
        stem = name.removesuffix("gate_up_proj_bias")
        half = (shape[0], shape[1] // 2)
        return [(stem + "gate_proj.bias", half), (stem + "up_proj.bias", half)]
    if name.endswith("experts.down_proj"):
        return [(name + ".weight", (shape[0], shape[2], shape[1]))]
    if name.endswith("experts.down_proj_bias"):
        return [(name.replace("down_proj_bias", "down_proj.bias"), shape)]
    if name.endswith("sinks"):
        return [(name + ".weight", shape)]
    return [(name, shape)]


def granite_split(name, shape):
    """Fused input_linear [experts, 2 * inner, hidden] becomes gate and up."""
    if name.endswith("block_sparse_moe.input_linear.weight"):
        stem = name.removesuffix("input_linear.weight")
        half = (shape[0], shape[1] // 2, shape[2])
        return [(stem + "input_linear.gate.weight", half),
                (stem + "input_linear.up.weight", half)]
    if name.endswith("shared_mlp.input_linear.weight"):
        stem = name.removesuffix("input_linear.weight")
        half = (shape[0] // 2, shape[1])
        return [(stem + "gate.weight", half), (stem + "up.weight", half)]
    return [(name, shape)]


# Names that llama.cpp's converter sets itself, without the name map.
DIRECT = [
    (r"^model\.layers\.(\d+)\.block_sparse_moe\.input_linear\.gate\.weight$",
     r"blk.\1.ffn_gate_exps.weight"),
    (r"^model\.layers\.(\d+)\.block_sparse_moe\.input_linear\.up\.weight$",
     r"blk.\1.ffn_up_exps.weight"),
    (r"^model\.layers\.(\d+)\.shared_mlp\.gate\.weight$", r"blk.\1.ffn_gate_shexp.weight"),
    (r"^model\.layers\.(\d+)\.shared_mlp\.up\.weight$", r"blk.\1.ffn_up_shexp.weight"),
    (r"^model\.layers\.(\d+)\.self_attn\.sinks\.weight$", r"blk.\1.attn_sinks.weight"),
    (r"^model\.layers\.(\d+)\.mlp\.gate\.e_score_correction_bias$",
     r"blk.\1.exp_probs_b.bias"),
]


def gguf_name(names, name):
    for pattern, replacement in DIRECT:
        if re.match(pattern, name):
            return re.sub(pattern, replacement, name)
    name = name.replace(".dt_bias", ".dt_proj.bias") if "dt_bias" in name else name
    found = names.get_name(name, try_suffixes=(".weight", ".bias"))
    if found is None:
        raise KeyError(f"no GGUF name for {name}")
    return found


def gguf_tensors(config, model, arch, layers, hook, drop):
    names = gguf.get_tensor_name_map(arch, layers)
    plain = [(n, s) for n, _, s in saved_tensors(model, "F32")
             if not re.search(drop or r"position_ids|inv_freq", n)]
    for name, shape in merge_experts(plain):
        for name, shape in hook(name, shape):
            if len(shape) == 3 and shape[1] == 1:
                shape = (shape[0], shape[2])
            yield gguf_name(names, name), tuple(shape)


# ---------------------------------------------------------------- the file

def vocabulary(writer, entries, kind):
    tokens = [f"<{i}>" if i < 3 else f"token{i}" for i in range(entries)]
    writer.add_tokenizer_model(kind)
    if kind == "gpt2":
        writer.add_tokenizer_pre("llama-bpe")
    writer.add_token_list(tokens)
    if kind in ("llama", "bert"):
        writer.add_token_scores([float(-i) for i in range(entries)])
    writer.add_token_types([3 if i < 3 else 1 for i in range(entries)])
    if kind == "gpt2":
        writer.add_token_merges([f"to ken{i}" for i in range(entries // 2)])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_add_bos_token(True)
    writer.add_chat_template("{% for message in messages %}{{ message['content'] }}"
                             "{% endfor %}")


def write_file(writer, path, tensors):
    """Add tensor infos, write everything before the data; returns the table's figures."""
    path.parent.mkdir(parents=True, exist_ok=True)
    total = elements = 0
    offset = 0
    align = writer.data_alignment
    for name, kind, shape in tensors:
        size = tensor_bytes(kind, shape)
        writer.add_tensor_info(name, shape, None, size, raw_dtype=kind)
        total, elements = total + size, elements + math.prod(shape)
        offset = offset + gguf.GGUFWriter.ggml_pad(size, align)
    writer.write_header_to_file(path)
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    writer.close()
    raw = path.read_bytes()
    raw += b"\0" * (-len(raw) % align)
    path.write_bytes(raw)
    return {"tensors": len(tensors), "tensor_bytes": total, "parameters": elements,
            "data_offset": len(raw), "file_bytes": len(raw) + offset}


def keys(writer, arch, config, extra):
    """The keys that llama.cpp's converter writes for nearly every decoder."""
    text = config.get_text_config()
    hidden = text.hidden_size
    inner = getattr(text, "intermediate_size", None)
    heads = getattr(text, "num_attention_heads", None)
    groups = getattr(text, "num_key_value_heads", None) or heads
    plain = {"block_count": text.num_hidden_layers, "embedding_length": hidden,
             "context_length": getattr(text, "max_position_embeddings", None) or 1 << 20}
    if heads:
        head_dim = getattr(text, "head_dim", None) or hidden // heads
        plain.update({"feed_forward_length": inner, "attention.head_count": heads,
                      "attention.head_count_kv": groups, "attention.key_length": head_dim,
                      "attention.value_length": head_dim})
        if getattr(text, "rope_theta", None):
            plain["rope.dimension_count"] = head_dim
            plain["rope.freq_base"] = float(text.rope_theta)
    if getattr(text, "sliding_window", None) and getattr(text, "use_sliding_window", True):
        plain["attention.sliding_window"] = text.sliding_window
    epsilon = getattr(text, "rms_norm_eps", None)
    if epsilon:
        plain["attention.layer_norm_rms_epsilon"] = float(epsilon)
    plain["vocab_size"] = text.vocab_size
    plain.update(extra)
    for key, value in plain.items():
        if value is None:
            continue
        key = f"{arch}.{key}"
        if isinstance(value, bool):
            writer.add_bool(key, value)
        elif isinstance(value, float):
            writer.add_float32(key, value)
        elif isinstance(value, list):
            writer.add_array(key, value)
        elif isinstance(value, str):
            writer.add_string(key, value)
        else:
            writer.add_uint32(key, value)


FILE_TYPES = {Q.F16: 1, Q.Q4_0: 2, Q.Q8_0: 7, Q.Q4_K: 15, Q.MXFP4: 38}


def no_hook(name, shape):
    return [(name, shape)]


FILES = {}


def file(name, base, arch, kind=Q.Q4_K, changes=None, hook=None, drop=None, extra=None,
         vocab=300, tokenizer="gpt2", tensors=None, **more):
    FILES[name] = {"base": base, "arch": arch, "kind": kind, "changes": changes or {},
                   "hook": hook or (lambda c: no_hook), "drop": drop,
                   "extra": extra or (lambda c: {}), "vocab": vocab,
                   "tokenizer": tokenizer, "add": tensors or (lambda c: []), **more}


def rope_freqs(config):
    return [("rope_freqs.weight", (config.head_dim // 2,))]


def experts(c, **more):
    return {"expert_count": c.num_experts, "expert_used_count": c.num_experts_per_tok,
            "expert_feed_forward_length": c.moe_intermediate_size, **more}


def deepseek(c, mla=True):
    rank, rope = c.kv_lora_rank, c.qk_rope_head_dim
    out = {
        "attention.head_count_kv": 1 if mla else c.num_key_value_heads,
        "attention.kv_lora_rank": rank, "attention.q_lora_rank": c.q_lora_rank,
        "attention.key_length": rank + rope if mla else c.qk_nope_head_dim + rope,
        "attention.value_length": rank if mla else c.v_head_dim,
        "expert_count": c.n_routed_experts, "expert_used_count": c.num_experts_per_tok,
        "expert_feed_forward_length": c.moe_intermediate_size,
        "expert_shared_count": c.n_shared_experts,
        "expert_weights_scale": float(c.routed_scaling_factor),
        "expert_weights_norm": bool(c.norm_topk_prob),
        "expert_gating_func": 1 if c.model_type == "deepseek_v2" else 2,
        "leading_dense_block_count": c.first_k_dense_replace,
        "rope.dimension_count": rope, "rope.scaling.type": "yarn",
        "rope.scaling.factor": 40.0,
        "rope.scaling.original_context_length": 4096}
    if mla:
        out["attention.key_length_mla"] = c.qk_nope_head_dim + rope
        out["attention.value_length_mla"] = c.v_head_dim
    return out


def mamba2_keys(c, kv, inner):
    return {"attention.head_count_kv": kv, "ssm.conv_kernel": c.mamba_d_conv,
            "ssm.state_size": c.mamba_d_state, "ssm.group_count": c.mamba_n_groups,
            "ssm.inner_size": inner, "ssm.time_step_rank": inner // c.mamba_d_head,
            "rope.freq_base": None, "rope.dimension_count": None}


file("llama-3.1-8b-q4_k_m", "llama-3.1-8b", MODEL_ARCH.LLAMA, vocab=3000,
     tensors=rope_freqs)
file("llama-3.1-8b-q8_0", "llama-3.1-8b", MODEL_ARCH.LLAMA, Q.Q8_0, tensors=rope_freqs)
file("llama-3.1-8b-split", "llama-3.1-8b", MODEL_ARCH.LLAMA, tensors=rope_freqs, split=2)
file("llama-2-7b-q4_0", "llama-2-7b", MODEL_ARCH.LLAMA, Q.Q4_0, tokenizer="llama")
file("llama-3.2-1b-f16", "llama-3.2-1b", MODEL_ARCH.LLAMA, Q.F16, tensors=rope_freqs)
file("mixtral-8x7b-q4_k_m", "mixtral-8x7b", MODEL_ARCH.LLAMA, tokenizer="llama",
     extra=lambda c: {"expert_count": 8, "expert_used_count": 2})
file("qwen2.5-0.5b-q4_k_m", "qwen2.5-0.5b", MODEL_ARCH.QWEN2)
file("qwen3-8b-q4_k_m", "qwen3-8b", MODEL_ARCH.QWEN3)
file("qwen3-30b-a3b-q4_k_m", "qwen3-30b-a3b", MODEL_ARCH.QWEN3MOE, extra=experts)
file("qwen1.5-moe-q4_k_m", "qwen1.5-moe-a2.7b", MODEL_ARCH.QWEN2MOE, extra=lambda c: experts(
    c, expert_shared_feed_forward_length=c.shared_expert_intermediate_size))
file("deepseek2-lite-mla-q4_k_m", "deepseek-v2-lite", MODEL_ARCH.DEEPSEEK2, hook=mla_split,
     extra=deepseek)
file("deepseek2-lite-old-q4_k_m", "deepseek-v2-lite", MODEL_ARCH.DEEPSEEK2,
     changes={"num_hidden_layers": 8}, extra=lambda c: deepseek(c, mla=False))
file("deepseek3-mla-q4_k_m", "deepseek-v3", MODEL_ARCH.DEEPSEEK2,
     changes={"num_hidden_layers": 5}, hook=mla_split, extra=deepseek)
file("gemma-2-2b-q4_k_m", "gemma-2-2b", MODEL_ARCH.GEMMA2, tokenizer="llama",
     extra=lambda c: {"attn_logit_softcapping": 50.0, "final_logit_softcapping": 30.0,
                      "rope.freq_base": None, "rope.dimension_count": None})
file("gemma3-4b-q4_k_m", "gemma-3-4b", MODEL_ARCH.GEMMA3, tokenizer="llama",
     drop="vision_tower|multi_modal_projector",
     hook=lambda c: lambda name, shape: [(name.removeprefix("language_model."), shape)],
     extra=lambda c: {"rope.scaling.type": "linear", "rope.scaling.factor": 8.0})
file("gpt-oss-20b-mxfp4", "gpt-oss-20b-bf16", MODEL_ARCH.GPT_OSS, Q.MXFP4,
     hook=lambda c: gpt_oss_split,
     extra=lambda c: {"expert_count": 32, "expert_used_count": 4,
                      "expert_feed_forward_length": 2880, "rope.scaling.type": "yarn",
                      "rope.scaling.factor": 32.0,
                      "rope.scaling.original_context_length": 4096})
file("mamba-130m-f16", "mamba-130m", MODEL_ARCH.MAMBA, Q.F16, extra=lambda c: {
    "feed_forward_length": 0, "attention.head_count": 0, "ssm.conv_kernel": c.conv_kernel,
    "ssm.inner_size": c.intermediate_size, "ssm.state_size": c.state_size,
    "ssm.time_step_rank": c.time_step_rank,
    "attention.layer_norm_rms_epsilon": c.layer_norm_epsilon})
file("granite-h-tiny-q4_k_m", "granite-4.0-h-tiny", MODEL_ARCH.GRANITE_HYBRID,
     hook=lambda c: granite_split, extra=lambda c: {
         **mamba2_keys(c, [4 if t == "attention" else 0 for t in c.layer_types],
                       c.mamba_expand * c.hidden_size),
         "expert_count": c.num_local_experts, "expert_used_count": c.num_experts_per_tok,
         "expert_shared_feed_forward_length": c.shared_intermediate_size,
         "attention.scale": c.attention_multiplier,
         "embedding_scale": float(c.embedding_multiplier)})
file("falcon-h1-0.5b-q4_k_m", "falcon-h1-0.5b", MODEL_ARCH.FALCON_H1, extra=lambda c: {
    **mamba2_keys(c, c.num_key_value_heads, c.mamba_d_ssm),
    "rope.freq_base": float(c.rope_theta)})
file("jamba-q4_k_m", "jamba-v0.1", MODEL_ARCH.JAMBA, changes={"num_hidden_layers": 8},
     tokenizer="llama", extra=lambda c: {
         "attention.head_count_kv": [8 if i % 8 == 4 else 0
                                     for i in range(c.num_hidden_layers)],
         "expert_count": c.num_experts, "expert_used_count": c.num_experts_per_tok,
         "ssm.conv_kernel": c.mamba_d_conv, "ssm.state_size": c.mamba_d_state,
         "ssm.inner_size": c.mamba_expand * c.hidden_size,
         "ssm.time_step_rank": c.mamba_dt_rank})
file("lfm2-1.2b-q4_k_m", "lfm2-1.2b", MODEL_ARCH.LFM2, extra=lambda c: {
    "attention.head_count_kv": [8 if t == "full_attention" else 0 for t in c.layer_types],
    "feed_forward_length": 8192, "shortconv.l_cache": c.conv_L_cache})
file("qwen3next-q4_k_m", "qwen3-next-80b-a3b", MODEL_ARCH.QWEN3NEXT,
     changes={"num_hidden_layers": 4, "num_experts": 48}, extra=lambda c: experts(
         c, expert_shared_feed_forward_length=c.shared_expert_intermediate_size,
         **{"full_attention_interval": 4, "rope.dimension_count": 64,
            "ssm.conv_kernel": c.linear_conv_kernel_dim,
            "ssm.state_size": c.linear_key_head_dim,
            "ssm.group_count": c.linear_num_key_heads,
            "ssm.time_step_rank": c.linear_num_value_heads,
            "ssm.inner_size": c.linear_num_value_heads * c.linear_value_head_dim}))
file("phi3-mini-q4_k_m", "phi-3-mini-4k", MODEL_ARCH.PHI3, tokenizer="llama")
file("glm4-9b-q4_k_m", "glm-4-9b-0414", MODEL_ARCH.GLM4)
file("falcon-7b-q8_0", "falcon-7b", MODEL_ARCH.FALCON, Q.Q8_0,
     extra=lambda c: {"attention.head_count_kv": 1, "feed_forward_length": 4 * 4544,
                      "attention.layer_norm_epsilon": 1e-5})
file("command-r7b-q4_k_m", "command-r7b", MODEL_ARCH.COHERE2,
     extra=lambda c: {"attention.layer_norm_epsilon": 1e-5, "logit_scale": 0.25})
file("starcoder2-3b-q8_0", "starcoder2-3b", MODEL_ARCH.STARCODER2, Q.Q8_0,
     extra=lambda c: {"attention.layer_norm_epsilon": 1e-5})
file("olmoe-q4_k_m", "olmoe-1b-7b", MODEL_ARCH.OLMOE, extra=lambda c: {
    "expert_count": c.num_experts, "expert_used_count": c.num_experts_per_tok})
file("minilm-l6-f16", "all-minilm-l6-v2", MODEL_ARCH.BERT, Q.F16, drop="pooler|position_ids",
     tokenizer="bert", extra=lambda c: {
         "attention.causal": False, "pooling_type": 1,
         "attention.layer_norm_epsilon": c.layer_norm_eps, "attention.head_count_kv": None})
file("t5-base-f16", "flan-t5-base", MODEL_ARCH.T5, Q.F16, tokenizer="t5",
     extra=lambda c: {"feed_forward_length": c.d_ff, "decoder_start_token_id": 0,
                      "context_length": c.n_positions,
                      "decoder_block_count": 12, "attention.relative_buckets_count": 32})


def make_file(folder, name, spec):
    config_dict = override(MODELS[spec["base"]]["config"], spec["changes"])
    class_name = MODELS[spec["base"]].get("class") or config_dict["architectures"][0]
    config, model = build(config_dict, class_name)
    layers = config.get_text_config().num_hidden_layers
    tensors = list(gguf_tensors(config, model, spec["arch"], layers, spec["hook"](config),
                                spec["drop"])) + spec["add"](config)
    tied = not any(n == "output.weight" for n, _ in tensors)
    arch = gguf.MODEL_ARCH_NAMES[spec["arch"]]
    count = spec["extra"](config).get("expert_count", 0)
    mix = Mix(spec["kind"], layers, count, tied)
    mix.value_tensors = sum("attn_v.weight" in n for n, _ in tensors)
    typed = [(n, mix.kind(n, s), s) for n, s in tensors]

    def fill(writer):
        writer.add_type("model")
        writer.add_name(name)
        keys(writer, arch, config, spec["extra"](config))
        writer.add_file_type(FILE_TYPES[spec["kind"]])
        writer.add_quantization_version(2)
        vocabulary(writer, spec["vocab"], spec["tokenizer"])

    parts = spec.get("split", 1)
    cut = -(-len(typed) // parts)
    for number in range(parts):
        part = f"{name}-{number + 1:05d}-of-{parts:05d}" if parts > 1 else name
        writer = gguf.GGUFWriter(None, arch)
        if number:
            writer.kv_data[0].clear()
        else:
            fill(writer)
        if parts > 1:
            writer.add_uint16("split.no", number)
            writer.add_uint16("split.count", parts)
            writer.add_int32("split.tensors.count", len(typed))
        figures = write_file(writer, folder / f"{part}.gguf.header",
                             typed[number * cut:(number + 1) * cut])
        yield part, arch, figures


def every_type(folder, name, alignment=None):
    writer = gguf.GGUFWriter(None, "llama")
    if alignment:
        writer.add_custom_alignment(alignment)
    writer.add_name(name)
    writer.add_uint32("llama.block_count", 1)
    tensors = [(f"blk.0.{kind.name.lower()}.weight", kind,
                (3, 2 * GGML_QUANT_SIZES[kind][0])) for kind in GGML_QUANT_SIZES]
    yield name, "llama", write_file(writer, folder / f"{name}.gguf.header", tensors)


def write_types(path):
    lines = ["id\tname\tblock_elements\tblock_bytes\n"]
    for kind, (block, size) in sorted(GGML_QUANT_SIZES.items()):
        lines.append(f"{int(kind)}\t{kind.name}\t{block}\t{size}\n")
    path.write_text("".join(lines))


def make(out, wanted, table):
    folder = out / "gguf"
    write_types(out.parent / "gguf_types.tsv")
    failed = []
    made = [(n, lambda n=n, s=s: make_file(folder, n, s)) for n, s in FILES.items()]
    made.append(("every-type", lambda: every_type(folder, "every-type")))
    made.append(("alignment-64", lambda: every_type(folder, "alignment-64", 64)))
    for name, run in made:
        if not wanted.search(name):
            continue
        try:
            for part, arch, figures in run():
                table.put(name=part, arch=arch, **figures)
                print(f"{part}: {figures}", flush=True)
        except Exception as error:  # one file must not stop the others
            failed.append(name)
            print(f"FAILED {name}: {type(error).__name__}: {str(error)[:200]}", flush=True)
    if failed:
        raise SystemExit(f"{len(failed)} GGUF files failed: {', '.join(failed)}")
