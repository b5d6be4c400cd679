"""Measured meshes as scenarios: files of routing daemons, maps and graphs become lists of links.

`mesh` is what a file says. `formats` chooses the reader: `netjson`, `olsrd` and `batman` of routing daemons, and
`graphs` of GraphML, GeoJSON and CSV. `scenario` writes a scenario, and a report of what was dropped, assumed and
missing. Nothing is guessed in silence.
"""

from hoplab.scenario.importing.formats import FORMATS, read
from hoplab.scenario.importing.mesh import Link, Mesh, MeshError, Node
from hoplab.scenario.importing.scenario import Imported, to_files

__all__ = ["FORMATS", "Imported", "Link", "Mesh", "MeshError", "Node", "read", "to_files"]
