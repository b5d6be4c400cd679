"""Semi-TCP (Cai 2013): hop-by-hop congestion control by RTS/CTS against TCP-AP and NewReno."""
