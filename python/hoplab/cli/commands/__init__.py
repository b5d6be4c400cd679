"""The product's commands: one module per command, each with `register(app)`."""
