"""Adapters: each makes a subject out of one kind of mechanism.

A program that takes a curator, a function, an estimator, a command that speaks the submission
protocol and a channel file all come out as the same subject. Whatever starts a process or opens
a submission is here and nowhere else.
"""
