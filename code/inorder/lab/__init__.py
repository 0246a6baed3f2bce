"""The laboratory: what the book's experiments train and measure, in torch, on one core, in seconds.

- `tasks`: problems that need the order of the tokens, each with the accuracy that a model blind to order can reach.
- `training`: the models of `inorder.transformer`, trained through torch's automatic differentiation.
- `probes`: what a linear read-out finds in the rows of a model, layer by layer.

Unlike the rest of the package, it imports torch and scikit-learn.
"""
