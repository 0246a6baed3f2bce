"""AttentionMap: what it takes, refuses and sends; and in a real browser its numbers, controls and words."""

import base64
import io

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.image import imread

from harness.figure import PHONE
from inorder.palette import LIGHT
from inorder.transformer import TransformerConfig, decode, init_parameters, layer_states
from inorder.widgets import AttentionMap
from inorder.widgets.attention_map.arrays import as_layers, later_share, look_back, pack_head, thumbnails, unpack_head
from inorder.widgets.attention_map.words import BYTES, spell, token_names

WORDS = ["the", "cat", "sat", "down", "on", "the", "mat"]


def softmax_weights(*shape: int, seed: int = 0, causal: bool = False) -> np.ndarray:
    """Random weights whose rows sum to 1."""
    scores = 2 * np.random.default_rng(seed).normal(size=shape)
    if causal:
        scores = np.where(np.tri(*shape[-2:], shape[-1] - shape[-2], dtype=bool), scores, -np.inf)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def example(**options) -> AttentionMap:
    return AttentionMap(softmax_weights(3, 4, 7, 7, causal=True), WORDS, **options)


# ------------------------------------------------------------------------------------------------------ what it takes


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float64])
def test_a_tensor_with_a_gradient(dtype):
    weights = torch.from_numpy(softmax_weights(2, 3, 5, 7)).to(dtype).requires_grad_()
    figure = AttentionMap(weights, layer=1, head=2, aligned=False)
    np.testing.assert_array_equal(figure.weights, weights[1, 2].detach().double().numpy())
    assert figure.data["odd_rows"] == [[0] * 3] * 2


def test_other_layouts():
    weights = softmax_weights(2, 3, 5, 7)
    for given_ in (tuple(torch.from_numpy(weights)), list(weights[:, None]), weights.tolist()):
        layers, _ = as_layers(given_)
        np.testing.assert_array_equal(np.array(layers), weights)
    assert AttentionMap(weights[0]).data["shape"] == [1, 3, 5, 7]
    assert AttentionMap(weights[0, 0]).data["shape"] == [1, 1, 5, 7]
    assert AttentionMap(weights[0, 0]).view == "lines"


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ones(3), "leading axes, got (3,)"),
        ([], 'one layer or more, got none (a transformers model loaded with attn_implementation="eager"'),
        ("weights", "an array, a tensor or a list of layers, got str"),
        ([[[1.0, 2.0], [1.0]]], "rows of equal length"),
        (np.ones((1, 1, 2, 2), dtype=complex), "real numbers"),
        ([np.ones((2, 3, 4)), np.ones((2, 3, 5))], "(2, 3, 4) and (2, 3, 5)"),
        ([np.ones((2, 2, 3, 4))], "one text of a batch, got (2, 2, 3, 4)"),
        ([None, None], 'attn_implementation="eager"'),
        (np.ones((65, 64, 1, 1)), "up to 4096 heads in all layers, got 4160"),
        (np.ma.masked_array(np.ones((4, 4)), mask=True), "weights must be without a mask, got a masked array"),
        (torch.eye(3).to_sparse(), "Use Tensor.to_dense"),
    ],
)
def test_what_it_refuses(weights, message):
    with pytest.raises(ValueError) as error:
        AttentionMap(weights)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("value", "message"), [(np.nan, "finite"), (np.inf, "finite"), (-0.1, "0 or more (not scores")]
)
def test_a_number_that_is_no_weight_is_named(value, message):
    weights = softmax_weights(2, 3, 5, 7)
    weights[1, 2, 3, 4] = value
    with pytest.raises(ValueError, match="in layer 1, head 2, query 3, key 4") as error:
        AttentionMap(weights)
    assert message in str(error.value)


def test_tokens_that_do_not_fit():
    weights = softmax_weights(2, 3, 5, 7)
    for tokens, key_tokens, message in (
        ("a b c d", None, "expected 5 tokens, one for each query, got 4"),
        ("a b c d e", None, "expected key_tokens for the 7 keys, which are not the 5 queries, got none"),
        ([1, 2, 3, 4, 5], None, "query tokens as strings, got [1]"),
        (["x" * 201, *"bcde"], "a b c d e f g", "up to 200 characters, got one of 201"),
    ):
        with pytest.raises(ValueError) as error:
            AttentionMap(weights, tokens, key_tokens)
        assert message in str(error.value)
    with pytest.raises(ValueError, match="aligned keys, at least as many as the 7 queries, got 5"):
        AttentionMap(softmax_weights(1, 1, 7, 5), aligned=True)


def test_a_window_lies_inside_the_matrix():
    figure = example()
    for window in ([0, 0, 8, 1], [0, 0, 0, 1], [-1, 0, 2, 1], [1]):
        with pytest.raises(ValueError, match="window"):
            figure.window = window
    assert figure.window == []


def test_without_alignment_nothing_is_later():
    figure = AttentionMap(softmax_weights(2, 3, 5, 7), "a b c d e", "t u v w x y z")
    assert not figure.triangle
    assert "later" not in figure.note()
    for name, value in (("triangle", True), ("order", "look back")):
        with pytest.raises(ValueError, match="aligned"):
            setattr(figure, name, value)


# ----------------------------------------------------------------------------------------------------- other libraries

CONFIG = {"attn_implementation": "eager"}
IDS = torch.tensor([[3, 4, 5, 6, 7], [7, 6, 5, 4, 3]])


