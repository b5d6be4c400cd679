"""Find constants that a paper leaves open, on scenarios of their own, and judge them on others."""
