"""Diagnosis of one run: `hoplab explain`.

`interference` finds interferers and exposed terminals, `accounting` where packets ended, `response` the delay of
retransmissions; `narrative` writes sentences and tables.
"""

from hoplab.explain.narrative import Explanation, explain

__all__ = ["Explanation", "explain"]
