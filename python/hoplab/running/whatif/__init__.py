"""Variants of a scenario, each with one thing changed, and what each changes in the results."""
