"""SchemeExplorer: what each way to say position buys, in training and at lengths never trained on."""

from inorder.widgets.scheme_explorer.figure import SchemeExplorer

__all__ = ["SchemeExplorer"]
