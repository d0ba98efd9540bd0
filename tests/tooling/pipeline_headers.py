"""LoRA adapters (peft) and diffusion pipelines (diffusers), on the meta device."""

import json

import diffusers
import peft
import torch

from checkpoint_header import elements, nbytes, write_checkpoint, write_json
from family_headers import INTEGERS, build, saved_tensors
from published_configs import MODELS

NOTES = {
    "lora-llama-3.1-8b": "r 16, alpha 32, q_proj and v_proj only; saved in F32",
    "lora-llama-3.1-8b-all": "r 16 on all seven projections, BF16, with lm_head and "
                             "embed_tokens saved whole (modules_to_save)",
    "lora-qwen2.5-7b": "r 16, all-linear as target_modules in the file: a list",
    "dora-llama-3.2-1b": "r 8 with use_dora: a magnitude vector per projection",
    "stable-diffusion-v1-5": "F16; the safety checker is left out of the pipeline",
    "stable-diffusion-xl": "config only; two text encoders, F16",
    "stable-diffusion-3-medium": "transformer with 2 of 24 blocks, the T5 encoder config "
                                 "only; pos_embed is a saved buffer",
    "pixart-sigma": "transformer with 2 of 28 blocks, T5 encoder config only",
    "flux-1-dev": "transformer with 2 + 2 of 19 + 38 blocks, T5 encoder config only",
}


# ---------------------------------------------------------------- adapters

ALL = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
ADAPTERS = {
    "lora-llama-3.1-8b": ("llama-3.1-8b", "F32", dict(
        r=16, lora_alpha=32, lora_dropout=0.05, target_modules=["q_proj", "v_proj"])),
    "lora-llama-3.1-8b-all": ("llama-3.1-8b", "BF16", dict(
        r=16, lora_alpha=16, target_modules=ALL,
        modules_to_save=["embed_tokens", "lm_head"])),
    "lora-qwen2.5-7b": ("qwen2.5-7b", "BF16", dict(
        r=16, lora_alpha=32, target_modules="all-linear")),
    "dora-llama-3.2-1b": ("llama-3.2-1b", "F32", dict(
        r=8, lora_alpha=16, use_dora=True, target_modules=ALL)),
}


def make_adapters(out, wanted, table):
    for name, (base, dtype, options) in ADAPTERS.items():
        if not wanted.search(name):
            continue
        spec = MODELS[base]
        config, model = build(spec["config"], spec["config"]["architectures"][0])
        settings = peft.LoraConfig(task_type="CAUSAL_LM", **options)
        with torch.device("meta"):
            adapted = peft.get_peft_model(model, settings, low_cpu_mem_usage=True)
        state = peft.get_peft_model_state_dict(adapted, save_embedding_layers=False)
        tensors = [(n, dtype, tuple(t.shape)) for n, t in state.items()]
        folder = out / name
        settings.inference_mode = True
        content = settings.to_dict()
        content["base_model_name_or_path"] = base
        content["target_modules"] = sorted(content["target_modules"])
        content = {k: sorted(v) if isinstance(v, set) else v for k, v in content.items()}
        write_json(folder / "adapter_config.json", json.loads(json.dumps(content, default=str)))
        files = write_checkpoint(folder, tensors, stem="adapter_model")
        trained = sum(p.numel() for p in adapted.parameters() if p.requires_grad)
        table.put(name=name, model_type="adapter:" + base,
                  parameters=sum(elements(t) for t in tensors),
                  bytes=sum(nbytes(t) for t in tensors), tensors=len(tensors),
                  layers=config.num_hidden_layers, encoder_layers=0,
                  module_parameters=trained, header_files=files, **{"class": "LoraConfig"})
        print(f"{name}: {trained:,} trained, {len(tensors)} tensors", flush=True)


# ---------------------------------------------------------------- pipelines

def clip(hidden, inner, layers, heads, projection, act="quick_gelu", projected=False):
    return {"architectures": ["CLIPTextModelWithProjection" if projected
                              else "CLIPTextModel"],
            "attention_dropout": 0.0, "bos_token_id": 0, "dropout": 0.0,
            "eos_token_id": 2, "hidden_act": act, "hidden_size": hidden,
            "initializer_factor": 1.0, "initializer_range": 0.02,
            "intermediate_size": inner, "layer_norm_eps": 1e-05,
            "max_position_embeddings": 77, "model_type": "clip_text_model",
            "num_attention_heads": heads, "num_hidden_layers": layers,
            "pad_token_id": 1, "projection_dim": projection, "torch_dtype": "float16",
            "vocab_size": 49408}


