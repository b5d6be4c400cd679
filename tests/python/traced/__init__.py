"""Traces, captures and what is drawn of them."""
