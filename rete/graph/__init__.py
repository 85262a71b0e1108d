"""The graph of nodes, and what all kinds of node have in common.

| module | what is in it |
|---|---|
| `plan` | plans as values: what other parts ask of a kind; questions about rows |
| `directed_graph` | directed graphs of what feeds what, and their strongly connected components |
| `head_projection` | which fact a row derives, and which rows may have derived a fact |
| `streams` | streams, their nodes, fact tables, terminals and components: who reads whom |
"""
