"""Commands of validation: one module per command, each with `register(app)`."""

from hoplab.cli.table import Command

COMMANDS = (
    Command("validate", "hoplab_validation.commands.validate", "Validate the engine against ns-2, ns-3, and models."),
    Command("crosscheck", "hoplab_validation.commands.crosscheck", "Cross-check a scenario against ns-2 or ns-3."),
    Command("bench", "hoplab_validation.commands.bench", "Measure speed and memory; write BENCHMARKS.md."),
)
