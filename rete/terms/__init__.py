"""Terms and their ids.

| module | what is in it |
|---|---|
| `relations` | relations, to which facts belong, and heads, by which rules derive them |
| `dictionary` | canonical text to id and back; which terms are forgotten |
| `nquads` | N-Quads and N-Triples text to rows of ids |
| `faults` | what is wrong with malformed texts: of very many as columns, and remembered |
| `literal_values` | literals by value: one text for all terms of a value |
| `number_constants` | numbers of patterns: which terms each matches |
| `equality_classes` | terms that are equal for ever, and the static triples that say so |
| `builtin_calls` | calls of built-ins, each once; which arguments were outside their domain |
| `builtin_outcome` | a built-in asked of terms that stand in no row |
"""
