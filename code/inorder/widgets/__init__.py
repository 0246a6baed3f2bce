"""The book's interactive figures: Jupyter widgets that need no kernel on the built page."""

from inorder.widgets.add_or_concatenate import AddOrConcatenate
from inorder.widgets.attention_calculator import AttentionCalculator
from inorder.widgets.attention_map import AttentionMap
from inorder.widgets.encoding_explorer import EncodingExplorer
from inorder.widgets.permutation_playground import PermutationPlayground
from inorder.widgets.prompt_order_lab import PromptOrderLab
from inorder.widgets.relative_bias_explorer import RelativeBiasExplorer
from inorder.widgets.same_or_not import SameOrNot
from inorder.widgets.soft_lookup import SoftLookup

__all__ = [
    "AddOrConcatenate",
    "AttentionCalculator",
    "AttentionMap",
    "EncodingExplorer",
    "PermutationPlayground",
    "PromptOrderLab",
    "RelativeBiasExplorer",
    "SameOrNot",
    "SoftLookup",
]
