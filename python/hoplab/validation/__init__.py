"""Validation: the engine against references that are independent of it, and its speed and memory.

`peers` runs ns-2 and ns-3 and holds their stored results; `validate` compares the engine with them and with models;
`bench` measures CPU time and memory; `commands` adds `hoplab validate`, `crosscheck` and `bench` to the command line.

Why below `hoplab` and not beside it: one wheel, one version and one command serve users and reviewers alike, and a
second top-level name in site-packages would have to be kept in step with the engine's JSON by hand. The product
imports none of it (`tests/python/test_architecture.py`).
"""
