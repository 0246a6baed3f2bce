"""EncodingExplorer: a sinusoidal encoding, or a table of one's own, as heat map, waves, clock hands and products."""

from inorder.widgets.encoding_explorer.figure import EncodingExplorer

__all__ = ["EncodingExplorer"]
