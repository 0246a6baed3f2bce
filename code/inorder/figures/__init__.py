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
from inorder.figures.drawing import Picture

__all__ = [
    "Picture",
    "best_low_rank",
    "biases_in_training",
    "causal_clocks",
    "change_by_depth",
    "commuting_square",
    "convex_hull",
    "head_split",
    "kinds_of_equal",
    "masks",
    "memory",
    "prefix_sets",
    "prompt_bars",
    "rows_and_labels",
    "saturation",
    "scores_and_transpose",
    "sharpness_limit",
    "smallest_break",
    "soft_dictionary",
    "three_projections",
    "transformer_block",
]
