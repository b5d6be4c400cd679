"""Every feature with every other: composed into one scenario, run, and compared with what is stored.

`compose` makes a scenario of features, `judge` says what becomes of it, `covering` puts many pairs into few scenarios,
`stored` has the pairs that are known not to run, and `page` the table of them. `make pairs` runs
`scripts/pages/pairs.py`.
"""
