"""Split TCP (Kopparty 2002): proxies on the path of a connection, in chains and moving networks."""
