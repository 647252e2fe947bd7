"""What official programs do otherwise than the definitions, to the last bit: the modes of metrics.

A module a program. The metrics themselves are defined in the folders beside this one; in a mode
other than "fixed" they call what stands here, whatever their papers say. Operations follow a
program's own order, as that decides the last bits of its sums.
"""
