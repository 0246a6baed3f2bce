"""RelativeBiasExplorer: what each scheme adds to a score, or makes of it, as a function of the distance to the key."""

from inorder.widgets.relative_bias_explorer.figure import RelativeBiasExplorer

__all__ = ["RelativeBiasExplorer"]
