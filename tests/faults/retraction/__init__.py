"""Small mistakes that one can make in retraction, to be planted; the stories must notice each.

| file | where they are |
|---|---|
| `asserted` | in what is asserted, and in what is told |
| `rules` | where rules come and go |
| `lost` | in what follows from a loss, outside of recursion |
| `recursion` | in recursive components |
| `proofs` | in how derivations are found there |
"""
