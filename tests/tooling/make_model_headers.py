#!/usr/bin/env python3
"""Write tests/data/models: configs and checkpoint headers of many model families.

Which tensors does a checkpoint of this model hold, and how many bytes are they?
The answer comes from the model classes of Hugging Face transformers (and diffusers,
peft, gguf), built on PyTorch's "meta" device: every shape is exact and no weight is
ever allocated.  Only the header of a checkpoint is kept: its first 8+N bytes.  A test
that needs the file extends the header to its full size with truncate(2).

    make_model_headers.py [--out DIR] [--only REGEX] [--part NAME[,NAME]]

Parts: families, quantised, adapters, pipelines, gguf.  With --only or --part the rows
of what was not made again are kept in the tables.  The same library versions give the
same bytes; versions.txt says which ones were used.

What each kind of model is, with its published dimensions, stands in
published_configs.py; the on-disk quantisation formats in quantised_headers.py;
adapters and diffusion pipelines in pipeline_headers.py; GGUF in gguf_headers.py.
"""

import argparse
import importlib
import os
import pathlib
import re
import sys

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from checkpoint_header import Table  # noqa: E402

PARTS = {
    "families": ("family_headers", "make"),
    "quantised": ("quantised_headers", "make"),
    "adapters": ("pipeline_headers", "make_adapters"),
    "pipelines": ("pipeline_headers", "make_pipelines"),
    "gguf": ("gguf_headers", "make"),
}
COLUMNS = [
    "name", "model_type", "parameters", "bytes", "tensors", "layers",
    "encoder_layers", "module_parameters", "header_files", "class",
]
GGUF_COLUMNS = [
    "name", "arch", "tensors", "tensor_bytes", "parameters", "data_offset", "file_bytes",
]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path, default=HERE.parent / "data" / "models")
    parser.add_argument("--only", default="", help="make only names that match this regex")
    parser.add_argument("--part", default=",".join(PARTS))
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    wanted = re.compile(args.only)
    parts = args.part.split(",")
    if not args.only and set(parts) == set(PARTS):
        for name in ["expected.tsv", "expected_gguf.tsv"]:
            (args.out / name).unlink(missing_ok=True)

    failed = []
    table = Table(args.out / "expected.tsv", COLUMNS)
    gguf_table = Table(args.out / "expected_gguf.tsv", GGUF_COLUMNS)
    for part in parts:
        module, function = PARTS[part]
        make = getattr(importlib.import_module(module), function)
        try:
            make(args.out, wanted, gguf_table if part == "gguf" else table)
        except SystemExit as stop:  # what was made is kept
            failed.append(str(stop))
    table.write()
    gguf_table.write()
    write_versions(args.out)
    importlib.import_module("model_notes").write(args.out)
    for text in failed:
        print(text, file=sys.stderr)
    return 1 if failed else 0


def write_versions(out):
    from importlib.metadata import PackageNotFoundError, version
    lines = []
    for package in ["torch", "transformers", "safetensors", "diffusers", "peft", "gguf"]:
        try:
            lines.append(f"{package} {version(package).split('+')[0]}\n")
        except PackageNotFoundError:
            lines.append(f"{package} not installed\n")
    (out / "versions.txt").write_text("".join(lines))


if __name__ == "__main__":
    sys.exit(main())
