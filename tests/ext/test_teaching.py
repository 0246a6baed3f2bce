"""The page on teaching: its questions have keys, and its numbers are computed."""

import re
from fractions import Fraction

import nbformat
import numpy as np
from nbclient import NotebookClient

from _ext.course_notebooks import MODEL_PROJECT, ROOT
from inorder.attention import attention_weights, causal_mask, softmax, split_heads
from inorder.costs import DecoderShape, cache_bytes
from inorder.encodings import alibi_bias, alibi_slopes, rotary_encoding
from inorder.encodings.waves import frequencies
from inorder.widgets import AddOrConcatenate

KEY = (ROOT / "chapters" / "teaching_key.md").read_text(encoding="utf8")


def answers() -> dict[str, str]:
    parts = re.split(r"^\*\*([QER]\d+)[^*]*\*\*", KEY, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_the_numbers_of_the_keys_are_computed():
    key = answers()
    share = softmax(np.array([4.0, 0, 0, 0, 0]))[0]
    assert f"{share:.2f}" == "0.93" and "0.93" in key["Q1"]
    assert np.allclose(softmax(np.array([[1000.0, 1000.0], [0.0, np.log(3)]])), [[0.5, 0.5], [0.25, 0.75]])
    assert np.sqrt(768 / 12) == 8 and "By 8" in key["Q5"]
    assert np.allclose(frequencies(4, base=100.0), [1, 1 / 10])
    marked = attention_weights(np.zeros((6, 1)), np.zeros((6, 1)), mask=causal_mask(6))[:, 0]
    assert marked[4] == 1 / 5
    assert AddOrConcatenate(n_tokens=24, n_positions=4).exact_from["added"] == 26
    rows = np.random.default_rng(0).normal(size=(2, 1, 8))
    near, far = (
        rotary_encoding(rows[0], np.array([10 + k])) @ rotary_encoding(rows[1], np.array([7 + k])).T for k in (0, 50)
    )
    assert np.allclose(near, far)
    row = (np.eye(4) + 1 / 4)[0] / 2
    assert row[0] == 0.625 and "0.625" in key["Q25"]
    assert int(512 / (2 * np.pi)) == 81 and "81 times" in key["Q28"] and 0.5 < 512 / 1000 < 0.55
    shape = DecoderShape(n_layers=32, n_heads=32, n_key_heads=8, d_head=128)
    assert cache_bytes(shape, n_tokens=1, bytes_per_number=2) == 131_072 == 128 * 1024 and "131,072" in key["Q31"]


def test_the_exam_is_right():
    key = answers()
    weights = np.array([4, 2, 1]) / 7
    raw = 4 * np.log(weights)  # √16 times the scaled scores, up to a constant
    assert np.allclose(raw[:-1] - raw[1:], 4 * np.log(2)) and r"$4 \ln 2$" in key["E1"]
    assert np.allclose(softmax(raw / 4 + 9), weights)
    assert np.allclose(softmax(np.array([-np.inf, *raw[1:] / 4])), [0, 2 / 3, 1 / 3])
    assert np.allclose(softmax(2 * raw / 4), np.array([16, 4, 1]) / 21)
    assert r"(0, \tfrac23, \tfrac13)" in key["E1"] and r"(\tfrac{16}{21}, \tfrac4{21}, \tfrac1{21})" in key["E1"]

    rng = np.random.default_rng(0)
    word, place, w = rng.normal(size=(5, 4)), rng.normal(size=(5, 2)), rng.normal(size=(6, 2))
    assert np.allclose(np.hstack([word, place]) @ w, word @ w[:4] + place @ w[4:])
    x, p, u, m = (rng.normal(size=size) for size in ((5, 4), (5, 4), (4, 2), (4, 4)))
    assert np.allclose(np.hstack([x, p]) @ np.vstack([u, u]), (x + p) @ u)
    assert np.allclose((x + p) @ m @ (x + p).T, x @ m @ x.T + x @ m @ p.T + p @ m @ x.T + p @ m @ p.T)
    block = np.block([[m, np.zeros((4, 4))], [np.zeros((4, 4)), u @ u.T]])
    side = np.hstack([x, p])
    assert np.allclose(side @ block @ side.T, x @ m @ x.T + p @ u @ u.T @ p.T)

    bias = alibi_bias(1, np.array([3]), np.arange(4))[0, 0] / alibi_slopes(1)[0]  # for the slope 1
    assert np.allclose(softmax(np.log(2) * bias), np.array([1, 2, 4, 8]) / 15)
    assert r"(\tfrac1{15}, \tfrac2{15}, \tfrac4{15}, \tfrac8{15})" in key["E4"]
    quarter = [np.cos(np.pi / 2 * distance).round(12) for distance in range(5)]
    assert quarter == [1, 0, -1, 0, 1] and "1, 0, −1, 0, 1" in key["E4"]

    waves = np.array([[np.sin(np.pi / 2 * i), np.cos(np.pi / 2 * i)] for i in range(5)])
    assert np.allclose(waves, [(0, 1), (1, 0), (0, -1), (-1, 0), (0, 1)])
    assert np.allclose(waves[:-1] @ [[0, -1], [1, 0]], waves[1:])
    assert r"0 & -1 \\ 1 & 0" in key["E5"]


def test_the_resit_is_right():
    key = answers()
    assert f"{np.sqrt(512 / 4):.2f}" == "11.31" and "about 11.31" in key["R1"]
    assert 4 * 512**2 == 1_048_576 and "1{,}048{,}576" in key["R1"]
    assert np.sqrt(512 / 8) == 8 and r"\sqrt{64} = 8" in key["R1"]
    query, key_ = (np.random.default_rng(0).normal(size=(n, 512)) for n in (3, 5))
    for n_heads in (4, 8):
        scores = split_heads(query, n_heads) @ np.swapaxes(split_heads(key_, n_heads), -1, -2)
        assert str(scores.shape) in key["R1"]

    assert AddOrConcatenate(n_tokens=5, n_positions=3).exact_from["added"] == 6 and "At least 6:" in key["R2"]

    def turned(row: np.ndarray, steps: int) -> np.ndarray:
        c, s = np.cos(np.pi / 3 * steps), np.sin(np.pi / 3 * steps)
        return row @ np.array([[c, s], [-s, c]])

    phi = np.pi / 3
    by_distance = {
        j - i: turned(np.array([1.0, 0]), i) @ turned(np.array([np.cos(phi), np.sin(phi)]), j)
        for i in (8, 11)
        for j in range(20)
    }
    assert all(np.isclose(score, np.cos(phi + delta * np.pi / 3)) for delta, score in by_distance.items())
    assert {delta for delta, score in by_distance.items() if np.isclose(score, 1)} == {-7, -1, 5, 11}
    assert "−7, 5" in key["R4"]

    for text, last in (("ABBA", Fraction(7, 12)), ("BABA", Fraction(1, 3))):
        shares = [Fraction(text[: i + 1].count("A"), i + 1) for i in range(4)]
        assert shares[-1] == Fraction(1, 2) and sum(shares) / 4 == last
        assert f"{', '.join(map(str, shares))}" in key["R5"] and str(last) in key["R5"]


def test_the_model_project_runs():
    """Its own last cell checks its numbers, as the project asks."""
    notebook = nbformat.read(MODEL_PROJECT, 4)
    NotebookClient(notebook, timeout=120).execute()
    printed = "".join(out.get("text", "") for cell in notebook.cells for out in cell.get("outputs", []))
    assert "slope -1.0" in printed
