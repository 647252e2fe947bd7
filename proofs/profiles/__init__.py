"""Enclosures of the profile δ(ε) of a product of dominating pairs, one method a file.

Each method encloses sup over events of P(S) - e^ε·Q(S) on one side. What a method needs to be
told to be quick or tight (orders, steps, numbers of nodes) comes as a hint: a bad one widens the
enclosure, and none can make it wrong.
"""
