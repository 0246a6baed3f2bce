"""The measurements on the trained decoder: each on a case whose answer is known, and the stored results beside it."""

import json
from pathlib import Path

import numpy as np
import pytest

from inorder.lab.records import store_parts
from inorder.lab.trained_decoder.__main__ import LAYERS, PARTS, RESULTS, main
from inorder.lab.trained_decoder.circuit import copy_run
from inorder.lab.trained_decoder.heads import (
    ablation,
    head_scores,
    heads_above,
    mean_outputs,
    random_heads,
    with_constants,
)
from inorder.lab.trained_decoder.order import (
    SOURCES,
    VIEWS,
    copy_losses,
    open_mask,
    row_differences,
    swap_effects,
    swap_share,
    token_losses,
)
from inorder.lab.trained_decoder.pairs import prompt_pair
from inorder.lab.trained_decoder.patterns import NAMES, PATTERNS, pattern_answers
from inorder.lab.trained_decoder.placements import placement_costs, window_placements
from inorder.lab.trained_decoder.probes import position_probes, stream_rows, untrained
from inorder.lab.trained_decoder.texts import (
    NEIGHBOURS,
    OTHER_TASKS,
    PAIRS,
    PROMPTS,
    TASKS,
    Swap,
    random_words,
    swap_tokens,
    text_windows,
)
from inorder.lab.trained_decoder.word_pairs import FRAMES, Frame, word_pair_answers
from inorder.pretrained.decoder import (
    PLACEMENTS,
    SHA256,
    LanguageModel,
    attention,
    load,
    logits,
    next_tokens,
    states,
    tokenize,
    without_heads,
)
from inorder.stored import stored
from pretrained_files import why_missing

STORED = json.loads(stored(RESULTS).read_text(encoding="utf-8"))


needs_weights = pytest.mark.skipif(why_missing("decoder") is not None, reason=why_missing("decoder") or "")


@pytest.fixture(scope="module")
def lm() -> LanguageModel:
    return load()


# Without the weights


def test_the_stored_results_say_where_they_are_from() -> None:
    assert list(STORED) == list(PARTS)
    for part in STORED.values():
        assert part["provenance"]["sha256"] == SHA256
        assert part["provenance"].keys() >= {"model", "file", "versions", "date", "made_by"}
    size = sum(stored(name).stat().st_size for name in (RESULTS, STORED["maps"]["file"]))
    assert size < 400_000


def test_a_part_is_stored_and_the_others_stay(tmp_path: Path) -> None:
    path = tmp_path / RESULTS
    for part, value in (("swaps", 1), ("rows", 2), ("swaps", 3)):
        store_parts(path, {part: {"value": value}}, PARTS)
    assert json.loads(path.read_text()) == {"rows": {"value": 2}, "swaps": {"value": 3}}


def test_a_part_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.argv", ["trained_decoder", "weather"])
    with pytest.raises(SystemExit):
        main()
    assert "expected parts among prompts, rows" in capsys.readouterr().err


def test_prompts_in_every_placement() -> None:
    answers = STORED["prompts"]["placements"]
    assert set(answers) == {text for pair in PAIRS for text in pair} | set(PROMPTS)
    for by_placement in answers.values():
        assert set(by_placement) == set(PLACEMENTS)
        for answer in by_placement.values():
            assert len(answer["tokens"]) == len(answer["probabilities"]) == 10
            assert np.all(np.diff(answer["probabilities"]) <= 0)
    for placement in ("shifted", "restarted"):  # nothing but the new tokens moves
        for answer in answers.values():
            np.testing.assert_allclose(
                answer[placement]["probabilities"], answer["trained"]["probabilities"], atol=1e-3
            )


def test_the_mask_alone_tells_from_the_second_layer_on() -> None:
    for differences in STORED["rows"]["differences"]:
        assert set(differences) == set(SOURCES)
        assert max(differences["mask"][:2]) < 1e-6 < 1e-3 < differences["mask"][2]
        assert differences["both"][1] > 1e-3
        assert max(differences["neither"]) < 1e-4
    for differences in STORED["rows"]["two_words_differences"]:
        assert min(differences["mask"][0], differences["both"][0]) > 0.5  # the last word itself is another


