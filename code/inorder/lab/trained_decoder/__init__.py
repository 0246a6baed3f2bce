"""What a trained decoder does with the order that it gets twice, from its causal mask and from its rotations:
measurements on `inorder.pretrained.decoder`, each beside a control.

``python -m inorder.lab.trained_decoder`` measures all and stores it.
"""

from inorder.lab.trained_decoder.circuit import CopyRun, copy_run
from inorder.lab.trained_decoder.heads import (
    HeadScores,
    ablation,
    head_scores,
    heads_above,
    mean_outputs,
    random_heads,
    with_constants,
)
from inorder.lab.trained_decoder.order import (
    COPIES,
    SOURCES,
    VIEWS,
    copy_losses,
    open_mask,
    row_differences,
    swap_effects,
    swap_share,
    token_losses,
)
from inorder.lab.trained_decoder.pairs import PromptPair, prompt_pair
from inorder.lab.trained_decoder.patterns import NAMES, PATTERNS, Pattern, pattern_answers
from inorder.lab.trained_decoder.placements import PlacementCost, placement_costs, window_placements
from inorder.lab.trained_decoder.probes import position_probes, stream_rows, untrained
from inorder.lab.trained_decoder.texts import (
    FIGURE_PAIRS,
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

__all__ = [
    "COPIES",
    "FIGURE_PAIRS",
    "FRAMES",
    "NAMES",
    "NEIGHBOURS",
    "OTHER_TASKS",
    "PAIRS",
    "PATTERNS",
    "PROMPTS",
    "SOURCES",
    "TASKS",
    "VIEWS",
    "CopyRun",
    "Frame",
    "HeadScores",
    "Pattern",
    "PlacementCost",
    "PromptPair",
    "Swap",
    "ablation",
    "copy_losses",
    "copy_run",
    "head_scores",
    "heads_above",
    "mean_outputs",
    "open_mask",
    "pattern_answers",
    "placement_costs",
    "position_probes",
    "prompt_pair",
    "random_heads",
    "random_words",
    "row_differences",
    "stream_rows",
    "swap_effects",
    "swap_share",
    "swap_tokens",
    "text_windows",
    "token_losses",
    "untrained",
    "window_placements",
    "with_constants",
    "word_pair_answers",
]
