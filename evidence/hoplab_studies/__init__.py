"""Studies of papers: one folder per paper, with its scenarios, claims, measures, figures and assumptions.

`catalog` lists the studies; `shared` makes their runs, judges their claims and writes their pages; `stored` opens a
study from its directory; `commands` adds `hoplab reproduce`, `calibrate` and `league` to the command line.

A study never decides anything silently: what the paper leaves open is listed, with the choice made and its reason.

The product imports none of it (`tests/python/test_architecture.py`). The distribution asks for hoplab of its own
version, so that a study and the engine whose runs it judges never come from two releases.
"""
