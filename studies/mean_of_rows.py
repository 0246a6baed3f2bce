"""Which rows let one causal layer without positions tell which of two words came first? With PyTorch's own layers.

    python -m studies.mean_of_rows        trains, tests and stores, with provenance, in inorder/stored, in seconds

`torch.nn.TransformerEncoder` as PyTorch draws it, width 16, two heads, no positions. Each text of 12 words has one A,
one B, and a "?" at its end; the answer is read from the mean of some of its rows, and trained through the same rows.
"""

from collections.abc import Callable

import numpy as np
import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn

from inorder.lab.provenance import provenance
from inorder.lab.records import plain, store_parts
from inorder.lab.runs import one_thread
from inorder.lab.tasks import WhichFirst
from inorder.lab.training import fit_task
from inorder.stored import FOLDER

TASK, N_WORDS, N_TEXTS, SEEDS = WhichFirst(asked=True), 12, 1000, (0, 1)
TOKENS = Int64[Tensor, "text row"]


def seen(tokens: TOKENS) -> tuple[Int64[Tensor, "text row"], Bool[Tensor, "text row"]]:
    """How many of A and B each row has seen, its own word included; and whether it is one of them."""
    is_one = (tokens == TASK.n_fillers) | (tokens == TASK.n_fillers + 1)
    return is_one.cumsum(dim=1), is_one


ROWS: dict[str, Callable[[TOKENS], Bool[Tensor, "text row"]]] = {
    "the row of “?”": lambda tokens: tokens == TASK.n_tokens - 1,
    "all rows": lambda tokens: torch.ones_like(tokens, dtype=torch.bool),
    "rows that have seen one": lambda tokens: seen(tokens)[0] == 1,
    "the row of the second": lambda tokens: (seen(tokens)[0] == 2) & seen(tokens)[1],
    "rows after both": lambda tokens: (seen(tokens)[0] == 2) & ~seen(tokens)[1],
}


class Reader(nn.Module):
    """Words → PyTorch's encoder → two logits, the mean of those of the chosen rows, the same for every row."""

    def __init__(self, rows: str, *, n_layers: int = 1, causal: bool = True) -> None:
        super().__init__()
        self.rows, self.causal = ROWS[rows], causal
        layer = nn.TransformerEncoderLayer(16, 2, dim_feedforward=32, dropout=0.0, batch_first=True)
        self.words = nn.Embedding(TASK.n_tokens, 16)
        self.layers = nn.TransformerEncoder(layer, n_layers, enable_nested_tensor=False)
        self.answer = nn.Linear(16, TASK.n_outputs)

    def forward(self, tokens: TOKENS) -> Float[Tensor, "text row answer"]:
        n = tokens.shape[1]
        hidden_from = torch.ones(n, n, dtype=torch.bool).triu(1) if self.causal else None
        logits = self.answer(self.layers(self.words(tokens), mask=hidden_from))
        chosen = self.rows(tokens)[..., None].to(logits.dtype)
        mean = (logits * chosen).sum(dim=1, keepdim=True) / chosen.sum(dim=1, keepdim=True)
        return mean.expand(-1, n, -1)


def share_right(rows: str, seed: int, *, n_layers: int = 1, causal: bool = True) -> float:
    """Train such a model for 200 steps, and test it, in float64, on texts that come with A and B swapped."""
    torch.manual_seed(seed)
    model = Reader(rows, n_layers=n_layers, causal=causal)

    def logits(weights: dict[str, Tensor], tokens: TOKENS) -> Tensor:
        return torch.func.functional_call(model, weights, (tokens,))

    with one_thread():
        trained = fit_task(
            {name: weight.detach() for name, weight in model.named_parameters()},
            logits,
            TASK,
            seed=seed,
            device=torch.device("cpu"),
            lengths=[N_WORDS],
            batch_size=32,
            n_steps=200,
            learning_rate=1e-2,
        )
        test = TASK.draw_test(np.random.default_rng(99), N_TEXTS, N_WORDS)
        exact = {name: weight.double() for name, weight in trained.parameters.items()}
        guesses = logits(exact, test.tokens)[:, -1].argmax(dim=-1)
    return (guesses == test.targets[:, -1]).double().mean().item()


def main() -> None:
    arms = {f"one causal layer, {rows}": {"rows": rows} for rows in ROWS}
    arms |= {"two causal layers, the row of “?”": {"rows": "the row of “?”", "n_layers": 2}}
    arms |= {"no mask, all rows": {"rows": "all rows", "causal": False}}
    shares = {name: [share_right(seed=seed, **arm) for seed in SEEDS] for name, arm in arms.items()}
    made = provenance("python -m studies.mean_of_rows", seeds=SEEDS)
    store_parts(FOLDER / "mean_of_rows.json", plain({"share right": shares, "provenance": made}))
    print("stored mean_of_rows.json")


if __name__ == "__main__":
    main()
