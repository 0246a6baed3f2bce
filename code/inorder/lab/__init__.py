"""The laboratory: what the book's experiments train and measure, in torch, on one core, in seconds.

For experiments of your own:

- `tasks`: problems that need the order of the tokens, each with the accuracy that a model blind to order can reach.
- `training.train`: a model of `inorder.transformer`, trained through torch's automatic differentiation.
- `sweep.grid`, `sweep.sweep`: many runs, each a `runs.Setting`; `results.read`: a file of them, as tables.
- `schemes.FromPositions`, `schemes.FromScores`: a position scheme from one function, for the same table.
- `probes`: what a linear read-out finds in the rows of a model, layer by layer.
- `trained_decoder`: two prompts for a decoder that others trained, side by side.

The experiments of the book, a script for each record, are in `studies` of its repository.

Unlike the rest of the package, it imports torch and scikit-learn (`schemes` and `results` do not).
"""