CLIP_L = clip(768, 3072, 12, 12, 768)
CLIP_L_PROJECTED = clip(768, 3072, 12, 12, 768, projected=True)
CLIP_G = clip(1280, 5120, 32, 20, 1280, act="gelu", projected=True)
T5_XXL = {"architectures": ["T5EncoderModel"], "d_ff": 10240, "d_kv": 64, "d_model": 4096,
          "decoder_start_token_id": 0, "dropout_rate": 0.1, "eos_token_id": 1,
          "feed_forward_proj": "gated-gelu", "initializer_factor": 1.0,
          "is_encoder_decoder": True, "layer_norm_epsilon": 1e-06, "model_type": "t5",
          "num_decoder_layers": 24, "num_heads": 64, "num_layers": 24, "pad_token_id": 0,
          "relative_attention_max_distance": 128, "relative_attention_num_buckets": 32,
          "tie_word_embeddings": False, "torch_dtype": "float16", "use_cache": True,
          "vocab_size": 32128}


def vae(latent, scale, sample, shift=None, quant=True):
    return {"act_fn": "silu", "block_out_channels": [128, 256, 512, 512],
            "down_block_types": ["DownEncoderBlock2D"] * 4, "in_channels": 3,
            "latent_channels": latent, "layers_per_block": 2, "norm_num_groups": 32,
            "out_channels": 3, "sample_size": sample, "scaling_factor": scale,
            "up_block_types": ["UpDecoderBlock2D"] * 4, "shift_factor": shift,
            "use_quant_conv": quant, "use_post_quant_conv": quant}


UNET_15 = {"act_fn": "silu", "attention_head_dim": 8,
           "block_out_channels": [320, 640, 1280, 1280], "center_input_sample": False,
           "cross_attention_dim": 768,
           "down_block_types": ["CrossAttnDownBlock2D"] * 3 + ["DownBlock2D"],
           "downsample_padding": 1, "flip_sin_to_cos": True, "freq_shift": 0,
           "in_channels": 4, "layers_per_block": 2, "mid_block_scale_factor": 1,
           "norm_eps": 1e-05, "norm_num_groups": 32, "out_channels": 4, "sample_size": 64,
           "up_block_types": ["UpBlock2D"] + ["CrossAttnUpBlock2D"] * 3}
UNET_XL = {**UNET_15, "addition_embed_type": "text_time", "addition_time_embed_dim": 256,
           "attention_head_dim": [5, 10, 20], "block_out_channels": [320, 640, 1280],
           "cross_attention_dim": 2048,
           "down_block_types": ["DownBlock2D"] + ["CrossAttnDownBlock2D"] * 2,
           "projection_class_embeddings_input_dim": 2816, "sample_size": 128,
           "transformer_layers_per_block": [1, 2, 10],
           "up_block_types": ["CrossAttnUpBlock2D"] * 2 + ["UpBlock2D"],
           "use_linear_projection": True}
SD3 = {"attention_head_dim": 64, "caption_projection_dim": 1536, "in_channels": 16,
       "joint_attention_dim": 4096, "num_attention_heads": 24, "num_layers": 24,
       "out_channels": 16, "patch_size": 2, "pooled_projection_dim": 2048,
       "pos_embed_max_size": 192, "sample_size": 128}
PIXART = {"activation_fn": "gelu-approximate", "attention_bias": True,
          "attention_head_dim": 72, "caption_channels": 4096, "cross_attention_dim": 1152,
          "in_channels": 4, "interpolation_scale": 2, "norm_elementwise_affine": False,
          "norm_eps": 1e-06, "norm_type": "ada_norm_single", "num_attention_heads": 16,
          "num_layers": 28, "out_channels": 8, "patch_size": 2, "sample_size": 128,
          "use_additional_conditions": False}
FLUX = {"attention_head_dim": 128, "guidance_embeds": True, "in_channels": 64,
        "joint_attention_dim": 4096, "num_attention_heads": 24, "num_layers": 19,
        "num_single_layers": 38, "patch_size": 1, "pooled_projection_dim": 768}


def part(cls, config, dtype="F16", header=True, reduce=None, file=None):
    return {"class": cls, "config": config, "dtype": dtype, "header": header,
            "reduce": reduce or {}, "file": file}


