"""SchemeExplorer: what each position scheme can do, in training and at lengths never trained on."""

from inorder.widgets.scheme_explorer.figure import SchemeExplorer

__all__ = ["SchemeExplorer"]
