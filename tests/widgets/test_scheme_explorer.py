"""SchemeExplorer in a real browser: its numbers, its words, what each control does, rows of your own, its link."""

import numpy as np
import pandas as pd
import pytest

from inorder.lab.results import read
from inorder.lab.runs import TRAINED_ON as LENGTHS
from inorder.transformer import layer_states
from inorder.widgets import SchemeExplorer
from inorder.widgets.scheme_explorer.figure import EXAMPLE, TRAINED_ON

SETTING = {"task": "sorting", "mask": "causal", "n_layers": 2, "mark": True}
NAME = "sorting, causal, 2 layers, first token marked"


def invented(seed=0, n_seeds=3, schemes=("none", "mine", "yours")):
    """Tables of a sweep that never was, with the columns of inorder.lab.results that matter."""
    rng = np.random.default_rng(seed)
    table, curves = [], []
    for scheme in schemes:
        for one in range(n_seeds):
            own = SETTING | {"scheme": scheme, "label": f"<b>{scheme}</b>", "seed": one}
            for length in (8, 16, 32):
                bounds = {"floor": 1 / length, "ceiling": 0.5}
                table.append(own | {"length": length, "accuracy": rng.uniform(), **bounds})
            for step in (10, 20, 40, 80):
                curves.append(own | {"step": step, "accuracy": rng.uniform()})
    return {"table": pd.DataFrame(table), "curves": pd.DataFrame(curves)}


def mine(**options) -> SchemeExplorer:
    return SchemeExplorer("sorting", **invented(), **options)


def numbers(frame, scheme, by):
    """{x: accuracies of all seeds}, without pandas's groupby."""
    result = {}
    for row in frame.to_dict("records"):
        if row["scheme"] == scheme and row["task"] == "sorting":
            result.setdefault(row[by], []).append(row["accuracy"])
    return dict(sorted(result.items()))


def assert_page_shows(figure, python, view=0):
    schemes = [python.setting["schemes"][name] for name in python.schemes]
    accuracies = [python.accuracy(name) for name in python.schemes]
    np.testing.assert_array_equal(figure.numbers("2.values", view)[0], np.nan_to_num(accuracies))
    root = figure.page.locator(".inorder-figure").nth(view)
    assert root.locator(".inorder-summary").inner_text() == python.summary()
    assert root.locator(".inorder-answer .inorder-note").inner_text() == python.note()
    assert root.get_by_label("Task").input_value() == python.task
    assert root.locator(".inorder-bars tbody th").all_text_contents() == [scheme["label"] for scheme in schemes]


def test_means_and_ranges_are_those_of_the_rows():
    rows = invented()
    result = SchemeExplorer("sorting", **rows).setting
    assert (result["lengths"], result["ceiling"]) == ([8, 16, 32], [0.5] * 3)
    np.testing.assert_allclose(result["floor"], [1 / 8, 1 / 16, 1 / 32], atol=1e-4)
    assert result["training"] is None  # no bounds are known for a task of your own
    for scheme in ("none", "mine", "yours"):
        for part, frame, by in (("test", rows["table"], "length"), ("curve", rows["curves"], "step")):
            spread, expected = result["schemes"][scheme][part], numbers(frame, scheme, by)
            assert spread["x"] == list(expected)
            for name, f in (("mean", np.mean), ("low", min), ("high", max)):
                np.testing.assert_allclose(spread[name], [f(each) for each in expected.values()], atol=6e-5)
        assert result["schemes"][scheme]["seeds"] == 3


def test_the_stored_sweep_is_what_is_shown_first():
    python, results = SchemeExplorer(), read()
    table = results.table()
    own = table[(table["task"] == "which-first") & (table["scheme"] == "rotary") & (table["length"] == python.length)]
    settings = own.groupby(["mask", "n_layers", "mark"], sort=False)["accuracy"].mean()
    assert round(settings.iloc[0], 4) == python.accuracy("rotary")
    assert python.task.startswith("which-first, ")
    assert python.accuracy("none") == 0.5  # derived: blind to order
    assert python.setting["training"] == [0.5, 0.5]
    assert (LENGTHS[0], LENGTHS[-1]) == TRAINED_ON


def test_rows_of_a_stored_scheme_take_its_place():
    stored = read().table()
    rows = stored[(stored["task"] == "copy-left") & (stored["scheme"] == "rotary")].assign(accuracy=0.25, seed=7)
    python = SchemeExplorer("copy-left", ["rotary", "none"], table=rows)
    assert python.accuracy("rotary") == 0.25
    assert python.setting["schemes"]["rotary"]["seeds"] == 1
    assert python.setting["schemes"]["rotary"]["curve"]["x"] == []
    assert python.accuracy("none") == SchemeExplorer("copy-left", ["none"]).accuracy("none")


