"""TrainingPlayground: two small transformers learn a task on the page, side by side, from the same batches."""

from inorder.widgets.training_playground.figure import TrainingPlayground

__all__ = ["TrainingPlayground"]
