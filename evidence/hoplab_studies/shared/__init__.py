"""What all studies share: claims, networks, runs, verdicts, pages.

`claims` reads what a paper says, `study` and `running` make and run its scenarios, `networks`, `numbers` and `drawing`
have what several papers need of each, `verdict` judges, `page` reports.
"""
