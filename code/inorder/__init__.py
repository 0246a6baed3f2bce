"""Reference implementations and interactive figures of the book *Attention, in Order*."""
