"""PermutationPlayground: drag tokens, and see the weights permute and the outputs travel with their tokens."""

from inorder.widgets.permutation_playground.figure import PermutationPlayground

__all__ = ["PermutationPlayground"]
