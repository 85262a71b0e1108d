"""Single elements: a network for few rows at a time, compiled alone.

| file | what it is |
|---|---|
| `interface` | what Python sees of the others |
| `_elements` | a short text to ids, and what was asserted last |
| `_answers` | answers that begin or end later, by time |
| `_nodes` | nodes, edges and patterns as flat arrays |
| `_emission` | the answers of nodes that are final, in their order |
| `_network` | nodes that are driven row by row |

There is no pure twin: what these do, `rete.inference.agenda` does with columns, on the same stores.
"""
