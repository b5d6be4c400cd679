"""Live networks: real programs in network namespaces, over a simulated network at the pace of the wall clock."""