def test_it_opens_on_the_readers_own_rows():
    for options in ({}, {"length": 16}):
        python = SchemeExplorer(**invented(), **options)
        assert python.task == SchemeExplorer("sorting", **invented()).task
        assert python.schemes == ["none", "mine", "yours"]
    rows = {name: frame.assign(task="copy-left") for name, frame in invented(schemes=["mine", "rotary"]).items()}
    python = SchemeExplorer("copy-left", **rows)  # a task of the book's, too, which tests longer texts
    assert (python.schemes, python.length) == (["mine", "rotary"], 32)
    assert python.setting["schemes"]["rotary"]["seeds"] == 3


def test_the_handle_sets_the_length(mount):
    python = SchemeExplorer("which-first", ["none", "rotary"])
    figure = mount(python)
    handle = figure.figure.get_by_role("slider")
    handle.press("ArrowLeft")
    assert figure.sync().length == 40
    box, plane = handle.bounding_box(), figure.figure.locator(".inorder-plane").nth(1).bounding_box()
    middle = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]
    figure.page.mouse.move(*middle)
    figure.page.mouse.down()
    figure.page.mouse.move(plane["x"], middle[1], steps=4)
    figure.page.mouse.up()
    assert figure.sync().length == 10
    assert_page_shows(figure, python)


def test_task_and_length(mount):
    python = SchemeExplorer("which-first", **invented())
    figure = mount(python)
    root = figure.figure
    assert root.get_by_label("Task").locator("option").all_text_contents() == list(python.data)
    root.get_by_role("radio", name="20", exact=True).check(force=True)
    assert figure.sync().length == 20
    assert_page_shows(figure, python)
    root.get_by_label("Task").select_option(NAME)
    assert (figure.sync().task, python.length, python.schemes) == (
        NAME,
        32,
        ["none"],
    )  # what both have, and the longest
    assert_page_shows(figure, python)
    root.get_by_role("radio", name="8", exact=True).check(force=True)
    assert figure.sync().length == 8
    assert_page_shows(figure, python)


def test_which_schemes(mount):
    python = mine(schemes=["none"])
    figure = mount(python)
    figure.figure.get_by_text("Which schemes").click()
    boxes = figure.figure.locator(".inorder-fold input")
    assert figure.figure.locator(".inorder-fold label").all_inner_texts() == [
        f"<b>{x}</b>" for x in python.setting["schemes"]
    ]
    boxes.nth(2).check()
    assert figure.sync().schemes == ["none", "yours"]
    assert_page_shows(figure, python)
    boxes.nth(0).uncheck()
    assert figure.sync().schemes == ["yours"]
    boxes.nth(2).click()  # the last one stays
    assert figure.sync().schemes == ["yours"] and boxes.nth(2).is_checked()
    assert figure.notice.inner_text() == "The charts have room for 1 to 6 schemes."
    assert_page_shows(figure, python)
    assert figure.figure.locator("b").count() == 0  # labels are text


def test_one_curve_is_not_the_best():
    assert mine(schemes=["mine"], length=8).summary().startswith("With 8 tokens “<b>mine</b>” is right in 0.")


def test_schemes_that_tie_are_all_named():
    rows = invented()
    table = rows["table"].assign(accuracy=0.5)
    python = SchemeExplorer("sorting", table=table, schemes=["mine", "none", "yours"], length=8)
    assert python.summary() == (
        "With 8 tokens “<b>mine</b>”, “<b>none</b>” and “<b>yours</b>” are right most often: 0.50."
    )


def test_the_attention_of_a_trained_model():
    explorer = SchemeExplorer("copy-left", ["rotary"])
    figure = explorer.attention_map("rotary")
    parameters, config = read().model("copy-left", "rotary")
    [state] = layer_states(np.array(EXAMPLE), parameters, config, positions=np.arange(len(EXAMPLE)))
    np.testing.assert_allclose(figure.weights, state.weights[0])
    one_back = state.weights[:, np.arange(1, 8), np.arange(7)]  # it has learned to look there
    assert one_back.mean(axis=1).max() > 0.5
    assert SchemeExplorer("which-first", ["rotary"]).attention_map("rotary").tokens[5] == "B"
    with pytest.raises(ValueError, match="one of the models kept"):
        explorer.attention_map("gru")


def test_bad_input():
    rows = invented()
    for arguments, message in (
        ({"schemes": ["none", "lstm"]}, "schemes must be among .*, got 'lstm'"),
        ({"schemes": ["none", "none"]}, "schemes must hold each name once"),
        ({"table": rows["table"].drop(columns="floor")}, "table must have .* got none called floor"),
        ({"table": rows["table"], "curves": rows["table"]}, "curves must have .* got none called step"),
        ({"table": rows["table"].iloc[:0]}, "table must have one row or more"),
        ({"table": rows["table"].assign(accuracy=70)}, "accuracies from 0 to 1, got 70"),
        ({"table": [1, 2]}, "table must have the columns"),
    ):
        with pytest.raises(ValueError, match=message):
            SchemeExplorer(**arguments)
