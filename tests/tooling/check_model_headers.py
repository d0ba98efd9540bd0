#!/usr/bin/env python3
"""Check tests/data/models with the libraries themselves, not with the code that wrote it.

Each header is extended to a sparse file and opened with the safetensors library; names,
shapes and sizes are added up and compared with expected.tsv and with the index.  GGUF
files are opened with the gguf library and compared with expected_gguf.tsv.
"""

import json
import pathlib
import sys
import tempfile

import gguf
from safetensors import safe_open

SIZE = {"BOOL": 1, "U8": 1, "I8": 1, "F8_E4M3": 1, "F8_E5M2": 1, "I16": 2, "F16": 2,
        "BF16": 2, "I32": 4, "F32": 4, "I64": 8}


def read(header, scratch):
    raw = header.read_bytes()
    length = int.from_bytes(raw[:8], "little")
    assert len(raw) == 8 + length, header
    entries = {k: v for k, v in json.loads(raw[8:]).items() if k != "__metadata__"}
    path = pathlib.Path(scratch) / "file.safetensors"
    with open(path, "wb") as file:
        file.write(raw)
        file.truncate(len(raw) + max(v["data_offsets"][1] for v in entries.values()))
    with safe_open(path, framework="numpy") as opened:
        names = set(opened.keys())
        for name in names:
            assert opened.get_slice(name).get_shape() == entries[name]["shape"], name
    assert names == set(entries), header
    path.unlink()
    return entries


def check(folder, row, scratch):
    tensors = elements = total = 0
    seen = {}
    for header in sorted(folder.glob("*.header")):
        for name, entry in read(header, scratch).items():
            count = 1
            for dim in entry["shape"]:
                count *= dim
            start, end = entry["data_offsets"]
            assert end - start == count * SIZE[entry["dtype"]], name
            tensors, elements, total = tensors + 1, elements + count, total + end - start
            seen[name] = header.name.removesuffix(".header")
    index = list(folder.glob("*.index.json"))
    if index:
        content = json.loads(index[0].read_text())
        assert content["weight_map"] == seen, index[0]
        assert content["metadata"]["total_size"] == total, index[0]
    if seen:
        found = [str(elements), str(total), str(tensors)]
        wanted = [row["parameters"], row["bytes"], row["tensors"]]
        assert found == wanted, (folder.name, found, wanted)
    return bool(seen)


def check_gguf(folder, row, scratch):
    raw = (folder / f"{row['name']}.gguf.header").read_bytes()
    path = pathlib.Path(scratch) / "file.gguf"
    with open(path, "wb") as file:
        file.write(raw)
        file.truncate(int(row["file_bytes"]))
    reader = gguf.GGUFReader(path)
    assert reader.data_offset == len(raw) == int(row["data_offset"]), row
    found = [len(reader.tensors), sum(int(t.n_bytes) for t in reader.tensors),
             sum(int(t.n_elements) for t in reader.tensors)]
    assert found == [int(row[k]) for k in ("tensors", "tensor_bytes", "parameters")], row
    end = max(int(t.data_offset) + int(t.n_bytes) for t in reader.tensors)
    assert end <= int(row["file_bytes"]) < end + reader.alignment, row
    path.unlink()


def main():
    models = pathlib.Path(__file__).resolve().parent.parent / "data" / "models"
    lines = (models / "expected.tsv").read_text().splitlines()
    columns = lines[0].split("\t")
    with_header = 0
    with tempfile.TemporaryDirectory() as scratch:
        for line in lines[1:]:
            row = dict(zip(columns, line.split("\t")))
            with_header += check(models / row["name"], row, scratch)
        ggufs = (models / "expected_gguf.tsv").read_text().splitlines()
        for line in ggufs[1:]:
            check_gguf(models / "gguf", dict(zip(ggufs[0].split("\t"), line.split("\t"))),
                       scratch)
    print(f"{len(lines) - 1} rows, {with_header} with headers, {len(ggufs) - 1} GGUF files: "
          "all as expected")


if __name__ == "__main__":
    sys.exit(main())
