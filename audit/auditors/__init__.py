"""Auditors: each looks at a subject and its claim in one way and yields evidence.

An auditor infers, and stops there: it neither prints nor decides the verdict, which the
certificate derives from all the evidence together.
"""
