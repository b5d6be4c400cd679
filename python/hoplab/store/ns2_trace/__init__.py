"""A stored trace in the wireless formats of ns-2, old and new, for scripts that read those.

The lines are those that ns-2.35 writes with agent, router and MAC trace on. What differs is on the page of traces
(docs/use/seeing.md).
"""

from hoplab.store.ns2_trace.export import lines
from hoplab.store.ns2_trace.forms import FORMS, Form

__all__ = ["FORMS", "Form", "lines"]
