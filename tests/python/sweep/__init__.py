"""Sweeps on an engine without physics."""
