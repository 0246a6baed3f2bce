"""The exercises and the figures on what a causal mask knows."""

import pytest
import torch

from inorder.attention import causal_mask
from inorder.book.checks import what_a_causal_mask_knows as checks
from inorder.book.figures import what_a_causal_mask_knows as figures


def test_other_right_ways_are_accepted():
    def by_loops(tokens, n_vocabulary):
        rows = [[list(tokens[: i + 1]).count(t) / (i + 1) for t in range(n_vocabulary)] for i in range(len(tokens))]
        return rows

    assert checks.prefix_shares(by_loops).passed
    assert checks.cached_mask(lambda n_query, n_key: causal_mask(n_query, n_key)).passed


@pytest.mark.parametrize("n_layers", [1, 2])
@pytest.mark.parametrize("causal", [False, True])
def test_torch_notices_the_swap_where_this_book_does(n_layers, causal):
    """The first two of three tokens change places; in PyTorch's own modules the last row changes or not, as here."""
    torch.manual_seed(0)
    sizes = {"d_model": 32, "nhead": 4, "dim_feedforward": 64}
    layer = torch.nn.TransformerEncoderLayer(**sizes, batch_first=True, dtype=torch.float64)
    encoder = torch.nn.TransformerEncoder(layer, n_layers, enable_nested_tensor=False).eval()
    closed = torch.from_numpy(~causal_mask(3)) if causal else None  # in torch.nn, True: may not attend
    x = torch.randn(3, 32, dtype=torch.float64)  # (token, d_model)
    with torch.no_grad():
        first, second = encoder(x[torch.tensor([[0, 1, 2], [1, 0, 2]])], mask=closed)[:, -1]
    notices = (first - second).abs().max() > 0.01
    assert notices == (causal and n_layers == 2)
    assert notices or (first - second).abs().max() < 1e-14


@pytest.mark.parametrize("word", ["dog", "bites", "man", "today"])
def test_paths_are_those_that_can_be_walked(word):
    """One by one; equal weights give each the product of 1/(i + 1) over the rows that pass the word on."""
    paths = []
    for picture, words in zip(figures.paths_to_today(word), figures.TEXTS.values(), strict=False):
        start = words.index(word)
        walks = [(start, row, 3) for row in range(start, 4)]
        paths.append(len(walks))
        share = sum(1 / (row + 1) / 4 for _, row, _ in walks)
        assert picture.parts["values"][2, 3, 0] == pytest.approx(share)
        one_layer = picture.parts["values"][1, :, 0]
        assert one_layer == pytest.approx([1 / (row + 1) if row >= start else 0 for row in range(4)])
    said = answers(figures.paths_to_today(word))[0]
    assert all(f"{n} path" in said for n in paths)


def answers(picture):
    return [mark.parts["words"] for mark in picture if mark.kind == "answer"]
