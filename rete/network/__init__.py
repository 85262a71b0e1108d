"""Networks and layers of them.

| module | what is in it |
|---|---|
| `network` | one node for each distinct plan of a set of rules |
| `layers` | networks one above the other, which facts each is shown, what they keep |
| `dependency_graph` | which node feeds which |
| `components` | nodes that feed each other, and the order in which components act |
| `lookback` | how late rows come to a node, and how long they are needed |
| `adaptive_order` | when joins come into another order |
| `plan_migration` | how: rows are moved, or joined again |
| `cardinality` | how many rows and values a stream has |
| `horizon` | between which cells facts are derived; what is parked beyond them |
"""
