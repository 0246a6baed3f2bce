"""The engine of `LanguageModel` in Chromium and Firefox on a hundred prompts in many scripts, beside `inorder`.

    make engines

Each browser reads the model's file, cuts each prompt into tokens and gives the logits after it. They should be the same
tokens, the same first choice, and logits within 1e-3 of those in float64. (In float32 `inorder` itself is up to 4e-4
away from them.) It also gives the seconds until the model is there, and its tokens a second. The exit status is 1 if a
browser is missing, or differs.
"""

import base64
import json
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from harness.aims import Aims
from harness.site import served
from inorder.pretrained import decoder
from inorder.widgets import LanguageModel
from inorder.widgets.kit.compose import compose_module, compose_worker
from language_model_prompts import PROMPTS
from tools import browser, firefox

CLOSE = 1e-3  # of logits, whose standard deviation is 4
N_NEW = 64  # tokens

LOAD = """async ({ size, sha256 }) => {
  const start = performance.now();
  const started = engine.startEngine(source);
  async function* parts() {
    const reader = (await fetch("model.gguf")).body.getReader();
    for (let one = await reader.read(); !one.done; one = await reader.read()) yield one.value.slice().buffer;
  }
  const { simd } = await started.load(parts(), { size, sha256 });
  window.started = started;
  return { simd, seconds: (performance.now() - start) / 1000 };
}"""
READ = """async (text) => {
  const { ids, logits } = await started.prompt({ text });
  const bytes = new Uint8Array(logits.buffer);
  let binary = "";
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return { ids, logits: btoa(binary) };
}"""
WRITE = """async ({ text, n }) => {
  await started.prompt({ text });
  const start = performance.now();
  for (let i = 0; i < n; i++) await started.next();
  return (1000 * n) / (performance.now() - start);
}"""

Evaluate = Callable[[str, Any], Any]


def write_page(folder: Path) -> None:
    """A page that can start the engine, beside the model's file."""
    engine = LanguageModel.folder / "engine"
    client = compose_module(engine, "client.js").replace("export default", "globalThis.engine = scope0;", 1)
    source = json.dumps(compose_worker(engine)).replace("</", "<\\/")
    page = f"<!doctype html><meta charset=utf-8><script>{client}\nwindow.source = {source};</script>"
    (folder / "page.html").write_text(page, encoding="utf8")
    (folder / "model.gguf").symlink_to(decoder.find_file())


def compare(name: str, evaluate: Evaluate, expected: list[tuple[list[int], np.ndarray]], aims: Aims) -> None:
    """Print how far that browser agrees, and how quick it is."""
    size = decoder.find_file().stat().st_size
    loaded = evaluate(LOAD, {"size": size, "sha256": decoder.SHA256})
    same_tokens, same_choice, largest = 0, 0, 0.0
    for prompt, (ids, theirs) in zip(PROMPTS, expected, strict=True):
        answer = evaluate(READ, prompt)
        logits = np.frombuffer(base64.b64decode(answer["logits"]), np.float32)
        same_tokens += answer["ids"] == ids
        same_choice += logits.argmax() == theirs.argmax()
        largest = max(largest, float(np.abs(logits - theirs).max()))
    rate = evaluate(WRITE, {"text": PROMPTS[0], "n": N_NEW})
    n = len(PROMPTS)
    kernel = "SIMD" if loaded["simd"] else "plain"
    print(f"{name}: {kernel}, there after {loaded['seconds']:.1f} s, {rate:.1f} tokens a second")
    for what, value, bound in (
        (f"the same tokens, of {n} prompts", same_tokens, {"at_least": n}),
        (f"the same first choice, of {n} prompts", same_choice, {"at_least": n}),
        ("the largest difference of two logits", largest, {"at_most": CLOSE}),
    ):
        print(f"  {what}: {value:.3g}, {aims.verdict(f'{name}, {what}', value, **bound)}", flush=True)


def main() -> Aims:
    aims = Aims()
    lm = decoder.load(like=np.zeros(1))
    expected = []
    for prompt in PROMPTS:
        ids = decoder.tokenize(prompt, lm).ids
        expected.append((ids.tolist(), np.asarray(decoder.logits(ids, lm))[-1]))
    with tempfile.TemporaryDirectory() as folder, ExitStack() as opened:
        write_page(Path(folder))
        page_address = f"{opened.enter_context(served(Path(folder)))}/page.html"
        page = opened.enter_context(browser.launched()).new_page()
        page.goto(page_address)
        compare("Chromium", page.evaluate, expected, aims)
        page.close()
        try:
            other = opened.enter_context(firefox.launched())
        except FileNotFoundError as error:
            aims.missed.append(str(error))
            return aims
        other.goto(page_address)
        compare(f"Firefox {other.version}", other.evaluate, expected, aims)
    return aims


if __name__ == "__main__":
    sys.exit(main().exit_status())
