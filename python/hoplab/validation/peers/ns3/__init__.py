"""ns-3.37: a scenario as input of our program on top of it, its run, and what that cannot express."""
