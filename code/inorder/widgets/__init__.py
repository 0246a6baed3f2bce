"""The book's interactive figures: Jupyter widgets that need no kernel on the built page.

The large figures by name; `interact` for a small one of any function, drawn by the marks of `inorder.widgets.marks`.
"""

from inorder.widgets.add_or_concatenate import AddOrConcatenate
from inorder.widgets.attention_calculator import AttentionCalculator
from inorder.widgets.attention_map import AttentionMap
from inorder.widgets.encoding_explorer import EncodingExplorer
from inorder.widgets.induction_heads import InductionHeads
from inorder.widgets.interact import interact
from inorder.widgets.language_model import LanguageModel
from inorder.widgets.loom import Loom
from inorder.widgets.order_audit import OrderAudit
from inorder.widgets.permutation_playground import PermutationPlayground
from inorder.widgets.prompt_order_lab import PromptOrderLab
from inorder.widgets.relative_bias_explorer import RelativeBiasExplorer
from inorder.widgets.same_or_not import SameOrNot
from inorder.widgets.scheme_explorer import SchemeExplorer
from inorder.widgets.soft_lookup import SoftLookup
from inorder.widgets.training_playground import TrainingPlayground

__all__ = [
    "AddOrConcatenate",
    "AttentionCalculator",
    "AttentionMap",
    "EncodingExplorer",
    "InductionHeads",
    "LanguageModel",
    "Loom",
    "OrderAudit",
    "PermutationPlayground",
    "PromptOrderLab",
    "RelativeBiasExplorer",
    "SameOrNot",
    "SchemeExplorer",
    "SoftLookup",
    "TrainingPlayground",
    "interact",
]
