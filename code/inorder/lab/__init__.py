"""The laboratory: what the book's experiments train and measure, in torch, on one core, in seconds.

- `tasks`: problems that need the order of the tokens, each with the accuracy that a model blind to order can reach.
- `training`: the models of `inorder.transformer`, trained through torch's automatic differentiation.
- `schemes`, `baselines`: what a sweep compares. `runs`: one run of it; `sweep`: many; `results`: their table.
- `provenance`: where a record comes from; `records`: the files of records.
- `probes`: what a linear read-out finds in the rows of a model, layer by layer.
- `position_by_layer`: where position is in small trained models; `erasure`, `position_in_depth`: how long it lasts
  under each norm, what each layer of two real models adds to it, and what happens to a model without it.
- `longer_than_trained`, `across_a_gap`, `named_words`: why small models fail on texts longer than those of training.
- `trained_encoder`, `trained_decoder`: what models that others trained do with position (NumPy and probes alone).

Unlike the rest of the package, it imports torch and scikit-learn (`schemes` and `results` do not).
"""
