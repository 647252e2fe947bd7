"""Attacks: what repeated runs of a black box show of two databases.

A fair coin picks the database of each run; a rule, frozen before, guesses the coin from the
output or abstains; how often it is right bounds what is leaked.
"""
