"""ns-3.37: a scenario as input of our program for it, its run, and unsupported features."""
