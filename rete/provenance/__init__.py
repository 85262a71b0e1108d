"""Derivations found backwards, from a fact to the facts it follows from.

| module | what is in it |
|---|---|
| `backward_evaluation` | the rows of a stream with given columns, found through its plan |
| `access_paths` | which side of a join is probed first, and by which key |
| `derivations` | one step back: each derivation of a fact, with all that it used |
"""
