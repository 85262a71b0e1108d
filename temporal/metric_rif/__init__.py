"""The metric operators as formulas of RIF, for rules over streams.

| file | what is in it |
|---|---|
| `kinds` | the operators as kinds of formula of `rif`, and their plans as conditions of a rule |
| `syntax` | reads and writes them in the presentation syntax; reads their ranges |
"""
