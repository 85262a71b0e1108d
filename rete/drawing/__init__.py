"""The network for people: what is in it and how it is shared, in the words of the rules.

| module | what is in it |
|---|---|
| `names` | what the rules call things: prefixed names, variables, labels, metric operators |
| `durations` | durations and ranges, with a unit |
| `diagram` | the network as numbered nodes and edges with labels |
| `named_operator` | the operators in the body of one rule, in the words of this rule |
| `text_tree` | the diagram as a tree for a terminal |
| `export` | the diagram as JSON, and for Graphviz |
| `layout` | where the nodes of a layered picture stand |
| `boxes` | the text of a node, and the box that it fits |
| `scene` | the coordinates of all that the picture has |
| `svg`, `style`, `shapes` | elements of SVG, colours and type, shapes and signs |
| `legend` | what shapes and colours mean |
| `picture` | the picture |
"""
