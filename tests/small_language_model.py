"""A Llama of random weights in a GGUF file, small enough for a test, written with the library of the format."""

from pathlib import Path

import numpy as np
from gguf import GGMLQuantizationType, GGUFWriter, quants

Q4_1, Q8_0 = GGMLQuantizationType.Q4_1, GGMLQuantizationType.Q8_0
D_MODEL, D_KEY, D_FF, N_LAYERS = 64, 32, 96, 3
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|im_end|>s"]  # one begins as another does
MERGES = ["Ġ t", "h e", "Ġt he", "i n", "a a", "aa aa", "a b", "aa b", "Ġ Ġ", "ð Ł", "Ã ©"]


def letters() -> list[str]:
    """The alphabet of byte-level BPE, in the order of the bytes."""
    prints = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = iter(range(256, 512))
    return [chr(byte if byte in prints else next(others)) for byte in range(256)]


LETTERS = letters()
DUMB = 1  # the byte that has no token
TOKENS = [*SPECIAL, *LETTERS[:DUMB], *LETTERS[DUMB + 1 :], *(merge.replace(" ", "") for merge in MERGES)]


def write_small(path: Path, *, without: str = "", architecture: str = "llama") -> None:
    """A Llama of random weights. `without`: leave out that tensor."""
    rng = np.random.default_rng(0)
    writer = GGUFWriter(path, architecture)
    writer.add_block_count(N_LAYERS)
    writer.add_context_length(128)
    writer.add_embedding_length(D_MODEL)
    writer.add_feed_forward_length(D_FF)
    writer.add_head_count(4)
    writer.add_head_count_kv(2)
    writer.add_rope_freq_base(1000.0)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("smollm")
    writer.add_token_list(TOKENS)
    writer.add_token_types([3] * len(SPECIAL) + [1] * (len(TOKENS) - len(SPECIAL)))
    writer.add_token_merges(MERGES)
    writer.add_eos_token_id(2)

    def add(name: str, *shape: int) -> None:
        if name == without:
            return
        kind = Q8_0 if "embd" in name else Q4_1
        weight = rng.normal(size=shape).astype(np.float32)
        if len(shape) == 1:
            writer.add_tensor(f"{name}.weight", 1 + 0.1 * weight)
        else:
            writer.add_tensor(f"{name}.weight", quants.quantize(weight * 0.2, kind), raw_dtype=kind)

    add("token_embd", len(TOKENS), D_MODEL)
    add("output_norm", D_MODEL)
    for layer in range(N_LAYERS):
        for name, *shape in [
            ("attn_norm", D_MODEL),
            ("ffn_norm", D_MODEL),
            ("attn_q", D_MODEL, D_MODEL),
            ("attn_k", D_KEY, D_MODEL),
            ("attn_v", D_KEY, D_MODEL),
            ("attn_output", D_MODEL, D_MODEL),
            ("ffn_gate", D_FF, D_MODEL),
            ("ffn_up", D_FF, D_MODEL),
            ("ffn_down", D_MODEL, D_FF),
        ]:
            add(f"blk.{layer}.{name}", *shape)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
