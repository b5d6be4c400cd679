"""The TCP of the Linux kernel over chains of hops, beside our models of its controllers."""
