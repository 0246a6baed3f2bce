"""LanguageModel: a trained language model reads two prompts, here or in the kernel."""

from inorder.widgets.language_model.figure import LanguageModel

__all__ = ["LanguageModel"]