PIPELINES = {
    "stable-diffusion-v1-5": ("StableDiffusionPipeline", {
        "unet": part("UNet2DConditionModel", UNET_15),
        "vae": part("AutoencoderKL", vae(4, 0.18215, 512)),
        "text_encoder": part("CLIPTextModel", CLIP_L)}),
    "stable-diffusion-xl": ("StableDiffusionXLPipeline", {
        "unet": part("UNet2DConditionModel", UNET_XL, header=False),
        "vae": part("AutoencoderKL", vae(4, 0.13025, 1024), header=False),
        "text_encoder": part("CLIPTextModel", CLIP_L, header=False),
        "text_encoder_2": part("CLIPTextModelWithProjection", CLIP_G, header=False)}),
    "stable-diffusion-3-medium": ("StableDiffusion3Pipeline", {
        "transformer": part("SD3Transformer2DModel", SD3, reduce={"num_layers": 2}),
        "vae": part("AutoencoderKL", vae(16, 1.5305, 1024, 0.0609, False), header=False),
        "text_encoder": part("CLIPTextModelWithProjection", CLIP_L_PROJECTED,
                             header=False),
        "text_encoder_2": part("CLIPTextModelWithProjection", CLIP_G, header=False),
        "text_encoder_3": part("T5EncoderModel", T5_XXL, header=False)}),
    "pixart-sigma": ("PixArtSigmaPipeline", {
        "transformer": part("PixArtTransformer2DModel", PIXART, reduce={"num_layers": 2}),
        "vae": part("AutoencoderKL", vae(4, 0.13025, 1024), header=False),
        "text_encoder": part("T5EncoderModel", T5_XXL, header=False)}),
    "flux-1-dev": ("FluxPipeline", {
        "transformer": part("FluxTransformer2DModel", FLUX, "BF16",
                            reduce={"num_layers": 2, "num_single_layers": 2}),
        "vae": part("AutoencoderKL", vae(16, 0.3611, 1024, 0.1159, False), "BF16",
                    header=False),
        "text_encoder": part("CLIPTextModel", CLIP_L, "BF16", header=False),
        "text_encoder_2": part("T5EncoderModel", T5_XXL, "BF16", header=False)}),
}


def make_part(folder, table, name, spec):
    cls, from_diffusers = spec["class"], hasattr(diffusers, spec["class"])
    if from_diffusers:
        content = {"_class_name": cls, "_diffusers_version": "0.31.0", **spec["config"],
                   **spec["reduce"]}
        kind = getattr(diffusers, cls)
        with torch.device("meta"):
            model = kind.from_config({k: v for k, v in content.items() if k[0] != "_"})
        tensors = [(n, INTEGERS.get(t.dtype) or spec["dtype"], tuple(t.shape))
                   for n, t in model.state_dict().items()]
        stem, layers = "diffusion_pytorch_model", content.get("num_layers", 0)
    else:
        content = {**spec["config"], **spec["reduce"]}
        config, model = build(content, cls)
        tensors = saved_tensors(model, spec["dtype"])
        stem, layers = "model", config.num_hidden_layers
    write_json(folder / "config.json", content)
    files = write_checkpoint(folder, tensors, 10_000_000_000, stem) if spec["header"] else 0
    parameters = sum(p.numel() for p in model.parameters())
    table.put(name=name, model_type="diffusers" if from_diffusers else content["model_type"],
              parameters=sum(elements(t) for t in tensors),
              bytes=sum(nbytes(t) for t in tensors), tensors=len(tensors), layers=layers,
              encoder_layers=0, module_parameters=parameters, header_files=files,
              **{"class": cls})
    print(f"{name}: {parameters:,} parameters, {len(tensors)} tensors", flush=True)


def make_pipelines(out, wanted, table):
    for name, (pipeline, parts) in PIPELINES.items():
        variants = [(name, False)]
        if any(spec["reduce"] for spec in parts.values()):
            variants.append((f"{name}-reduced", True))
        for variant, reduced in variants:
            if not wanted.search(variant):
                continue
            index = {"_class_name": pipeline, "_diffusers_version": "0.31.0"}
            for key, spec in parts.items():
                library = "diffusers" if hasattr(diffusers, spec["class"]) else "transformers"
                index[key] = [library, spec["class"]]
            index["scheduler"] = ["diffusers", "PNDMScheduler" if "v1-5" in name else
                                  "EulerDiscreteScheduler" if "xl" in name else
                                  "DPMSolverMultistepScheduler" if "pixart" in name else
                                  "FlowMatchEulerDiscreteScheduler"]
            if "v1-5" in name:
                index.update(feature_extractor=[None, None], safety_checker=[None, None])
            folder = out / variant
            write_json(folder / "model_index.json", index)
            for key, spec in parts.items():
                chosen = dict(spec)
                if not reduced:
                    chosen["header"] = spec["header"] and not spec["reduce"]
                    chosen["reduce"] = {}
                make_part(folder / key, table, f"{variant}/{key}", chosen)
