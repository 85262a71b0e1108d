"""The metric operators as formulas of RIF, for rules over streams.

| file | what is in it |
|---|---|
| `kinds` | the operators as kinds of formula of `rif`, with their plans |
| `syntax` | reads and writes them in the presentation syntax; reads their ranges |
| `lowering` | their plans, among the other conditions of a rule |
"""
