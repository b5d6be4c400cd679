"""What all studies share: claims, runs, verdicts, pages.

`claims` reads what a paper says, `study` and `running` make and run its scenarios, `verdict` judges, `page` reports.
"""
