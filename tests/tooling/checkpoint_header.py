"""The safetensors side: which bytes stand at the start of a checkpoint file.

A tensor here is (name, dtype, shape), dtype in safetensors' own words ("BF16").
Layout as the safetensors library writes it: widest dtype first, then by name, data
without gaps, the JSON padded with spaces to a multiple of 8.
"""

import json
import math
import re

BITS = {
    "BOOL": 8, "F4": 4, "U8": 8, "I8": 8, "F8_E5M2": 8, "F8_E4M3": 8, "F8_E8M0": 8,
    "I16": 16, "U16": 16, "F16": 16, "BF16": 16, "I32": 32, "U32": 32, "F32": 32,
    "F64": 64, "I64": 64, "U64": 64,
}
ORDER = {dtype: rank for rank, dtype in enumerate(BITS)}


def elements(tensor):
    return math.prod(tensor[2])


def nbytes(tensor):
    bits = elements(tensor) * BITS[tensor[1]]
    assert bits % 8 == 0, tensor
    return bits // 8


def header_bytes(tensors, metadata={"format": "pt"}):
    """The first 8+N bytes of a safetensors file that holds these tensors."""
    header = {}
    if metadata:
        header["__metadata__"] = metadata
    offset = 0
    for tensor in sorted(tensors, key=lambda t: (-ORDER[t[1]], t[0])):
        name, dtype, shape = tensor
        end = offset + nbytes(tensor)
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [offset, end]}
        offset = end
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text


def natural(name):
    """layers.2 before layers.10: the order in which a model's modules stand."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


def write_checkpoint(folder, tensors, shard_bytes=None, stem="model",
                     metadata={"format": "pt"}, index_parameters=None):
    """Write one header, or headers and the index when the tensors exceed shard_bytes.

    Returns the number of files.  Tensors fill the shards in the order given, as
    transformers' save_pretrained does."""
    names = [t[0] for t in tensors]
    assert len(set(names)) == len(names), "a tensor name occurs twice"
    folder.mkdir(parents=True, exist_ok=True)
    for old in list(folder.glob(f"{stem}*.header")) + list(folder.glob(f"{stem}*.index.json")):
        old.unlink()
    total = sum(nbytes(t) for t in tensors)
    if not shard_bytes or total <= shard_bytes:
        (folder / f"{stem}.safetensors.header").write_bytes(header_bytes(tensors, metadata))
        return 1
    shards, filled = [[]], 0
    for tensor in tensors:
        size = nbytes(tensor)
        if shards[-1] and filled + size > shard_bytes:
            shards.append([])
            filled = 0
        shards[-1].append(tensor)
        filled += size
    weight_map = {}
    for number, shard in enumerate(shards, 1):
        file = f"{stem}-{number:05d}-of-{len(shards):05d}.safetensors"
        (folder / f"{file}.header").write_bytes(header_bytes(shard, metadata))
        weight_map.update((t[0], file) for t in shard)
    sizes = {"total_size": total}
    if index_parameters is not None:
        sizes = {"total_parameters": index_parameters, "total_size": total}
    index = {"metadata": sizes, "weight_map": dict(sorted(weight_map.items()))}
    write_json(folder / f"{stem}.safetensors.index.json", index)
    return len(shards)


def write_json(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n")


class Table:
    """A TSV file with a header line, kept in order of the first column."""

    def __init__(self, path, columns):
        self.path, self.columns, self.rows = path, columns, {}
        if path.exists():
            lines = path.read_text().splitlines()
            if lines and lines[0].split("\t") == columns:
                self.rows = {line.split("\t")[0]: line.split("\t") for line in lines[1:]}

    def put(self, **row):
        assert set(row) == set(self.columns), set(row) ^ set(self.columns)
        self.rows[row["name"]] = [str(row[c]) for c in self.columns]

    def write(self):
        lines = ["\t".join(self.columns)]
        lines += ["\t".join(self.rows[name]) for name in sorted(self.rows)]
        self.path.write_text("\n".join(lines) + "\n")
