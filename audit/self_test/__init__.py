"""The self-test: every auditor on programs that lie and on honest ones, before it weighs others.

A *liar* is an honest subject with one thing replaced. The liars are a sample of the bugs that
privacy programs have had; no auditor knows them.
"""
