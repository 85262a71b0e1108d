"""Single elements: a network for few rows at a time, compiled alone.

| file | what it is |
|---|---|
| `interface` | what Python sees of the others |
| `_elements` | a short text to ids, and what was asserted last |
| `_answers` | answers that begin or end later, by time |
| `_network` | nodes and edges as flat arrays, driven row by row |

There is no pure twin: what these do, `rete.inference.agenda` does with columns, on the same stores.
"""
