"""The exercises and the figures on what a causal mask knows."""

import pytest

from inorder.book.figures import what_a_causal_mask_knows as figures


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
