"""What is for this book's pages alone: still figures and the checkers of exercises, a module for each chapter.

A module is named as its chapter's file without the number (`chapters/ch03_softmax_qk_v.ipynb`: `softmax_qk_v`), so a
chapter can move without renaming anything.
"""
