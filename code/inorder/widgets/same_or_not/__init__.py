"""SameOrNot: a sentence and its reshuffle through one small attention model, told apart or not."""

from inorder.widgets.same_or_not.figure import SameOrNot

__all__ = ["SameOrNot"]
