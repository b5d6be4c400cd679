"""hoplab against ns-2 and ns-3 on the same scenarios, and what of its own has a goal: CPU time, memory, start-up.

`cases.suite` names the scenarios, `measure` times the programs in turn, `page` writes BENCHMARKS.md. The other `cases`
measure hoplab alone; `instructions` counts what does not depend on other work of the machine.
"""
