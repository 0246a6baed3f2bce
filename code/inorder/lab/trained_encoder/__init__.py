"""What a trained encoder does with position: measurements on `inorder.pretrained`, each beside a control.

The controls are the same model without its position table, or with the rows of that table shuffled.

``python -m inorder.lab.trained_encoder`` measures all and stores it; with the names of parts, these alone.
"""
