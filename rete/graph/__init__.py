"""The graph of nodes, and what all kinds of node have in common.

| module | what is in it |
|---|---|
| `plan` | plans as values: what other parts ask of a kind, and the end of a body |
| `fingerprint` | a hash of plans: which rules become the same nodes |
| `streams` | streams, their nodes, fact tables, terminals and components: who reads whom |
"""
