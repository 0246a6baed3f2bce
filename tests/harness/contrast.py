"""How far two colours stand apart, by the formula of WCAG 2.2."""

import re


def channels(colour: str) -> list[float]:
    """Red, green and blue from 0 to 1, of `#rrggbb` or of a browser's `rgb(…)`."""
    if colour.startswith("#"):
        return [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return [int(part) / 255 for part in re.fullmatch(r"rgb\((\d+), (\d+), (\d+)\)", colour).groups()]


def luminance(colour: str) -> float:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels(colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """From 1, the same colour, to 21, black on white.

    >>> contrast("#000000", "rgb(255, 255, 255)")
    21.0
    """
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)
