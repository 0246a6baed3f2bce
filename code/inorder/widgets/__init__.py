"""The book's interactive figures: Jupyter widgets that need no kernel on the built page."""

from inorder.widgets.attention_calculator import AttentionCalculator
from inorder.widgets.permutation_playground import PermutationPlayground
from inorder.widgets.prompt_order_lab import PromptOrderLab
from inorder.widgets.same_or_not import SameOrNot
from inorder.widgets.soft_lookup import SoftLookup

__all__ = ["AttentionCalculator", "PermutationPlayground", "PromptOrderLab", "SameOrNot", "SoftLookup"]
