"""The first study, `hoplab demo`: TCP over chains of 1 to 16 hops, beside stored runs of ns-2."""
