"""ns-2.35: a scenario as a Tcl script, its run, and unsupported features."""
