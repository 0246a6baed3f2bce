"""PromptOrderLab: two prompts made of the same tokens, what the last query finds in each layer, and what comes next."""

from inorder.widgets.prompt_order_lab.figure import PromptOrderLab

__all__ = ["PromptOrderLab"]
