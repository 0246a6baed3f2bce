"""AttentionCalculator: every number of softmax(QKᵀ/√d)V for three to six tokens, live."""

from inorder.widgets.attention_calculator.figure import AttentionCalculator

__all__ = ["AttentionCalculator"]
