"""AddOrConcatenate: a token and a position, added or set side by side, and read back by the best affine map."""

from inorder.widgets.add_or_concatenate.figure import AddOrConcatenate

__all__ = ["AddOrConcatenate"]
