"""Features beyond the reference chains: bursts of errors, AODV's other profile, preambles, other forms of controls."""