def assert_layers(figure, attentions, first=0):
    for got, right in zip(figure.layers, attentions, strict=True):
        np.testing.assert_allclose(got, right[0, :, first:].detach(), atol=1e-5)


class Tokenizer:
    def convert_ids_to_tokens(self, ids):
        return [f"<{i}>" for i in ids]


@pytest.fixture(scope="module")
def models():
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(0)
    bert = transformers.BertConfig(
        vocab_size=50, hidden_size=16, num_hidden_layers=2, num_attention_heads=4, intermediate_size=16, **CONFIG
    )
    gpt2 = transformers.GPT2Config(
        vocab_size=50, n_positions=40, n_embd=16, n_layer=2, n_head=4, bos_token_id=0, eos_token_id=49, **CONFIG
    )
    t5 = transformers.T5Config(
        vocab_size=50, d_model=16, d_kv=8, d_ff=16, num_layers=2, num_heads=4, decoder_start_token_id=0, **CONFIG
    )
    return {
        "bert": transformers.BertModel(bert).eval(),
        "gpt2": transformers.GPT2LMHeadModel(gpt2).eval(),
        "t5": transformers.T5ForConditionalGeneration(t5).eval(),
    }


def test_from_an_encoder(models):
    outputs = models["bert"](IDS, output_attentions=True)
    figure = AttentionMap.from_transformers(outputs, Tokenizer(), input_ids=IDS, batch=1, layer=1, head=3)
    np.testing.assert_array_equal(figure.weights, outputs.attentions[1][1, 3].detach().numpy())
    assert figure.tokens == figure.key_tokens == ["<7>", "<6>", "<5>", "<4>", "<3>"]
    assert not figure.triangle
    for options, message in (
        ({"tokens": Tokenizer()}, "ids that the model was given"),
        ({"tokens": list("abcde"), "batch": 2}, "batch from 0 to 1, got 2"),
        ({"tokens": list("abcde"), "attention": "cross"}, "attention to be one of self, got 'cross'"),
    ):
        with pytest.raises(ValueError) as error:
            AttentionMap.from_transformers(outputs, **options)
        assert message in str(error.value)


@pytest.mark.parametrize("settings", [{"use_cache": False}, {"cache_implementation": "static"}], ids=str)
def test_the_rows_of_a_generation_are_joined(models, settings):
    """An invariant: what the model looked at step by step is what it looks at when it reads the text at once."""
    asked = {"return_dict_in_generate": True, "output_attentions": True, "do_sample": False, "pad_token_id": 0}
    outputs = models["gpt2"].generate(IDS[:1], max_new_tokens=4, **asked, **settings)
    figure = AttentionMap.from_transformers(outputs, Tokenizer())
    read = outputs.sequences[:, :-1]  # the last token was generated and not read
    whole = models["gpt2"](read, output_attentions=True)
    assert figure.data["shape"] == [2, 4, 8, 8] and figure.triangle
    assert figure.tokens == Tokenizer().convert_ids_to_tokens(read[0].tolist())
    assert_layers(figure, whole.attentions)
    beams = models["gpt2"].generate(IDS[:1], max_new_tokens=2, num_beams=2, **asked)
    with pytest.raises(ValueError, match="beam search"):
        AttentionMap.from_transformers(beams, Tokenizer())


def test_from_an_encoder_decoder(models):
    outputs = models["t5"](input_ids=IDS[:1], decoder_input_ids=IDS[:1, :3], output_attentions=True)
    with pytest.raises(ValueError, match="one of encoder, decoder, cross, got None"):
        AttentionMap.from_transformers(outputs, Tokenizer())
    ids = {"input_ids": IDS[:1], "decoder_input_ids": IDS[:1, :3]}
    for attention, shape in (("encoder", [5, 5]), ("decoder", [3, 3]), ("cross", [3, 5])):
        figure = AttentionMap.from_transformers(outputs, Tokenizer(), attention=attention, **ids)
        assert figure.data["shape"][2:] == shape == [len(figure.tokens), len(figure.key_tokens)]
        expected = getattr(outputs, f"{attention}_attentions")[0][0, 0].detach().numpy()
        np.testing.assert_array_equal(figure.weights, expected)
        assert figure.data["aligned"] == (attention != "cross")
    frames = [f"{20 * i} ms" for i in range(5)]  # of sound, which have no ids: the tokenizer names the queries alone
    by_hand = AttentionMap.from_transformers(
        outputs, Tokenizer(), frames, decoder_input_ids=IDS[:1, :3], attention="cross"
    )
    assert (by_hand.tokens, by_hand.key_tokens) == (["<3>", "<4>", "<5>"], frames)
    numbered = AttentionMap.from_transformers(outputs, list("abc"), attention="cross")
    assert (numbered.tokens, numbered.key_tokens) == (list("abc"), list("01234"))
    assert AttentionMap.from_transformers(outputs, attention="encoder").tokens == list("01234")


@pytest.mark.parametrize("settings", [{}, {"use_cache": False}], ids=str)
def test_a_generation_of_an_encoder_decoder(models, settings):
    asked = {"return_dict_in_generate": True, "output_attentions": True, "do_sample": False, "eos_token_id": None}
    outputs = models["t5"].generate(IDS[:1], max_new_tokens=4, **asked, **settings)
    read = outputs.sequences[:, :-1]
    whole = models["t5"](input_ids=IDS[:1], decoder_input_ids=read, output_attentions=True)
    for attention in ("decoder", "cross"):
        figure = AttentionMap.from_transformers(outputs, Tokenizer(), input_ids=IDS[:1], attention=attention, layer=1)
        expected = getattr(whole, f"{attention}_attentions")[1][0, 0].detach().numpy()
        np.testing.assert_allclose(figure.weights, expected, atol=1e-6)
        assert len(figure.tokens) == read.shape[1]


