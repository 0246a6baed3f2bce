"""What a trained decoder does with the order that it gets twice, from its causal mask and from its rotations:
measurements on `inorder.pretrained.decoder`, each beside a control.

``python -m inorder.lab.trained_decoder`` measures all and stores it.
"""
