"""Validation: the engine against references that are independent of it, and its speed and memory.

`peers` runs ns-2 and ns-3 and holds their stored results; `validate` compares the engine with them and with models;
`bench` measures CPU time and memory; `commands` adds `hoplab validate`, `crosscheck` and `bench` to the command line.

It knows no study, and the product imports none of it (`tests/python/test_architecture.py`). Why a package of its own
beside `hoplab_studies`: studies use peers and their tables, never the other way, and two names show it.
"""
