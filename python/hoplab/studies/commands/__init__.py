"""`hoplab reproduce`, `hoplab calibrate` and `hoplab demo`: one module per command, each with `register(app)`."""
