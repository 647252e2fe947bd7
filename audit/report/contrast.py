"""How well one colour is read on another."""

from __future__ import annotations


def luminance(colour: str) -> float:
    """How bright a colour looks, from 0 to 1.

    Source: W3C, "Web Content Accessibility Guidelines 2.1", relative luminance.
    """
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: str, second: str) -> float:
    """How well one colour is read on another, from 1 to 21. Source: the same, contrast ratio."""
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


def writing_on(colour: str) -> str:
    """Black or white: whichever is read more easily on a colour."""
    return max("#000000", "#ffffff", key=lambda ink: contrast(ink, colour))
