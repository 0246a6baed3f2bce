"""Stores what the live figure shows before it has a model: ``python -m inorder.lab.trained_decoder``."""

from inorder.lab.provenance import provenance
from inorder.lab.records import plain, store_parts
from inorder.lab.trained_decoder.pairs import prompt_pair
from inorder.pretrained.decoder import NAME, PLACEMENTS, SHA256, WEIGHTS, load
from inorder.stored import FOLDER

RESULTS = "trained_decoder.json"
# One bag of tokens in two orders, the same last word; the figure begins with the first.
PAIRS = (
    ("Yesterday Doctor Moore met Captain Hill. Then Doctor", "Yesterday Doctor Hill met Captain Moore. Then Doctor"),
    ("From Paris to London and", "From London to Paris and"),
    ("The dog bites the man then", "The man bites the dog then"),
    ("When Alice loves Bob and", "When Bob loves Alice and"),
    ("First red then blue then", "First blue then red then"),
    ("The king saw the queen and", "The queen saw the king and"),
    ("The salt without pepper is", "The pepper without salt is"),
    ("The cat and the mouse in the", "The mouse and the cat in the"),
    ("She gave money for love because", "She gave love for money because"),
    ("Alice loves Bob. The one who is loved is", "Bob loves Alice. The one who is loved is"),
    ("The capital of France is", "The France of capital is"),
    ("Once upon a time there was a little girl who", "Once upon a girl there was a little time who"),
)


def main() -> None:
    """The two prompts of each pair, in every placement of their tokens."""
    lm = load()
    made = provenance(
        "python -m inorder.lab.trained_decoder",
        ["numpy", "tokenizers", "gguf"],
        model=NAME,
        file=WEIGHTS,
        sha256=SHA256,
    )
    placements = [{name: prompt_pair(pair, lm, name)._asdict() for name in PLACEMENTS} for pair in PAIRS]
    store_parts(FOLDER / RESULTS, {"figure": plain({"provenance": made, "pairs": PAIRS, "placements": placements})})


if __name__ == "__main__":
    main()
