"""The network for people: what is in it, how it is shared, in the words of the rules.

names.py      what the rules call things: prefixed names, variables, labels
diagram.py    the network as numbered nodes and edges with labels
text.py       as a tree for a terminal
export.py     as JSON and for Graphviz
layout.py     where the nodes of a layered picture stand
boxes.py      the text of a node in a box that it fits
svg.py        elements of SVG
picture.py    the picture
"""

from rete.explain.diagram import Diagram, diagram
from rete.explain.export import as_dot, as_json
from rete.explain.names import Names, names_of
from rete.explain.picture import as_svg, extent
from rete.explain.text import as_text, summary

__all__ = [
    "Diagram",
    "Names",
    "as_dot",
    "as_json",
    "as_svg",
    "as_text",
    "diagram",
    "extent",
    "names_of",
    "summary",
]
