"""Position in a deep stream: how long it lasts under each norm, how much each layer of two trained models adds to it,
and what happens to it, and to the model, once it has been erased.

- `own_part`: how much of a row is its own, measured and by the law of each norm.
- `stream`: the stream block by block, weighed or erased on its way.
- `experiments`: what is measured, in untrained, small trained and real models.

``python -m inorder.lab.position_in_depth`` measures all and stores it.
"""

from inorder.lab.position_in_depth.own_part import own_part, own_part_law

__all__ = ["own_part", "own_part_law"]
