"""The reviewer's day: submissions, what is asked of them, and what came of it.

A review is a list of *pieces*: each a command of this program with its input files, and each
finished one is a file named by the digest of all that it depends on. The pages of a review are made
of these files alone, so that a review can be interrupted, shared out, and joined again.
"""
