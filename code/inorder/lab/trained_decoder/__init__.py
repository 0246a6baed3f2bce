"""Two prompts for a trained decoder, and the texts that it is measured on.

``python -m inorder.lab.trained_decoder`` stores what the live figure shows before it has the model.
"""
