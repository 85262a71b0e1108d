"""The commands of `r4 mtl`, a file each.

| file | what it is |
|---|---|
| `materialise` | prints all that follows |
| `update` | prints what follows after facts were deleted and inserted |
| `entails` | decides whether a fact follows |
| `stream` | answers a query along a stream of facts |
| `explain` | says why a fact holds in an interval, or where it does not |
| `check` | reports all faults of a program, and its kind |
"""
