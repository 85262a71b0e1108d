"""The network for people: what is in it and how it is shared, in the words of the rules.

| module or room | what is in it |
|---|---|
| `names` | what the rules call things: prefixed names, variables, operators, durations |
| `diagram` | the network as numbered nodes and edges with labels |
| `rule_operator` | the operators in the body of one rule, in the words of this rule |
| `text_tree` | the diagram as a tree for a terminal |
| `export` | the diagram as JSON, and for Graphviz |
| `picture` | the diagram as a picture in SVG |
"""
