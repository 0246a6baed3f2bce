"""The book's still figures, each with its alternative text.

A function takes what it draws and returns a `Picture`: a matplotlib figure that carries `alt_text` and shows itself in
a notebook. The text stands here alone, and its numbers are computed from what is drawn. Colours are those of
`inorder.palette`; a shape, a dash, a hatch or a label always says the same as the colour.
"""
