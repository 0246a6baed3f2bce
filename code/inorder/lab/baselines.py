"""Other models on the same data: a bag of words, a CNN, a GRU and an MLP-Mixer, as torch modules.

Each takes tokens (batch, position) to logits (batch, position, n_outputs), as the transformer does, and is about as
large: some ten to twenty thousand parameters at width 32.

[1] Cho et al. 2014, Learning Phrase Representations using RNN Encoder-Decoder, https://arxiv.org/abs/1406.1078
[2] Tolstikhin et al. 2021, MLP-Mixer, https://arxiv.org/abs/2105.01601
"""

import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn

from inorder._arrays import expect, expect_choice
from inorder.lab.schemes import BASELINES, LONGEST

__all__ = ["baseline"]


class BagOfWords(nn.Module):
    """A row is its own token and the mean of all tokens, through two layers: blind to order."""

    def __init__(self, n_tokens: int, n_outputs: int, width: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(n_tokens, width)
        self.read = nn.Sequential(
            nn.Linear(2 * width, 4 * width),
            nn.GELU(),
            nn.Linear(4 * width, width),
            nn.GELU(),
            nn.Linear(width, n_outputs),
        )

    def forward(self, tokens: Int64[Tensor, "batch position"]) -> Float[Tensor, "batch position n_outputs"]:
        x = self.embedding(tokens)  # (batch, position, width)
        return self.read(torch.cat([x, x.mean(dim=1, keepdim=True).expand_as(x)], dim=-1))


class Cnn(nn.Module):
    """Three layers that mix five neighbours each, with residuals: a row sees six to either side."""

    def __init__(self, n_tokens: int, n_outputs: int, width: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(n_tokens, width)
        self.layers = nn.ModuleList(nn.Conv1d(width, width, 5, padding=2) for _ in range(3))
        self.read = nn.Linear(width, n_outputs)

    def forward(self, tokens: Int64[Tensor, "batch position"]) -> Float[Tensor, "batch position n_outputs"]:
        x = self.embedding(tokens).mT  # (batch, width, position)
        for layer in self.layers:
            x = x + nn.functional.gelu(layer(x))
        return self.read(x.mT)


class Gru(nn.Module):
    """A gated recurrent unit [1] in each direction."""

    def __init__(self, n_tokens: int, n_outputs: int, width: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(n_tokens, width)
        self.gru = nn.GRU(width, width, batch_first=True, bidirectional=True)
        self.read = nn.Linear(2 * width, n_outputs)

    def forward(self, tokens: Int64[Tensor, "batch position"]) -> Float[Tensor, "batch position n_outputs"]:
        return self.read(self.gru(self.embedding(tokens))[0])


class Mixer(nn.Module):
    """Two layers of an MLP-Mixer [2]: one MLP across the rows, whose weights belong to row numbers, one within each.

    Rows after the last token, up to `LONGEST`, are zero.
    """

    def __init__(self, n_tokens: int, n_outputs: int, width: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(n_tokens, width)

        def mlp(size: int) -> nn.Sequential:
            return nn.Sequential(nn.Linear(size, 2 * width), nn.GELU(), nn.Linear(2 * width, size))

        self.across = nn.ModuleList(mlp(LONGEST) for _ in range(2))
        self.within = nn.ModuleList(mlp(width) for _ in range(2))
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(5))
        self.read = nn.Linear(width, n_outputs)

    def forward(self, tokens: Int64[Tensor, "batch position"]) -> Float[Tensor, "batch position n_outputs"]:
        n = tokens.shape[1]
        expect(n <= LONGEST, f"at most {LONGEST} tokens", n)
        there = torch.arange(LONGEST, device=tokens.device)[:, None] < n  # (row, 1)
        x = nn.functional.pad(self.embedding(tokens), (0, 0, 0, LONGEST - n))  # (batch, row, width)
        for layer, (across, within) in enumerate(zip(self.across, self.within, strict=True)):
            x = x + across((self.norms[2 * layer](x) * there).mT).mT
            x = x + within(self.norms[2 * layer + 1](x))
        return self.read(self.norms[4](x))[:, :n]


def baseline(name: str, n_tokens: int, n_outputs: int, *, seed: int, width: int = 32) -> nn.Module:
    """An untrained model of this name, the same for the same seed.

    Raises ValueError: an unknown name.

    >>> baseline("gru", 10, 2, seed=0)(torch.zeros((3, 5), dtype=torch.int64)).shape
    torch.Size([3, 5, 2])
    """
    expect_choice("name", name, tuple(BASELINES))
    kinds = {"bag-of-words": BagOfWords, "cnn": Cnn, "gru": Gru, "mixer": Mixer}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return kinds[name](n_tokens, n_outputs, width)
