"""The book's still figures, each with its alt text.

A function takes what it draws and returns a `Picture`: a matplotlib figure that carries `alt_text` and shows itself in
a notebook. Colours are Okabe and Ito's, which people with any colour vision tell apart; a shape, a hatch or a label
always says the same as the colour. The page is 4.8 inches wide, so that text keeps its size on a phone.
"""

from inorder.figures.ch01 import sharpness_limit, soft_dictionary, three_projections
from inorder.figures.ch02 import convex_hull, head_split, masks, memory, saturation, transformer_block
from inorder.figures.ch03 import best_low_rank, biases_in_training, scores_and_transpose
from inorder.figures.ch04 import commuting_square, rows_and_labels, smallest_break
from inorder.figures.ch05 import kinds_of_equal, prompt_bars
from inorder.figures.ch06 import causal_clocks, change_by_depth, prefix_sets
from inorder.figures.ch07 import bent_line, clock_hands, four_candidates, octaves, product_by_distance, slow_hands
from inorder.figures.ch08 import distance_weights, heads_at_the_edge, offset_sharpness, three_heads
from inorder.figures.ch09 import affine_recovery, heads_with_words, lattice_of_sums, look_up_recovery
from inorder.figures.ch10 import bias_matrices, patch_kernels, restarted_positions
from inorder.figures.ch11 import (
    before_and_after_training,
    patches_and_probes,
    position_by_layer,
    residual_against_mixing,
)
from inorder.figures.drawing import Picture

__all__ = [
    "Picture",
    "affine_recovery",
    "before_and_after_training",
    "bent_line",
    "best_low_rank",
    "bias_matrices",
    "biases_in_training",
    "causal_clocks",
    "change_by_depth",
    "clock_hands",
    "commuting_square",
    "convex_hull",
    "distance_weights",
    "four_candidates",
    "head_split",
    "heads_at_the_edge",
    "heads_with_words",
    "kinds_of_equal",
    "lattice_of_sums",
    "look_up_recovery",
    "masks",
    "memory",
    "octaves",
    "offset_sharpness",
    "patch_kernels",
    "patches_and_probes",
    "position_by_layer",
    "prefix_sets",
    "product_by_distance",
    "prompt_bars",
    "residual_against_mixing",
    "restarted_positions",
    "rows_and_labels",
    "saturation",
    "scores_and_transpose",
    "sharpness_limit",
    "slow_hands",
    "smallest_break",
    "soft_dictionary",
    "three_heads",
    "three_projections",
    "transformer_block",
]
