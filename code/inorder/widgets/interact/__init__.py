"""`interact(f, **controls)`: a live figure of any Python function, alive on a page without a kernel."""

from inorder.widgets.interact.figure import Interact, interact

__all__ = ["Interact", "interact"]
