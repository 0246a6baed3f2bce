"""AttentionMap: the attention of a whole model, layers × heads × queries × keys, as a grid, a matrix, or lines."""

from inorder.widgets.attention_map.figure import AttentionMap

__all__ = ["AttentionMap"]
