"""The worker's messages: in Node, and in a browser that has opened a file of its disk."""

import base64
import hashlib
import json

import numpy as np
import pytest

from harness.figure import WIDGETS
from inorder.pretrained import decoder
from inorder.widgets.kit.compose import compose_module, compose_worker

pytestmark = pytest.mark.usefixtures("types_unchecked")
TEXT = "the aaab in"


@pytest.fixture
def ask(engine, small):
    """ask({"kind": "prompt", …}, …): what the worker answers to these, sent at once after those that load the model."""
    size = small.path.stat().st_size
    digest = hashlib.sha256(small.path.read_bytes()).hexdigest()

    def ask(*messages, sha256=digest, parts=((0, 1000), (1000, size)), size=size, all_answers=False):
        arriving = [{"kind": "part", "bytes": part} for part in parts]
        loading = [{"kind": "open", "size": size, "sha256": sha256}, *arriving, {"kind": "ready"}]
        numbered = [{"id": i, **message} for i, message in enumerate([*loading, *messages])]
        answers = engine("worker", path=str(small.path), messages=numbered)
        if all_answers:
            return answers
        return [answer for answer in answers if "progress" not in answer][len(loading) :]

    return ask


def test_a_model_is_loaded_in_parts(ask, small):
    size = small.path.stat().st_size
    opened, first, last, ready = ask(all_answers=True)
    assert opened == {"id": 0, "done": True, "simd": True}
    assert first == {"id": 1, "done": True, "received": 1000, "size": size}
    assert last == {"id": 2, "done": True, "received": size, "size": size}
    assert ready["done"] and ready["shape"]["nLayers"] == 3 and ready["shape"]["vocabularySize"] == 270


def errors(answers):
    return [answer.get("error") for answer in answers]


def test_files_that_are_not_the_one_expected(ask, small):
    size = small.path.stat().st_size
    assert errors(ask(parts=((0, 999),), all_answers=True))[-1] == (
        f"Only 999 of the {size} bytes of the model’s file arrived."
    )
    assert errors(ask(sha256="0" * 64, all_answers=True))[-1].startswith("The model’s file is not the expected one: ")
    assert "longer than the 1000 bytes" in errors(ask(size=1000, all_answers=True))[2]
    assert "cannot have 0 bytes" in errors(ask(size=0, all_answers=True))[0]
    assert errors(ask(size=2**52, all_answers=True))[0] == (
        "There is no room for the model: it needs 4503599628 MB of this browser’s memory."
    )
    (refused,) = ask({"kind": "prompt", "text": TEXT}, sha256="0" * 64)
    assert refused["error"] == "The model has not been loaded yet."


