"""InductionHeads: two heads built by hand continue a text that the reader types."""

from inorder.widgets.induction_heads.figure import InductionHeads

__all__ = ["InductionHeads"]
