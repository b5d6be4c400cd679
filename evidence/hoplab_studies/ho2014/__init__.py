"""TCP over 802.11n meshes of several radios (Ho, Lam, Chong, Liew 2014)."""