def test_two_sources_two_jobs() -> None:
    for task in TASKS:
        shares = {view: part["share"] for view, part in STORED["swaps"][task]["shares"].items()}
        assert set(shares) == set(VIEWS)
        assert abs(shares["neither"]) < 1e-2  # the control: nothing is left to tell the words apart
        if task == "last name":
            assert shares["rotations"] < 0 < 0.7 < shares["mask, first"]
        elif task == "agreement, first noun":  # half of it through each
            assert 0.5 < shares["rotations"] < 0.9 and 0.5 < shares["unrotated"] < 0.9
        else:
            assert shares["rotations"] > 0.9 > shares["mask, second"]
            assert shares["mask, first"] < 0.1


def test_two_sources_two_jobs_with_other_words() -> None:
    for task, swaps in OTHER_TASKS.items():
        shares = {view: part["share"] for view, part in STORED["other_swaps"][task]["shares"].items()}
        assert STORED["other_swaps"][task]["texts"] == [swap.text for swap in swaps]
        assert abs(shares["neither"]) < 1e-2
        if task == "last name":
            assert abs(shares["rotations"]) < 0.3 < 0.7 < min(shares["mask, first"], shares["mask, second"])
        else:
            assert shares["mask, first"] < 0.3 < 0.7 < shares["rotations"]


def test_the_mask_alone_works_through_what_the_first_words_row_may_not_see() -> None:
    for part in ("swaps", "other_swaps"):
        for task in TASKS:
            shares = {view: each["share"] for view, each in STORED[part][task]["shares"].items()}
            assert abs(shares["mask, second, between"]) < 0.11
            if task not in ("adjective", "last name"):
                assert min(shares["mask, second, other word"], shares["mask, second, hidden"]) > 0.35
            assert abs(shares["rotations, narrow"] - shares["rotations"]) < 0.15  # no matter which rows are opened


def test_other_tasks_have_other_words() -> None:
    for task, swaps in OTHER_TASKS.items():
        words = {word for swap in TASKS[task] for word in swap.words}
        if task == "last name":  # of its pairs none is asked again
            assert not {frozenset(swap.words) for swap in swaps} & {frozenset(swap.words) for swap in TASKS[task]}
        else:
            assert not words & {word for swap in swaps for word in swap.words}
    assert not set(map(frozenset, NEIGHBOURS)) & set(map(frozenset, NAMES))
    assert STORED["other_patterns"]["names"] == [list(pair) for pair in NEIGHBOURS]