def test_a_whole_output_is_sent_where_it_belongs(models):
    outputs = models["bert"](IDS, output_attentions=True)
    with pytest.raises(ValueError, match=r"goes into AttentionMap\.from_transformers"):
        AttentionMap(outputs)
    parts = {"text_model_output": outputs, "vision_model_output": outputs}  # as CLIP's are
    with pytest.raises(ValueError, match=r"pass \.text_model_output or \.vision_model_output"):
        AttentionMap.from_transformers(parts, list("abcde"))


class ByteLevel:
    """A byte-level BPE with a token for each text, as GPT-2's spells it."""

    texts = (b"Die", " Tür".encode(), " größere".encode(), b",", b" ", *(bytes([byte]) for byte in "猫".encode()))

    def convert_ids_to_tokens(self, ids):
        letters = {byte: letter for letter, byte in BYTES.items()}
        return ["".join(letters[byte] for byte in self.texts[i]) for i in ids]

    def decode(self, ids, clean_up_tokenization_spaces=None):
        return b"".join(self.texts[i] for i in ids).decode(errors="replace")


def test_tokens_of_a_byte_level_tokenizer_are_text():
    assert ByteLevel().convert_ids_to_tokens([1, 2]) == ["ĠTÃ¼r", "ĠgrÃ¶ÃŁere"]
    assert token_names(ByteLevel(), list(range(8))) == [
        *("Die", " Tür", " größere", ",", " "),
        *("<0xE7>", "<0x8C>", "<0xAB>"),
    ]


def test_tokens_of_other_tokenizers_stay():
    class WordPiece:
        words = ("[CLS]", "caf", "##é", "é", "▁the", "Ä")

        def convert_ids_to_tokens(self, ids):
            return [self.words[i] for i in ids]

        def decode(self, ids, clean_up_tokenization_spaces=None):
            return " ".join(self.words[i].replace("▁", "") for i in ids)

    assert token_names(WordPiece(), list(range(6))) == list(WordPiece.words)


def test_from_inorder():
    config = TransformerConfig(vocabulary_size=9, d_model=8, n_heads=2, d_ff=16, n_layers=3, position="rotary")
    parameters = init_parameters(config, np.random.default_rng(0))
    tokens, positions = np.array([[3, 1, 4, 1, 5], [2, 6, 5, 3, 5]]), np.arange(5)
    states = list(layer_states(tokens, parameters, config, positions=positions))
    figure = AttentionMap.from_inorder(states, "a b c d e", batch=1, layer=2, head=1)
    np.testing.assert_array_equal(figure.weights, states[2].weights[1, 1])
    with pytest.raises(ValueError, match="one text"):
        AttentionMap.from_inorder(states, "a b c d e")
    with pytest.raises(ValueError, match="layer_states"):
        AttentionMap.from_inorder([figure.weights], "a b c d e")
    _, cache = decode(tokens[0, :3], parameters, config, positions=positions[:3])
    later = layer_states(tokens[0, 3:], parameters, config, positions=positions[3:], cache=cache)
    continued = AttentionMap.from_inorder(later, "a b c d e")
    assert (continued.tokens, continued.key_tokens) == (["d", "e"], list("abcde"))
    assert continued.data["aligned"]


# ------------------------------------------------------------------------------------------------- measures and packing


def test_measures():
    steps = np.zeros((3, 4, 6))
    for query in range(4):
        steps[0, query, query + 2] = 1  # its own place: 6 keys, the last 4 are the queries
        steps[1, query, query] = 1
        steps[2, query, min(query + 3, 5)] = 1
    np.testing.assert_allclose(look_back(steps), [0, 2, -0.75])
    np.testing.assert_allclose(later_share(steps), [0, 0, 0.75])
    assert look_back(np.zeros((2, 3, 3))).tolist() == [0, 0]


@given(st.integers(0, 2**32), st.integers(1, 9), st.integers(1, 9), st.sampled_from([8, 16]))
def test_packing_keeps_the_precision_it_states(seed, n_query, n_key, bits):
    weights = softmax_weights(n_query, n_key, seed=seed) * np.random.default_rng(seed).uniform(0, 2, (n_query, 1))
    rest = unpack_head(pack_head(weights, bits), (n_query, n_key), bits)
    largest = weights.max(axis=1, keepdims=True)
    assert (abs(rest - weights) <= largest * (0.5 / (2**bits - 1) + 1e-6)).all()


