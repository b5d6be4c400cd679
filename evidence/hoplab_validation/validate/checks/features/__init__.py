"""Features beyond the reference chains: bursts of errors, AODV, preambles, other forms of controls, end to end."""
