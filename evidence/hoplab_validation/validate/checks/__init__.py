"""The parts of `hoplab validate`: one module per part, with a function `plan(depth)`."""
