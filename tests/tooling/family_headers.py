"""Families: config.json and checkpoint header from the model classes of transformers.

config.json is written with the keys that the published file has (sparse where that one
is sparse); config.saved.json is the same model as this transformers version writes it.
Both must be understood as the same network.
"""

import copy
import re

import torch
import transformers
from transformers.modeling_utils import no_init_weights

from checkpoint_header import elements, nbytes, write_checkpoint, write_json

DTYPES = {"float32": "F32", "float16": "F16", "bfloat16": "BF16"}
INTEGERS = {torch.int64: "I64", torch.int32: "I32", torch.uint8: "U8", torch.bool: "BOOL"}

# Class name fragments for which save_pretrained reverses _checkpoint_conversion_mapping.
# transformers 4.5x keeps the list in modeling_utils.VLMS.
VLMS = getattr(transformers.modeling_utils, "VLMS", [])


def build(config_dict, class_name):
    """The config object and the model of that class on the meta device."""
    config_dict = copy.deepcopy(config_dict)
    model_type = config_dict.pop("model_type")
    config_class = transformers.models.auto.configuration_auto.CONFIG_MAPPING[model_type]
    config = config_class.from_dict(config_dict)
    cls = getattr(transformers, class_name)
    with no_init_weights(), torch.device("meta"):
        model = cls._from_config(config, attn_implementation="eager")
    model.tie_weights()
    return config, model


def saved_tensors(model, dtype, dtypes=(), keep_tied=False):
    """(name, dtype, shape) of what save_pretrained would write, in module order."""
    ignore = [re.compile(p) for p in (model._keys_to_ignore_on_save or [])]
    tied = {id(p) for p in model.parameters()}
    seen, out = set(), []
    state = model.state_dict(keep_vars=True)
    # Of tied tensors the copy that is not named in _tied_weights_keys stays.
    dynamic = [re.compile(k) for k in (getattr(model, "_tied_weights_keys", None) or [])]
    count = {}
    for value in state.values():
        count[id(value)] = count.get(id(value), 0) + 1
    for name, value in state.items():
        if any(p.search(name) for p in ignore):
            continue
        if count[id(value)] > 1 and not keep_tied:
            others = [n for n, v in state.items() if v is value and n != name]
            dropped = any(p.search(name) for p in dynamic)
            if dropped and not all(any(p.search(n) for p in dynamic) for n in others):
                continue
            if id(value) in seen:
                continue
        seen.add(id(value))
        kind = INTEGERS.get(value.dtype) or dtype
        for pattern, other in dtypes:
            if re.search(pattern, name):
                kind = other
        out.append((published_name(model, name), kind, tuple(value.shape)))
    del tied
    return out


def published_name(model, name):
    """The name under which save_pretrained writes this tensor."""
    classes = [c.__name__.lower() for c in type(model).__mro__[:-1]]
    if not any(v in c for v in VLMS for c in classes):
        return name
    for target, source in model._checkpoint_conversion_mapping.items():
        replacement = re.sub(r"\(.*\)", "", target.lstrip("^"))
        name, changed = re.subn(source, replacement, name)
        if changed:
            break
    return name


def layer_counts(config):
    """(layers of the text or only stack, layers of the encoder or vision stack)."""
    def first(source, *keys):
        for key in keys:
            value = getattr(source, key, None)
            if isinstance(value, int):
                return value
        return 0
    text = config.get_text_config()
    layers = first(text, "decoder_layers", "num_decoder_layers", "num_hidden_layers",
                   "n_layer", "num_layers")
    vision = getattr(config, "vision_config", None)
    encoder = 0
    if vision is not None:
        encoder = first(vision, "num_hidden_layers", "depth")
    elif config.is_encoder_decoder:
        encoder = first(config, "encoder_layers", "num_layers")
    return layers, encoder


def override(config, changes):
    """Apply {"text_config.num_hidden_layers": 4} to a nested dictionary."""
    config = copy.deepcopy(config)
    for path, value in changes.items():
        node = config
        *parents, last = path.split(".")
        for key in parents:
            node = node[key]
        node[last] = value
    return config


def apply_names(tensors, renames, extras):
    out = []
    for name, dtype, shape in tensors:
        for pattern, replacement in renames:
            name = re.sub(pattern, replacement, name)
        out.append((name, dtype, shape))
    return out + list(extras)


def make_one(out, table, name, spec, config_dict, header):
    class_name = spec.get("class") or config_dict["architectures"][0]
    config, model = build(config_dict, class_name)
    dtype_name = spec.get("dtype") or config_dict.get("torch_dtype") or config_dict.get("dtype")
    if dtype_name is None and "text_config" in config_dict:
        dtype_name = config_dict["text_config"].get("torch_dtype")
    dtype = DTYPES[dtype_name]
    tensors = saved_tensors(model, dtype, spec.get("dtypes", ()), spec.get("keep_tied", False))
    extras = spec.get("extras", lambda c: [])(config)
    tensors = apply_names(tensors, spec.get("renames", ()), extras)
    parameters = sum(p.numel() for p in model.parameters())
    total = sum(elements(t) for t in tensors)
    if "published" in spec and header != "reduced" and total != spec["published"]:
        print(f"  {name}: {total} elements, published checkpoint has {spec['published']}")
    folder = out / name
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / "config.json", config_dict)
    (folder / "config.saved.json").write_text(config.to_json_string())
    files = 0
    if header != "none":
        files = write_checkpoint(folder, tensors, spec.get("shard_bytes", 5_000_000_000),
                                 index_parameters=spec.get("index_parameters"))
    layers, encoder = layer_counts(config)
    table.put(name=name, model_type=config.model_type, parameters=total,
              bytes=sum(nbytes(t) for t in tensors), tensors=len(tensors), layers=layers,
              encoder_layers=encoder, module_parameters=parameters, header_files=files,
              **{"class": class_name})
    print(f"{name}: {total:,} elements, {len(tensors)} tensors, {files} files", flush=True)
    return tensors


def make(out, wanted, table):
    import published_configs_other  # noqa: F401  (adds to MODELS)
    from published_configs import MODELS
    failed = []
    for name, spec in MODELS.items():
        reduced = spec.get("reduce")
        try:
            if reduced and wanted.search(f"{name}-reduced"):
                make_one(out, table, f"{name}-reduced", spec,
                         override(spec["config"], reduced), "reduced")
            if wanted.search(name):
                header = "none" if reduced or spec.get("config_only") else "full"
                make_one(out, table, name, spec, spec["config"], header)
        except Exception as error:  # one family must not stop the others
            failed.append((name, f"{type(error).__name__}: {error}"))
            print(f"FAILED {name}: {type(error).__name__}: {str(error)[:300]}", flush=True)
    if failed:
        raise SystemExit(f"{len(failed)} families failed: {', '.join(n for n, _ in failed)}")