def test_thumbnails_show_the_largest_of_each_block():
    layers = list(softmax_weights(2, 3, 100, 70))
    pictures, largest = thumbnails(layers)
    assert pictures.shape == (2, 3, 48, 48)
    for row, column in ((0, 0), (17, 31), (47, 47)):
        block = layers[1][2][row * 100 // 48 : (row + 1) * 100 // 48, column * 70 // 48 : (column + 1) * 70 // 48]
        assert abs(pictures[1, 2, row, column] / 255 * largest[1, 2] - block.max()) <= largest[1, 2] / 500


def test_what_travels_stays_within_the_budget():
    weights = softmax_weights(2, 8, 200, 200)
    sizes = {}
    for budget in (0, 100_000, 200_000, 2_000_000):
        data = AttentionMap(weights, budget=budget, layer=1, head=3).data
        sizes[budget] = len(data["heads"])
        assert sum(map(len, data["heads"].values())) <= budget
        assert list(data["heads"])[:1] in ([], ["1/3"])
    assert sizes[0] == 0 < sizes[100_000] < sizes[200_000] < sizes[2_000_000] == 16


def test_the_kernel_answers_for_heads_that_exist():
    figure = example(budget=0)
    sent = []
    figure.send = lambda content, buffers: sent.append((content["head"], buffers[0]))
    figure._answer(figure, {"heads": ["2/3", "9/0", "0/9", "0/mean", "x", None, "-1/0", "0/__class__"]}, [])
    for nonsense in ({}, None, {"heads": "0/0"}, {"heads": 3}, []):
        figure._answer(figure, nonsense, [])
    assert [name for name, _ in sent] == ["2/3", "0/mean"]
    weights = softmax_weights(3, 4, 7, 7, causal=True)
    np.testing.assert_allclose(unpack_head(sent[0][1], (7, 7), 16), weights[2, 3], atol=1e-5)
    np.testing.assert_allclose(unpack_head(sent[1][1], (7, 7), 16), weights[0].mean(axis=0), atol=1e-5)


# ----------------------------------------------------------------------------------------- arithmetic in JavaScript


@pytest.fixture(scope="module")
def arithmetic(functions):
    """The functions of attention_map/data.js."""
    return functions("attention_map/data.js")


@pytest.mark.parametrize("seed", range(2))
def test_shares_of_full_colour(arithmetic, seed):
    rng = np.random.default_rng(seed)
    n_query, n_key, ahead, threshold = int(rng.integers(1, 9)), int(rng.integers(2, 9)), int(rng.integers(0, 3)), 0.1
    weights = softmax_weights(n_query, n_key, seed=seed)
    later = ~np.tri(n_query, n_key, ahead, dtype=bool)
    even = min(2 / n_key, 1)
    tops = {"head": max(weights.max(), even), "row": np.maximum(weights.max(axis=1, keepdims=True), even), "one": 1}
    for scale, full in tops.items():
        state = {"threshold": threshold, "triangle": True, "scale": scale}
        now = {"state": state, "data": {"shape": [1, 1, n_query, n_key]}, "ahead": ahead}
        shape = "{ nRows, nColumns }"
        call = f"([x, nRows, nColumns, now]) => [...js.visibleShares(Float64Array.from(x), {shape}, now).shares]"
        shares = arithmetic.script(call, [weights.ravel(), n_query, n_key, now])
        result = np.array([np.nan if x is None else x for x in shares], dtype=float).reshape(weights.shape)
        expected = np.where(later, np.nan, np.where(weights >= threshold, weights, 0) / full)
        np.testing.assert_allclose(result, expected, atol=1e-6)


@given(st.lists(st.floats(0, 1, width=32), min_size=1, max_size=200), st.integers(1, 50))
def test_the_strongest_are_the_strongest(arithmetic, shares, count):
    call = "([s, n]) => js.strongest(Float32Array.from(s), n)"
    result = arithmetic.script(call, [shares, count])
    assert len(result) <= count
    assert len(set(result)) == len(result)
    chosen = [shares[i] for i in result]
    left = [x for i, x in enumerate(shares) if i not in result]
    assert all(x > 0 for x in chosen)
    assert result or not any(shares)
    if chosen and left:
        assert max(left) <= min(chosen) + 1 / 1024 + 1e-6  # they are counted in bins of this width


# ---------------------------------------------------------------------------------------------------- in a real browser


def ready(figure):
    """What is packed is unpacked soon, not at once."""
    figure.page.wait_for_function(
        """said => document.querySelector('.inorder-summary').textContent === said[0]
          && document.querySelector('.inorder-answer .inorder-note').textContent === said[1]""",
        arg=[figure.python.summary(), figure.python.note()],
    )
    return figure


def reading(figure):
    """(query, key, value) in full precision, of what the readout says."""
    number = figure.figure.locator('[data-name="weight"]')
    data = [number.get_attribute(f"data-{name}") for name in ("row", "col", "value")]
    return int(data[0]), int(data[1]), float(data[2])


def assert_reads(figure, query, key):
    at = reading(figure)
    assert at[:2] == (query, key)
    assert at[2] == pytest.approx(figure.python.weights_on_page[query, key], abs=1e-9)


@pytest.mark.parametrize("view", ["matrix", "lines"])
def test_numbers_and_words_are_pythons(mount, view):
    figure = ready(mount(example(view=view, layer=2, head=1, query=5, key=2)))
    for combine in ("none", "mean", "max"):
        figure.python.combine = combine
        figure.drive(combine=combine)
        ready(figure)
        assert_reads(figure, 5, 2)


def test_controls(mount):
    figure = ready(mount(example()))
    controls = figure.figure.locator(".inorder-controls")
    for label, option, name, value in (
        ("Layer", "2", "layer", 2),
        ("Head", "3", "head", 3),
        ("Head", "average of all", "combine", "mean"),
        ("Head", "0", "combine", "none"),
    ):
        controls.get_by_label(label, exact=True).select_option(label=option)
        assert getattr(figure.sync(), name) == value
    open_folds(figure)
    figure.figure.get_by_role("radio", name="weight 1").check()
    figure.figure.get_by_role("radio", name="by how far back they look").check()
    figure.figure.get_by_label("Blank below, as a number").fill("0.25")
    figure.figure.get_by_role("switch", name="Hatch later tokens").click()
    controls.get_by_role("radio", name="Matrix").check()
    python = figure.sync()
    assert (python.scale, python.order, python.threshold) == ("one", "look back", 0.25)
    assert (python.triangle, python.view, python.head) == (False, "matrix", 0)
    ready(figure)


def open_folds(figure):
    for fold in figure.figure.locator(".inorder-fold > summary").all():
        fold.click()


def test_one_head_in_every_layer(mount):
    figure = ready(mount(example(head=2, triangle=False)))  # without hatching
    open_folds(figure)
    layers = figure.figure.locator(".inorder-in-layer")
    assert layers.all_inner_texts() == ["layer 0", "layer 1", "layer 2"]
    layers.nth(1).click()
    assert (figure.sync().layer, figure.python.head) == (1, 2)
    ready(figure)
    pressed = layers.evaluate_all("all => all.map((one) => one.getAttribute('aria-pressed'))")
    assert pressed == ["false", "true", "false"]


def test_what_is_printed_is_painted_before(mount):
    figure = ready(mount(example()))
    figure.page.evaluate("document.body.style.paddingTop = '4000px'")
    blank = """(selector) => [...document.querySelectorAll(selector)].filter((one) => {
      const other = Object.assign(document.createElement("canvas"), { width: one.width, height: one.height });
      return one.toDataURL() === other.toDataURL();
    }).length"""
    unpainted = {".inorder-thumbnails": 0, ".inorder-in-layer canvas": 3}
    assert {selector: figure.page.evaluate(blank, selector) for selector in unpainted} == unpainted
    figure.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert [figure.page.evaluate(blank, selector) for selector in unpainted] == [0, 0]


def test_grid(mount):
    figure = ready(mount(example()))
    heads = figure.figure.locator(".inorder-thumbnail")
    assert heads.count() == 12
    figure.figure.get_by_role("button", name="Layer 1, head 2, looks back").click()
    assert (figure.sync().layer, figure.python.head) == (1, 2)
    ready(figure)
    keyboard = figure.page.keyboard
    moves = {"ArrowRight": (1, 3), "ArrowUp": (0, 3), "End": (2, 3), "ArrowDown": (2, 3), "Home": (0, 0)}
    for key, place in moves.items():
        keyboard.press(key)
        assert (figure.sync().layer, figure.python.head) == place
        assert figure.page.evaluate("document.activeElement.getAttribute('aria-pressed')") == "true"
    assert figure.figure.locator('.inorder-thumbnail[tabindex="0"]').count() == 1
    keyboard.press("Enter")
    assert figure.sync().view == "matrix"


def test_heads_sorted_by_how_far_back_they_look(mount):
    figure = mount(example(order="look back"))
    buttons = figure.figure.locator(".inorder-thumbnail")
    names = buttons.evaluate_all("all => all.map((one) => one.title)")
    far = np.array(figure.python.data["look_back"])
    order = np.argsort(-far, axis=None, kind="stable")
    assert [name.split(", looks")[0] for name in names] == [f"Layer {i // 4}, head {i % 4}" for i in order]


def colours(figure, selector):
    """(row, column, 3), from 0 to 255: what stands on a canvas."""
    address = figure.figure.locator(selector).first.evaluate("canvas => canvas.toDataURL()")
    return 255 * imread(io.BytesIO(base64.b64decode(address.partition(",")[2])))[..., :3]


def test_the_picture_is_darker_where_the_weight_is_larger(mount):
    """Cells of a matrix of 5 × 9, none of which can pass for its transpose."""
    weights = softmax_weights(1, 1, 5, 9, seed=3)
    figure = ready(mount(AttentionMap(weights, view="matrix")))
    picture = colours(figure, ".inorder-heat")
    height, width = picture.shape[0] / 5, picture.shape[1] / 9
    # the upper left of each cell, clear of its number
    result = picture[((np.arange(5) + 0.15) * height).astype(int)][:, ((np.arange(9) + 0.15) * width).astype(int)].sum(
        2
    )
    assert (np.argsort(-result, axis=None)[-6:] == np.argsort(weights[0, 0], axis=None)[-6:]).all()
    assert np.corrcoef(result.ravel(), weights.ravel())[0, 1] < -0.999


def test_a_thin_diagonal_survives_where_there_are_more_cells_than_pixels(mount):
    weights = np.eye(1500, k=-1)
    weights[0, 0] = 1
    figure = ready(mount(AttentionMap(weights, view="matrix", triangle=False, budget=10_000_000)))
    picture = colours(figure, ".inorder-heat").sum(axis=2)
    n_rows, n_columns = picture.shape
    assert max(n_rows, n_columns) < 1500
    places = [(row, round(row * n_columns / n_rows)) for row in range(5, n_rows - 5)]
    full_colour = sum(int(LIGHT["ink"][at : at + 2], 16) for at in (1, 3, 5))
    assert all(picture[row, column - 2 : column + 3].min() < full_colour + 30 for row, column in places)


def test_matrix_by_mouse(mount):
    figure = ready(mount(example(view="matrix", query=0)))
    heat = figure.figure.locator(".inorder-heat")
    box = heat.bounding_box()

    def at(query, key):
        return {"x": (key + 0.5) * box["width"] / 7, "y": (query + 0.5) * box["height"] / 7}

    heat.hover(position=at(4, 2))
    assert_reads(figure, 4, 2)
    assert figure.sync().query == 0  # a look leaves no trace
    figure.figure.locator(".inorder-title").hover()
    assert_reads(figure, 0, 0)
    heat.click(position=at(6, 3))
    assert (figure.sync().query, figure.python.key) == (6, 3)
    ready(figure)
    figure.press("Zoom in")
    assert figure.sync().window[2:] == [4, 4]
    row, column = figure.python.window[:2]
    assert row <= 6 < row + 4
    assert column <= 3 < column + 4
    before = figure.python.window
    figure.page.mouse.move(box["x"] + 50, box["y"] + 50)
    figure.page.mouse.down()
    figure.page.mouse.move(box["x"] + 50, box["y"] + box["height"] / 2, steps=3)
    figure.page.mouse.up()
    assert figure.sync().window[0] < before[0]
    assert figure.python.query == 6  # a drag chooses nothing
    figure.press("Show all")
    assert figure.sync().window == []
    assert figure.figure.get_by_role("button", name="Zoom out").is_disabled()


def test_matrix_by_keyboard(mount):
    figure = ready(mount(example(view="matrix", query=0)))
    figure.figure.locator(".inorder-heat").focus()
    press = figure.page.keyboard.press
    for key, place in (
        ("ArrowDown", (1, 0)),
        ("ArrowRight", (1, 1)),
        ("End", (1, 6)),
        ("PageDown", (6, 6)),
        ("Control+Home", (0, 0)),
        ("ArrowUp", (0, 0)),
        ("Control+End", (6, 6)),
    ):
        press(key)
        assert (figure.sync().query, figure.python.key) == place
        assert_reads(figure, *place)
    press("+")
    press("+")
    assert figure.sync().window == [5, 5, 2, 2]
    press("Control+Home")  # the window follows
    assert figure.sync().window == [0, 0, 2, 2]
    press("0")
    assert figure.sync().window == []
    ready(figure)


def test_lines(mount):
    figure = ready(mount(example(view="lines", query=0)))
    scroller = figure.figure.locator(".inorder-scroller")
    scroller.hover(position={"x": 30, "y": 5.5 * 22})
    most = int(figure.python.weights_on_page[5].argmax())
    assert_reads(figure, 5, most)
    assert figure.sync().query == 0
    box = scroller.bounding_box()
    scroller.hover(position={"x": box["width"] - 30, "y": 3.5 * 22})
    assert_reads(figure, 0, 3)
    scroller.click(position={"x": 30, "y": 4.5 * 22})
    assert figure.sync().query == 4
    for key, query in (("ArrowDown", 5), ("End", 6), ("ArrowDown", 6), ("Home", 0), ("PageDown", 6)):
        figure.page.keyboard.press(key)
        assert figure.sync().query == query
    figure.page.keyboard.press("ArrowRight")
    figure.page.mouse.move(0, 0)
    ready(figure)
    assert_reads(figure, 6, min(int(figure.python.weights_on_page[6].argmax()) + 1, 6))


def test_lines_of_a_long_text_scroll_to_the_token(mount):
    figure = ready(mount(AttentionMap(softmax_weights(1, 2, 300, 300, causal=True), view="lines", query=250)))
    top, height = figure.figure.locator(".inorder-scroller").evaluate("s => [s.scrollTop, s.clientHeight]")
    assert top <= 250 * 22 <= top + height
    figure.figure.locator(".inorder-scroller").focus()
    figure.page.keyboard.press("Home")
    assert figure.figure.locator(".inorder-scroller").evaluate("s => s.scrollTop") < 22


def test_touch(mount):
    figure = ready(mount(AttentionMap(softmax_weights(2, 3, 30, 30, causal=True), view="lines", query=0), **PHONE))
    scroller = figure.figure.locator(".inorder-scroller")
    scroller.tap(position={"x": 20, "y": 10.5 * 22})
    assert figure.sync().query == 10
    figure.figure.get_by_role("radio", name="Matrix").tap()
    heat = figure.figure.locator(".inorder-heat")
    box = heat.bounding_box()
    heat.tap(position={"x": box["width"] * 0.05, "y": box["height"] * 0.95})
    assert (figure.sync().query, figure.python.key) == (28, 1)


KERNEL = """(packed) => {
  model.send = ({ heads }) => {
    model.sent.push({ heads });
    for (const head of heads) {
      const bytes = Uint8Array.from(atob(packed[head]), (c) => c.charCodeAt(0));
      setTimeout(() => model.listeners["msg:custom"].forEach((f) => f({ head }, [new DataView(bytes.buffer)])), 20);
    }
  };
}"""


def test_with_a_kernel_a_head_is_fetched_when_it_is_looked_at(mount):
    figure = mount(example(budget=0, query=0), views=(False,))
    assert figure.summary.inner_text() == "The numbers for layer 0, head 0 are not on this page."
    packed = {}
    figure.python.send = lambda content, buffers: packed.update({content["head"]: base64.b64encode(*buffers).decode()})
    names = [f"{layer}/{name}" for layer in range(3) for name in (0, 1, 2, 3, "mean", "max")]
    figure.python._answer(figure.python, {"heads": names}, [])
    figure.page.evaluate(KERNEL, packed)
    figure.figure.get_by_role("radio", name="Matrix").check()
    figure.figure.get_by_label("Layer", exact=True).select_option("1")
    figure.sync()
    ready(figure)
    assert_reads(figure, 0, 0)
    figure.figure.get_by_label("Head", exact=True).select_option("mean")
    figure.sync()
    ready(figure)
    assert figure.page.evaluate("model.sent.flatMap(({ heads }) => heads)") == ["0/0", "1/0", "1/mean"]


def test_without_a_kernel_the_thumbnail_stands_in_and_says_so(mount):
    figure = mount(AttentionMap(softmax_weights(2, 2, 60, 60), budget=0, view="matrix"))
    figure.page.wait_for_timeout(200)
    words = figure.figure.locator(".inorder-answer .inorder-note").inner_text()
    assert "This page keeps 0 of the 4 heads, but not this one" in words
    assert "the largest weight in each block" in words
    assert figure.figure.locator('[data-name="weight"]').inner_text() == "not on this page"
    assert colours(figure, ".inorder-heat").min() < 120  # there is a picture all the same


def test_rows_that_do_not_sum_to_one_are_marked(mount):
    weights = softmax_weights(2, 2, 7, 7)
    weights[1, 0, 3] *= 0.8
    weights[1, 0, 4] = 0
    figure = ready(mount(AttentionMap(weights, WORDS, layer=1, query=3)))
    note = figure.figure.locator(".inorder-answer .inorder-note")
    assert "Of all 28 rows, 2 do not sum to 1." in note.inner_text()
    assert figure.figure.locator(".inorder-thumbnail .inorder-odd").count() == 1
    assert figure.figure.get_by_role("button", name="Layer 1, head 0, looks").get_by_text("≠1").count() == 1
    figure.figure.get_by_role("radio", name="Matrix").check()
    labels = figure.figure.locator(".inorder-row-labels span").all_inner_texts()
    assert [label.startswith("≠1") for label in labels] == [False, False, False, True, True, False, False]
    assert "its row sums to 0.800, not to 1" in figure.figure.locator(".inorder-readout").inner_text()
    figure.drive(query=4)
    figure.python.query = 4
    assert figure.python.summary() == "“on” (query 4) gives nothing any weight."
    figure.sync()
    ready(figure)


def test_threshold_and_triangle_blank_cells(mount):
    weights = np.full((1, 1, 4, 4), 0.25)
    weights[0, 0, 0] = [0.7, 0.1, 0.1, 0.1]
    figure = ready(mount(AttentionMap(weights, view="matrix", threshold=0.2)))

    def cell(picture, row, column):
        height, width = picture.shape[0] // 4, picture.shape[1] // 4
        return picture[row * height + 2 : (row + 1) * height - 2, column * width + 2 : (column + 1) * width - 2]

    picture = colours(figure, ".inorder-heat")
    assert (cell(picture, 0, 1) == 255).all()
    assert (cell(picture, 1, 1) < 255).any()
    open_folds(figure)
    figure.figure.get_by_role("switch", name="Hatch later tokens").check()
    assert len(np.unique(cell(colours(figure, ".inorder-heat"), 0, 3).reshape(-1, 3), axis=0)) == 2  # hatched
    assert "later token" in figure.figure.locator(".inorder-legend").inner_text()


def test_spell():
    assert [spell(text) for text in ("", "a\tb", "\x00", "x" * 30)] == ["␣", "a⇥b", "·", "x" * 23 + "…"]


# ---- what other models return: placed right, or refused


def small(kind, head="ForCausalLM", **changes):
    transformers = pytest.importorskip("transformers")
    sizes = {"vocab_size": 50, "hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 2}
    torch.manual_seed(0)
    config = getattr(transformers, f"{kind}Config")(**sizes | {"num_attention_heads": 4} | CONFIG | changes)
    return getattr(transformers, kind + head)(config).eval()


ASKED = {"return_dict_in_generate": True, "output_attentions": True, "do_sample": False, "pad_token_id": 0}
WINDOWS = {"use_sliding_window": True, "sliding_window": 4, "num_key_value_heads": 2}


@pytest.mark.parametrize("first_full", [1, 2])
def test_a_generation_with_sliding_layers_is_refused_once_they_drop_keys(first_full):
    model = small("Qwen2", **WINDOWS, max_window_layers=first_full)
    ids = torch.tensor([[3, 4, 5, 6, 7, 8]])
    outputs = model.generate(ids, max_new_tokens=5, eos_token_id=None, **ASKED)
    if first_full < 2:
        with pytest.raises(ValueError, match=f"in layer {first_full} .no sliding window"):
            AttentionMap.from_transformers(outputs)
        return
    whole = model(outputs.sequences[:, :-1], output_attentions=True)
    assert_layers(AttentionMap.from_transformers(outputs), whole.attentions)


@pytest.mark.parametrize("settings", [{}, {"cache_implementation": "static"}], ids=str)
def test_a_second_turn_keeps_the_keys_of_the_first(models, settings):
    if settings:
        past = models["gpt2"].generate(IDS[:1, :3], max_new_tokens=1, **ASKED).past_key_values
        outputs = models["gpt2"](IDS[:1, 3:], past_key_values=past, output_attentions=True)
        read = IDS[:1]
    else:
        past = models["gpt2"](IDS[:1, :3]).past_key_values
        outputs = models["gpt2"].generate(IDS[:1], past_key_values=past, max_new_tokens=3, eos_token_id=None, **ASKED)
        read = outputs.sequences[:, :-1]
    figure = AttentionMap.from_transformers(outputs)
    whole = models["gpt2"](read, output_attentions=True).attentions
    n = read.shape[1] - 3
    assert figure.data["shape"] == [2, 4, n, n + 3]
    assert_layers(figure, whole, first=3)


def test_the_room_of_a_static_cache_is_no_text(models):
    transformers = pytest.importorskip("transformers")
    cache = transformers.StaticCache(config=models["gpt2"].config, max_cache_len=12)
    outputs = models["gpt2"](IDS[:1], past_key_values=cache, output_attentions=True)
    whole = models["gpt2"](IDS[:1], output_attentions=True)
    assert_layers(AttentionMap.from_transformers(outputs), whole.attentions)


def test_several_texts_made_of_one_are_labelled_with_its_words(models):
    settings = ASKED | {"do_sample": True, "num_return_sequences": 2, "eos_token_id": None}
    outputs = models["t5"].generate(IDS, max_new_tokens=3, **settings)
    for batch in range(4):
        figure = AttentionMap.from_transformers(outputs, Tokenizer(), input_ids=IDS, attention="cross", batch=batch)
        assert figure.key_tokens == Tokenizer().convert_ids_to_tokens(IDS[batch // 2].tolist())
        assert figure.tokens == Tokenizer().convert_ids_to_tokens(outputs.sequences[batch, :-1].tolist())


@pytest.mark.parametrize("n", [9, 12])
def test_places_in_a_window_are_no_keys(n):
    sizes = {"attention_window": [8, 8], "max_position_embeddings": 64}
    outputs = small("Longformer", "Model", **sizes)(torch.randint(3, 50, (1, n)), output_attentions=True)
    with pytest.raises(ValueError, match="global_attentions"):
        AttentionMap.from_transformers(outputs)
    bare = type("Outputs", (), {"attentions": outputs.attentions})  # as generate passes those of LED on
    if n == 9:
        with pytest.raises(ValueError, match=r"weight on their own key|as many keys as queries"):
            AttentionMap.from_transformers(bare())


def test_keys_that_a_window_of_every_layer_dropped_are_missed():
    model = small("Mistral", sliding_window=4, num_key_value_heads=2)
    past = model(torch.arange(3, 9)[None], use_cache=True).past_key_values
    outputs = model(torch.tensor([[4, 3]]), past_key_values=past, output_attentions=True)
    with pytest.raises(ValueError, match=r"expected keys of all 8 tokens that the model has read .*, got 5"):
        AttentionMap.from_transformers(outputs)


def test_ids_and_masks_of_other_texts_are_refused():
    model = small("Llama", num_key_value_heads=2)
    ids = torch.tensor([[0, 0, 5, 6, 7], [3, 4, 5, 6, 7]])
    mask = (ids > 0).long()
    outputs = model(ids, attention_mask=mask, output_attentions=True)
    for options, message in (
        ({"input_ids": ids[:1]}, "of 2 texts, as the attentions are of, got 1"),
        ({"input_ids": torch.zeros(2, 6, dtype=torch.long)}, "ids of the 5 tokens of the weights, got 6"),
        ({"input_ids": {"input_ids": ids}}, r"input_ids of shape \(text, token\), got dict"),
        ({"tokens": None, "attention_mask": mask[:1]}, "of 2 texts, as the attentions are of, got 1"),
    ):
        with pytest.raises(ValueError, match=message):
            AttentionMap.from_transformers(outputs, batch=1, **{"tokens": Tokenizer()} | options)
    made = model.generate(ids, attention_mask=mask, max_new_tokens=3, eos_token_id=None, **ASKED)
    with pytest.raises(ValueError, match="attention_mask of 7 tokens"):
        AttentionMap.from_transformers(made, attention_mask=mask[:, 1:])


@pytest.mark.parametrize("left", [True, False])
def test_padding_is_left_out(left):
    model = small("Llama", num_key_value_heads=2)
    own = torch.tensor([[5, 6, 7]])
    zeros = torch.zeros(1, 5, dtype=torch.long)
    ids = torch.cat([zeros, own] if left else [own, zeros], dim=1)
    mask = (ids > 0).long()
    padded = model(ids, attention_mask=mask, output_attentions=True)
    alone = AttentionMap.from_transformers(model(own, output_attentions=True), list("abc"))
    tokens = [*"-----", *"abc"] if left else [*"abc", *"-----"]
    figure = AttentionMap.from_transformers(padded, tokens, attention_mask=mask)
    assert (figure.tokens, figure.triangle) == (alone.tokens, True)
    for got, right in zip(figure.layers, alone.layers, strict=True):
        np.testing.assert_allclose(got, right, atol=1e-6)
    assert figure.note() == alone.note()
    for wrong, message in (
        (0 * mask, "one or more of them 1"),
        (mask - 0.5, r"attention_mask of 1 for a token and 0 for padding, got"),
    ):
        with pytest.raises(ValueError, match=message):
            AttentionMap.from_transformers(padded, tokens, attention_mask=wrong)


def test_padding_of_a_prompt_is_left_out_of_its_generation():
    model = small("Llama", num_key_value_heads=2)
    ids, mask = torch.tensor([[0, 0, 5, 6]]), torch.tensor([[0, 0, 1, 1]])
    outputs = model.generate(ids, attention_mask=mask, max_new_tokens=4, eos_token_id=None, **ASKED)
    figure = AttentionMap.from_transformers(outputs, attention_mask=mask)
    whole = model(outputs.sequences[:, 2:-1], output_attentions=True).attentions
    assert_layers(figure, whole)


def test_a_frame():
    class Frame:
        def __init__(self, numbers):
            self.numbers = np.asarray(numbers)
            self.shape, self.dtype = self.numbers.shape, self.numbers.dtype

        def __array__(self, dtype=None, copy=None):
            return self.numbers

    even = np.full((2, 3, 4, 4), 0.25)
    np.testing.assert_array_equal(AttentionMap(Frame(even)).layers, even)
    np.testing.assert_array_equal(AttentionMap([Frame(even[0]), even[1]]).layers, even)
