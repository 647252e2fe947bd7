"""The sensitivity of a query: the largest change between neighbours, beside what was declared.

State a query (`examine.StatedQuery`) and `examine.examine` it.
"""
