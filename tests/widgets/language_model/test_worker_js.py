"""The worker's messages: in Node, and in a browser that has opened a file of its disk."""

import base64
import json

import numpy as np
import pytest

from harness.figure import WIDGETS
from inorder.pretrained import decoder
from inorder.widgets.kit.compose import compose_module, compose_worker

pytestmark = pytest.mark.usefixtures("types_unchecked")
TEXT = "the aaab in"


def prompt(text=TEXT, slot="a", positions="trained"):
    return {"kind": "prompt", "slot": slot, "text": text, "positions": positions, "k": 3}


@pytest.fixture
def ask(engine, small):
    """ask({"kind": "prompt", …}, …): what the worker answers to these, sent at once, once it has the model."""
    size = small.path.stat().st_size

    def ask(*messages, silent=0):
        arriving = [{"kind": "part", "bytes": part} for part in ((0, 1000), (1000, size))]
        loading = [{"kind": "open", "size": size}, *arriving, {"kind": "ready"}]
        numbered = [{"id": i, **message} for i, message in enumerate([*loading, *messages], 1)]
        sent = {"loading": numbered[: len(loading)], "messages": numbered[len(loading) :]}
        return engine("worker", path=str(small.path), silent=silent, **sent)[len(loading) :]

    return ask


def test_no_room_for_the_file(engine):
    (answer,) = engine("worker", loading=[{"id": 1, "kind": "open", "size": 2**52}])
    assert answer["error"] == "There is no room for the model: it needs 4503599628 MB of this browser’s memory."


def test_a_file_that_ends_too_soon(engine, small):
    whole = {"kind": "open", "size": small.path.stat().st_size}
    loading = [whole, {"kind": "part", "bytes": (0, 1000)}, {"kind": "ready"}]
    numbered = [{"id": i, **message} for i, message in enumerate(loading, 1)]
    *_, answer = engine("worker", path=str(small.path), loading=numbered, messages=[], silent=0)
    assert answer["error"] == "The model’s file did not come whole. Press again for it."


def test_a_text_is_read_and_goes_on(ask, small):
    ids = decoder.tokenize(TEXT, small.lm).ids.tolist()
    read, *steps, rows, attention = ask(
        prompt(positions="stretched"),
        {"kind": "next", "slot": "a"},
        {"kind": "next", "slot": "a"},
        {"kind": "rows", "slot": "a"},
        {"kind": "attention", "slot": "a"},
    )
    assert read["words"] == decoder.tokenize(TEXT, small.lm).words
    best = decoder.next_tokens(TEXT, small.lm, 3, "stretched")
    assert [each["token"] for each in read["likeliest"]] == [each.token for each in best]
    probabilities = [each["probability"] for each in read["likeliest"]]
    np.testing.assert_allclose(probabilities, [each.probability for each in best], rtol=1e-4)
    for n, step in enumerate(steps, 1):
        assert not step["end"] and step["text"] == decoder.generate(TEXT, small.lm, n, positions="stretched")
    states = decoder.states(ids, small.lm, "stretched")
    assert len(rows["rows"]) == 4
    np.testing.assert_allclose(rows["rows"][2], np.asarray(states[2].x)[-1], rtol=1e-4, atol=1e-4)
    weights = np.reshape(attention["weights"], (3, attention["nHeads"], len(ids), len(ids)))
    np.testing.assert_allclose(weights[1], states[1].weights, atol=1e-5)


def test_slots_do_not_meet(ask, small):
    texts = ("in on", "on in")
    *_, one, other = ask(
        *(prompt(text, slot) for text, slot in zip(texts, "ab", strict=True)),
        {"kind": "next", "slot": "a"},
        {"kind": "next", "slot": "b"},
    )
    assert [one["text"], other["text"]] == [decoder.generate(text, small.lm, 1) for text in texts]


@pytest.mark.parametrize(
    ("message", "error"),
    [
        (prompt(""), "There is no text for the model to read."),
        (prompt("é" * 100), "The prompt has 100 tokens; this figure reads at most 64."),
        ({"kind": "next", "slot": "b"}, "The model has read no text yet."),
    ],
)
def test_each_error_is_a_sentence_and_the_worker_goes_on(ask, message, error):
    refused, after = ask(message, prompt("in"))
    assert refused["error"] == error
    assert after["words"] == ["in"]


def test_what_is_under_way_can_be_cancelled(ask):
    (after,) = ask(prompt(), prompt(), {"kind": "cancel", "last": 6}, prompt("in"), silent=3)
    assert after["id"] == 8 and after["words"] == ["in"]


def test_in_a_browser_from_its_disk(browser, small, tmp_path):
    """A Blob becomes the worker; parts, an error and a cancelled request."""
    folder = WIDGETS / "language_model" / "engine"
    client = compose_module(folder, "client.js").replace("export default", "globalThis.engine = scope0;", 1)
    data = base64.b64encode(small.path.read_bytes()).decode()
    texts = json.dumps({"source": compose_worker(folder), "data": data}).replace("</", "<\\/")
    script = f"{client}\nObject.assign(globalThis, {texts});"
    (tmp_path / "page.html").write_text(f"<!doctype html><script>{script}</script>")
    page = browser.new_page()
    page.goto((tmp_path / "page.html").as_uri())
    result = page.evaluate(
        """async (text) => {
          const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
          async function* parts() {
            for (let at = 0; at < bytes.length; at += 20000) yield bytes.slice(at, at + 20000).buffer;
          }
          const started = engine.startEngine(source);
          await started.load(parts(), bytes.length);
          const fields = { slot: "a", positions: "trained", k: 1 };
          const prompt = await started.prompt({ ...fields, text });
          const next = await started.next("a");
          const errors = [];
          const note = ({ name, message }) => errors.push([name, message]);
          await started.prompt({ ...fields, text: "" }).catch(note);
          const cancelled = started.prompt({ ...fields, text });
          started.cancel();
          await cancelled.catch(note);
          const left = started.rows("a");
          started.close();
          await left.catch(note);
          return { token: prompt.likeliest[0].token, text: next.text, errors };
        }""",
        TEXT,
    )
    cancelled = ["AbortError", "That was cancelled."]
    assert result["errors"] == [["Error", "There is no text for the model to read."], cancelled, cancelled]
    assert result["token"] == decoder.next_tokens(TEXT, small.lm, 1)[0].token
    assert result["text"] == decoder.generate(TEXT, small.lm, 1)
    broken = page.evaluate("engine.startEngine('throw new Error(\"no\")').rows('a').catch(({ message }) => message)")
    assert broken.startswith("The model could not be started: ")
    page.close()
