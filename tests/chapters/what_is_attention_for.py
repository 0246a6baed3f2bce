"""The numbers of *What is attention for?*, checked with the names of its notebook at hand."""

from inorder.stored import read_record


def exact_by_hand():
    powers = np.exp(scores)
    says("the sum of all five powers, which is 58.6", 5, powers.sum())
    says("| *animal* | (2, 0) | 4 | 54.6 | 0.932 |", *KEYS[0], scores[0], powers[0], shares[0])
    for j, word in enumerate(("animal", "cross", "street", "it", "tired")[1:], 1):
        row = f"| *{word}* | ({KEYS[j, 0]:.0f}, {KEYS[j, 1]:.0f}) | 0 | 1 | 0.017 |"
        says(row, *KEYS[j], scores[j], powers[j], shares[j])
    says(r"+ 0.017 \cdot \textcolor{value}{(1, 0)} = (1.88,\ 0.98)", shares[4], *VALUES[4], *collected)
    says(r"0.932 \cdot \textcolor{value}{(2, 1)}", shares[0], *VALUES[0])
    says(r"+ 0.017 \cdot \textcolor{value}{(0, 3)}", shares[2], *VALUES[2])


def exact_two_rounds():
    first, question, second = figures.looks_of_it("tired")
    says(r"$0.932 \cdot (2, 0) = (1.86, 0)$", first[4], 2, 0, *question)
    assert first.argmax() == 4 and second.argmax() == 0
    says("its question points halfway between the two nouns, and it looks at both")
    first, question, second = figures.looks_of_it("busy")
    assert question[0] == question[1] and second[0] == second[2] > second[[1, 3, 4]].max()


def recorded_real_model():
    frames = read_record("two_looks.json")["frames"]
    says("in 398 of 500 sentences", sum(frame["right"] for frame in frames), 10 * len(frames))
    says("and whichever noun comes first")
    assert min(sum(frame["right"] for frame in half) for half in (frames[:25], frames[25:])) > 0.75 * 250
    says("layer 4 can hardly tell the nouns apart", 4)
    assert max(frame["gaps"]["blocked"] / frame["gaps"]["open"] for frame in frames) < 0.2
    says("block the view of *because* instead, and layer 4 still can", 4)
    assert min(frame["gaps"]["another word"] / frame["gaps"]["open"] for frame in frames) > 0.9
    says("a head in which *it* looks mainly at the last word")
    looks = read_record("two_looks.json")["looks"]
    for last in figures.LAST_WORDS:
        for order in looks:
            look = looks[order][last]
            assert look["words"][np.argmax(look["open"]["first"])] == last


def exact_exercises():
    torn = np.exp(KEYS @ [1, 1])
    says("With $e^2 = 7.39$ the sum is $2 \\cdot 7.39 + 3 = 17.78$", 2, torn[0], 2, torn[0], 3, torn.sum())
    says("get 0.42 each, and the three others 0.06 each", torn[0] / torn.sum(), 3, torn[1] / torn.sum())
    halfway = np.exp(KEYS @ [1.4, 1.4])
    noun = halfway[0] / halfway.sum()
    says("With $(1.4, 1.4)$ each noun gets 0.46, and both together 0.92", 1.4, 1.4, noun, 2 * noun)
    says("and $(0, 0)$ gives all five words 0.20", 0, 0, 5, 1 / 5)
