"""`hoplab validate`, `hoplab crosscheck` and `hoplab bench`: one module per command, each with `register(app)`."""
