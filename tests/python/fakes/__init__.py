"""Stand-ins for tests of formatting and errors; whether hoplab is right, only the real engine can say.

`tools` finds what tests need of a machine.
"""
