"""hoplab against ns-2 on the same scenarios: CPU time, tracing off on both sides.

`suite` names the scenarios, `measure` times both programs in turn, `page` writes BENCHMARKS.md.
"""
