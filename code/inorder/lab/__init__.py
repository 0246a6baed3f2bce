"""The laboratory: what the book's experiments train and measure, in torch, on one core, in seconds.

- `tasks`: problems that need the order of the tokens, each with the accuracy that a model blind to order can reach.
- `training`: the models of `inorder.transformer`, trained through torch's automatic differentiation; `checkpoint`.
- `schemes`, `baselines`: what a sweep compares. `runs`: one run of it; `sweep`: many; `results`: their table.
- `probes`: what a linear read-out finds in the rows of a model, layer by layer.
- `position_by_layer`, `patches`: where position is in small trained models, and in a small vision transformer.
- `trained_encoder`: what a model that others trained does with position (NumPy alone).

Unlike the rest of the package, it imports torch and scikit-learn (`schemes` and `results` do not).
"""
