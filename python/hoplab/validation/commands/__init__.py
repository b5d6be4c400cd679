"""`hoplab validate`, `hoplab oracle` and `hoplab bench`: one module per command, each with `register(app)`."""
