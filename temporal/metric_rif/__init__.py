"""The metric operators as formulas of RIF, for rules over streams.

| file | what is in it |
|---|---|
| `kinds` | registers the operators as kinds of formula of `rif` |
| `syntax` | reads and writes them in the presentation syntax |
| `ranges` | reads their ranges |
| `lowering` | registers their plans with `rete.planning.lowering` |
"""
