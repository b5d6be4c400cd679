"""Grids of settings against closed forms: what holds at one point of a path must hold over its range."""
