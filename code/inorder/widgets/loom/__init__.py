"""Loom: a sentence, layers of attention as dyed threads, and the cloth that they weave."""

from inorder.widgets.loom.figure import Loom

__all__ = ["Loom"]
