"""The store: runs that are whole or absent, Parquet tables, and SQL over them.

Importing this package loads neither DuckDB nor numpy; the functions that need them load them on their first call.
"""

from hoplab.store.catalog import Catalog, PlannedPoint, load_catalog
from hoplab.store.merge import merge
from hoplab.store.results import Query, Results, open_results
from hoplab.store.run_store import Failure, Header, RunStore, run_id

open = open_results  # noqa: A001 (`hoplab.open`, as the guides write it)

__all__ = [
    "Catalog",
    "Failure",
    "Header",
    "PlannedPoint",
    "Query",
    "Results",
    "RunStore",
    "load_catalog",
    "merge",
    "open",
    "open_results",
    "run_id",
]
