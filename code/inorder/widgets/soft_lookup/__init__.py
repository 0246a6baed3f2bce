"""SoftLookup: attention as a dictionary look-up in the plane, from a uniform average to a single entry."""

from inorder.widgets.soft_lookup.figure import SoftLookup

__all__ = ["SoftLookup"]
