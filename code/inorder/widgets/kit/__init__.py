"""What the figures share: in Python their state and their twins, in JavaScript their arithmetic and their parts."""
