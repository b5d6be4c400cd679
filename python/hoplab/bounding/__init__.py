"""Upper and lower bounds on what a network can carry, whatever the transport.

`inputs` reads times, powers and flows from the engine; `graph` and `sinr` say which frames exclude each other, `loads`
what flows need of each; `program` bounds rates from above by cliques, `schedule` from below by a schedule of
independent sets; `bounds` joins both. `replay` plays a schedule of whole exchanges on the engine's radios.
"""

from hoplab.bounding import needs  # noqa: F401 (reports a missing package)
from hoplab.bounding.bounds import Bound, Bracket, Limits, bound, limits
from hoplab.bounding.replay import Replay, Slot, replay
from hoplab.bounding.shares import RunShare, json_lines, mean_shares, run_shares, shares, store_shares
from hoplab.store.shares import Shares

__all__ = [
    "Bound",
    "Bracket",
    "Limits",
    "Replay",
    "RunShare",
    "Shares",
    "Slot",
    "bound",
    "json_lines",
    "limits",
    "mean_shares",
    "replay",
    "run_shares",
    "shares",
    "store_shares",
]
