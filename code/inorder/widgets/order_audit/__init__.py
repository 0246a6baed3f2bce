"""OrderAudit: a layer, a text whose order is changed, and which of the outputs follow."""

from inorder.widgets.order_audit.figure import OrderAudit

__all__ = ["OrderAudit"]
