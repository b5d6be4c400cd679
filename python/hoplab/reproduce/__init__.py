"""Re-run a paper: its scenarios and figures as data, its claims as checks that give a verdict.

`claims` reads what a paper says, `study` and `running` make and run its scenarios, `verdict` judges, `page` reports.
"""
