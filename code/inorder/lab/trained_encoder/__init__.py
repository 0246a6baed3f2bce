"""What a trained encoder does with position: measurements on `inorder.pretrained`, each beside a control.

The controls are the same model without its position table or with the rows of that table shuffled, and models of the
same shape that never learned.
``python -m inorder.lab.trained_encoder`` measures all and stores it.
"""

from inorder.lab.trained_encoder.heads import (
    OFFSETS,
    ablate_heads,
    map_changes,
    offset_weights,
    pronoun_weights,
    weights_by_query,
    without_head,
)
from inorder.lab.trained_encoder.order import (
    layer_errors,
    moved_table,
    pair_cosines,
    position_geometry,
    position_misses,
    position_probes,
    shuffled_table,
)
from inorder.lab.trained_encoder.sides import along_mean, query_and_key, separating_directions
from inorder.lab.trained_encoder.texts import MOVED, PAIRS, PRONOUN, windows

__all__ = [
    "MOVED",
    "OFFSETS",
    "PAIRS",
    "PRONOUN",
    "ablate_heads",
    "along_mean",
    "layer_errors",
    "map_changes",
    "moved_table",
    "offset_weights",
    "pair_cosines",
    "position_geometry",
    "position_misses",
    "position_probes",
    "pronoun_weights",
    "query_and_key",
    "separating_directions",
    "shuffled_table",
    "weights_by_query",
    "windows",
    "without_head",
]
