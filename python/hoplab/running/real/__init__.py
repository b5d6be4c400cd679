"""Real programs in virtual time: the live network inside a Linux kernel whose clock only events advance."""
