"""What a decoder weighs and how long it takes: the stored record is whole, and it counts what the file holds."""

import json
import time

import pytest
import torch

from inorder.lab import decoder_costs
from inorder.lab.records import store_parts
from inorder.pretrained import decoder
from inorder.stored import stored
from inorder.transformer import fresh_model

RECORD = json.loads(stored(decoder_costs.RESULTS).read_text(encoding="utf8"))


def test_every_part_is_stored_with_where_it_comes_from():
    assert list(RECORD) == list(decoder_costs.PARTS)
    for part in RECORD.values():
        assert part["provenance"]["sha256"] == decoder.SHA256
        assert part["provenance"]["made_by"] == "python -m inorder.lab.decoder_costs"


def test_there_is_a_time_for_every_setting():
    for part in (RECORD["lengths"], RECORD["memory"]):
        assert {len(times) for times in part["seconds"].values()} == {len(part["lengths"])}
    for name in ("generating", "reading"):
        assert len(RECORD["batches"][name]) == len(RECORD["batches"]["batches"])
    assert {len(times) for times in RECORD["contexts"]["seconds"].values()} == {len(RECORD["contexts"]["contexts"])}
    assert {len(times) for times in RECORD["products"]["seconds"].values()} == {len(RECORD["products"]["batches"])}


def test_the_weights_are_those_of_the_file():
    try:
        assert decoder.count_weights() == RECORD["weights"]["counts"]
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
    matrices = decoder_costs.square_matrices(lm)
    assert [tuple(w.shape) for w in matrices] == [(32, 32)] * 4
    times = decoder_costs.reading_time(lm, 5), decoder_costs.generating_time(lm, 3, 4)
    assert min(*times, decoder_costs.product_time(matrices, 2)) > 0
    assert decoder_costs.block_times(8).keys() == RECORD["lengths"]["seconds"].keys()
    assert decoder_costs.memory_times(8).keys() == RECORD["memory"]["seconds"].keys()


def test_a_part_is_stored_beside_the_others(tmp_path):
    path = tmp_path / "costs.json"
    store_parts(path, {"weights": {"counts": {"a": 1}}}, decoder_costs.PARTS)
    store_parts(path, {"lengths": {"lengths": [1]}}, decoder_costs.PARTS)
    store_parts(path, {"weights": {"counts": {"a": 2}}}, decoder_costs.PARTS)
    assert json.loads(path.read_text()) == {"weights": {"counts": {"a": 2}}, "lengths": {"lengths": [1]}}


def test_an_unknown_part_is_named(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["decoder_costs", "speed"])
    with pytest.raises(SystemExit):
        decoder_costs.main()
    assert (
        "expected parts among weights, lengths, batches, contexts, products, memory, got speed"
        in capsys.readouterr().err
    )
