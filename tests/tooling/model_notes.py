"""NOTES.md: for each folder, what made it, what was reduced, and what surprises."""

INTRODUCTION = """\
# Model fixtures

Configs and checkpoint headers of published model families. Made by
`tests/tooling/make_model_headers.py`; do not edit by hand. `versions.txt` names the
library versions.

- `config.json` has the keys of the published file, sparse where that one is sparse;
  `config.saved.json` is the same model as transformers writes it (every key).
  Both describe the same network.
- `*.safetensors.header` is the first 8+N bytes of the checkpoint: length and JSON
  header. Extend it with truncate(2) to 8 + N + the largest data_offsets end.
- Sharded checkpoints have the real index beside the headers.
- A folder `NAME-reduced` has the published widths with fewer layers, so that the header
  stays small; the folder `NAME` is then the full config without a header.
- A folder without headers is config only; its row in `expected.tsv` still holds the
  figures of the whole checkpoint.

How far this is truth: shapes, names and sums are what the libraries make of the given
config. The config values, the quantised layouts, the GGUF metadata keys and the mix rules
were written down from knowledge of the published files, not copied from them. 97 element
counts in the scripts (`published`) were written down the same way and all agree; a wrong
width would have shown there. Models without such a count (deepseek-v3 apart, which is
checked through its FP8 form) have no second witness.

Not made, because the libraries hold no class for them: ChatGLM 2/3, MiniCPM3, DeciLM.

`expected.tsv`: `parameters` is the sum of elements over the tensors of the checkpoint
(tied weights once unless the file holds both, saved buffers included);
`module_parameters` is what the model class counts (`sum(p.numel())`, buffers not
included, tied once). For quantised checkpoints `parameters` counts stored elements, so
packed ones are fewer. `layers` is the text, decoder or only stack, `encoder_layers` the
encoder or vision stack (0: none). `header_files` 0 means config only.

`expected_gguf.tsv`: `parameters` is the sum of elements, `data_offset` the length of
the `.gguf.header` file, `file_bytes` the size of the whole file.
"""


def write(out):
    import published_configs_other  # noqa: F401  (adds to MODELS)
    from published_configs import MODELS, NOTES
    lines = [INTRODUCTION, "\n## Families (transformers)\n\n",
             "| folder | class | reduced to | surprise |\n| --- | --- | --- | --- |\n"]
    for name, spec in MODELS.items():
        class_name = spec.get("class") or spec["config"]["architectures"][0]
        reduced = ", ".join(f"{k} = {v}" for k, v in spec.get("reduce", {}).items())
        if spec.get("config_only"):
            reduced = "config only"
        lines.append(f"| {name} | {class_name} | {reduced} | {NOTES.get(name, '')} |\n")
    for title, rows in optional_sections():
        lines.append(f"\n## {title}\n\n")
        lines += [f"- `{name}`: {text}\n" for name, text in rows]
    (out / "NOTES.md").write_text("".join(lines))


def optional_sections():
    """The notes of the other parts, each kept beside what makes it."""
    for module, title in [("quantised_headers", "Quantised checkpoints"),
                          ("pipeline_headers", "Adapters and diffusion pipelines"),
                          ("gguf_headers", "GGUF")]:
        try:
            found = __import__(module)
        except ModuleNotFoundError as error:
            if error.name != module:
                raise
            continue
        yield title, found.NOTES.items()
