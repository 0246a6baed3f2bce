"""The study of a decoder's weights and times: the stored record is whole, and counts what the file holds."""

import time

import pytest
import torch

from inorder.pretrained import decoder
from inorder.stored import read_record
from inorder.transformer import fresh_model
from studies import decoder_costs

RECORD = read_record("decoder_costs.json")


def test_there_is_a_time_for_every_number_of_texts():
    times = [RECORD["generating"], RECORD["reading"], *RECORD["products"].values()]
    assert {len(each) for each in times} == {len(decoder_costs.BATCHES)} and RECORD["texts"] == decoder_costs.BATCHES


def test_the_weights_are_those_of_the_file():
    try:
        assert decoder.count_weights() == RECORD["weights"]
    except (FileNotFoundError, ImportError) as missing:
        pytest.skip(str(missing))


def test_the_shortest_time_is_that_of_the_fastest_call():
    busy = iter([0.05, 0.0, 0.05])

    def call():
        end = time.process_time() + next(busy)
        while time.process_time() < end:
            pass

    assert decoder_costs.shortest_time(call, repeats=3) < 0.04


def test_reading_generating_and_products_run_on_any_decoder():
    lm = decoder.LanguageModel(fresh_model(0, norm_kind="rms", position="rotary", like=torch.zeros(1)), None)
    assert min(decoder_costs.reading_time(lm, 5), decoder_costs.generating_time(lm, 3)) > 0
    times = decoder_costs.product_times([torch.ones(8, 6)] * 2)
    assert len(times) == len(decoder_costs.BATCHES) and min(times) > 0
