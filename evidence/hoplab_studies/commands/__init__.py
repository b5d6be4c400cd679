"""Commands of studies: one module per command, each with `register(app)`."""

from hoplab.cli.table import Command

COMMANDS = (
    Command("reproduce", "hoplab_studies.commands.reproduce", "Repeat a published study and judge its claims."),
    Command("league", "hoplab_studies.commands.league", "Rank all transports over 12 networks."),
    Command("calibrate", "hoplab_studies.commands.calibrate", "Fit the parameters of TCP Muzha routers."),
)