def test_every_two_words_of_a_list_in_both_orders() -> None:
    stored_pairs = STORED["word_pairs"]
    assert {name: Frame(each["text"], tuple(each["words"])) for name, each in stored_pairs["frames"].items()} == FRAMES
    for name, frame in FRAMES.items():
        n_pairs = len(frame.words) * (len(frame.words) - 1) // 2
        answers = {
            source: {key: np.array(value) for key, value in of_source.items()}
            for source, of_source in stored_pairs["answers"][name].items()
        }
        assert list(answers) == list(SOURCES)
        for of_source in answers.values():
            assert of_source["preference"].shape == of_source["choice"].shape == (n_pairs, 2)
            assert of_source["distance"].shape == (n_pairs,)
            assert of_source["differences"].shape == (n_pairs, len(stored_pairs["states"]))
        after_one, after_two, _ = answers["mask"]["differences"].T
        assert after_one.max() < 1e-6 < 1e-3 < after_two.min()
        assert answers["neither"]["differences"].max() < 1e-3 and answers["neither"]["distance"].max() < 1e-3
        neither = answers["neither"]["preference"]  # the same row in both orders: what one word gains the other loses
        np.testing.assert_allclose(neither[:, 0], -neither[:, 1], atol=1e-2)
        assert (answers["mask"]["distance"] < answers["both"]["distance"]).mean() > 0.9
        crossed = stored_pairs["crossed"][name]
        assert set(crossed) == set(FRAMES) - {name}
        for words, preference in crossed.items():
            n_words = len(FRAMES[words].words)
            assert np.shape(preference) == (n_words * (n_words - 1) // 2, 2)


def test_a_copy_needs_no_order_from_the_mask() -> None:
    for losses in STORED["copies"].values():
        if isinstance(losses, dict) and "untouched" in losses:
            means = {name: np.mean(values) for name, values in losses.items()}
            np.testing.assert_allclose(losses["rotations"], losses["rotations, rows shuffled"], atol=1e-2)
            assert means["rotations"] < means["untouched"] + 0.5
            assert means["mask"] > means["untouched"] + 5


def test_an_opened_row_is_a_sink_no_more_unless_it_is_a_line_break() -> None:
    for start in ("The", "\n"):
        counts = {
            view: STORED["sinks"][f"{view}, after {start!r}"]
            for view in ("untouched", "rotations", "rotations, first row too")
        }
        assert abs(counts["rotations"] - counts["untouched"]) <= 1
        still = counts["rotations, first row too"]
        assert still == 0 if start == "The" else still > 0.8 * counts["untouched"]


def test_every_permutation_is_worse_than_no_positions() -> None:
    costs = STORED["placements"]["costs"]
    permuted = [cost["loss"] for name, cost in costs.items() if name.startswith("permuted")]
    assert len(permuted) == 4 and min(permuted) > costs["unrotated"]["loss"]


def test_what_heads_are_worth() -> None:
    results = STORED["heads"]
    first, second, unrotated = (results["scores"][half] for half in ("first half", "second half", "unrotated"))
    for kind in ("previous", "induction"):
        chosen = results["chosen"][kind]
        assert chosen
        for layer, head in chosen:
            assert first[kind][layer][head] >= results["thresholds"]["previous, induction, duplicate"]
            assert second[kind][layer][head] > 0.3 > 0.15 > unrotated[kind][layer][head]
    intact = results["intact"]
    alone = {tuple(run["zero"]["heads"][0]): run for run in results["previous, one at a time"]}
    copied = {head: np.mean(run["zero"]["copy"]) for head, run in alone.items()}
    assert max(copied, key=copied.__getitem__) == (16, 0)
    assert np.mean(alone[16, 0]["induction_scores"]) < 0.3
    lost = results["ablations"]["induction"]["zero"]
    assert np.mean(lost["copy"]) > np.mean(intact["copy"]) + 5
    assert abs(np.mean(lost["prose"]) - np.mean(intact["prose"])) < 0.1


def test_no_pattern_is_solved_both_ways() -> None:
    results = STORED["patterns"]
    assert results["patterns"] == [list(pattern) for pattern in PATTERNS]
    assert results["names"] == [list(pair) for pair in NAMES]
    first = np.array(results["differences"]) > 0  # (pattern, question, item): the name that stands first is preferred
    right = np.stack([first[:, 0].mean(axis=-1), 1 - first[:, 1].mean(axis=-1)], axis=1)
    assert right.shape == (25, 2)
    assert not (right >= 0.75).all(axis=1).any()
    assert (first.mean(axis=(1, 2)) < 0.2).sum() == 23


def test_one_head_supplies_the_copying_circuit() -> None:
    circuit = STORED["circuit"]
    assert circuit["induction"] == STORED["heads"]["chosen"]["induction"]
    unrotated = {layers: np.mean(run["induction_scores"]) for layers, run in circuit["unrotated"].items()}
    assert unrotated["17 to 24"] > 0.7 * unrotated["none"]
    assert max(unrotated["0 to 15"], unrotated["16"], unrotated["all"]) < 0.3 * unrotated["none"]
    losses = [np.mean(run["loss"]) for run in circuit["one of layer 16"]]
    intact = np.mean(circuit["unrotated"]["none"]["loss"])
    assert losses[0] > intact + 2 > intact + 0.5 > max(losses[1:])
    assert np.mean(circuit["one of layer 16"][0]["induction_scores"]) < 0.3 * unrotated["none"]
    below = np.array([[head["induction_scores"] for head in layer] for layer in circuit["one below"]])
    assert below.shape == (16, 9) and below.min() > 0.6 * unrotated["none"]
    assert circuit["others"] == [head for head in STORED["heads"]["chosen"]["previous"] if head[0] < 16]
    assert np.mean(circuit["without others"]["induction_scores"]) > 0.95 * unrotated["none"]
    alone = [layer["induction_scores"] for layer in circuit["one layer unrotated"]]
    assert len(alone) == 17 and min(alone[:16]) > 0.8 * unrotated["none"]
    assert alone[16] == pytest.approx(unrotated["16"], abs=1e-3)  # the same run, kept as a mean
    damaged = {part: np.mean(run["induction_scores"]) for part, run in circuit["damaged"].items()}
    assert damaged["key"] < 0.3 * unrotated["none"] < 0.7 * unrotated["none"] < min(damaged["query"], damaged["value"])


def test_of_its_layer_one_head_alone_needs_its_rotations() -> None:
    results, circuit = STORED["unrotated_heads"], STORED["circuit"]
    intact = np.mean(results["none"]["induction_scores"])
    assert intact == pytest.approx(np.mean(circuit["unrotated"]["none"]["induction_scores"]), abs=1e-3)
    alone = [np.mean(run["induction_scores"]) for run in results["alone"]]
    assert len(alone) == 9 and alone[0] < 0.3 * intact < 0.9 * intact < min(alone[1:])
    assert np.mean(results["others"]["induction_scores"]) > 0.9 * intact


def test_copying_heads_look_as_far_on_as_the_head_below_looks_back() -> None:
    results = STORED["redirected"]
    intact = results["intact"]["after"]
    assert np.argmax(intact) == 1
    for step, run in zip(results["steps"], results["back"], strict=True):
        assert np.argmax(run["after"]) == step
        assert run["after"][step] > 0.5 * intact[1]
        assert step == 1 or run["loss"] > results["intact"]["loss"] + 3


def test_position_probes_beside_their_controls() -> None:
    probes = STORED["probes"]
    assert probes["states"] == list(LAYERS)
    chance = 1 / probes["positions"]
    middle = LAYERS.index(16)
    for name in ("trained", "unrotated"):  # the mask alone tells it
        assert probes[name]["exact"][middle] > 4 * chance
        assert probes[name]["within one"][middle] > 2 * probes["permuted labels"]["within one"][middle]
    assert max(probes["permuted labels"]["exact"]) < 2 * chance


# Pieces, without the weights


def test_rows_that_see_each_other() -> None:
    mask = open_mask(5, 1, 4)
    assert mask[1:4, 1:4].all()
    assert mask[0].tolist() == [True, False, False, False, False]
    assert mask[4].all() and not mask[1:4, 4].any()
    np.testing.assert_array_equal(open_mask(5, 0, 0), np.tril(np.ones((5, 5), bool)))


def test_share_of_an_effect() -> None:
    effects = {"both": np.array([[4.0, 0.0], [1.0, -3.0]]), "mask": np.array([[1.0, 0.0], [-1.0, -2.0]])}
    shares = swap_share(effects, "mask")
    assert shares["share"] == pytest.approx(2 / 8)
    assert shares["interval"] == pytest.approx([0.25, 0.25])
    assert shares["right"] == [0.5, 0.5]


def test_random_heads_are_others_of_the_same_layers() -> None:
    heads = [(3, 0), (3, 1), (7, 2)]
    for seed in range(5):
        drawn = random_heads(heads, [(3, 2)], 9, seed)
        assert sorted(layer for layer, _ in drawn) == [3, 3, 7]
        assert len(set(drawn)) == 3 and not set(drawn) & {*heads, (3, 2)}


def test_probe_with_permuted_labels_is_at_chance() -> None:
    rows = np.eye(6, 8) + 0.01 * np.random.default_rng(0).normal(size=(1, 200, 6, 8))
    assert position_probes(rows[:, :150], rows[:, 150:])["exact"] == [1.0]
    assert position_probes(rows[:, :150], rows[:, 150:], permuted=0)["exact"][0] < 0.6


def test_restarted_positions() -> None:
    placements = window_placements(6, 4)
    expected = {"restarted": [0, 1, 2, 3, 0, 0], "stuck": [0, 1, 2, 3, 4, 4], "counted again": [0, 1, 2, 3, 0, 1]}
    for name, positions in expected.items():
        np.testing.assert_array_equal(placements[name], positions)
    permuted = [positions for name, positions in placements.items() if name.startswith("permuted")]
    assert len(permuted) == len({tuple(positions) for positions in permuted}) == 4
    for positions in permuted:
        np.testing.assert_array_equal(np.sort(positions), np.arange(6))


# With the weights


@needs_weights
def test_each_pair_is_one_bag_of_tokens(lm: LanguageModel) -> None:
    for pair in PAIRS:
        first, second = (tokenize(text, lm).ids for text in pair)
        assert (first != second).any() and first[-1] == second[-1]
        np.testing.assert_array_equal(np.sort(first), np.sort(second))


@needs_weights
def test_a_swap_names_its_rows(lm: LanguageModel) -> None:
    for swaps in TASKS.values():
        groups = swap_tokens(swaps, lm)
        assert sorted(member for group in groups for member in group.members) == list(range(len(swaps)))
        for group in groups:
            for member, ids in zip(group.members, group.ids, strict=True):
                words = [lm.tokenizer.decode([int(ids[row])]) for row in group.rows]
                assert words == [f" {word}" for word in swaps[member].words]
    with pytest.raises(ValueError, match="each once"):
        swap_tokens((Swap("The dog and the dog", ("dog", "cat"), ("a", "b")),), lm)
    with pytest.raises(ValueError, match="one token"):
        swap_tokens((Swap("The dog", ("dog", "floccinaucinihilipilification"), ("a", "b")),), lm)


@needs_weights
def test_recomputed_rows_and_swaps(lm: LanguageModel) -> None:
    differences = row_differences(PAIRS[1], lm)
    for source in ("both", "mask"):
        np.testing.assert_allclose(differences[source], STORED["rows"]["differences"][1][source], rtol=1e-2, atol=1e-6)
    swaps = TASKS["agreement, first noun"][:2]
    effects = swap_effects(swaps, lm, ["both", "rotations", "neither"])
    for view, values in effects.items():
        kept = np.array(STORED["swaps"]["agreement, first noun"]["effects"][view])
        np.testing.assert_allclose(values, kept[:2], atol=1e-2)
    one = logits(swaps[0].text, lm)[-1]
    first, second = (int(tokenize(f" {answer}", lm).ids[0]) for answer in swaps[0].answers)
    assert effects["both"][0, 0] == pytest.approx(float(one[first] - one[second]), abs=1e-3)
    with pytest.raises(ValueError, match="view"):
        swap_effects(swaps, lm, ["weather"])


@needs_weights
def test_word_pairs_by_another_route(lm: LanguageModel) -> None:
    frame = Frame("From {a} to {b} and", ("London", "Paris"))
    answers = word_pair_answers(frame, lm, ("both", "mask"))
    texts = ("From London to Paris and", "From Paris to London and")
    rows = [logits(text, lm, "unrotated")[-1] for text in texts]
    london, paris = (int(tokenize(f" {city}", lm).ids[0]) for city in ("London", "Paris"))
    expected = [rows[0][london] - rows[0][paris], rows[1][paris] - rows[1][london]]
    np.testing.assert_allclose(answers["mask"]["preference"][0], expected, atol=1e-3)
    pair = prompt_pair(texts, lm, "unrotated", 1)
    assert answers["mask"]["distance"][0] == pytest.approx(pair.distance, abs=1e-4)
    np.testing.assert_allclose(answers["mask"]["differences"][0][1:], pair.layers[[2, 30]], rtol=1e-2)
    kept = STORED["word_pairs"]["answers"]["cities"]["both"]["preference"]
    words = list(FRAMES["cities"].words)
    assert (words[3], words[6], words[7]) == ("London", "Paris", "Rome")
    np.testing.assert_allclose(answers["both"]["preference"][0], kept[29], atol=1e-2)  # London and Paris
    in_another_prompt = word_pair_answers(Frame(FRAMES["names"].text, ("London", "Paris")), lm, ("both",))
    kept = STORED["word_pairs"]["crossed"]["names"]["cities"]
    np.testing.assert_allclose(in_another_prompt["both"]["preference"][0], kept[29], atol=1e-2)
    with pytest.raises(ValueError, match="one token"):
        word_pair_answers(Frame("From {a} to {b} and", ("Paris", "Ouagadougou")), lm)
    with pytest.raises(ValueError, match="source"):
        word_pair_answers(frame, lm, ("weather",))


@needs_weights
def test_losses_by_another_route(lm: LanguageModel) -> None:
    words = random_words(lm, 5, 2, seed=3)
    assert all(len(set(row)) == 5 for row in words.tolist())
    losses = copy_losses(words, lm, 504)
    ids = np.concatenate([[504], words[0], words[0]])
    scores = np.asarray(logits(ids, lm), np.float64)
    by_hand = [np.log(np.exp(scores[i]).sum()) - scores[i, ids[i + 1]] for i in range(len(ids) - 1)]
    np.testing.assert_allclose(token_losses(ids[None], lm, np.arange(11))[0], by_hand, atol=1e-3)
    assert losses["untouched"][0] == pytest.approx(np.mean(by_hand[6:]), abs=1e-3)
    np.testing.assert_allclose(losses["rotations"], losses["rotations, rows shuffled"], atol=1e-2)
    with pytest.raises(ValueError, match="two lists"):
        copy_losses(words[:1], lm, 504)


@needs_weights
def test_a_shift_costs_nothing(lm: LanguageModel) -> None:
    ids = text_windows(stored("alice.txt").read_text(encoding="utf-8"), lm, 12, 2)
    costs = placement_costs(ids, lm, {"shifted": "shifted", "unrotated": "unrotated"})
    assert costs["shifted"].variation < 1e-4 < 0.1 < costs["unrotated"].variation
    assert costs["shifted"].same_choice == 1
    assert abs(costs["shifted"].divergence) < 1e-4


@needs_weights
def test_heads_by_another_route(lm: LanguageModel) -> None:
    words = random_words(lm, 6, 1, seed=0)
    copies = np.concatenate([[[504]], words, words], axis=1)
    scores = head_scores(words, copies, lm)
    weights = attention(lm.tokenizer.decode(copies[0].tolist()), lm).weights
    by_hand = np.mean([weights[:, :, 6 + i, i + 1] for i in range(1, 6)], axis=0)  # row 6 + i: word i again
    np.testing.assert_allclose(scores.induction[0], by_hand, atol=1e-4)
    chosen = heads_above(scores.induction, 0.5)
    assert chosen and set(chosen) & {tuple(head) for head in STORED["heads"]["chosen"]["induction"]}
    intact, lost = (ablation(copies, copies, model, chosen) for model in (lm, without_heads(lm, chosen)))
    assert lost.copy.mean() > intact.copy.mean()
    constants = np.zeros((30, 9, 576), np.float32)
    same = ablation(copies, copies, with_constants(lm, chosen, constants), chosen)
    np.testing.assert_allclose(same.copy, intact.copy, atol=1e-4)


@needs_weights
def test_a_run_without_rotations_or_heads_is_the_models(lm: LanguageModel) -> None:
    words = random_words(lm, 5, 2, seed=2)
    copies = np.concatenate([np.full((2, 1), 504), words, words], axis=1)
    for run, model, positions in (
        (copy_run(copies, lm), lm, np.arange(11)),
        (copy_run(copies, lm, unrotated=range(30)), lm, np.zeros(11, int)),
        (copy_run(copies, lm, removed=[(16, 0), (3, 4)]), without_heads(lm, [(16, 0), (3, 4)]), np.arange(11)),
    ):
        np.testing.assert_allclose(run.loss, token_losses(copies, model, positions)[:, 6:].mean(axis=1), atol=1e-3)
    np.testing.assert_allclose(
        copy_run(copies, lm).weights[17, 0], np.asarray(states(copies[0], lm)[17].weights), atol=1e-4
    )


@needs_weights
def test_heads_without_rotations_are_their_layer_without(lm: LanguageModel) -> None:
    words = random_words(lm, 5, 2, seed=2)
    copies = np.concatenate([np.full((2, 1), 504), words, words], axis=1)
    layer = copy_run(copies, lm, unrotated=[16])
    heads = copy_run(copies, lm, unrotated_heads=[(16, head) for head in range(9)])
    np.testing.assert_allclose(heads.weights, layer.weights, atol=1e-5)
    np.testing.assert_allclose(heads.loss, layer.loss, atol=1e-4)
    one = copy_run(copies, lm, unrotated_heads=[(16, 0)]).weights[16]
    np.testing.assert_allclose(one[:, 0], layer.weights[16][:, 0], atol=1e-6)
    np.testing.assert_allclose(one[:, 1:], copy_run(copies, lm).weights[16][:, 1:], atol=1e-6)


@needs_weights
def test_a_redirected_head_looks_where_it_is_told(lm: LanguageModel) -> None:
    words = random_words(lm, 4, 1, seed=2)
    copies = np.concatenate([np.full((1, 1), 504), words, words], axis=1)
    intact, run = copy_run(copies, lm), copy_run(copies, lm, redirected={(16, 0): 2})
    np.testing.assert_array_equal(run.weights[16, 0, 0].argmax(axis=1), np.maximum(np.arange(9) - 2, 0))
    np.testing.assert_array_equal(run.weights[16, 0, 0].max(axis=1), 1)
    np.testing.assert_allclose(run.weights[16, 0, 1:], intact.weights[16, 0, 1:], atol=1e-6)
    np.testing.assert_allclose(run.weights[:16], intact.weights[:16], atol=1e-6)
    assert not np.allclose(run.weights[17], intact.weights[17], atol=1e-2)
    with pytest.raises(ValueError, match="either redirected"):
        copy_run(copies, lm, removed=[(1, 1)], damaged=[(17, 4)], redirected={(16, 0): 2})


@needs_weights
def test_damage_takes_the_path_that_it_is_given(lm: LanguageModel) -> None:
    words = random_words(lm, 5, 1, seed=2)
    copies = np.concatenate([np.full((1, 1), 504), words, words], axis=1)
    intact, removed = copy_run(copies, lm), copy_run(copies, lm, removed=[(16, 0)])
    below = [(layer, head) for layer in range(17) for head in range(9)]  # nothing that layer 16 writes reaches these
    for part in ("query", "key", "value"):
        unharmed = copy_run(copies, lm, removed=[(16, 0)], damaged=below, part=part)
        np.testing.assert_allclose(unharmed.loss, intact.loss, atol=1e-5)
    by_value = copy_run(copies, lm, removed=[(16, 0)], damaged=[(17, 4)], part="value")
    np.testing.assert_allclose(by_value.weights[17], intact.weights[17], atol=1e-6)
    by_key = copy_run(copies, lm, removed=[(16, 0)], damaged=[(17, 4)], part="key").weights[17, 0]
    others = np.delete(np.arange(9), 4)
    np.testing.assert_allclose(by_key[others], intact.weights[17, 0][others], atol=1e-6)
    assert not np.allclose(by_key[4], intact.weights[17, 0, 4], atol=1e-2)
    assert not np.allclose(by_key[4], removed.weights[17, 0, 4], atol=1e-3)  # its queries are unharmed
    with pytest.raises(ValueError, match="part"):
        copy_run(copies, lm, removed=[(16, 0)], damaged=[(17, 4)], part="weather")
    with pytest.raises(ValueError, match="removed heads"):
        copy_run(copies, lm, damaged=[(17, 4)])
    with pytest.raises(ValueError, match="two times a list"):
        copy_run(copies[:, 1:], lm)


@needs_weights
def test_a_pattern_by_hand(lm: LanguageModel) -> None:
    pattern = PATTERNS[2]
    differences = pattern_answers(pattern, lm)
    np.testing.assert_allclose(differences, STORED["patterns"]["differences"][2], atol=1e-2)
    row = logits("Bob is taller than Alice. The shorter one is", lm)[-1]
    bob, alice = (int(tokenize(f" {name}", lm).ids[0]) for name in ("Bob", "Alice"))
    assert differences[1, 1] == pytest.approx(float(row[bob] - row[alice]), abs=1e-3)
    row = logits("Patricia is taller than James. The taller one is", lm)[-1]  # here the first name is two tokens
    patricia, james = (int(tokenize(f" {name}", lm).ids[0]) for name in ("Patricia", "James"))
    mixed = pattern_answers(pattern, lm, [("James", "Patricia")])
    assert mixed[0, 1] == pytest.approx(float(row[patricia] - row[james]), abs=1e-3)


@needs_weights
def test_a_head_that_says_the_same_everywhere_is_not_missed(lm: LanguageModel) -> None:
    ids = np.array([[504, 504]])  # row 1 is all that the mean is taken over
    heads = [(0, head) for head in range(9)]
    model = with_constants(without_heads(lm, heads), heads, mean_outputs(ids, lm))
    np.testing.assert_allclose(logits(ids, model)[0, 1], logits(ids, lm)[0, 1], atol=0.05)


@needs_weights
def test_stream_and_untrained_twin(lm: LanguageModel) -> None:
    ids = np.arange(504, 510)[None]
    rows = stream_rows(ids, untrained(lm, 0), [0, 30])
    assert rows.shape == (2, 1, 6, 576)
    np.testing.assert_array_equal(stream_rows(ids, lm, [0])[0, 0], lm.model.parameters.embedding[504:510])
    assert not np.allclose(rows[0], stream_rows(ids, lm, [0])[0])


@needs_weights
def test_a_stored_prompt(lm: LanguageModel) -> None:
    for placement in ("trained", "unrotated", "mispaired"):
        answer = STORED["prompts"]["placements"][PROMPTS[0]][placement]
        top = next_tokens(PROMPTS[0], lm, 3, placement)
        np.testing.assert_allclose([each.probability for each in top], answer["probabilities"][:3], atol=1e-3)


@needs_weights
def test_a_stored_pair(lm: LanguageModel) -> None:
    pair, result = STORED["figure"]["pairs"][1], STORED["figure"]["placements"][1]["unrotated"]
    measured = prompt_pair(tuple(pair), lm, "unrotated", 2)
    assert [result["texts"][i].startswith(measured.texts[i]) for i in range(2)] == [True, True]
    np.testing.assert_allclose(list(measured.next[0].values())[:3], list(result["next"][0].values())[:3], atol=1e-3)
    assert measured.distance == pytest.approx(result["distance"], abs=1e-3)
    np.testing.assert_allclose(measured.layers[2:], result["layers"][2:], rtol=0.01)  # before: rounding
    differences = row_differences(tuple(pair), lm)["mask"]
    np.testing.assert_allclose(measured.layers[2:], differences[2:], rtol=0.01)


@needs_weights
def test_the_stored_map_is_the_models(lm: LanguageModel) -> None:
    maps = STORED["maps"]
    with np.load(stored(maps["file"])) as packed:
        for placement in ("trained", "unrotated"):
            words, weights = attention(maps["text"], lm, placement)
            assert words == maps["words"]
            np.testing.assert_allclose(packed[placement] / maps["one"], weights, atol=0.51 / 255 + 1e-3)
