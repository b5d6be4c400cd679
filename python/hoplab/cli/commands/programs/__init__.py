"""Commands that run real programs over the simulated network: in real time, and in virtual time."""
