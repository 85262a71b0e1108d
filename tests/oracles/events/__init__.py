"""RIF rules with aggregates, event times and metric operators, by definition at every instant.

| file | what is in it |
|---|---|
| `timeline` | the instants that matter, and what operators see from them |
| `marks` | the marks of a calendar |
| `scopes` | bodies as conjunctions: And flattened, Exists lifted, Or distributed |
| `dependencies` | which rule feeds which; the order in which rules are completed |
| `conditions` | the bindings for which a condition is true at an instant |
| `models` | what rules derive, when |
| `answers` | the lines of a `History` |
| `assignments` | conditions in a second way: every assignment is tried |
| `trees` | short words for syntax trees, for examples by hand |
"""
