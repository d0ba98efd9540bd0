"""Quantised checkpoints as they are published, derived from the full-precision tensors.

Each format is a function from one Linear's (name without ".weight", out, in) to the
tensors that replace its weight; everything else stays as it was.  Sources: AutoGPTQ and
AutoAWQ (packing), bitsandbytes QuantState.as_dict, DeepSeek-V3 inference/fp8_cast,
compressed-tensors float-quantized, gpt-oss model cards.
"""

import copy
import json
import re

import torch

import published_configs_other  # noqa: F401  (adds to MODELS)
from checkpoint_header import elements, nbytes, write_checkpoint, write_json
from family_headers import DTYPES, build, layer_counts, override, saved_tensors
from published_configs import MODELS

NOTES = {}
QUANTISED = {}


def ceil_div(a, b):
    return -(-a // b)


def gptq(name, out, inner, dtype, group=128, bits=4, desc_act=True):
    per = 32 // bits
    groups = ceil_div(inner, group)
    yield name + ".qweight", "I32", (inner // per, out)
    yield name + ".qzeros", "I32", (groups, out // per)
    yield name + ".scales", "F16", (groups, out)
    yield name + ".g_idx", "I32", (inner,)


def awq(name, out, inner, dtype, group=128):
    groups = ceil_div(inner, group)
    yield name + ".qweight", "I32", (inner, out // 8)
    yield name + ".qzeros", "I32", (groups, out // 8)
    yield name + ".scales", "F16", (groups, out)


def fp8_block(name, out, inner, dtype, block=128):
    yield name + ".weight", "F8_E4M3", (out, inner)
    yield name + ".weight_scale_inv", "F32", (ceil_div(out, block), ceil_div(inner, block))


def fp8_block_bf16_scale(name, out, inner, dtype, block=128):
    yield name + ".weight", "F8_E4M3", (out, inner)
    yield name + ".weight_scale_inv", "BF16", (ceil_div(out, block), ceil_div(inner, block))


def fp8_channel(name, out, inner, dtype):
    """compressed-tensors, FP8-dynamic: one scale per output channel."""
    yield name + ".weight", "F8_E4M3", (out, inner)
    yield name + ".weight_scale", dtype, (out, 1)


def fp8_static(name, out, inner, dtype):
    """compressed-tensors, FP8: one scale per tensor for weight and input."""
    yield name + ".weight", "F8_E4M3", (out, inner)
    yield name + ".weight_scale", dtype, (1,)
    yield name + ".input_scale", dtype, (1,)


def int4_packed(name, out, inner, dtype, group=128):
    """compressed-tensors, pack-quantized (W4A16, symmetric)."""
    yield name + ".weight_packed", "I32", (out, inner // 8)
    yield name + ".weight_scale", dtype, (out, inner // group)
    yield name + ".weight_shape", "I64", (2,)


def int8_channel(name, out, inner, dtype):
    """compressed-tensors, int-quantized (W8A8)."""
    yield name + ".weight", "I8", (out, inner)
    yield name + ".weight_scale", dtype, (out, 1)


def nvfp4(name, out, inner, dtype):
    """compressed-tensors, nvfp4-pack-quantized: 16 values share one FP8 scale."""
    yield name + ".weight_packed", "U8", (out, inner // 2)
    yield name + ".weight_scale", "F8_E4M3", (out, inner // 16)
    yield name + ".weight_global_scale", "F32", (1,)
    yield name + ".input_global_scale", "F32", (1,)


def quant_state(kind, out, inner, dtype, block, nested):
    """The JSON that bitsandbytes packs into quant_state.bitsandbytes__nf4 (U8)."""
    state = {"quant_type": kind, "blocksize": block}
    if nested:
        state.update({"nested_blocksize": 256, "nested_dtype": "float32",
                      "nested_offset": 0.04212404415011406})
    state.update({"dtype": dtype, "shape": [out, inner]})
    return len(json.dumps(state))


def nf4(name, out, inner, dtype, block=64, nested=True, kind="nf4"):
    size = out * inner
    word = {"BF16": "bfloat16", "F16": "float16", "F32": "float32"}[dtype]
    blocks = ceil_div(size, block)
    yield name + ".weight", "U8", (ceil_div(size, 2), 1)
    yield name + ".weight.absmax", "U8" if nested else "F32", (blocks,)
    yield name + ".weight.quant_map", "F32", (16,)
    if nested:
        yield name + ".weight.nested_absmax", "F32", (ceil_div(blocks, 256),)
        yield name + ".weight.nested_quant_map", "F32", (256,)
    packed = quant_state(kind, out, inner, word, block, nested)
    yield name + f".weight.quant_state.bitsandbytes__{kind}", "U8", (packed,)


def int8_bnb(name, out, inner, dtype):
    """bitsandbytes LLM.int8(): SCB is the row scale, weight_format a single byte."""
    yield name + ".weight", "I8", (out, inner)
    yield name + ".SCB", "F32", (out,)
    yield name + ".weight_format", "U8", ()


def quantised(name, base, pack, config, note, skip=("lm_head",), extra_tensors=None,
              dtype=None, reduce=None, published=None):
    """One entry: the base model's Linear modules, less those in skip, go through pack."""
    NOTES[name] = note
    QUANTISED[name] = {"base": base, "pack": pack, "config": config, "skip": skip,
                       "extra_tensors": extra_tensors, "dtype": dtype, "reduce": reduce,
                       "published": published}


GPTQ_CONFIG = {"bits": 4, "damp_percent": 0.01, "dataset": None, "desc_act": False,
               "group_size": 128, "model_file_base_name": "model",
               "model_name_or_path": None, "quant_method": "gptq", "static_groups": False,
               "sym": True, "true_sequential": True}
AWQ_CONFIG = {"bits": 4, "group_size": 128, "modules_to_not_convert": None,
              "quant_method": "awq", "version": "gemm", "zero_point": True}
FP8_CONFIG = {"activation_scheme": "dynamic", "fmt": "e4m3", "quant_method": "fp8",
              "weight_block_size": [128, 128]}
BNB_NF4 = {"_load_in_4bit": True, "_load_in_8bit": False,
           "bnb_4bit_compute_dtype": "bfloat16", "bnb_4bit_quant_storage": "uint8",
           "bnb_4bit_quant_type": "nf4", "bnb_4bit_use_double_quant": True,
           "llm_int8_enable_fp32_cpu_offload": False, "llm_int8_has_fp16_weight": False,
           "llm_int8_skip_modules": None, "llm_int8_threshold": 6.0, "load_in_4bit": True,
           "load_in_8bit": False, "quant_method": "bitsandbytes"}
BNB_INT8 = {**BNB_NF4, "_load_in_4bit": False, "_load_in_8bit": True,
            "bnb_4bit_compute_dtype": "float32", "bnb_4bit_quant_type": "fp4",
            "bnb_4bit_use_double_quant": False, "load_in_4bit": False,
            "load_in_8bit": True}


def compressed(fmt, weights, activations):
    base = {"actorder": None, "block_structure": None, "dynamic": False,
            "group_size": None, "observer": "minmax", "observer_kwargs": {},
            "strategy": "tensor", "symmetric": True}
    group = {"input_activations": activations and {**base, **activations},
             "output_activations": None, "targets": ["Linear"],
             "weights": {**base, **weights}}
    return {"config_groups": {"group_0": group}, "format": fmt,
            "global_compression_ratio": 1.5, "ignore": ["lm_head"],
            "kv_cache_scheme": None, "quant_method": "compressed-tensors",
            "quantization_status": "compressed"}


FP8 = {"num_bits": 8, "type": "float"}
CT_FP8_DYNAMIC = compressed("float-quantized", {**FP8, "strategy": "channel"},
                            {**FP8, "strategy": "token", "dynamic": True,
                             "observer": None})
CT_FP8_STATIC = compressed("naive-quantized", FP8, FP8)
CT_FP8_STATIC["kv_cache_scheme"] = {**FP8, "dynamic": False, "strategy": "tensor",
                                    "symmetric": True}
CT_W4A16 = compressed("pack-quantized", {"num_bits": 4, "type": "int", "group_size": 128,
                                         "strategy": "group"}, None)
CT_W8A8 = compressed("int-quantized", {"num_bits": 8, "type": "int",
                                       "strategy": "channel"},
                     {"num_bits": 8, "type": "int", "strategy": "token", "dynamic": True})
CT_NVFP4 = compressed("nvfp4-pack-quantized",
                      {"num_bits": 4, "type": "float", "group_size": 16,
                       "strategy": "tensor_group"},
                      {"num_bits": 4, "type": "float", "group_size": 16,
                       "strategy": "tensor_group", "dynamic": "local"})

SMALL = {"num_hidden_layers": 8}
quantised("llama-3.1-8b-gptq-int4", "llama-3.1-8b", gptq, GPTQ_CONFIG,
          "8 layers; embeddings, norms and lm_head stay F16", dtype="float16", reduce=SMALL)
quantised("qwen2.5-7b-gptq-int8", "qwen2.5-7b",
          lambda *a: gptq(*a, bits=8), {**GPTQ_CONFIG, "bits": 8},
          "8 layers; the biases of q, k and v stay F16; 18944 / 128 = 148 groups",
          dtype="float16", reduce={**SMALL, "max_window_layers": 8})
quantised("llama-3.1-8b-awq-int4", "llama-3.1-8b", awq, AWQ_CONFIG,
          "no g_idx; qweight is packed along the output", dtype="float16")
quantised("qwen2.5-7b-awq-int4", "qwen2.5-7b", awq, AWQ_CONFIG,
          "8 layers; the biases of q, k and v stay F16", dtype="float16",
          reduce={**SMALL, "max_window_layers": 8})
quantised("mixtral-8x7b-awq-int4", "mixtral-8x7b", awq,
          {**AWQ_CONFIG, "modules_to_not_convert": ["gate"]},
          "4 layers; the routers (gate) are not quantised", dtype="float16",
          skip=("lm_head", r"block_sparse_moe\.gate$"), reduce={"num_hidden_layers": 4})
quantised("llama-3.1-8b-bnb-nf4", "llama-3.1-8b", nf4, BNB_NF4,
          "8 layers; double quantisation; quant_state is JSON packed as U8, its length "
          "depends on the shape; lm_head is not quantised", reduce=SMALL)
quantised("llama-3.1-8b-bnb-fp4", "llama-3.1-8b",
          lambda *a: nf4(*a, nested=False, kind="fp4"),
          {**BNB_NF4, "bnb_4bit_quant_type": "fp4", "bnb_4bit_use_double_quant": False},
          "8 layers; no double quantisation: absmax is F32", reduce=SMALL)
quantised("llama-3.1-8b-bnb-int8", "llama-3.1-8b", int8_bnb, BNB_INT8,
          "8 layers; SCB scales; weight_format has shape []", dtype="float16",
          reduce=SMALL)
quantised("llama-3.1-8b-fp8-dynamic", "llama-3.1-8b", fp8_channel, CT_FP8_DYNAMIC,
          "8 layers; compressed-tensors, one scale per output channel", reduce=SMALL)
quantised("llama-3.1-8b-fp8-static", "llama-3.1-8b", fp8_static, CT_FP8_STATIC,
          "8 layers; compressed-tensors with input scales, and k_scale and v_scale for "
          "an FP8 cache", reduce=SMALL,
          extra_tensors=lambda c: [(f"model.layers.{i}.self_attn.{x}_scale", "BF16", (1,))
                                   for i in range(c.num_hidden_layers) for x in "kv"])
quantised("llama-3.1-8b-w4a16", "llama-3.1-8b", int4_packed, CT_W4A16,
          "8 layers; compressed-tensors; weight_shape (I64) holds the real shape",
          reduce=SMALL)
quantised("llama-3.1-8b-w8a8", "llama-3.1-8b", int8_channel, CT_W8A8,
          "8 layers; compressed-tensors int8", reduce=SMALL)
quantised("llama-3.1-8b-nvfp4", "llama-3.1-8b", nvfp4, CT_NVFP4,
          "8 layers; compressed-tensors; U8 holds two values, F8_E4M3 scales", reduce=SMALL)
quantised("qwen3-8b-fp8", "qwen3-8b", fp8_block_bf16_scale,
          {**FP8_CONFIG, "ignored_layers": None},
          "8 layers; block scales in BF16 (DeepSeek writes F32)",
          reduce={**SMALL, "max_window_layers": 8})


def mtp_layer(config, template):
    """DeepSeek-V3's multi-token-prediction layer: a whole layer, its own embedding and
    head, and the projection of two hidden states into one."""
    last, own = config.num_hidden_layers - 1, config.num_hidden_layers
    for name, dtype, shape in template:
        if name.startswith(f"model.layers.{last}."):
            yield name.replace(f"layers.{last}.", f"layers.{own}.", 1), dtype, shape
    layer, hidden, vocab = f"model.layers.{own}.", config.hidden_size, config.vocab_size
    yield layer + "embed_tokens.weight", "BF16", (vocab, hidden)
    yield layer + "enorm.weight", "BF16", (hidden,)
    yield layer + "hnorm.weight", "BF16", (hidden,)
    yield layer + "eh_proj.weight", "BF16", (hidden, 2 * hidden)
    yield layer + "shared_head.norm.weight", "BF16", (hidden,)
    yield layer + "shared_head.head.weight", "BF16", (vocab, hidden)


BLOCKS = ("block scales weight_scale_inv in F32 (a last block may be partial: "
          "kv_a_proj_with_mqa has 576 rows, so 5 blocks); router and norms BF16; ")
for name, reduce, mtp, what in [
        ("deepseek-v3-fp8", None, True, "config only, with the multi-token-prediction layer "
         "as published: 684,531,386,000 elements, as published"),
        ("deepseek-v3-fp8-reduced", {"num_hidden_layers": 4, "num_nextn_predict_layers": 0},
         False, "4 layers, one with all 256 experts, no multi-token-prediction layer"),
        ("deepseek-v3-fp8-mtp-reduced", {"num_hidden_layers": 4, "n_routed_experts": 16},
         True, "4 layers and the multi-token-prediction layer (model.layers.4), 16 experts")]:
    quantised(name, "deepseek-v3", fp8_block, FP8_CONFIG, BLOCKS + what,
              skip=("lm_head", r"mlp\.gate$"), reduce=reduce,
              published=None if reduce else 684_531_386_000)
    QUANTISED[name]["mtp"] = mtp
    QUANTISED[name]["header"] = reduce is not None


MXFP4_CONFIG = {"modules_to_not_convert": ["model.layers.*.self_attn",
                                           "model.layers.*.mlp.router",
                                           "model.embed_tokens", "lm_head"],
                "quant_method": "mxfp4"}


def mxfp4_experts(tensors, config):
    """gpt-oss: [experts, out, in/32, 16] blocks and [experts, out, in/32] scales."""
    e, h, n = config.num_local_experts, config.hidden_size, config.intermediate_size
    for name, dtype, shape in tensors:
        if name.endswith("experts.gate_up_proj"):
            yield name + "_blocks", "U8", (e, 2 * n, h // 32, 16)
            yield name + "_scales", "U8", (e, 2 * n, h // 32)
        elif name.endswith("experts.down_proj"):
            yield name + "_blocks", "U8", (e, h, n // 32, 16)
            yield name + "_scales", "U8", (e, h, n // 32)
        else:
            yield name, dtype, shape


NOTES["gpt-oss-20b"] = (
    "published form: experts in MXFP4 blocks (U8, two values a byte) and scales (U8, one for "
    "32 values); 13,761,264,768 bytes as published; counters that name 19,707,494,400 U8 "
    "elements count the two values of each block byte")
NOTES["gpt-oss-120b"] = "config only; as gpt-oss-20b with 36 layers and 128 experts"
GPT_OSS = {"gpt-oss-20b": (published_configs_other.GPT_OSS_20B, True, 11_956_805_184),
           "gpt-oss-120b": (published_configs_other.GPT_OSS_120B, False, 63_081_444_672)}


def linear_names(model):
    return [n for n, m in model.named_modules() if isinstance(m, torch.nn.Linear)]


def convert(tensors, linears, pack, skip):
    linears = {n for n in linears if not any(re.search(s, n) for s in skip)}
    out = []
    for name, dtype, shape in tensors:
        module = name.removesuffix(".weight")
        if name.endswith(".weight") and module in linears:
            out += pack(module, shape[0], shape[1], dtype)
        else:
            out.append((name, dtype, shape))
    return out


def finish(out, table, name, config_dict, config, model, tensors, header, published):
    total = sum(elements(t) for t in tensors)
    if published and published != total:
        print(f"  {name}: {total} elements, published checkpoint has {published}")
    folder = out / name
    write_json(folder / "config.json", config_dict)
    files = write_checkpoint(folder, tensors, 5_000_000_000) if header else 0
    layers, encoder = layer_counts(config)
    table.put(name=name, model_type=config.model_type, parameters=total,
              bytes=sum(nbytes(t) for t in tensors), tensors=len(tensors), layers=layers,
              encoder_layers=encoder, header_files=files,
              module_parameters=sum(p.numel() for p in model.parameters()),
              **{"class": type(model).__name__})
    print(f"{name}: {total:,} elements, {len(tensors)} tensors, {files} files", flush=True)


def make(out, wanted, table):
    for name, spec in QUANTISED.items():
        if not wanted.search(name):
            continue
        base = MODELS[spec["base"]]
        config_dict = override(base["config"], spec["reduce"] or {})
        if spec["dtype"]:
            config_dict["torch_dtype"] = spec["dtype"]
        config, model = build(config_dict, config_dict["architectures"][0])
        tensors = saved_tensors(model, DTYPES[config_dict["torch_dtype"]],
                                base.get("dtypes", ()))
        if spec.get("mtp"):
            source = tensors
            tensors = source + list(mtp_layer(config, source))
            linears = linear_names(model)
            last = f"layers.{config.num_hidden_layers - 1}."
            own = f"layers.{config.num_hidden_layers}."
            linears += [n.replace(last, own) for n in linears if last in n]
        else:
            linears = linear_names(model)
        tensors = convert(tensors, linears, spec["pack"], spec["skip"])
        if spec["extra_tensors"]:
            tensors += spec["extra_tensors"](config)
        config_dict["quantization_config"] = copy.deepcopy(spec["config"])
        finish(out, table, name, config_dict, config, model, tensors,
               spec.get("header", True), spec["published"])
    for name, (published_config, header, published) in GPT_OSS.items():
        if not wanted.search(name):
            continue
        config_dict = copy.deepcopy(published_config)
        config, model = build(config_dict, "GptOssForCausalLM")
        tensors = list(mxfp4_experts(saved_tensors(model, "BF16"), config))
        config_dict["quantization_config"] = MXFP4_CONFIG
        finish(out, table, name, config_dict, config, model, tensors, header, published)
