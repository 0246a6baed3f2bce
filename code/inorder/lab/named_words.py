"""Which word of a long text small models name at last-token, where they should name the last.

    python -m inorder.lab.named_words               trains, measures and stores all, with provenance, in inorder/stored
    python -m inorder.lab.named_words far-right     this part alone

The models are those of the sweep (`inorder.lab.runs`), the texts have 60 words. The parts:

- `longest`: sinusoids and the learned table, trained on texts of up to 20 words and of up to 15. How often do they name
  one of the four words around the end of the longest text of training, and one of four others? Words repeat, so
  either happens by chance too.
- `binary`: the word that models with the bits of a position name most often.
- `far-right`: Shaw's vector of the far right, left to the word at position 50 in place of the last
  (`FarRightIsTheEnd`). Do the rows that have it beyond their reach name the word there?
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from jaxtyping import Bool, Int64, Integer

from inorder._arrays import expect
from inorder.lab.longer_than_trained import FarRightIsTheEnd, with_position
from inorder.lab.provenance import provenance
from inorder.lab.records import chosen_parts, plain, store_parts
from inorder.lab.runs import TRAINED_ON, Setting, one_thread, train_model
from inorder.lab.tasks import LastToken
from inorder.lab.training import as_numpy, train
from inorder.stored import FOLDER
from inorder.transformer import Model, Shaw, encode, unembed

RESULTS = "named_words.json"
N, N_TEXTS = 60, 200
AROUND = {20: (18, 21), 15: (13, 16)}  # the first and last of four words around the end of the longest text, from 1
CONTROL = (41, 44)
SEEDS, FEWER_SEEDS = (0, 1, 2, 3, 4), (0, 1)
END = 50  # the position that far right is left to, from 0


def last_token_texts(n_texts: int = N_TEXTS, n: int = N) -> Int64[np.ndarray, "text position"]:
    """Texts of last-token, the same at every call."""
    return LastToken().draw_test(np.random.default_rng(n), n_texts, n).tokens.numpy()


def named_tokens(model: Model, texts: Integer[np.ndarray, "text position"]) -> Int64[np.ndarray, "text position"]:
    """The token that each row of a model names, at positions 0, 1, 2 …

    Raises ValueError: as `inorder.transformer.encode`.
    """
    outputs = encode(texts, *model, positions=np.arange(texts.shape[1]))
    return unembed(outputs, model.parameters).argmax(axis=-1)


def words_named(
    named: Int64[np.ndarray, "text row"], texts: Integer[np.ndarray, "text position"]
) -> Bool[np.ndarray, "text row position"]:
    """Which words of its text the answer of a row is: several, if a token stands there more than once.

    >>> words_named(np.array([[7, 5]]), np.array([[5, 7, 5]])).astype(int)
    array([[[0, 1, 0],
            [1, 0, 1]]])
    """
    return named[:, :, None] == texts[:, None]


def share_naming(words: Bool[np.ndarray, "text row position"], first: int, last: int) -> float:
    """The share of answers that name one of the words from `first` to `last`, both counted from 1.

    Raises ValueError: words that the texts don't have.

    >>> share_naming(words_named(np.array([[7, 5]]), np.array([[5, 7, 5]])), 2, 2)
    0.5
    """
    n = words.shape[-1]
    expect(1 <= first <= last <= n, f"words from 1 to {n}, the first before the last", (first, last))
    return float(words[..., first - 1 : last].any(axis=-1).mean())


def train_up_to(setting: Setting, longest: int) -> Model:
    """As `train_model`, but on texts of 5 to `longest` tokens.

    Raises ValueError: a longest below 5; a baseline.
    """
    shortest = TRAINED_ON[0]
    expect(longest >= shortest, f"a longest of {shortest} tokens or more", longest)
    with one_thread():
        trained = train(
            setting.config,
            setting.bounded_task,
            seed=setting.seed,
            n_steps=setting.n_steps,
            lengths=range(shortest, longest + 1),
            batch_size=setting.batch_size,
            learning_rate=setting.learning_rate,
        )
    return Model(as_numpy(trained.parameters), setting.config)


def far_right_named(model: Model, texts: Integer[np.ndarray, "text position"], end: int = END) -> tuple[float, float]:
    """With the far right left to the word at `end`: the share of rows that name it, and that name the last word.

    Only rows count that have `end` beyond their reach, on their right.

    Raises ValueError: a model with other positions than Shaw's; an end that no row has beyond its reach.
    """
    position = model.config.scheme
    if not isinstance(position, Shaw):
        raise ValueError(f"expected a model with Shaw's positions, got {position}")
    reach, n = position.max_distance, texts.shape[1]
    expect(reach <= end < n, f"an end from {reach} to {n - 1}", end)
    changed = with_position(model, FarRightIsTheEnd(reach, end=end))
    named = named_tokens(changed, texts)[:, : end - reach + 1]  # (text, row)
    there, last = ((named == texts[:, [word]]).mean() for word in (end, n - 1))
    return float(there), float(last)


def _part_longest() -> dict[str, Any]:
    results: dict[str, Any] = {}
    texts = last_token_texts()
    for longest, seeds in ((20, SEEDS), (15, FEWER_SEEDS)):
        # The models that never met word 20 are asked about the words around it, too.
        asked = [AROUND[20], CONTROL] if longest == 20 else [AROUND[15], AROUND[20]]
        models = [
            train_up_to(Setting("last-token", name, seed), longest)
            for name in ("sinusoidal", "learned")
            for seed in seeds
        ]
        words = [words_named(named_tokens(model, texts), texts) for model in models]
        shares = {f"{first} to {last}": [share_naming(each, first, last) for each in words] for first, last in asked}
        results[f"up to {longest}"] = {"seeds of each": seeds, "named": shares}
    return results


def _part_binary() -> dict[str, Any]:
    texts, most = last_token_texts(), []
    for seed in FEWER_SEEDS:
        model = train_model(Setting("last-token", "binary", seed))
        shares = words_named(named_tokens(model, texts), texts).mean(axis=(0, 1))  # (word,)
        most.append({"word": int(shares.argmax()) + 1, "share": shares.max()})
    return {"seeds": FEWER_SEEDS, "most often": most}


def _part_far_right() -> dict[str, Any]:
    texts = last_token_texts(N_TEXTS // 2)
    models = [train_model(Setting("last-token", "shaw", seed)) for seed in SEEDS]
    there, last = zip(*(far_right_named(model, texts) for model in models), strict=True)
    return {"seeds": SEEDS, "end": END, "named there": there, "named last": last}


PARTS: dict[str, Callable[[], dict[str, Any]]] = {
    "longest": _part_longest,
    "binary": _part_binary,
    "far-right": _part_far_right,
}


def main() -> None:
    command = "python -m inorder.lab.named_words"
    for name in chosen_parts(command, (__doc__ or "").partition("\n")[0], PARTS):
        part = plain({"provenance": provenance(command), "results": PARTS[name]()}, 4)
        store_parts(FOLDER / RESULTS, {name: part}, PARTS)
        print(f"stored {name}", flush=True)


if __name__ == "__main__":
    main()
