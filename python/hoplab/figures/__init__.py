"""Figures as values, drawn by matplotlib for notebooks and papers and by the report's script for reading.

`model` holds the values, `build` makes them from results, `draw` draws them with matplotlib.
"""

from hoplab.figures.model import Curve, Figure

__all__ = ["Curve", "Figure"]
