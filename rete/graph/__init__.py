"""The graph of nodes, and what all kinds of node have in common.

| module | what is in it |
|---|---|
| `plan` | plans as values: what other parts ask of a kind, and the end of a body |
| `fingerprint` | a hash of plans: which rules become the same nodes |
| `directed_graph` | directed graphs of what feeds what, and their strongly connected components |
| `streams` | streams, their nodes, fact tables, terminals and components: who reads whom |
"""
