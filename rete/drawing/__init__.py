"""The network for people: what is in it, how it is shared, in the words of the rules.

| file | what it is |
|---|---|
| `names` | what the rules call things: prefixed names, variables, labels |
| `operators` | metric operators as people write them, with their ranges in ticks |
| `diagram` | the network as numbered nodes and edges with labels |
| `text` | as a tree for a terminal |
| `export` | as JSON, and for Graphviz |
| `layout` | where the nodes of a layered picture stand |
| `boxes` | the text of a node in a box that it fits |
| `scene` | coordinates of all that the picture has |
| `svg`, `style`, `shapes` | elements of SVG, colours and type, shapes and signs |
| `legend` | what shapes and colours mean |
| `picture` | the picture |
"""

from rete.drawing.diagram import Diagram, diagram
from rete.drawing.export import as_dot, as_json
from rete.drawing.names import Names, names_of
from rete.drawing.picture import Picture, as_svg
from rete.drawing.text_tree import as_text, summary

__all__ = [
    "Diagram",
    "Names",
    "Picture",
    "as_dot",
    "as_json",
    "as_svg",
    "as_text",
    "diagram",
    "names_of",
    "summary",
]
