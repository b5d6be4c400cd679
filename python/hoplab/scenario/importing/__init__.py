"""Measured meshes as scenarios: files of routing daemons, maps and graphs become lists of links.

`mesh` is what a file says, `formats` has one reader per format, `graphs` those of GraphML, GeoJSON and CSV, and
`scenario` writes a scenario with a report of what was dropped, assumed and missing. Nothing is guessed in silence.
"""

from hoplab.scenario.importing.formats import FORMATS, read
from hoplab.scenario.importing.mesh import Link, Mesh, Node
from hoplab.scenario.importing.scenario import Imported, to_files

__all__ = ["FORMATS", "Imported", "Link", "Mesh", "Node", "read", "to_files"]
