"""The graph of nodes, and what all kinds of node have in common.

| module | what is in it |
|---|---|
| `plan` | plans as values: what other parts ask of a kind, and the end of a body |
| `streams` | streams, their nodes, fact tables, terminals and components: who reads whom |
"""
