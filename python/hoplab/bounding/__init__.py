"""Upper and lower bounds on what a network can carry, whatever the transport.

`inputs` reads times, powers and flows from the engine; `graph` says which frames exclude each other; `program` bounds
rates from above by cliques of that graph, `schedule` from below by a schedule of independent sets; `bounds` joins both.
"""

from hoplab.bounding import needs  # noqa: F401 (reports a missing package)
from hoplab.bounding.bounds import Bound, Bracket, Limits, bound, limits
from hoplab.bounding.shares import RunShare, json_lines, mean_shares, run_shares, shares, store_shares
from hoplab.store.possible import Shares

__all__ = [
    "Bound",
    "Bracket",
    "Limits",
    "RunShare",
    "Shares",
    "bound",
    "json_lines",
    "limits",
    "mean_shares",
    "run_shares",
    "shares",
    "store_shares",
]
