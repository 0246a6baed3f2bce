"""The chapters' numbers: what their check lets pass, what a record gives back, and what is said of a missing one."""

import json

import numpy as np
import pytest
import torch
from nbformat.v4 import new_code_cell, new_notebook, new_output

import inorder.stored
from _ext.execution import ROOT, Chapter, NotebookError, say_what_is_missing
from harness.chapter import says
from inorder.stored import RecordError, recorded

PAGE = "Its weight is 0.53 to 1.22, in 1,844 of 4,096 rows; −0.5 and 4% of one in three."


@pytest.mark.parametrize(
    ("words", "values"),
    [("0.53 to 1.22", (0.5349, 1.2151)), ("1,844 of 4,096", (1844, 4096)), ("−0.5 and 4%", (-0.46, 0.0449))],
)
def test_words_that_the_values_back_pass_and_others_fail(words, values):
    says(PAGE, words, *values)
    with pytest.raises(AssertionError, match="the values say"):
        says(PAGE, words, *values[:-1], values[-1] * 1.3 + 1)
    with pytest.raises(AssertionError, match="no longer says"):
        says(PAGE.replace(words, ""), words, *values)


def train(seeds=range(2), rate=0.1):
    return {"losses": torch.tensor([1 / 3, 2.0]), "seeds": list(seeds), "weights": np.eye(2, 3), "pair": (rate, "a")}


@pytest.fixture
def records(tmp_path, monkeypatch):
    """A folder that holds the record of `train`, and is that of the stored results."""
    monkeypatch.setenv("INORDER_AGAIN", str(tmp_path))
    recorded("the_block/losses")(train)()
    monkeypatch.delenv("INORDER_AGAIN")
    monkeypatch.setattr(inorder.stored, "FOLDER", tmp_path)
    return tmp_path


def test_a_record_gives_what_again_gives_to_six_digits(records):
    made = recorded("the_block/losses")(train)
    read, again = made(), made.again()
    assert read["losses"].dtype == again["losses"].dtype == np.float32
    assert np.allclose(read["losses"], again["losses"], rtol=5e-6) and read["losses"][0] == np.float32(0.333333)
    assert np.array_equal(read["weights"], np.eye(2, 3))
    assert read["pair"] == again["pair"] == [0.1, "a"] and read["seeds"] == [0, 1]
    about = json.loads((records / "the_block.losses.json").read_text())["made"]
    assert {"made_by", "commit", "versions", "processor", "seconds", "date"} <= about.keys()


def test_what_the_last_run_gave_can_be_read_while_it_is_repeated(records, monkeypatch):
    monkeypatch.setenv("INORDER_AGAIN", str(records / "new"))
    made = recorded("the_block/losses")(train)
    assert made(rate=0.2)["pair"] == [0.2, "a"] and made.stored()["pair"] == [0.1, "a"]
    assert (records / "new" / "the_block.losses.json").exists()


def test_a_record_that_is_not_the_one_asked_for_is_refused(records):
    made = recorded("the_block/losses")(train)
    with pytest.raises(RecordError, match=r"'seeds': \[0, 1, 2\].*make records CHAPTER=the_block"):
        made(range(3))
    with pytest.raises(RecordError, match=r"found none: `make records CHAPTER=the_block`"):
        recorded("the_block/other")(train)()
    path = records / "the_block.losses.json"
    path.write_text(path.read_text().replace('"format": 1', '"format": 0'))
    with pytest.raises(RecordError, match="format 1, got 0"):
        made()
    with pytest.raises(ValueError, match="a name like"):
        recorded("losses")
    with pytest.raises(ValueError, match="got set"):
        recorded("the_block/losses")(lambda: {1}).again()


def test_a_page_is_built_with_the_records_that_are_there():
    """A cell without its record, and those that need its names, say so; any other missing name stops the build."""

    def error(name, text):
        return new_output("error", ename=name, evalue=text, traceback=[text])

    cells = [new_code_cell("a"), new_code_cell("b"), new_code_cell("c"), new_code_cell("d")]
    cells[1].outputs = [error("NameError", "name 'a' is not defined")]
    cells[2].outputs = [error("ValueError", "f(x=1) raised NameError: name 'a' is not defined")]
    page = Chapter(ROOT / "chapters" / "x.ipynb", new_notebook(cells=cells))
    with pytest.raises(NotebookError, match="'a' is not defined"):
        say_what_is_missing(page)
    cells[0].outputs = [error("RecordError", "expected the record a.b.json")]
    say_what_is_missing(page)
    assert [[output.data["text/plain"] for output in cell.outputs] for cell in page.code] == [
        ["Not shown here: expected the record a.b.json."],
        ["Not shown here: expected the record a.b.json."],
        ["Not shown here: expected the record a.b.json."],
        [],
    ]
    cells[3].outputs = [error("ValueError", "expected a number")]
    with pytest.raises(NotebookError, match="expected a number"):
        say_what_is_missing(page)
