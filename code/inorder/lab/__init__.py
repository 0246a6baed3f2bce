"""The laboratory: what the book's experiments train and measure, in torch, on one core, in seconds.

For experiments of your own:

- `tasks`: problems that need the order of the tokens, each with the accuracy that a model blind to order can reach.
- `training.train`: a model of `inorder.transformer`, trained through torch's automatic differentiation.
- `sweep.grid`, `sweep.sweep`: many runs, each a `runs.Setting`; `results.read`: a file of them, as tables.
- `schemes.FromPositions`, `schemes.FromScores`: a position scheme from one function, for the same table.
- `probes`: what a linear read-out finds in the rows of a model, layer by layer.

The experiments of the book, each of which stores a record; their functions are their own and may change:

- `trained_encoder`: what a model that others trained does with position; `trained_decoder`: two prompts for another.
  (NumPy and probes alone.)

Unlike the rest of the package, it imports torch and scikit-learn (`schemes` and `results` do not).
"""
