"""Networks and layers of them.

| module | what is in it |
|---|---|
| `network` | one node for each distinct plan of a set of rules |
| `layers` | networks one above the other, which facts each is shown, what they keep |
| `components` | which node feeds which, and the order in which they act |
| `lookback` | how late rows come to a node, and how long they are needed |
| `summation` | what operators over endless time have seen long ago is kept no longer |
| `adaptive_order` | when joins come into another order: how many rows and values there are |
| `plan_migration` | how: rows are moved, or joined again |
| `horizon` | between which cells facts are derived; what is parked beyond them |
"""