def test_a_text_is_read_and_goes_on(ask, small):
    ids = decoder.tokenize(TEXT, small.lm).ids.tolist()
    answers = ask(
        {"kind": "tokenize", "text": f"{TEXT}\x01"},
        {"kind": "prompt", "text": TEXT, "positions": "stretched", "k": 3},
        {"kind": "next"},
        {"kind": "next"},
        {"kind": "next", "token": 2},
        {"kind": "rows"},
        {"kind": "attention", "layer": 1, "head": 3},
        all_answers=True,
    )
    progress = [answer["progress"] for answer in answers if "progress" in answer]
    assert progress == [{"layer": layer, "nLayers": 3} for layer in range(3)]
    tokens, prompt, *steps, end, rows, attention = [answer for answer in answers if "progress" not in answer][4:]
    assert tokens["ids"] == ids and tokens["unreadable"] == ["\x01"]
    assert tokens["words"] == prompt["words"] == decoder.tokenize(TEXT, small.lm).words
    assert prompt["ids"] == ids and prompt["positions"] == [2 * i for i in range(len(ids))]

    theirs = decoder.logits(ids, small.lm, "stretched")[-1]
    np.testing.assert_allclose(prompt["logits"], theirs, rtol=1e-5, atol=2e-5)
    best = decoder.next_tokens(TEXT, small.lm, 3, "stretched")
    assert [each["token"] for each in prompt["likeliest"]] == [each.token for each in best]
    probabilities = [each["probability"] for each in prompt["likeliest"]]
    np.testing.assert_allclose(probabilities, [each.probability for each in best], rtol=1e-4)

    new = list(decoder.new_tokens(ids, small.lm, 2, positions="stretched"))
    assert [step["token"] for step in steps] == new and not any(step["end"] for step in steps)
    assert [step["position"] for step in steps] == [2 * len(ids), 2 * len(ids) + 2]
    assert steps[1]["text"] == decoder.generate(TEXT, small.lm, 2, positions="stretched")
    np.testing.assert_allclose(
        steps[1]["logits"], decoder.logits([*ids, *new], small.lm, "stretched")[-1], rtol=1e-5, atol=2e-5
    )
    assert end["end"] and end["word"] == "<|im_end|>" and end["text"] == steps[1]["text"] and "logits" not in end

    states = decoder.states(ids, small.lm, "stretched")
    assert (rows["n"], rows["dModel"], len(rows["rows"])) == (len(ids), 64, 4)
    np.testing.assert_allclose(rows["rows"][2].reshape(len(ids), 64), states[2].x, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(attention["weights"].reshape(len(ids), -1), states[1].weights[3], atol=1e-5)


def test_slots_do_not_meet_and_rows_may_be_reordered(ask, small):
    ids = decoder.tokenize(TEXT, small.lm).ids.tolist()
    order = list(range(len(ids)))[::-1]
    a, b, after_a, _, gone, after_b = ask(
        {"kind": "prompt", "slot": "a", "ids": ids, "positions": "unrotated"},
        {"kind": "prompt", "slot": "b", "ids": ids, "order": order},
        {"kind": "next", "slot": "a"},
        {"kind": "drop", "slot": "a"},
        {"kind": "next", "slot": "a"},
        {"kind": "next", "slot": "b"},
    )
    np.testing.assert_allclose(a["logits"], decoder.logits(ids, small.lm, "unrotated")[-1], rtol=1e-5, atol=2e-5)
    np.testing.assert_allclose(b["logits"], decoder.logits(ids, small.lm, order=order)[-1], rtol=1e-5, atol=2e-5)
    assert after_a["token"] == a["likeliest"][0]["id"] and after_b["token"] == b["likeliest"][0]["id"]
    assert gone["error"] == "The model has read no text yet."


@pytest.mark.parametrize(
    ("message", "error"),
    [
        ({"kind": "prompt", "text": ""}, "There is no text for the model to read."),
        ({"kind": "prompt"}, "There is no text for the model to read."),
        ({"kind": "prompt", "text": "a\x01\x01"}, 'The model has no tokens for "\\u0001".'),
        ({"kind": "prompt", "text": "é" * 10_000}, "The text has 10000 tokens, and this page reads at most 512."),
        ({"kind": "prompt", "text": "in", "order": [1]}, "The rows need an order of all 1 tokens, each once."),
        ({"kind": "prompt", "ids": [999]}, "The model has tokens from 0 to 269, and 999 is not one of them."),
        ({"kind": "next"}, "The model has read no text yet."),
        ({"kind": "rows"}, "The model has read no text yet."),
        ({"kind": "attention", "layer": 0, "head": 0}, "The model has read no text yet."),
        ({"kind": "sing"}, 'The model is asked for "sing", which it does not know.'),
        ({"kind": "toString"}, 'The model is asked for "toString", which it does not know.'),
        ({"kind": "part", "bytes": [0, 3]}, "No model’s file is being loaded."),
        ({"kind": "ready"}, "No model’s file is being loaded."),
    ],
)
def test_each_error_is_a_sentence_and_the_worker_goes_on(ask, message, error):
    refused, after = ask(message, {"kind": "prompt", "text": "in"})
    assert refused["error"] == error
    assert after["done"]


def test_what_is_under_way_can_be_cancelled(ask):
    long = {"kind": "prompt", "ids": [7] * 500}
    answers = ask(long, {"kind": "prompt", "text": "in"}, {"kind": "cancel"})
    assert [answer.get("cancelled") for answer in answers] == [True, True]
    prompt, step, _, after = ask(
        {"kind": "prompt", "text": "in"},
        {"kind": "next", "token": 7},
        {"kind": "prompt", "slot": "other", "text": "in"},
        {"kind": "cancel", "of": 5},
        {"kind": "next", "token": 9},
    )
    assert prompt["done"] and step["cancelled"] and after["text"] == after["word"]


def test_in_a_browser_from_its_disk(browser, small, tmp_path):
    """A Blob becomes the worker; both kernels; parts, progress, an error and a cancelled request."""
    folder = WIDGETS / "language_model" / "engine"
    client = compose_module(folder, "client.js").replace("export default", "globalThis.engine = scope0;", 1)
    data = base64.b64encode(small.path.read_bytes()).decode()
    texts = json.dumps({"source": compose_worker(folder), "data": data}).replace("</", "<\\/")
    script = f"{client}\nObject.assign(globalThis, {texts});"
    (tmp_path / "page.html").write_text(f"<!doctype html><script>{script}</script>")
    page = browser.new_page()
    page.goto((tmp_path / "page.html").as_uri())
    ids = decoder.tokenize(TEXT, small.lm).ids.tolist()
    for simd in (True, False):
        result = page.evaluate(
            """async ([text, simd]) => {
              const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
              async function* parts() {
                for (let at = 0; at < bytes.length; at += 20000) yield bytes.slice(at, at + 20000).buffer;
              }
              const started = engine.startEngine(source);
              const sizes = [];
              const onProgress = ({ received }) => sizes.push(received);
              const ready = await started.load(parts(), { size: bytes.length, simd, onProgress });
              const prompt = await started.prompt({ text });
              const next = await started.next();
              const errors = [];
              await started.prompt({ text: "" }).catch(({ name, message }) => errors.push([name, message]));
              const cancelled = started.prompt({ ids: Array(500).fill(7) });
              started.cancel();
              await cancelled.catch(({ name, message }) => errors.push([name, message]));
              const left = started.rows();
              started.close();
              await left.catch(({ name, message }) => errors.push([name, message]));
              return { ready, sizes, logits: [...prompt.logits], token: next.token, errors };
            }""",
            [TEXT, simd],
        )
        assert result["ready"]["simd"] == simd and result["sizes"][-1] == small.path.stat().st_size
        np.testing.assert_allclose(result["logits"], decoder.logits(ids, small.lm)[-1], rtol=1e-5, atol=2e-5)
        assert result["token"] == np.argmax(result["logits"])
        cancelled = ["AbortError", "That was cancelled."]
        assert result["errors"] == [["Error", "There is no text for the model to read."], cancelled, cancelled]
    quiet = """async () => {
      const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
      const { shape } = await engine.startEngine(source).load([bytes.buffer], { size: bytes.length });
      return shape.nLayers;
    }"""
    assert page.evaluate(quiet) == 3  # nobody has asked for progress
    broken = page.evaluate(
        "engine.startEngine('throw new Error(\"no\")').tokenize('a').catch(({ message }) => message)"
    )
    assert broken.startswith("The model could not be started: ")
    page.close()
