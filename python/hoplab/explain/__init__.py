"""Why a run went as it did, in words: `hoplab explain`.

`air` finds who disturbs whom, `ledger` where packets ended, `words` says it.
"""

from hoplab.explain.narrative import Explanation, explain

__all__ = ["Explanation", "explain"]
