"""`hoplab reproduce`, `hoplab league` and `hoplab calibrate`: one module per command, each with `register(app)`."""
