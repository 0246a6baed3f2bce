"""The marks by kind: for each a module with `HEIGHT` in inches, `describe(panel)` and `draw(axes, panel)`.

One whose limits may be left open has `limits(panel, leaves)`, too: what they are over all states. leaves(*path) gives
what stands there in the panel, in each state. `SET_BY_HAND` names what the panel sets so well that no list stands above
it: the arguments under "drag" or "turn".
"""

from types import ModuleType

from inorder.widgets.interact import (
    bars,
    blocks,
    cakes,
    clocks,
    crossing,
    diagram,
    heat_map,
    ink,
    mirror,
    planes,
    program,
    projections,
    sentence,
    space,
    stream,
    tables,
)

KINDS: dict[str, ModuleType] = {
    "bars": bars,
    "blocks": blocks,
    "cakes": cakes,
    "clocks": clocks,
    "crossing": crossing,
    "diagram": diagram,
    "heat_map": heat_map,
    "ink": ink,
    "mirror": mirror,
    "plane": planes,
    "program": program,
    "projections": projections,
    "sentence": sentence,
    "space": space,
    "stream": stream,
    "table": tables,
}
