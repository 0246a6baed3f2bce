"""The numbers of *A model that generates*, checked with the names of its notebook at hand."""

from inorder.stored import read_record

record = read_record("two_sources.json")


def shares_of(part):
    """The shares that are left, by task and view."""
    return {
        task: {view: each["share"] for view, each in record[part][key]["shares"].items()}
        for task, key in figures.TASKS.items()
    }


def exact_the_model():
    assert (decoder.CONFIG.n_layers, decoder.CONFIG.d_model) == (30, 576)
    says("*SmolLM2* is a small language model with 135 million parameters", 135)
    says("thirty [blocks]")
    says("then $T = 3 - (-2) = 5$", 3, -2, 5)
    assert np.array_equal(np.flatnonzero(trained != hidden), [6]) and hidden[6] == 3


def recorded_the_live_figure():
    figure = read_record("trained_decoder.json")["figure"]
    assert figure["pairs"][0] == list(prompts)

    def next_words(pair, placement):
        return [max(tokens, key=tokens.get).strip() for tokens in figure["placements"][pair][placement]["next"]]

    says("each prompt goes on with its own doctor, and moving the whole text changes")
    assert next_words(0, "trained") == ["Moore", "Hill"] and not {*next_words(0, "unrotated")} & {"Moore", "Hill"}
    assert all(each["shifted"]["texts"] == each["trained"]["texts"] for each in figure["placements"])
    says("equal after the first block, and differ after the second")
    layers = figure["placements"][0]["unrotated"]["layers"]
    assert layers[1] < 1e-6 < 1e-3 < layers[2]
    says("*The capital of France is* goes on with *Paris*, and *The France of capital is* with *a*")
    says("14 of its 270 heads light up", 14, 270)
    heads = [[int(digit, 36) / 35 for digit in head] for head in figure["heads"]["weights"]]
    n = len(figure["heads"]["words"])
    assert figure["heads"]["words"][2] == figure["heads"]["words"][n - 1] == " Doctor"
    assert len(heads) == 270 and sum(head[n * (n - 1) // 2 + 3] >= 0.4 for head in heads) == 14
    others = [pair for pair in range(len(figure["pairs"])) if len({*next_words(pair, "unrotated")}) == 2]
    assert [figure["pairs"][pair][0] for pair in others] == ["When Alice loves Bob and", "The capital of France is"]
    assert [next_words(pair, "unrotated") for pair in others] == [["Alice", "Bob"], ["Paris", "a"]]


def recorded_one_source_at_a_time():
    ours, others = shares_of("swaps"), shares_of("other_swaps")
    for share in (*ours.values(), *others.values()):
        assert abs(share["neither"]) < 1e-2 and share["both"] == 1
    says("nearly all of it is left, however the mask is opened")
    assert min(ours["title"]["rotations"], ours["title"]["rotations, narrow"]) > 0.94
    assert min(others["title"]["rotations"], others["title"]["rotations, narrow"]) > 0.8
    says("keeps more than half of *title*. At the first it kept next to nothing")
    for share in (ours["title"], others["title"]):
        assert share["mask, first"] < 0.11 < 0.5 < share["mask, second"]
    says("With the mask opened wide, less than half of $T$ is left; opened narrow, more than two thirds")
    for share in (ours["home"], others["home"]):
        assert share["rotations"] < 1 / 2 < 2 / 3 < share["rotations, narrow"]
    says("With no order in the mask its pull is gone, and here even reversed; the mask alone keeps it")
    for share in (ours["the name mentioned last"], others["the name mentioned last"]):
        assert max(share["rotations"], share["rotations, narrow"]) < 0.1 < 0.7 < share["mask, first"]
        assert share["mask, second"] > 0.7
    says("the model leans towards *Bob*, **the name mentioned last**")
    assert record["swaps"]["mentioned last"]["text"] == "Today Alice loves Bob. The one who loves is"
    assert record["swaps"]["mentioned last"]["effects"]["both"][0][0] > 0  # Bob before Alice


def recorded_a_list_twice():
    copies = {
        length: {view: np.mean(losses) for view, losses in record["copies"][length].items()}
        for length in ("10 words", "20 words", "40 words")
    }
    says("the second copy costs [about as much as before]")
    says("it costs nearly as much as with neither")
    for loss in copies.values():
        assert abs(loss["rotations"] - loss["untouched"]) < 0.6 < 5 < loss["mask"] - loss["untouched"]
        assert 0 < loss["neither"] - loss["mask"] < 1
        assert loss["rotations, first row too"] > loss["untouched"] + 5
    says("We opened the mask, and the loss rose from 2 to 10.", 2, 10)
    assert round(copies["40 words"]["rotations"]) == 2 and round(copies["40 words"]["rotations, first row too"]) == 10


def exact_the_decoder_itself():
    if not lm:  # its weights aren't at hand
        return
    says("After *Yesterday Doctor Moore met Captain Hill. Then Doctor* it says *Moore*; swap the two names, and it")
    says("It says *Hill* after both prompts")
    for positions, expected in ((trained, [" Moore", " Hill"]), (hidden, [" Hill", " Hill"])):
        assert [decoder.next_tokens(prompt, lm, 1, positions)[0].token for prompt in prompts] == expected
    says("such as head 4 of layer 17, to see the last *Doctor* look at the name after the first", 4, 17)
    for prompt in prompts:
        words, weights = decoder.attention(prompt, lm)
        assert words[2] == words[9] == " Doctor" and weights[17, 4, 9, 3] > 0.9
